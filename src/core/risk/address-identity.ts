import type { Observation } from '../evidence/observation.ts';
import type { UnixMs } from '../units.ts';
import type { KnownGoodSet } from './known-good.ts';
import type { NetworkSignals } from './network-signals.ts';
import type { ScoreParameters } from './parameters.ts';
import { typeWindows } from './weigh.ts';

export interface AddressIdentity {
  readonly sharedBy?: Observation['sharedBy'];
  readonly knownGood?: KnownGoodSet | undefined;
}

/** Present if active evidence says Tor exit or relay, or the address is in a published private-relay range. */
export function sharedByAt(
  observations: readonly Observation[],
  network: NetworkSignals,
  at: UnixMs,
  parameters: ScoreParameters,
): Observation['sharedBy'] {
  if (network.relay) return 'relay';
  if (observations.every(({ sharedBy }) => sharedBy === undefined)) return undefined;
  const past = observations.filter(({ capturedAt }) => capturedAt <= at);
  const validities = typeWindows(past, parameters);
  return past.find(
    ({ sharedBy, riskType, capturedAt }) =>
      sharedBy !== undefined && at - capturedAt < validities.get(riskType)!.windowMs,
  )?.sharedBy;
}
