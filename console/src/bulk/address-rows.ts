import type { ErrorBody, IPRisk, PulseIPRisk } from '../../../src/contract/documents.ts';
import { csvLine } from '../../../src/core/csv/csv-cell.ts';
import type { Address } from '../../../src/core/ip/address.ts';
import { formatAddress } from '../../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../../src/core/ip/parse-address.ts';
import { AddressTable } from '../../../src/core/summary/address-table.ts';
import { classKey, type VerdictFacts, verdictFacts } from '../../../src/core/summary/verdict-facts.ts';
import { BULK_MAX } from './bulk-order.ts';

/** One item of the answer to a batch. */
export type BatchItem = IPRisk | PulseIPRisk | ({ readonly ip: string } & ErrorBody);

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

const COLUMNS = [
  'ip',
  'lines',
  'evidence_state',
  'score',
  'level',
  'signals',
  'share_tier',
  'usage_type',
  'asn',
  'country',
  'region',
  'city',
  'problem',
] as const;

/** Distinct addresses of a file with how often each comes, and their answers. */
export class AddressRows {
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

  /** Numbers of the addresses that were not asked about, the most frequent first. */
  unanswered(): readonly number[] {
    return [...this.#texts.keys()]
      .filter((i) => this.#answers[i] === undefined)
      .sort((a, b) => this.#lines[b]! - this.#lines[a]! || a - b);
  }

  text(number: number): string {
    return this.#texts[number]!;
  }

  /** Keeps the answer about an address. */
  answer(number: number, item: BatchItem): void {
    this.#answers[number] = {
      facts: 'error' in item ? undefined : this.#shared(verdictFacts(item)),
      row: csvLine(this.#row(number, item)),
    };
  }

  /** Answer about an address, to be kept; undefined where nothing was. */
  kept(number: number): KeptAnswer | undefined {
    const answer = this.#answers[number];
    return answer && { ip: this.#texts[number]!, facts: answer.facts, row: answer.row };
  }

  /** Takes an answer that was kept, unless its address is not in the file. */
  restore({ ip, facts, row }: KeptAnswer): void {
    const address = parseAnyAddress(ip);
    const slot =
      address === undefined ? -1 : this.#table.find(address.family, address.w0, address.w1, address.w2, address.w3);
    if (slot >= 0) this.#answers[this.#table.tags[slot]!] = { facts: facts && this.#shared(facts), row };
  }

  /** Text that two files share when they have the same addresses, each as often; others hardly ever. */
  digest(): string {
    let [a, b] = [0x811c9dc5, 0x9e3779b9];
    for (const [number, text] of this.#texts.entries())
      for (const character of `${text} ${this.#lines[number]};`) {
        const code = character.charCodeAt(0);
        a = Math.imul(a ^ code, 0x01000193);
        b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
      }
    return [a, b, this.size].map((part) => (part >>> 0).toString(36)).join('-');
  }

  /** `unasked`: no answer came yet; undefined: the address has no verdict. */
  factsOf({ family, w0, w1, w2, w3 }: Address): VerdictFacts | 'unasked' | undefined {
    const slot = this.#table.find(family, w0, w1, w2, w3);
    const answer = slot < 0 ? undefined : this.#answers[this.#table.tags[slot]!];
    return answer === undefined ? 'unasked' : answer.facts;
  }

  /** A table of the answers, the most frequent addresses first, as texts to be put together. */
  csv(): readonly string[] {
    const numbers = [...this.#texts.keys()]
      .filter((i) => this.#answers[i] !== undefined)
      .sort((a, b) => this.#lines[b]! - this.#lines[a]! || a - b);
    return [csvLine(COLUMNS), ...numbers.map((i) => this.#answers[i]!.row)];
  }

  #shared(facts: VerdictFacts): VerdictFacts {
    const key = `${facts.score} ${classKey(facts)}`;
    const known = this.#facts.get(key);
    if (known === undefined) this.#facts.set(key, facts);
    return known ?? facts;
  }

  #row(number: number, item: BatchItem): readonly string[] {
    const head = [this.#texts[number]!, String(this.#lines[number]!)];
    if ('error' in item) return [...head, ...Array.from({ length: COLUMNS.length - 3 }, () => ''), item.error.code];
    const { risk, evidence_state: state, network, geo } = item;
    return [
      ...head,
      state,
      String(risk.score),
      risk.level,
      (risk.signals ?? []).join(' '),
      'share_tier' in item ? item.share_tier : '',
      network?.usage_type ?? '',
      network?.asn === undefined ? '' : String(network.asn),
      geo?.country ?? '',
      geo?.region ?? '',
      geo?.city ?? '',
      '',
    ];
  }
}
