import { isReserved } from '../../src/core/ip/special-purpose.ts';
import { randomWords } from '../../test/support/random.ts';
import type { Judge } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { randomAddress4 } from './seeded-addresses.ts';

export interface RandomReport {
  readonly draws: number;
  /** Addresses whose network is known, by usage code; '' where it has none. */
  readonly byUsage: ReadonlyMap<string, LevelCount>;
  /** Addresses of access networks (DYN and MOB), by country. */
  readonly access: ReadonlyMap<string, LevelCount>;
  /** Active addresses of access networks, by source. */
  readonly accessSources: ReadonlyMap<string, number>;
}

/** Usage codes of networks that connect subscribers. */
export const ACCESS: readonly string[] = ['DYN', 'MOB'];

/** Draws public IPv4 addresses evenly and judges each. */
export function measureRandom(judge: Judge, draws: number, seed: number): RandomReport {
  const words = randomWords(seed);
  const byUsage = new Map<string, LevelCount>();
  const access = new Map<string, LevelCount>();
  const accessSources = new Map<string, number>();
  for (let drawn = 0; drawn < draws; drawn++) {
    const address = randomAddress4(words);
    if (isReserved(address)) continue;
    const { usageType = '' } = judge.places.network(address);
    const judgement = judge.judge(address);
    count(entryOf(byUsage, usageType), judgement);
    if (!ACCESS.includes(usageType)) continue;
    count(entryOf(access, judge.places.country(address) ?? 'unknown'), judgement);
    if (judgement.verdict.state !== 'active') continue;
    for (const source of new Set(judge.active(address).map((row) => row.source)))
      accessSources.set(source, (accessSources.get(source) ?? 0) + 1);
  }
  return { draws, byUsage, access, accessSources };
}

function entryOf(counts: Map<string, LevelCount>, key: string): LevelCount {
  const known = counts.get(key);
  if (known !== undefined) return known;
  const made = levelCount();
  counts.set(key, made);
  return made;
}
