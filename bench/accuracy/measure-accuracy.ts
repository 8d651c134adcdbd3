import type { Prefix } from '../../src/core/ip/address.ts';
import type { Protection } from '../../src/core/risk/known-good.ts';
import type { UnixMs } from '../../src/core/units.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { distinctPrefixes, Judge, keyOf, type Places } from './judge.ts';
import { type FreshnessReport, measureFreshness } from './measure-freshness.ts';
import { type GoodSetReport, measureKnownGood, shippedSets } from './measure-known-good.ts';
import { measureOverlap, type OverlapReport } from './measure-overlap.ts';
import { measurePlaces, type PlacesReport } from './measure-places.ts';
import { measureRandom, type RandomReport } from './measure-random.ts';
import { listsIn, measureRecall, type RecallReport } from './measure-recall.ts';
import { measureSeen, type SeenReport } from './measure-seen.ts';
import { type TakenFeed, type TakenMirror, takeInMirror } from './take-in-mirror.ts';

export interface AccuracyOptions {
  readonly folders: readonly string[];
  readonly store: HistoryStore;
  readonly protection: Protection;
  /** Compiled from the mirror's lists about networks. */
  placesOf(mirror: TakenMirror): Promise<Places>;
  readonly at?: UnixMs;
  /** Folder of lists that no server reads. */
  readonly recall?: string;
  /** Folder with the times of each source's versions. */
  readonly times?: string;
  /** Folder of geofeeds that networks publish about themselves, and GeoNames' table of towns. */
  readonly geofeeds?: readonly [folder: string, towns: string];
  /** Random addresses to judge. */
  readonly draws: number;
  readonly seed: number;
  readonly progress?: (step: string) => void;
}

export interface AccuracyReport {
  readonly at: UnixMs;
  readonly seed: number;
  readonly feeds: readonly TakenFeed[];
  readonly overlaps: readonly OverlapReport[];
  readonly knownGood: readonly GoodSetReport[];
  readonly random: RandomReport;
  readonly recall: readonly RecallReport[];
  readonly freshness: readonly FreshnessReport[];
  readonly places: readonly PlacesReport[];
  readonly calibration: readonly SeenReport[];
}

/** Takes a mirror in as a server does, and measures the answers at one moment. */
export async function measureAccuracy(options: AccuracyOptions): Promise<AccuracyReport> {
  const step = options.progress ?? (() => {});
  step('take in');
  const mirror = await takeInMirror(options.folders, options.store, options.at);
  step('places');
  const judge = await Judge.open(options.store, await options.placesOf(mirror), options.protection, mirror.at);
  const entries = entriesOf(mirror.feeds);
  step('known good');
  const knownGood = measureKnownGood(judge, shippedSets(), entries, options.seed);
  step('overlap');
  const overlaps = measureOverlap(judge, mirror.feeds);
  step('random');
  const random = measureRandom(judge, options.draws, options.seed);
  step('recall');
  const recall = measureRecall(judge, [
    ...mirror.offSchedule,
    ...(options.recall === undefined ? [] : listsIn(options.recall)),
  ]);
  step('calibration');
  const { store } = options;
  const calibration = await measureSeen(mirror.logs, { store, places: judge.places, at: mirror.at });
  return {
    at: mirror.at,
    seed: options.seed,
    feeds: mirror.feeds,
    overlaps,
    knownGood,
    random,
    recall,
    calibration,
    freshness: options.times === undefined ? [] : measureFreshness(options.times, mirror.at),
    places: options.geofeeds === undefined ? [] : measurePlaces(judge.places, ...options.geofeeds),
  };
}

/** Every prefix that a source lists now, once. */
function entriesOf(feeds: readonly TakenFeed[]): readonly Prefix[] {
  const entries = new Map<string, Prefix>();
  for (const { batch } of feeds)
    for (const prefix of batch === undefined ? [] : distinctPrefixes(batch))
      entries.set(`${prefix.family} ${keyOf(prefix)}`, prefix);
  return [...entries.values()];
}
