import type { KnownUse, SharedAnswer } from '../local-counts.ts';

/**
 * A row holds the generation in two halves, the numbers of `KnownUse`, and the units that are in the log
 * alone.
 */
const GENERATION_HIGH = 0;
const GENERATION_LOW = 1;
const BASE = 2;
const TOTAL = 3;
const BASE_REFUNDED = 4;
const REFUNDED = 5;
const OWN = 6;
const OWN_REFUNDED = 7;
const DELIVERED = 8;
const DELIVERED_REFUNDED = 9;
const LOGGED = 10;
const WORDS = 11;
const HALF = 2 ** 31;

export const sharesBytes = (slots: number): number => slots * WORDS * 4;

/**
 * Remembers what this process knows about counters that all nodes share. Its rows match the slots of a
 * counter table, whose lock guards all use.
 */
export class SharesTable {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  begin(row: number, units: number, refunded: number): void {
    const at = row * WORDS;
    if (at >= this.#cells.length) return;
    this.#cells.fill(0, at, at + WORDS);
    this.addLocal(row, units, refunded);
  }

  addLocal(row: number, units: number, refunded: number): void {
    const at = row * WORDS;
    this.#cells[at + OWN]! += units;
    this.#cells[at + OWN_REFUNDED]! += refunded;
    this.#cells[at + LOGGED]! += units;
  }

  known(row: number): KnownUse {
    const at = row * WORDS;
    const cell = (word: number): number => this.#cells[at + word]!;
    return {
      generation: cell(GENERATION_HIGH) * HALF + cell(GENERATION_LOW),
      base: cell(BASE),
      total: cell(TOTAL),
      baseRefunded: cell(BASE_REFUNDED),
      refunded: cell(REFUNDED),
      own: cell(OWN),
      ownRefunded: cell(OWN_REFUNDED),
      delivered: cell(DELIVERED),
      deliveredRefunded: cell(DELIVERED_REFUNDED),
    };
  }

  /**
   * Takes the answer to a question that carried `sent` and charged `units`.
   * @returns units and refunds of the log that the server holds from now on
   */
  learn(row: number, sent: KnownUse, answer: SharedAnswer, units: number): { units: number; refunded: number } {
    const cells = this.#cells;
    const at = row * WORDS;
    const waiting = (): number => Math.max(0, cells[at + OWN]! - cells[at + DELIVERED]!);
    const before = { waiting: waiting(), refunded: cells[at + DELIVERED_REFUNDED]! };
    cells[at + OWN]! += units;
    cells[at + DELIVERED] = Math.max(cells[at + DELIVERED]!, answer.delivered);
    cells[at + DELIVERED_REFUNDED] = Math.max(before.refunded, sent.ownRefunded);
    const logged = Math.min(cells[at + LOGGED]!, Math.max(0, before.waiting - waiting()));
    cells[at + LOGGED]! -= logged;
    this.#learnTotal(at, sent, answer);
    return { units: logged, refunded: cells[at + DELIVERED_REFUNDED]! - before.refunded };
  }

  /**
   * A later generation is taken only if nothing was learnt since about the one before; else the next question
   * carries that first.
   */
  #learnTotal(at: number, sent: KnownUse, answer: SharedAnswer): void {
    const { generation, base, total, baseRefunded, refunded } = answer;
    const known = this.known(at / WORDS);
    if (generation < known.generation || generation === 0) return;
    const same = generation === known.generation;
    if (!same && (known.total !== sent.total || known.refunded !== sent.refunded)) return;
    this.#cells[at + GENERATION_HIGH] = Math.floor(generation / HALF);
    this.#cells[at + GENERATION_LOW] = generation % HALF;
    this.#cells[at + BASE] = same ? Math.max(known.base, base) : base;
    this.#cells[at + TOTAL] = same ? Math.max(known.total, total) : total;
    this.#cells[at + BASE_REFUNDED] = same ? Math.max(known.baseRefunded, baseRefunded) : baseRefunded;
    this.#cells[at + REFUNDED] = same ? Math.max(known.refunded, refunded) : refunded;
  }
}
