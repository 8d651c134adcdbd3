import type { LiveSource } from './evidence-delta.ts';

/** Sources that sixteen bits of a row number; the number behind them stands for a source left out. */
export const SOURCES_MAX = 0xffff;
/** Pools that sixteen bits of a row number, the empty one included. */
export const POOLS_MAX = 0x1_0000;

/** Rows and pools that did not fit into an image. */
export interface DroppedRows {
  /** Rows left out: they do not fit the format, or come from a source past SOURCES_MAX. */
  rows: number;
  /** Rows taken without the pool they name, because it is past POOLS_MAX. */
  pools: number;
}

export const nothingDropped = (): DroppedRows => ({ rows: 0, pools: 0 });

/**
 * Sources and pools in the numbers of rows: sources in the order given, pools in the order in which rows name them. Those beyond sixteen bits are left
 * out and counted, so that no amount of names stops an image from being made.
 */
export class RowNames {
  readonly sources: readonly LiveSource[];
  /** Grows as rows are numbered. */
  readonly pools: string[] = [''];
  readonly dropped = nothingDropped();
  readonly #sourceNumbers: ReadonlyMap<string, number>;
  readonly #poolNumbers = new Map([['', 0]]);

  constructor(sources: readonly LiveSource[]) {
    this.sources = sources.length > SOURCES_MAX ? sources.slice(0, SOURCES_MAX) : sources;
    this.#sourceNumbers = new Map(this.sources.map(({ id }, number) => [id, number]));
  }

  /** Number of a source for a row. @returns undefined where the row must be left out */
  source(id: string): number | undefined {
    const number = this.#sourceNumbers.get(id);
    if (number === undefined) this.dropped.rows++;
    return number;
  }

  /** Number of a pool for a row; 0, no pool, past the limit. */
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
