import type { RiskType } from '../../src/contract/risk.ts';
import { distinctPrefixes, type Judge } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { ACCESS } from './measure-random.ts';
import type { TakenFeed } from './take-in-mirror.ts';

/** Newest content of one source, and the others' knowledge of it. An entry stands for its first address. */
export interface OverlapReport {
  readonly source: string;
  readonly family: string;
  readonly riskType: RiskType;
  readonly entries: number;
  /** Entries that are active by it and by no source of another family. */
  readonly alone: number;
  /** Entries that lie in known-good prefixes. */
  readonly knownGood: number;
  /** Entries that lie in access networks. */
  readonly access: number;
  /** The answers for its entries. */
  readonly levels: LevelCount;
  /** Entries that another source has an active capture of, by source. */
  readonly shared: ReadonlyMap<string, number>;
  /** Entries that another family has an active capture of, by family. */
  readonly sharedFamilies: ReadonlyMap<string, number>;
}

export function measureOverlap(judge: Judge, feeds: readonly TakenFeed[]): readonly OverlapReport[] {
  return feeds.flatMap(({ feed, batch }) => {
    if (batch === undefined || feed.effect.kind !== 'risk') return [];
    const { riskType } = feed.effect;
    const levels = levelCount();
    const shared = new Map<string, number>();
    const sharedFamilies = new Map<string, number>();
    let entries = 0;
    let alone = 0;
    let knownGood = 0;
    let access = 0;
    for (const prefix of distinctPrefixes(batch)) {
      entries++;
      const answer = judge.judge(prefix);
      count(levels, answer);
      if (judge.isKnownGood(prefix)) knownGood++;
      if (ACCESS.includes(judge.places.network(prefix).usageType ?? '')) access++;
      const active = judge.active(prefix);
      const others = active.filter((row) => row.source !== feed.id);
      for (const source of new Set(others.map((row) => row.source))) shared.set(source, (shared.get(source) ?? 0) + 1);
      const families = new Set(others.map((row) => row.family).filter((family) => family !== feed.family));
      for (const family of families) sharedFamilies.set(family, (sharedFamilies.get(family) ?? 0) + 1);
      if (answer.verdict.state === 'active' && families.size === 0 && others.length < active.length) alone++;
    }
    return [
      {
        source: feed.id,
        family: feed.family,
        riskType,
        entries,
        alone,
        knownGood,
        access,
        levels,
        shared,
        sharedFamilies,
      },
    ];
  });
}
