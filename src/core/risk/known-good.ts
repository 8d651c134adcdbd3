import type { Address, Prefix } from '../ip/address.ts';
import { prefixOf } from '../ip/prefix.ts';
import type { UnixMs } from '../units.ts';

/** A list of the table: one service, for people who ask why a score is low. */
export interface KnownGoodSet {
  readonly id: string;
  /** What the addresses are. */
  readonly what: string;
  /** Where its content was read. */
  readonly source: string;
  /** Day of that content, `YYYY-MM-DD`. */
  readonly seen: string;
}

/** A prefix that belonged to a known service in a stretch of time: from the first instant on, until before the second, if there is one. */
export interface KnownGoodEntry {
  readonly prefix: Prefix;
  readonly from: UnixMs;
  readonly until?: UnixMs;
  readonly set: KnownGoodSet;
}

/**
 * Addresses of well-known services: name servers, public resolvers, published crawlers, front ends, mail, time servers, mirrors, private relay. Lists alone never
 * make them more than low. Every entry has its time, so that a change of the table never alters an answer about the past.
 */
export class KnownGood {
  /** Prefix length → network → its entries; longest first. */
  readonly #byBits: Record<4 | 6, Map<number, Map<string, KnownGoodEntry[]>>> = { 4: new Map(), 6: new Map() };
  /** First 16 bits of an address → some entry lies there. Ends almost every look-up. */
  readonly #touched: Readonly<Record<4 | 6, Uint8Array>> = { 4: new Uint8Array(65_536), 6: new Uint8Array(65_536) };

  constructor(entries: Iterable<KnownGoodEntry>) {
    for (const entry of entries) this.#add(entry);
    for (const family of [4, 6] as const) this.#byBits[family] = new Map([...this.#byBits[family]].sort(([a], [b]) => b - a));
  }

  /** The list of the longest prefix that held at the instant and contains the address; undefined: there is none. */
  find(address: Address, at: UnixMs): KnownGoodSet | undefined {
    if (this.#touched[address.family][address.w0 >>> 16] === 0) return undefined;
    for (const [bits, networks] of this.#byBits[address.family]) {
      const entries = networks.get(keyOf(prefixOf(address, bits)));
      const held = entries?.find(({ from, until }) => from <= at && (until === undefined || at < until));
      if (held !== undefined) return held.set;
    }
    return undefined;
  }

  #add(entry: KnownGoodEntry): void {
    const { family, bits, w0 } = entry.prefix;
    const first = w0 >>> 16;
    this.#touched[family].fill(1, first, first + 2 ** Math.max(0, 16 - bits));
    const byBits = this.#byBits[family];
    const networks = byBits.get(bits) ?? new Map<string, KnownGoodEntry[]>();
    byBits.set(bits, networks);
    const key = keyOf(entry.prefix);
    networks.set(key, [...(networks.get(key) ?? []), entry]);
  }
}

const keyOf = ({ w0, w1, w2, w3 }: Prefix): string => `${w0} ${w1} ${w2} ${w3}`;

/** What lowers the score of an address that lists alone speak of. */
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
