import type { Address, Prefix } from '../ip/address.ts';
import { contains } from '../ip/prefix.ts';
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

/** Entries that can be shared by threads: rows of ROW_WORDS words in the order of their addresses, outer prefixes before those inside. */
export interface KnownGoodTable {
  readonly rows: Readonly<Record<4 | 6, Uint32Array<SharedArrayBuffer>>>;
  readonly entries: readonly Omit<KnownGoodEntry, 'prefix'>[];
}

/** First address, length, place in `entries`, and the row around this one, counted from 1. */
const ROW_WORDS = 7;
const BITS = 4;
const ENTRY = 5;
const AROUND = 6;

/** Of entries with the same prefix the first one that holds is found. */
export function compileKnownGood(entries: Iterable<KnownGoodEntry>): KnownGoodTable {
  const periods: Omit<KnownGoodEntry, 'prefix'>[] = [];
  const kept: { readonly prefix: Prefix; readonly place: number }[] = [];
  // Entries come list by list, so a list is few periods.
  for (const { prefix, set, from, until } of entries) {
    const last = periods.at(-1);
    if (last?.set !== set || last.from !== from || last.until !== until)
      periods.push({ set, from, ...(until !== undefined && { until }) });
    kept.push({ prefix, place: periods.length - 1 });
  }
  const rowsOf = (family: 4 | 6): Uint32Array<SharedArrayBuffer> => {
    const inOrder = kept.filter(({ prefix }) => prefix.family === family).reverse();
    inOrder.sort((a, b) => compare(a.prefix, b.prefix));
    const rows = new Uint32Array(new SharedArrayBuffer(4 * ROW_WORDS * inOrder.length));
    const open: number[] = [];
    inOrder.forEach(({ prefix, place }, row) => {
      while (open.length > 0 && !contains(inOrder[open.at(-1)!]!.prefix, prefix)) open.pop();
      const { w0, w1, w2, w3, bits } = prefix;
      rows.set([w0, w1, w2, w3, bits, place, open.length === 0 ? 0 : open.at(-1)! + 1], row * ROW_WORDS);
      open.push(row);
    });
    return rows;
  };
  return { rows: { 4: rowsOf(4), 6: rowsOf(6) }, entries: periods };
}

const compare = (a: Prefix, b: Prefix): number =>
  a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3 || a.bits - b.bits;

/**
 * Addresses of well-known services (name servers, public resolvers, published crawlers, front ends, mail, time servers, mirrors, private relay) and of known research
 * scanners. Lists alone never make them more than low. Every entry has its time, so that a change of the table never alters an answer about the past.
 */
export class KnownGood {
  readonly table: KnownGoodTable;

  constructor(table: KnownGoodTable) {
    this.table = table;
  }

  /** The list of the longest prefix that held at the instant and contains the address; undefined: there is none. */
  find(address: Address, at: UnixMs): KnownGoodSet | undefined {
    const rows = this.table.rows[address.family];
    // A prefix that contains the address contains every row between its first address and this one.
    for (let row = lastUpTo(rows, address); row > 0; row = rows[(row - 1) * ROW_WORDS + AROUND]!) {
      const word = (row - 1) * ROW_WORDS;
      const { from, until, set } = this.table.entries[rows[word + ENTRY]!]!;
      if (from <= at && (until === undefined || at < until) && contains(prefixAt(rows, word, address.family), address))
        return set;
    }
    return undefined;
  }

  /** Every prefix of the table, at whatever time it held. */
  *prefixes(): Generator<Prefix> {
    for (const family of [4, 6] as const) {
      const rows = this.table.rows[family];
      for (let word = 0; word < rows.length; word += ROW_WORDS) yield prefixAt(rows, word, family);
    }
  }
}

function prefixAt(rows: Uint32Array, word: number, family: 4 | 6): Prefix {
  const [w0, w1, w2, w3] = [rows[word]!, rows[word + 1]!, rows[word + 2]!, rows[word + 3]!];
  return { family, w0, w1, w2, w3, bits: rows[word + BITS]! };
}

/** The last row whose first address is not behind the address, counted from 1; 0: there is none. */
function lastUpTo(rows: Uint32Array, { w0, w1, w2, w3 }: Address): number {
  let low = 0;
  let high = rows.length / ROW_WORDS;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const word = middle * ROW_WORDS;
    const distance = rows[word]! - w0 || rows[word + 1]! - w1 || rows[word + 2]! - w2 || rows[word + 3]! - w3;
    if (distance <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
