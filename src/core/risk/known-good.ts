import type { Address } from '../ip/address.ts';
import type { PrefixPeriods } from '../ip/prefix-periods.ts';
import type { UnixMs } from '../units.ts';
import type { Override, Overrides } from './override.ts';

/** A list of the table: one service, shown to people who ask why a score is low. */
export interface KnownGoodSet {
  readonly id: string;
  readonly what: string;
  /** Source of its content. */
  readonly source: string;
  /** Date of that content, `YYYY-MM-DD`. */
  readonly seen: string;
  /** A known research scanner, whose scans of own sensors are expected. */
  readonly scanner?: true;
}

/**
 * Addresses of well-known services (name servers, public resolvers, published crawlers, front ends, mail,
 * time servers, mirrors, private relay) and of known research scanners. Lists alone never raise them above
 * low.
 */
export type KnownGood = PrefixPeriods<KnownGoodSet>;

/** Facts that limit the score of an address that only lists report, and the operator's overrides. */
export interface Protection {
  /** Returns the list that names the address as a known service at the instant, or undefined. */
  knownGood(address: Address, at: UnixMs): KnownGoodSet | undefined;
  /**
   * Returns whether a source is the operator's own collection (sensors, beacons, intake, imports) rather than
   * a published list.
   */
  isOwn(source: string): boolean;
  /** Returns the operator's override in force at the instant, or undefined. */
  override?(address: Address, at: UnixMs): Override | undefined;
}

/** Adds the overrides to a protection, before those it has; returns it unchanged if there are none. */
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

/** @param protection undefined if nothing is protected */
export const knownGoodCapOf = (protection: Protection | undefined, address: Address): KnownGoodCap | undefined =>
  protection && {
    knownGood: (at) => protection.knownGood(address, at),
    isOwn: protection.isOwn,
    override: (at) => protection.override?.(address, at),
  };
