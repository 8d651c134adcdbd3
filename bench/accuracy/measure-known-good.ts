import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../../src/core/ip/prefix-periods.ts';
import type { KnownGood } from '../../src/core/risk/known-good.ts';
import { unixMs } from '../../src/core/units.ts';
import { randomWords } from '../../test/support/random.ts';
import type { Judge } from './judge.ts';
import { count, type LevelCount, levelCount } from './level-count.ts';
import { addressesIn } from './seeded-addresses.ts';

/** Prefixes of one service whose addresses should not be high. */
export interface GoodSet {
  readonly name: string;
  readonly prefixes: readonly Prefix[];
}

export interface GoodSetReport {
  readonly name: string;
  /** Addresses all over the set: the first of every prefix and random ones. */
  readonly sampled: LevelCount;
  /** Entries of the lists that lie inside the set, by their first address. */
  readonly listed: LevelCount;
}

const SAMPLED_IN_PREFIX = 8;

function rangesOf({ name, prefixes }: GoodSet): KnownGood {
  const set = { id: name, what: name, source: '', seen: '' };
  return new PrefixPeriods(compilePeriods(prefixes.map((prefix) => ({ prefix, from: unixMs(0), held: set }))));
}

/** The lists of known services and research scanners that ship, one set each. */
export const shippedSets = (): readonly GoodSet[] =>
  [...knownGoodLists(), ...knownGoodLists('known-scanners')].map(({ id, prefixes }) => ({
    name: id,
    prefixes: prefixes.map((text) => parsePrefix(text)!),
  }));

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
  }));
  for (const entry of entries) {
    for (const { ranges, listed } of reports) {
      if (ranges.find(entry, judge.at) === undefined) continue;
      count(listed, judge.judge(entry));
    }
  }
  return reports.map(({ set: { name }, sampled, listed }) => ({ name, sampled, listed }));
}

function sample(judge: Judge, { prefixes }: GoodSet, seed: number): LevelCount {
  const words = randomWords(seed);
  const counted = levelCount();
  for (const prefix of prefixes)
    for (const address of addressesIn(prefix, SAMPLED_IN_PREFIX, words)) count(counted, judge.judge(address));
  return counted;
}
