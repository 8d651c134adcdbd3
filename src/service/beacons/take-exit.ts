import { type Beacon, beaconSource, isSameMinute } from '../../core/collection/beacon.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { ImportOutcome } from '../intake/import-captures.ts';
import { tooMany } from '../limiter.ts';
import { Problem } from '../problem.ts';
import type { BeaconStore } from './beacon-store.ts';

export type AcceptRows = (
  source: string,
  rows: Uint8Array,
  at: UnixMs,
) => Promise<Pick<ImportOutcome, 'accepted' | 'refused'>>;

export interface CapturedExit {
  readonly ip: string;
  readonly capturedAt: UnixMs;
}

/**
 * Records the address that a beacon called from as a capture of the beacon's risk type and pool. An exit
 * captured earlier in the same clock minute is not captured again. When this returns, the capture is stored.
 * It is counted afterwards, so a fault between the two loses a count and never evidence.
 * @throws Problem reserved_ip; rate_limited when the beacon has reached its exits of the date; forbidden for
 * an address that is not accepted; history_unavailable
 */
export async function takeExit(
  store: BeaconStore,
  accept: AcceptRows,
  beacon: Beacon,
  client: Address,
  at: UnixMs,
): Promise<CapturedExit> {
  if (isReserved(client)) throw new Problem('reserved_ip');
  const ip = formatAddress(client);
  const { lastAt, exitsOfDay } = await store.exitState(beacon.id, ip, at);
  if (lastAt !== undefined && isSameMinute(lastAt, at)) return { ip, capturedAt: lastAt };
  const isKnownToday = lastAt !== undefined && utcDay(lastAt) === utcDay(at);
  if (!isKnownToday && exitsOfDay >= SERVICE_CAPS.beaconExits) throw tooMany((endOfDay(at) - at) / 1000);
  await acceptExit(accept, beacon, ip, at);
  await store.countExit(beacon.id, ip, at);
  return { ip, capturedAt: at };
}

const endOfDay = (at: UnixMs): UnixMs => unixMs((utcDay(at) + 1) * DAY_MS);

async function acceptExit(accept: AcceptRows, beacon: Beacon, ip: string, at: UnixMs): Promise<void> {
  const row = {
    ip,
    risk_type: beacon.riskType,
    captured_at: new Date(at).toISOString(),
    ...(beacon.pool === undefined ? {} : { pool: beacon.pool }),
  };
  const { accepted, refused } = await accept(
    beaconSource(beacon),
    new TextEncoder().encode(`${JSON.stringify(row)}\n`),
    at,
  ).catch((cause: unknown) => {
    throw cause instanceof Problem ? cause : new Problem('history_unavailable', { cause });
  });
  // Two calls of one exit in the same millisecond are one capture: the store neither accepts nor refuses the
  // second.
  if (accepted > 0 || Object.keys(refused).length === 0) return;
  const reasons = Object.keys(refused).join(', ');
  throw new Problem('forbidden', { message: `No captures of this address are taken: ${reasons}.` });
}
