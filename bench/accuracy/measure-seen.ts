import type { Feed } from '../../src/core/feeds/feed.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { verdict } from '../../src/core/risk/verdict.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { HistoryPast } from '../../src/service/ports.ts';
import { bodyOf, LOG_BYTES } from './dated-series.ts';
import type { Places } from './judge.ts';

/** Proxies that had one score a week before the moment, and how many a list of proxies named again. */
export interface SeenReport {
  /** Least score of ten; 0 is stale. */
  readonly from: number;
  readonly addresses: number;
  readonly withinDay: number;
  readonly withinWeek: number;
}

/** @param logs histories of lists; those of proxies are read */
export async function measureSeen(
  logs: readonly { readonly feed: Feed; readonly path: string }[],
  { store, places, at }: { readonly store: HistoryPast; readonly places: Places; readonly at: UnixMs },
): Promise<readonly SeenReport[]> {
  const asked = unixMs(at - 7 * DAY_MS);
  const proxies = logs.filter(({ feed: { effect } }) => effect.kind === 'risk' && effect.riskType === 'proxy');
  const known = new Set<string>();
  const again = new Map<string, number>();
  for (const { path } of proxies) noteSightings(path, asked, known, again);
  const bands = new Map<number, { addresses: number; withinDay: number; withinWeek: number }>();
  for (const text of known) {
    const address = parseAnyAddress(text);
    if (address === undefined) continue;
    const observations = await store.observationsAt(address, asked);
    if (observations.length === 0) continue;
    const { score } = verdict(observations, places.network(address), address.family, asked, SCORE_PARAMETERS);
    const from = score === 0 ? 0 : Math.max(1, 10 * Math.min(9, Math.floor(score / 10)));
    const band = bands.get(from) ?? { addresses: 0, withinDay: 0, withinWeek: 0 };
    bands.set(from, band);
    band.addresses++;
    const after = (again.get(text) ?? Number.POSITIVE_INFINITY) - asked;
    if (after <= DAY_MS) band.withinDay++;
    if (after <= 7 * DAY_MS) band.withinWeek++;
  }
  return [...bands].sort(([a], [b]) => a - b).map(([from, band]) => ({ from, ...band }));
}

/** Notes the addresses that a history has until a moment, and when it first has them after that. */
function noteSightings(path: string, asked: UnixMs, known: Set<string>, again: Map<string, number>): void {
  let present = new Set<string>();
  for (const line of new TextDecoder().decode(bodyOf(path, LOG_BYTES)).trimEnd().split('\n').slice(1)) {
    const { t, full, add = [], del = [] } = JSON.parse(line) as Version;
    if (full !== undefined) present = new Set(full.map(hostOf));
    for (const entry of del) present.delete(hostOf(entry));
    for (const entry of add) present.add(hostOf(entry));
    const time = Date.parse(t);
    if (time <= asked) for (const host of full ?? add) known.add(hostOf(host));
    else for (const host of present) if (time < (again.get(host) ?? Number.POSITIVE_INFINITY)) again.set(host, time);
  }
}

interface Version {
  readonly t: string;
  readonly full?: readonly string[];
  readonly add?: readonly string[];
  readonly del?: readonly string[];
}

/** The address of `scheme://address:port`. */
const hostOf = (entry: string): string => entry.replace(/^\w+:\/\//, '').replace(/:\d+$/, '');
