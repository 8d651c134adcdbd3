import { isReserved } from '../../src/core/ip/special-purpose.ts';
import { randomWords } from '../../test/support/random.ts';
import type { Judge } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { randomAddress4 } from './seeded-addresses.ts';

export interface RandomReport {
  readonly draws: number;
  /** Addresses whose AS number is known. */
  readonly routed: LevelCount;
  /** Addresses by usage code; '' where it has none. */
  readonly byUsage: ReadonlyMap<string, LevelCount>;
  /** Medium and high ones by source that has an active capture of them. */
  readonly sources: ReadonlyMap<string, number>;
}

/** Usage codes of networks that connect subscribers. */
export const ACCESS: readonly string[] = ['DYN', 'MOB'];

/** Draws public IPv4 addresses evenly and judges each. */
export function measureRandom(judge: Judge, draws: number, seed: number): RandomReport {
  const words = randomWords(seed);
  const byUsage = new Map<string, LevelCount>();
  const routed = levelCount();
  const sources = new Map<string, number>();
  for (let drawn = 0; drawn < draws; drawn++) {
    const address = randomAddress4(words);
    if (isReserved(address)) continue;
    const { usageType = '', asn } = judge.places.network(address);
    const judgement = judge.judge(address);
    count(entryOf(byUsage, usageType), judgement);
    if (asn !== undefined) count(routed, judgement);
    if (judgement.verdict.score < 30) continue;
    for (const source of new Set(judge.active(address).map((row) => row.source)))
      sources.set(source, (sources.get(source) ?? 0) + 1);
  }
  return { draws, routed, byUsage, sources };
}

function entryOf(counts: Map<string, LevelCount>, key: string): LevelCount {
  const known = counts.get(key);
  if (known !== undefined) return known;
  const made = levelCount();
  counts.set(key, made);
  return made;
}
