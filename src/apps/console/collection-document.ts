import type { ConsoleBeacon, ConsoleCollection, ConsoleCountry } from '../../contract/console.ts';
import { beaconFault } from '../../core/collection/beacon.ts';
import { isSilent, type NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { BeaconActivity, BeaconDay } from '../../service/beacons/beacon-store.ts';
import type { CollectionActivity, CollectionSource } from '../../service/intake/collection-store.ts';
import { isoTime } from '../../service/iso-time.ts';
import { countryOf } from '../../service/lookup/country-of.ts';
import type { LookupView } from '../../service/ports.ts';

/** Countries are counted over all recent captures, not only these. */
const NEWEST_SHOWN = 25;

/**
 * @param firstDay first UTC date of the beacons' days
 * @param view places the captures; undefined while data is loading
 */
export function collectionDocument(
  activity: CollectionActivity,
  beacons: { readonly all: readonly BeaconActivity[]; readonly exits: readonly string[] },
  { at, firstDay, view }: { readonly at: UnixMs; readonly firstDay: number; readonly view: LookupView | undefined },
): ConsoleCollection {
  // Sensors send in batches, so the last accepted capture may not be the newest.
  const captures = activity.newest.toSorted((a, b) => b.at - a.at);
  const countries = captures.map(({ ip }) => countryOfText(ip, view));
  return {
    sensors: activity.sources
      .filter(({ source }) => !source.startsWith('beacon.'))
      .map((source) => sensorDocument(source, at)),
    beacons: beacons.all.map((beacon) => beaconDocument(beacon, at, firstDay)),
    hours: activity.hours.map((hour) => ({ ...hour, at: isoTime(hour.at) })),
    ports: activity.ports,
    countries: countByCountry(countries),
    exit_countries: countByCountry(beacons.exits.map((ip) => countryOfText(ip, view))),
    newest: captures.slice(0, NEWEST_SHOWN).map((capture, place) => newestDocument(capture, countries[place])),
  };
}

const sensorDocument = (
  { source, acceptedAt, capturedAt, accepted, refused, capturesOfDay, heartbeat }: CollectionSource,
  now: UnixMs,
): ConsoleCollection['sensors'][number] => ({
  source,
  ...(acceptedAt === undefined ? {} : { accepted_at: isoTime(acceptedAt) }),
  ...(capturedAt === undefined ? {} : { captured_at: isoTime(capturedAt) }),
  accepted,
  refused,
  day: capturesOfDay,
  ...(heartbeat === undefined
    ? {}
    : {
        seen_at: isoTime(heartbeat.seenAt),
        silent: isSilent(heartbeat.seenAt, now),
        clock_offset_ms: heartbeat.clockOffsetMs,
      }),
});

function beaconDocument(beacon: BeaconActivity, at: UnixMs, firstDay: number): ConsoleBeacon {
  return {
    id: beacon.id,
    prefix: beacon.prefix,
    risk_type: beacon.riskType,
    ...(beacon.pool === undefined ? {} : { pool: beacon.pool }),
    state: beaconFault(beacon, at) ?? 'active',
    created_at: isoTime(beacon.createdAt),
    ...(beacon.expiresAt === undefined ? {} : { expires_at: isoTime(beacon.expiresAt) }),
    ...(beacon.lastSeenAt === undefined ? {} : { last_seen_at: isoTime(beacon.lastSeenAt) }),
    exits: beacon.exits,
    days: everyDay(beacon.days, firstDay, Math.floor(at / DAY_MS)),
  };
}

function everyDay(days: readonly BeaconDay[], firstDay: number, lastDay: number): ConsoleBeacon['days'] {
  const known = new Map(days.map((one) => [one.day, one]));
  return Array.from({ length: lastDay - firstDay + 1 }, (_, past) => {
    const one = known.get(firstDay + past);
    const date = isoTime(unixMs((firstDay + past) * DAY_MS)).slice(0, 10);
    return { date, captures: one?.captures ?? 0, exits: one?.exits ?? 0, new_exits: one?.newExits ?? 0 };
  });
}

const newestDocument = (
  { at, ip, source, riskType, protocol, port }: NewestCapture,
  country: string | undefined,
): ConsoleCollection['newest'][number] => ({
  at: isoTime(at),
  ip,
  source,
  risk_type: riskType,
  ...(protocol === undefined ? {} : { protocol }),
  ...(port === undefined ? {} : { port }),
  ...(country === undefined ? {} : { country }),
});

function countryOfText(ip: string, view: LookupView | undefined): string | undefined {
  const prefix = parsePrefix(ip);
  return prefix === undefined ? undefined : countryOf(prefix, view);
}

function countByCountry(countries: readonly (string | undefined)[]): readonly ConsoleCountry[] {
  const counts = [...Map.groupBy(countries, (country) => country)].map(([country, all]) => ({
    ...(country === undefined ? {} : { country }),
    count: all.length,
  }));
  return counts.toSorted((a, b) => b.count - a.count);
}
