import { sentKey } from '../../../core/caller/sent-key.ts';
import { type Beacon, beaconFault } from '../../../core/collection/beacon.ts';
import { LIMITS, subjectCounter } from '../../../core/limits/limits.ts';
import { admit } from '../../../service/limiter.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { judgeCredential } from './judge-credential.ts';

const FAULTS = { revoked: 'revoked_key', expired: 'key_expired' } as const;

/**
 * Whose token was sent: the beacon is looked up in the store each time, so that a token works and ends at once on every thread. A client with unknown tokens
 * is stopped before the store is asked; a beacon reports so many times a minute.
 * @throws Problem key_required, invalid_key, revoked_key, key_expired; rate_limited
 */
export async function identifyBeacon(exchange: Exchange, services: HttpServices): Promise<void> {
  const sent = sentKey(exchange.headers.apiKey, exchange.headers.authorization);
  if (sent.status === 'none')
    throw new Problem('key_required', { message: 'Send the token of a beacon: Authorization: Bearer pb_…' });
  if (sent.status === 'differs')
    throw new Problem('invalid_key', { message: 'X-API-Key and Authorization carry different tokens.' });
  const beacon = await judgeCredential(exchange, services, {
    kind: 'unknownKey',
    ask: () => services.beacons?.find(sent.secret),
    isKnown: (found: Beacon | undefined) => found !== undefined,
  });
  if (beacon === undefined) throw new Problem('invalid_key', { message: 'The token is not that of a beacon.' });
  const fault = beaconFault(beacon, exchange.at);
  if (fault !== undefined)
    throw new Problem(FAULTS[fault], {
      message: `The token of the beacon ${fault === 'revoked' ? 'was revoked' : 'has expired'}.`,
    });
  await admit(services.limiter, [subjectCounter('beacon', LIMITS.beaconMinute, beacon.id)], exchange.at);
  exchange.beacon = beacon;
}
