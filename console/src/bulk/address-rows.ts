import { csvLine } from '../../../src/core/csv/csv-cell.ts';
import { ANSWER_COLUMNS, answerCells, type BatchItem } from '../../../src/core/enrich/answers-beside.ts';
import type { Address } from '../../../src/core/ip/address.ts';
import { formatAddress } from '../../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../../src/core/ip/parse-address.ts';
import { AddressTable } from '../../../src/core/summary/address-table.ts';
import { classKey, type VerdictFacts, verdictFacts } from '../../../src/core/summary/verdict-facts.ts';
import { type AnsweredAddress, BULK_MAX } from './bulk-request.ts';
import { type BulkRows, digestOf } from './bulk-rows.ts';

/** Stored part of an answer: the facts a summary counts, and the row of the table as text. Documents are not kept. */
interface Answer {
  /** Undefined: the address has no verdict. */
  readonly facts: VerdictFacts | undefined;
  readonly row: string;
}

/** The same, to be kept in the browser. */
export interface KeptAnswer extends Answer {
  readonly ip: string;
}

/** Active evidence by score, then expired evidence, then none, then addresses without a verdict. */
const riskOf = ({ facts }: AnsweredAddress): number =>
  facts === undefined ? -1 : facts.state === 'active' ? 1 + facts.score : facts.state === 'stale' ? 0.5 : 0;

/** Versions and moment of the answers. */
export interface AnswersAbout {
  readonly dataVersion: { readonly risk: string; readonly geo: string };
  readonly computedAt: string;
  readonly degraded: boolean;
}

/** Distinct addresses of a file with how often each comes, and their answers. */
export class AddressRows implements BulkRows<BatchItem, KeptAnswer, AnswersAbout> {
  about: AnswersAbout | undefined;
  readonly #table: AddressTable;
  readonly #texts: string[] = [];
  readonly #lines: number[] = [];
  readonly #answers: (Answer | undefined)[] = [];
  /** Facts are shared among the addresses that have the same. */
  readonly #facts = new Map<string, VerdictFacts>();

  constructor(seed: readonly number[]) {
    this.#table = new AddressTable({ entriesMax: BULK_MAX, columns: 0, seed });
  }

  get size(): number {
    return this.#texts.length;
  }

  get answered(): number {
    return this.#answers.reduce((sum, answer) => sum + (answer === undefined ? 0 : 1), 0);
  }

  /** Counts a line of an address. @returns false where there is no room for another address */
  add({ family, w0, w1, w2, w3 }: Address): boolean {
    const slot = this.#table.find(family, w0, w1, w2, w3);
    if (slot >= 0) {
      this.#lines[this.#table.tags[slot]!]!++;
      return true;
    }
    if (this.#table.isFull) return false;
    this.#table.insert(family, w0, w1, w2, w3, this.#texts.length);
    this.#texts.push(formatAddress({ family, w0, w1, w2, w3 }));
    this.#lines.push(1);
    this.#answers.push(undefined);
    return true;
  }

  /** The most frequent first. */
  unanswered(): readonly number[] {
    return [...this.#texts.keys()]
      .filter((i) => this.#answers[i] === undefined)
      .sort((a, b) => this.#lines[b]! - this.#lines[a]! || a - b);
  }

  text(number: number): string {
    return this.#texts[number]!;
  }

  answer(number: number, item: BatchItem): void {
    if (!('error' in item))
      this.about = {
        dataVersion: item.meta.data_version,
        computedAt: item.computed_at,
        degraded: this.about?.degraded === true || 'degraded' in item,
      };
    this.#answers[number] = {
      facts: 'error' in item ? undefined : this.#shared(verdictFacts(item)),
      row: csvLine(answerCells(this.#texts[number]!, this.#lines[number]!, item)),
    };
  }

  kept(number: number): KeptAnswer | undefined {
    const answer = this.#answers[number];
    return answer && { ip: this.#texts[number]!, facts: answer.facts, row: answer.row };
  }

  restore(answers: readonly KeptAnswer[], about: AnswersAbout | undefined): void {
    for (const { ip, facts, row } of answers) {
      const address = parseAnyAddress(ip);
      const slot =
        address === undefined ? -1 : this.#table.find(address.family, address.w0, address.w1, address.w2, address.w3);
      if (slot >= 0) this.#answers[this.#table.tags[slot]!] = { facts: facts && this.#shared(facts), row };
    }
    if (about !== undefined) this.about = { ...about, degraded: about.degraded || this.about?.degraded === true };
  }

  /** The digest is the same for the same addresses, each as often. */
  digest(): string {
    return digestOf(this.#texts.map((text, number) => `${text} ${this.#lines[number]}`));
  }

  /** `unasked`: no answer came yet; undefined: the address has no verdict. */
  factsOf(address: Address): VerdictFacts | 'unasked' | undefined {
    const answer = this.#answerOf(address);
    return answer === undefined ? 'unasked' : answer.facts;
  }

  /** All answered addresses, the riskiest first, of equal ones the most frequent. */
  ranked(): readonly AnsweredAddress[] {
    return this.#texts
      .flatMap((ip, i) => {
        const answer = this.#answers[i];
        return answer === undefined ? [] : [{ ip, lines: this.#lines[i]!, facts: answer.facts }];
      })
      .sort((a, b) => riskOf(b) - riskOf(a) || b.lines - a.lines);
  }

  /** A table of the answers, the most frequent addresses first, as texts to be put together. */
  csv(): readonly string[] {
    const numbers = [...this.#texts.keys()]
      .filter((i) => this.#answers[i] !== undefined)
      .sort((a, b) => this.#lines[b]! - this.#lines[a]! || a - b);
    return [csvLine(ANSWER_COLUMNS), ...numbers.map((i) => this.#answers[i]!.row)];
  }

  /** The row of the table about an address, once it is answered. */
  rowOf = (address: Address): string | undefined => this.#answerOf(address)?.row;

  #answerOf({ family, w0, w1, w2, w3 }: Address): Answer | undefined {
    const slot = this.#table.find(family, w0, w1, w2, w3);
    return slot < 0 ? undefined : this.#answers[this.#table.tags[slot]!];
  }

  #shared(facts: VerdictFacts): VerdictFacts {
    const key = `${facts.score} ${classKey(facts)}`;
    const known = this.#facts.get(key);
    if (known === undefined) this.#facts.set(key, facts);
    return known ?? facts;
  }
}
