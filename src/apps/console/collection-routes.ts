import type { FastifyInstance } from 'fastify';
import type { ConsoleCollection, ConsoleNewBeacon } from '../../contract/console.ts';
import { BEACON_RISK_TYPES, type BeaconRiskType } from '../../contract/risk.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import { type UnixMs, utcDay } from '../../core/units.ts';
import type { KeyHasher } from '../../service/accounts/key-hasher.ts';
import type { BeaconStore } from '../../service/beacons/beacon-store.ts';
import { type BeaconOptions, createBeacon } from '../../service/beacons/create-beacon.ts';
import { revokeBeacon } from '../../service/beacons/revoke-beacon.ts';
import type { CollectionStore } from '../../service/intake/collection-store.ts';
import type { Clock, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { collectionDocument } from './collection-document.ts';
import { bodyOf } from './session/body-of.ts';
import { byOperator } from './session/session-of.ts';

export interface CollectionRoutesOptions {
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
