import type { PhoneHit, PhoneMiss } from '../../../src/contract/documents.ts';
import { PHONE_LEVELS, type PhoneLevel } from '../../../src/contract/phone.ts';
import type { FoundNumber } from '../../../src/core/phone/find-numbers.ts';
import type { PhoneFound, PhoneItem } from '../../../src/core/phone/phone-item.ts';
import type { PhoneRecord } from '../../../src/core/phone/phone-list.ts';
import { planFacts, type SegmentTable } from '../../../src/core/phone/segments.ts';
import { BULK_MAX } from '../bulk/bulk-request.ts';
import { type BulkRows, digestOf } from '../bulk/bulk-rows.ts';

type Answered = Exclude<PhoneItem, { readonly error: unknown }>;
/** Content of an answer; the number is left out. */
type Answer = Pick<PhoneHit, Said | 'activity' | 'carrier'> | Pick<PhoneMiss, Said | 'miss_reason'>;
type Said = 'hit' | 'evidence_state' | 'risk';

/** The browser keeps the place of the number in the file, and no number itself. */
export interface KeptPhone {
  readonly number: number;
  readonly answer: Answer;
}

/** Rows of the table on the page. */
const SHOWN_MAX = 100;

export interface PhoneSummary {
  /** Numbers by the level of active evidence, and the others. */
  readonly counts: Readonly<Record<PhoneLevel | 'stale' | 'miss', number>>;
  /** The riskiest first, then lines without a number that can be looked up. */
  readonly shown: readonly PhoneFound[];
  /** Answers and such lines. */
  readonly of: number;
}

const BAD_LENGTH: Answer = {
  hit: false,
  evidence_state: 'none',
  risk: { score: 0, level: 'none', tags: [] },
  miss_reason: 'unqueryable_bad_length',
};

/**
 * Distinct numbers of a file, and their answers. Numbers of a wrong length never hit and would be charged:
 * they are answered here.
 */
export class PhoneRows implements BulkRows<PhoneItem, KeptPhone, never> {
  readonly about: undefined;
  readonly #places = new Map<string, number>();
  readonly #found: FoundNumber[] = [];
  readonly #answers: (Answer | undefined)[] = [];
  readonly #others: PhoneFound[] = [];
  #othersCount = 0;
  readonly #segments: SegmentTable | undefined;

  constructor(segments: SegmentTable | undefined) {
    this.#segments = segments;
  }

  get size(): number {
    return this.#found.length;
  }

  get answered(): number {
    return this.#answers.reduce((sum, answer) => sum + (answer === undefined ? 0 : 1), 0);
  }

  /** Takes the numbers of a record. @returns false where there is no room for another number */
  add({ numbers, sought }: PhoneRecord): boolean {
    if (numbers.length === 0) this.#addOther(withoutNumber(sought));
    for (const found of numbers) {
      const { digits, validLength } = found.number;
      if (validLength === false) this.#addOther(this.foundOf(found)!);
      else if (!this.#places.has(digits)) {
        if (this.size === BULK_MAX) return false;
        this.#places.set(digits, this.#found.push(found) - 1);
        this.#answers.push(undefined);
      }
    }
    return true;
  }

  unanswered(): readonly number[] {
    return [...this.#answers.keys()].filter((number) => this.#answers[number] === undefined);
  }

  text(number: number): string {
    return `+${this.#found[number]!.number.digits}`;
  }

  answer(number: number, item: PhoneItem): void {
    if ('error' in item) {
      this.#answers[number] = BAD_LENGTH;
      return;
    }
    const { hit, evidence_state, risk } = item;
    // An answer holds more than is shown.
    this.#answers[number] = item.hit
      ? {
          ...({ hit, evidence_state, risk } as Pick<PhoneHit, Said>),
          activity: item.activity,
          ...(item.carrier !== undefined && { carrier: item.carrier }),
        }
      : { ...({ hit, evidence_state, risk } as Pick<PhoneMiss, Said>), miss_reason: item.miss_reason };
  }

  kept(number: number): KeptPhone | undefined {
    const answer = this.#answers[number];
    return answer && { number, answer };
  }

  restore(answers: readonly KeptPhone[]): void {
    for (const { number, answer } of answers) if (number < this.size) this.#answers[number] = answer;
  }

  digest(): string {
    return digestOf(this.#places.keys());
  }

  /** Answer about a number of the file; undefined: none came yet. */
  foundOf(found: FoundNumber): PhoneFound | undefined {
    const { number } = found;
    const answer = number.validLength === false ? BAD_LENGTH : this.#answers[this.#places.get(number.digits)!];
    return (
      answer && {
        item: { query: queryOf(found), ...answer } as Answered,
        planned: this.#segments && planFacts(this.#segments, number),
      }
    );
  }

  /** Undefined while there is nothing to show. */
  summary(): PhoneSummary | undefined {
    const counts = { none: 0, low: 0, medium: 0, high: 0, stale: 0, miss: 0 };
    const ranked: { readonly number: number; readonly rank: number }[] = [];
    for (const [number, answer] of this.#answers.entries()) {
      if (answer === undefined) continue;
      counts[!answer.hit ? 'miss' : answer.evidence_state === 'stale' ? 'stale' : answer.risk.level]++;
      ranked.push({ number, rank: rankOf(answer) });
    }
    if (ranked.length === 0 && this.size > 0) return undefined;
    ranked.sort((a, b) => b.rank - a.rank || a.number - b.number);
    const riskiest = ranked.slice(0, SHOWN_MAX).flatMap(({ number }) => this.foundOf(this.#found[number]!) ?? []);
    return { counts, shown: [...riskiest, ...this.#others], of: ranked.length + this.#othersCount };
  }

  #addOther(other: PhoneFound): void {
    if (this.#othersCount++ < SHOWN_MAX) this.#others.push(other);
  }
}

/** Active evidence before stale, each by its score or, without one, by its level. */
function rankOf({ hit, evidence_state: state, risk: { score, level } }: Answer): number {
  if (!hit) return 0;
  return (state === 'active' ? 20 : 10) + (score ?? 3 * PHONE_LEVELS.indexOf(level));
}

const queryOf = ({ input, number }: FoundNumber): Answered['query'] => ({
  input,
  e164: `+${number.digits}`,
  national_number: number.national,
  country_code: number.callingCode,
  country: { iso2: number.iso2 },
  valid_length: number.validLength,
});

/** The answer about a text in which there is no number. */
export const withoutNumber = (input: string): PhoneFound => ({
  item: { query: { input }, hit: false, error: { code: 'bad_number', message: '' } },
  planned: undefined,
});
