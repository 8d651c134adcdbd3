import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { grown } from '../kit/grown.ts';
import { HOUR_MS, type UnixMs } from '../units.ts';

const DECISION_TYPES = ['ban', 'captcha'] as const;
export type DecisionType = (typeof DECISION_TYPES)[number];

export interface Decision {
  readonly prefix: Prefix;
  readonly score: number;
  readonly type: DecisionType;
  readonly riskType: RiskType;
  /** The decision no longer holds from this instant on. */
  readonly until: UnixMs;
}

/**
 * A row has four words of the address, one of length, family, type, risk type and score, and two of the time.
 */
const ROW_WORDS = 7;

/**
 * Holds decisions in the order of their addresses, IPv4 first, none twice. A row takes 28 bytes, so that a
 * million of them can be held, compared and kept in a file.
 */
export class DecisionTable {
  #words: Uint32Array;
  #length: number;

  constructor(words: Uint32Array = new Uint32Array(0)) {
    this.#words = words;
    this.#length = words.length / ROW_WORDS;
  }

  get length(): number {
    return this.#length;
  }

  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length * ROW_WORDS);
  }

  add({ prefix, score, type, riskType, until }: Decision): void {
    const at = this.#length * ROW_WORDS;
    if (at === this.#words.length) this.#words = grown(this.#words, 1024 * ROW_WORDS);
    const words = this.#words;
    words.set([prefix.w0, prefix.w1, prefix.w2, prefix.w3], at);
    const kind = DECISION_TYPES.indexOf(type) | (RISK_TYPES.indexOf(riskType) << 1);
    words[at + 4] = (prefix.bits | ((prefix.family === 4 ? 0 : 1) << 8) | (kind << 9) | (score << 18)) >>> 0;
    words[at + 5] = Math.floor(until / 2 ** 32);
    words[at + 6] = until >>> 0;
    this.#length++;
  }

  at(row: number): Decision {
    const words = this.#words;
    const at = row * ROW_WORDS;
    const packed = words[at + 4]!;
    const kind = (packed >>> 9) & 0x1ff;
    return {
      prefix: {
        family: ((packed >>> 8) & 1) === 0 ? 4 : 6,
        w0: words[at]!,
        w1: words[at + 1]!,
        w2: words[at + 2]!,
        w3: words[at + 3]!,
        bits: packed & 0xff,
      },
      score: packed >>> 18,
      type: DECISION_TYPES[kind & 1]!,
      riskType: RISK_TYPES[kind >>> 1]!,
      until: (words[at + 5]! * 2 ** 32 + words[at + 6]!) as UnixMs,
    };
  }

  /** Returns the riskiest rows, in the order of their addresses. Of equal scores the first ones stay. */
  riskiest(max: number): DecisionTable {
    if (this.#length <= max) return this;
    const counts = new Uint32Array(101);
    for (let row = 0; row < this.#length; row++) counts[this.#scoreAt(row)]!++;
    let least = 100;
    let room = max;
    while (counts[least]! <= room && least > 0) room -= counts[least--]!;
    const kept = new DecisionTable();
    for (let row = 0; row < this.#length; row++) {
      const score = this.#scoreAt(row);
      if (score > least || (score === least && room-- > 0)) kept.add(this.at(row));
    }
    return kept;
  }

  *byRisk(): Generator<Decision> {
    const rows = Uint32Array.from({ length: this.#length }, (_, row) => row);
    rows.sort((a, b) => this.#scoreAt(b) - this.#scoreAt(a) || a - b);
    for (const row of rows) yield this.at(row);
  }

  where(isKept: (decision: Decision) => boolean): DecisionTable {
    const kept = new DecisionTable();
    for (const decision of this) if (isKept(decision)) kept.add(decision);
    return kept;
  }

  *[Symbol.iterator](): Generator<Decision> {
    for (let row = 0; row < this.#length; row++) yield this.at(row);
  }

  #scoreAt(row: number): number {
    return this.#words[row * ROW_WORDS + 4]! >>> 18;
  }
}

/** A decision whose end moved is sent again when so little of the time that its client knows is left. */
const RENEWED_BEFORE_MS = 2 * HOUR_MS;

export interface DecisionChanges {
  readonly added: DecisionTable;
  readonly deleted: DecisionTable;
  /** The client has these decisions after the answer. */
  readonly told: DecisionTable;
}

/**
 * Compares the decisions that a client has with those of now. A decision that changed is deleted and added. A
 * later end alone is told shortly before the earlier one: lists are read every hour, and each reading moves the
 * end of every entry.
 */
export function decisionChanges(before: DecisionTable, now: DecisionTable, at: UnixMs): DecisionChanges {
  const [added, deleted, told] = [new DecisionTable(), new DecisionTable(), new DecisionTable()];
  let row = 0;
  for (const decision of now) {
    while (row < before.length && order(before.at(row), decision) < 0) deleted.add(before.at(row++));
    const known = row < before.length && order(before.at(row), decision) === 0 ? before.at(row++) : undefined;
    if (known !== undefined && isAsTold(known, decision, at)) {
      told.add({ ...decision, until: known.until });
      continue;
    }
    if (known !== undefined) deleted.add(known);
    added.add(decision);
    told.add(decision);
  }
  while (row < before.length) deleted.add(before.at(row++));
  return { added, deleted, told };
}

const order = ({ prefix: a }: Decision, { prefix: b }: Decision): number =>
  a.family - b.family || compareAddresses(a, b) || a.bits - b.bits;

const isAsTold = (known: Decision, { type, riskType, until }: Decision, at: UnixMs): boolean =>
  known.type === type &&
  known.riskType === riskType &&
  known.until <= until &&
  (known.until === until || known.until - at > RENEWED_BEFORE_MS);
