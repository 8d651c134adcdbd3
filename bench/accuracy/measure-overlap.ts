import type { RiskType } from '../../src/contract/risk.ts';
import { distinctPrefixes, type Judge } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { ACCESS } from './measure-random.ts';
import type { TakenFeed } from './take-in-mirror.ts';

/** Newest content of one source, and the others' knowledge of it. An entry stands for its first address. */
export interface OverlapReport {
  readonly source: string;
  readonly riskType: RiskType;
  readonly entries: number;
  /** Entries that are active by it and by no source of another family. */
  readonly alone: number;
  /** Entries that lie in access networks. */
  readonly access: number;
  /** The answers for its entries. */
  readonly levels: LevelCount;
}

export function measureOverlap(judge: Judge, feeds: readonly TakenFeed[]): readonly OverlapReport[] {
  return feeds.flatMap(({ feed, batch }) => {
    if (batch === undefined || feed.effect.kind !== 'risk') return [];
    const { riskType } = feed.effect;
    const levels = levelCount();
    let entries = 0;
    let alone = 0;
    let access = 0;
    for (const prefix of distinctPrefixes(batch)) {
      entries++;
      const answer = judge.judge(prefix);
      count(levels, answer);
      if (ACCESS.includes(judge.places.network(prefix).usageType ?? '')) access++;
      const active = judge.active(prefix);
      const others = active.some((row) => row.source !== feed.id && row.family !== feed.family);
      const its = active.some((row) => row.source === feed.id);
      if (answer.verdict.state === 'active' && its && !others) alone++;
    }
    return [{ source: feed.id, riskType, entries, alone, access, levels }];
  });
}
