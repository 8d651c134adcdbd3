import type { EvidenceDelta, LiveSource } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { nothingDropped, POOLS_MAX, SOURCES_MAX } from './row-names.ts';

/** Sources and pools of the image keep their numbers; new ones come behind them, as far as sixteen bits reach. */
export class MergedNames {
  readonly sources: LiveSource[];
  readonly pools: string[];
  readonly dropped = nothingDropped();
  /** Number in the changes → number in the image; SOURCES_MAX for a source left out. */
  readonly sourceOf: Uint16Array;
  readonly poolOf: Uint16Array;

  constructor(image: EvidenceImage, { sources, pools }: EvidenceDelta) {
    this.sources = [...image.sources];
    this.pools = [...image.pools];
    const numbers = new Map(image.sources.map(({ id }, number) => [id, number]));
    this.sourceOf = Uint16Array.from(sources, (source) => {
      const number = numbers.get(source.id) ?? this.sources.length;
      if (number < SOURCES_MAX) this.sources[number] = source;
      return number;
    });
    const poolNumbers = new Map(image.pools.map((pool, number) => [pool, number]));
    this.poolOf = Uint16Array.from(
      pools,
      (pool) => poolNumbers.get(pool) ?? (this.pools.length < POOLS_MAX ? this.pools.push(pool) - 1 : 0),
    );
  }

  /** Whether the image has room for the row of this source and pool, both as the changes number them; those without room are counted. */
  takes(source: number, pool: number): boolean {
    const fits = this.sourceOf[source] !== SOURCES_MAX;
    if (!fits) this.dropped.rows++;
    else if (pool !== 0 && this.poolOf[pool] === 0) this.dropped.pools++;
    return fits;
  }
}
