import type { Address } from '../ip/address.ts';
import type { PrefixPeriods } from '../ip/prefix-periods.ts';
import type { UnixMs } from '../units.ts';
import type { Override, Overrides } from './override.ts';

/**
 * People who ask why a score is low see this list of one service. `scanner`: scans of own sensors by a known research
 * scanner are expected.
 */
export interface KnownGoodSet {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly seen: string;
  readonly scanner?: true;
}

/**
 * Addresses of well-known services (name servers, public resolvers, published crawlers, front ends, mail,
 * time servers, mirrors, private relay) and of known research scanners. Lists alone never raise them above
 * low.
 */
export type KnownGood = PrefixPeriods<KnownGoodSet>;

/**
 * These facts limit the score of an address that only lists report, and include the operator's overrides. `isOwn`:
 * returns whether a source is the operator's own collection (sensors, beacons, intake, imports) rather than a
 * published list.
 */
export interface Protection {
  knownGood(address: Address, at: UnixMs): KnownGoodSet | undefined;
  isOwn(source: string): boolean;
  override?(address: Address, at: UnixMs): Override | undefined;
}

/**
 * The added overrides precede those that the protection has. Without overrides the protection is returned
 * unchanged.
 */
export const withOverrides = <Known extends Protection | undefined>(
  protection: Known,
  overrides: Overrides | undefined,
): Known =>
  protection === undefined || overrides === undefined
    ? protection
    : {
        ...protection,
        override: (address, at) => overrides.find(address, at) ?? protection.override?.(address, at),
      };

export interface KnownGoodCap {
  knownGood(at: UnixMs): KnownGoodSet | undefined;
  isOwn(source: string): boolean;
  override?(at: UnixMs): Override | undefined;
}

export const knownGoodCapOf = (protection: Protection | undefined, address: Address): KnownGoodCap | undefined =>
  protection && {
    knownGood: (at) => protection.knownGood(address, at),
    isOwn: protection.isOwn,
    override: (at) => protection.override?.(address, at),
  };
