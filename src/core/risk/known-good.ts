import type { Address, Prefix } from '../ip/address.ts';
import { contains, prefixOf } from '../ip/prefix.ts';
import type { UnixMs } from '../units.ts';

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

/** A prefix that belonged to a known service in a stretch of time: from the first instant on, until before the second, if there is one. */
export interface KnownGoodEntry {
  readonly prefix: Prefix;
  readonly from: UnixMs;
  readonly until?: UnixMs;
  readonly set: KnownGoodSet;
}

/**
 * Addresses of well-known services (name servers, public resolvers, published crawlers, front ends, mail, time servers, mirrors, private relay) and of known research
 * scanners. Lists alone never make them more than low. Every entry has its time, so that a change of the table never alters an answer about the past.
 */
export class KnownGood {
  /** First 16 bits of an address → lengths of the prefixes that reach there, longest first. Ends almost every look-up. */
  readonly #lengths: Readonly<Record<4 | 6, Map<number, number[]>>> = { 4: new Map(), 6: new Map() };
  /** Hash of a prefix → entries of the prefixes with that hash. */
  readonly #entries = new Map<number, KnownGoodEntry[]>();

  constructor(entries: Iterable<KnownGoodEntry>) {
    for (const entry of entries) this.#add(entry);
    for (const family of [4, 6] as const)
      for (const lengths of this.#lengths[family].values()) lengths.sort((a, b) => b - a);
  }

  /** The list of the longest prefix that held at the instant and contains the address; undefined: there is none. */
  find(address: Address, at: UnixMs): KnownGoodSet | undefined {
    for (const bits of this.#lengths[address.family].get(address.w0 >>> 16) ?? NO_LENGTHS) {
      const held = this.#entries
        .get(hashOf(prefixOf(address, bits)))
        ?.find((entry) => isHeld(entry, address, bits, at));
      if (held !== undefined) return held.set;
    }
    return undefined;
  }

  /** Every prefix of the table, at whatever time it held. */
  *prefixes(): Generator<Prefix> {
    for (const entries of this.#entries.values()) for (const { prefix } of entries) yield prefix;
  }

  #add(entry: KnownGoodEntry): void {
    const { family, bits, w0 } = entry.prefix;
    const first = w0 >>> 16;
    for (let block = first; block < first + 2 ** Math.max(0, 16 - bits); block++) {
      const lengths = this.#lengths[family].get(block);
      if (lengths === undefined) this.#lengths[family].set(block, [bits]);
      else if (!lengths.includes(bits)) lengths.push(bits);
    }
    const hash = hashOf(entry.prefix);
    const entries = this.#entries.get(hash);
    if (entries === undefined) this.#entries.set(hash, [entry]);
    else entries.push(entry);
  }
}

const NO_LENGTHS: readonly number[] = [];

/** Prefixes of different length or family may share a hash. */
const hashOf = ({ w0, w1, w2, w3, bits }: Prefix): number =>
  w0 ^
  Math.imul(w1, 0x9e37_79b1) ^
  Math.imul(w2, 0x85eb_ca6b) ^
  Math.imul(w3, 0xc2b2_ae35) ^
  Math.imul(bits, 0x27d4_eb2f);

const isHeld = ({ prefix, from, until }: KnownGoodEntry, address: Address, bits: number, at: UnixMs): boolean =>
  prefix.bits === bits && contains(prefix, address) && from <= at && (until === undefined || at < until);

/** A bound on the score of an address that lists alone speak of. */
export interface Protection {
  /** The list that says the address was a known service at the instant; undefined: none does. */
  knownGood(address: Address, at: UnixMs): KnownGoodSet | undefined;
  /** Whether a source is the operator's own collection (sensors, beacons, intake, imports) and not a published list. */
  isOwn(source: string): boolean;
}

/** The protection as it applies to one address. */
export interface Shield {
  knownGood(at: UnixMs): KnownGoodSet | undefined;
  isOwn(source: string): boolean;
}

/** @param protection undefined: nothing is protected */
export const shieldOf = (protection: Protection | undefined, address: Address): Shield | undefined =>
  protection && { knownGood: (at) => protection.knownGood(address, at), isOwn: protection.isOwn };
