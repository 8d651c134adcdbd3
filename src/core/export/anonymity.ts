import type { Observation } from '../evidence/observation.ts';
import type { ScoreParameters } from '../risk/parameters.ts';
import type { Verdict } from '../risk/verdict.ts';
import { typeWindows } from '../risk/weigh.ts';
import type { UnixMs } from '../units.ts';

/** MaxMind's GeoIP2 Anonymous IP database has these fields, each present only when true. */
const ANONYMITY_FIELDS = [
  'is_anonymous',
  'is_anonymous_vpn',
  'is_hosting_provider',
  'is_public_proxy',
  'is_residential_proxy',
  'is_tor_exit_node',
] as const;
export type AnonymityField = (typeof ANONYMITY_FIELDS)[number];

/**
 * Returns the fields that a verdict makes true. An address that an operator allows has none. A Tor exit is a
 * VPN only if another source says so. @param observations the verdict's own
 */
export function anonymityOf(
  { state, signals, override }: Pick<Verdict, 'state' | 'signals' | 'override'>,
  observations: readonly Observation[],
  at: UnixMs,
  parameters: ScoreParameters,
): readonly AnonymityField[] {
  const isAllowed = override !== undefined && override.deny === undefined;
  if (state !== 'active' || isAllowed) return [];
  const validities = typeWindows(observations, parameters);
  const active = observations.filter(
    ({ riskType, capturedAt }) => capturedAt <= at && at - capturedAt < validities.get(riskType)!.windowMs,
  );
  const isTor = active.some(({ sharedBy }) => sharedBy === 'tor');
  const isVpn =
    signals.includes('vpn') &&
    (!isTor ||
      override?.deny === 'vpn' ||
      active.some(({ riskType, sharedBy }) => riskType === 'vpn' && sharedBy === undefined));
  // A neighbourhood of proxies counts only alone, because it is no evidence about the address itself.
  const isNeighbour = active.length > 0 && active.every(({ source }) => parameters.neighbourhoods.includes(source));
  const isProxy = signals.includes('proxy') && (!isNeighbour || override?.deny === 'proxy');
  const isResidential = signals.includes('hijacked_proxy') || signals.includes('dialup_pool');
  const holds: Readonly<Record<AnonymityField, boolean>> = {
    is_anonymous: isTor || isVpn || isProxy || isResidential,
    is_anonymous_vpn: isVpn,
    is_hosting_provider: signals.includes('hosting') || signals.includes('cloud_service'),
    is_public_proxy: isProxy,
    is_residential_proxy: isResidential,
    is_tor_exit_node: isTor,
  };
  return ANONYMITY_FIELDS.filter((field) => holds[field]);
}
