import type { FastifyInstance } from 'fastify';
import type { ConsoleBeacon, ConsoleCollection, ConsoleCountry, ConsoleNewBeacon } from '../../contract/console.ts';
import { BEACON_RISK_TYPES, type BeaconRiskType } from '../../contract/risk.ts';
import { beaconFault } from '../../core/collection/beacon.ts';
import { isSilent, type NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { KeyHasher } from '../../service/accounts/password.ts';
import type { BeaconActivity, BeaconDay, BeaconStore } from '../../service/beacons/beacon-store.ts';
import { type BeaconOptions, createBeacon, revokeBeacon } from '../../service/beacons/beacons.ts';
import type { CollectionActivity, CollectionSource, CollectionStore } from '../../service/intake/intake-ports.ts';
import { isoTime } from '../../service/iso-time.ts';
import { countryOf } from '../../service/lookup/lookup-ip.ts';
import type { Clock, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { bodyOf, byOperator } from './session/session-of.ts';

interface CollectionRoutesOptions {
  readonly beacons: BeaconStore;
  readonly collection: Pick<CollectionStore, 'read'>;
  readonly hasher: KeyHasher;
  readonly clock: Clock;
  readonly view: () => LookupView | undefined;
}

const HOURS_SHOWN = 48;
const EXITS_PLACED = 1000;
const DAYS_SHOWN = 14;

/**
 * Own collection on the operator pages, below /console/api/operator. A beacon's token is only in the answer
 * of its POST.
 *
 *     GET    /collection      sensors, beacons, captures by hour, ports, countries of captures and of exits,
 *                             the newest captures
 *     POST   /beacons         {risk_type, pool?, expires_at?}
 *     DELETE /beacons/{id}    204
 */
export function collectionRoutes(
  app: FastifyInstance,
  { beacons, collection, hasher, clock, view }: CollectionRoutesOptions,
): void {
  app.get('/console/api/operator/collection', async (): Promise<ConsoleCollection> => {
    const at = clock.now();
    const firstDay = utcDay(at) - DAYS_SHOWN + 1;
    const [activity, all, exits] = await Promise.all([
      collection.read(at, HOURS_SHOWN),
      beacons.list(firstDay),
      beacons.newestExits(EXITS_PLACED),
    ]);
    return collectionDocument(activity, { all, exits }, { at, firstDay, view: view() });
  });

  app.post('/console/api/operator/beacons', async (request, reply): Promise<ConsoleNewBeacon> => {
    const { beacon, token } = await createBeacon(
      beacons,
      hasher,
      readWish(bodyOf(request)),
      byOperator(request, clock),
    );
    reply.code(201);
    return { id: beacon.id, token };
  });

  app.delete('/console/api/operator/beacons/:id', async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    await revokeBeacon(beacons, id, byOperator(request, clock));
    return reply.code(204).send();
  });
}

function readWish({ risk_type, pool, expires_at }: Readonly<Record<string, unknown>>): BeaconOptions {
  if (!BEACON_RISK_TYPES.includes(risk_type as BeaconRiskType))
    throw new Problem('bad_request', { message: `risk_type must be one of ${BEACON_RISK_TYPES.join(', ')}.` });
  if (pool !== undefined && typeof pool !== 'string')
    throw new Problem('bad_request', { message: 'pool must be a text.' });
  return {
    riskType: risk_type as BeaconRiskType,
    pool,
    expiresAt: expires_at === undefined ? undefined : readTime(expires_at),
  };
}

function readTime(value: unknown): UnixMs {
  const at = typeof value === 'string' ? parseRfc3339(value) : undefined;
  if (at === undefined) throw new Problem('bad_request', { message: 'expires_at must be an RFC 3339 date-time.' });
  return at;
}

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
