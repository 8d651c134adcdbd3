import type { EvidenceDelta, LiveSource } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';

/** Sources and pools of the image keep their numbers; new ones come behind them. */
export class MergedNames {
  readonly sources: LiveSource[];
  readonly pools: string[];
  /** Number in the changes → number in the image. */
  readonly sourceOf: Uint16Array;
  readonly poolOf: Uint16Array;

  constructor(image: EvidenceImage, { sources, pools }: EvidenceDelta) {
    this.sources = [...image.sources];
    this.pools = [...image.pools];
    const numbers = new Map(image.sources.map(({ id }, number) => [id, number]));
    this.sourceOf = Uint16Array.from(sources, (source) => {
      const number = numbers.get(source.id) ?? this.sources.length;
      this.sources[number] = source;
      return number;
    });
    this.poolOf = Uint16Array.from(pools, (pool) => {
      const known = this.pools.indexOf(pool);
      return known >= 0 ? known : this.pools.push(pool) - 1;
    });
    if (this.sources.length > 0xffff || this.pools.length > 0x1_0000) throw new RangeError('more than 65,535 evidence sources or pools');
  }
}
