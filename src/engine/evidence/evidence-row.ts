import type { LiveSource } from './evidence-delta.ts';

/**
 * One evidence row in three 32-bit words:
 *
 *   word 0   capturedAt, low 32 bits (milliseconds; of a following row: the presence interval's first run)
 *   word 1   bits 0-15 capturedAt, bits 32-47; bits 16-29 observed days (fixed rows); bit 31 the last row of
 *   its set
 *   word 2   number of the row key
 *
 * The rows of a set are adjacent; the number of a set is that of its first row.
 */
export const ROW_WORDS = 3;
export const LAST = 0x8000_0000;
/** 48 bits of milliseconds reach the year 10889. */
export const CAPTURED_AT_MAX = 2 ** 48 - 1;

export const PREFIXES = 'EV';

export const ROW_KEY_WORDS = 2;
export const packRowKey = (source: number, pool: number): number => ((pool << 16) | source) >>> 0;
export const packRowKey2 = (type: number, bits: number, following: boolean): number =>
  type | (bits << 8) | (following ? 1 << 16 : 0);

export const capturedAtOf = (word0: number, word1: number): number => word0 + (word1 & 0xffff) * 0x1_0000_0000;
export const daysOf = (word1: number): number => (word1 >>> 16) & 0x3fff;
export const isLast = (rows: Uint32Array, row: number): boolean => rows[ROW_WORDS * row + 1]! >= LAST;
export const word1Of = (capturedAt: number, days: number): number =>
  Math.floor(capturedAt / 0x1_0000_0000) | (days << 16);

const BUCKET_LOAD = 5;

/** Returns the right shift (1 to 31) that turns a 32-bit hash into a bucket number for `entries` entries. */
export function bucketShift(entries: number): number {
  const bits = Math.ceil(Math.log2(Math.max(2, entries / BUCKET_LOAD)));
  return 32 - Math.min(31, bits);
}

/** Sixteen bits address this many sources; this number itself stands for a dropped source. */
export const SOURCES_MAX = 0xffff;
export const POOLS_MAX = 0x1_0000;

export interface DroppedRows {
  /**
   * Counts rows that do not fit the format or come from a source past SOURCES_MAX, and pools past POOLS_MAX.
   */
  rows: number;
  pools: number;
}

export const nothingDropped = (): DroppedRows => ({ rows: 0, pools: 0 });

/**
 * Numbers of sources and pools: sources in the order given, pools in the order in which rows name them. Those
 * beyond sixteen bits are dropped and counted, so that no amount of names prevents an image.
 */
export class RowNames {
  readonly sources: readonly LiveSource[];
  readonly pools: string[] = [''];
  readonly dropped = nothingDropped();
  readonly #sourceNumbers: ReadonlyMap<string, number>;
  readonly #poolNumbers = new Map([['', 0]]);

  constructor(sources: readonly LiveSource[]) {
    this.sources = sources.length > SOURCES_MAX ? sources.slice(0, SOURCES_MAX) : sources;
    this.#sourceNumbers = new Map(this.sources.map(({ id }, number) => [id, number]));
  }

  source(id: string): number | undefined {
    const number = this.#sourceNumbers.get(id);
    if (number === undefined) this.dropped.rows++;
    return number;
  }

  pool(name: string): number {
    const known = this.#poolNumbers.get(name);
    if (known !== undefined) return known;
    if (this.pools.length >= POOLS_MAX) {
      this.dropped.pools++;
      return 0;
    }
    this.#poolNumbers.set(name, this.pools.length);
    return this.pools.push(name) - 1;
  }
}
