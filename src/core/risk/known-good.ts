import type { Address } from '../ip/address.ts';
import type { PrefixPeriods } from '../ip/prefix-periods.ts';
import type { UnixMs } from '../units.ts';
import type { Override, Overrides } from './override.ts';

/** A list of the table: one service, for people who ask why a score is low. */
export interface KnownGoodSet {
  readonly id: string;
  /** Use of the addresses. */
  readonly what: string;
  /** Where its content was read. */
  readonly source: string;
  /** Day of that content, `YYYY-MM-DD`. */
  readonly seen: string;
  /** A known research scanner: its scans, seen by own sensors, are nothing new. */
  readonly scanner?: true;
}

/**
 * Addresses of well-known services (name servers, public resolvers, published crawlers, front ends, mail, time servers, mirrors, private relay) and of known research
 * scanners. Lists alone never make them more than low.
 */
export type KnownGood = PrefixPeriods<KnownGoodSet>;

/** A bound on the score of an address that lists alone speak of. */
export interface Protection {
  /** The list that says the address was a known service at the instant; undefined: none does. */
  knownGood(address: Address, at: UnixMs): KnownGoodSet | undefined;
  /** Whether a source is the operator's own collection (sensors, beacons, intake, imports) and not a published list. */
  isOwn(source: string): boolean;
  /** The operator's override that was in force at the instant; undefined: none. */
  override?(address: Address, at: UnixMs): Override | undefined;
}

/** A protection that knows the overrides too; the same one where there are none. */
export const withOverrides = <Known extends Protection | undefined>(
  protection: Known,
  overrides: Overrides | undefined,
): Known =>
  protection === undefined || overrides === undefined
    ? protection
    : { ...protection, override: (address, at) => overrides.find(address, at) };

/** The protection as it applies to one address. */
export interface Shield {
  knownGood(at: UnixMs): KnownGoodSet | undefined;
  isOwn(source: string): boolean;
  override?(at: UnixMs): Override | undefined;
}

/** @param protection undefined: nothing is protected */
export const shieldOf = (protection: Protection | undefined, address: Address): Shield | undefined =>
  protection && {
    knownGood: (at) => protection.knownGood(address, at),
    isOwn: protection.isOwn,
    override: (at) => protection.override?.(address, at),
  };
