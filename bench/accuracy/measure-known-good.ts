import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import type { NetworkList } from '../../src/core/place/network-list.ts';
import { KnownGood } from '../../src/core/risk/known-good.ts';
import { unixMs } from '../../src/core/units.ts';
import { randomWords } from '../../test/support/random.ts';
import { type Judge, prefixesOf } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { addressesIn } from './seeded-addresses.ts';

/** Prefixes of one service whose addresses should not be high. */
export interface GoodSet {
  readonly name: string;
  /** It is in the table that ships; false: a list of the mirror. */
  readonly shipped: boolean;
  readonly prefixes: readonly Prefix[];
}

export interface GoodSetReport {
  readonly name: string;
  readonly shipped: boolean;
  readonly prefixes: number;
  /** Addresses all over the set: the first of every prefix and random ones. */
  readonly sampled: LevelCount;
  /** Entries of the lists that lie inside the set, by their first address. */
  readonly listed: LevelCount;
  /** Sources of those entries and how many each has, most first. */
  readonly sources: readonly (readonly [source: string, entries: number])[];
}

const SAMPLED_IN_PREFIX = 8;

function rangesOf({ name, prefixes }: GoodSet): KnownGood {
  const set = { id: name, what: name, source: '', seen: '' };
  return new KnownGood(prefixes.map((prefix) => ({ prefix, from: unixMs(0), set })));
}

/** The lists of data/known-good.json, one set each. */
export const shippedGoodSets = (): readonly GoodSet[] =>
  knownGoodLists().map(({ id, prefixes }) => ({
    name: id,
    shipped: true,
    prefixes: prefixes.map((text) => parsePrefix(text)!),
  }));

/** Lists of the mirror that name crawlers, relays, resolvers, gateways and front ends. */
export function mirrorGoodSets(lists: readonly NetworkList[]): readonly GoodSet[] {
  const isGood = ({ effect }: NetworkList): boolean =>
    effect.crawler === true || effect.relay === true || ['CDN', 'DNS', 'GTW'].includes(effect.usage ?? '');
  return lists.flatMap((list) =>
    list.prefixes !== undefined && isGood(list)
      ? [{ name: list.id, shipped: false, prefixes: [...prefixesOf(list.prefixes)] }]
      : [],
  );
}

/** @param entries distinct prefixes that scheduled sources list now */
export function measureKnownGood(
  judge: Judge,
  sets: readonly GoodSet[],
  entries: Iterable<Prefix>,
  seed: number,
): readonly GoodSetReport[] {
  const reports = sets.map((set) => ({
    set,
    ranges: rangesOf(set),
    sampled: sample(judge, set, seed),
    listed: levelCount(),
    sources: new Map<string, number>(),
  }));
  for (const entry of entries) {
    for (const { ranges, listed, sources } of reports) {
      if (ranges.find(entry, judge.at) === undefined) continue;
      count(listed, judge.judge(entry));
      for (const source of new Set(judge.active(entry).map((row) => row.source)))
        sources.set(source, (sources.get(source) ?? 0) + 1);
    }
  }
  return reports.map(({ set: { name, shipped, prefixes }, sampled, listed, sources }) => {
    return {
      name,
      shipped,
      prefixes: prefixes.length,
      sampled,
      listed,
      sources: [...sources].sort((a, b) => b[1] - a[1]),
    };
  });
}

function sample(judge: Judge, { prefixes }: GoodSet, seed: number): LevelCount {
  const words = randomWords(seed);
  const counted = levelCount();
  for (const prefix of prefixes)
    for (const address of addressesIn(prefix, SAMPLED_IN_PREFIX, words)) count(counted, judge.judge(address));
  return counted;
}
