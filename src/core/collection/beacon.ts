import type { BeaconRiskType } from '../../contract/risk.ts';
import { OVERRIDE_SOURCE } from '../risk/override.ts';
import { type Said, said } from '../texts/said.ts';
import { MINUTE_MS, type UnixMs } from '../units.ts';
import { DERIVED_ID } from './derive/derivation-rules.ts';

/** The holder of a beacon's token records each exit it calls from as a capture of this risk type and pool. */
export interface Beacon {
  readonly id: string;
  readonly prefix: string;
  readonly riskType: BeaconRiskType;
  readonly pool?: string;
  readonly createdAt: UnixMs;
  readonly expiresAt?: UnixMs;
  readonly revokedAt?: UnixMs;
}

const BEACON_SOURCE_PREFIX = 'beacon.';

export const beaconSource = ({ id }: Pick<Beacon, 'id'>): string => `${BEACON_SOURCE_PREFIX}${id}`;

/**
 * Returns the reason why the token may not be used at `at`, or undefined. A revocation counts from the moment
 * it is known, as with keys.
 */
export function beaconFault(beacon: Beacon, at: UnixMs): 'revoked' | 'expired' | undefined {
  if (beacon.revokedAt !== undefined) return 'revoked';
  return beacon.expiresAt !== undefined && beacon.expiresAt <= at ? 'expired' : undefined;
}

export const isSameMinute = (a: UnixMs, b: UnixMs): boolean => Math.floor(a / MINUTE_MS) === Math.floor(b / MINUTE_MS);

const OUR_WORDS: ReadonlySet<string> = new Set([DERIVED_ID, 'beacon', OVERRIDE_SOURCE, 'pulse']);
const SHAPE = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Returns why a name is refused. Captures of a sender with a feed's name would count as those of the feed. */
export function sourceNameFault(name: string, feedIds: ReadonlySet<string>): Said | undefined {
  if (!SHAPE.test(name))
    return said('A source has a name of lower-case letters, digits, dots, dashes and underscores, at most 64.');
  if (OUR_WORDS.has(name) || name.startsWith(BEACON_SOURCE_PREFIX))
    return said('The service itself captures under the name {name}.', { name });
  return feedIds.has(name)
    ? said('{name} is a list of the catalogue; senders have names of their own.', { name })
    : undefined;
}

export type SourceNameFault = (name: string) => Said | undefined;
