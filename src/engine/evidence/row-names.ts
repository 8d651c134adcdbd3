import type { LiveSource } from './evidence-delta.ts';

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

  /** @returns undefined where the row must be dropped */
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
