import { grown } from '../kit/grown.ts';
import type { UnixMs } from '../units.ts';
import type { Address, Prefix } from './address.ts';
import { contains } from './prefix.ts';

/** The value holds for the prefix from the first instant until before the second, if there is one. */
export interface PrefixPeriod<Held> {
  readonly prefix: Prefix;
  readonly from: UnixMs;
  readonly until?: UnixMs;
  readonly held: Held;
}

/**
 * Threads can share the periods: rows of ROW_WORDS words in the order of their addresses, outer prefixes
 * before inner ones.
 */
export interface PeriodTable<Held> {
  readonly rows: Readonly<Record<4 | 6, Uint32Array<SharedArrayBuffer>>>;
  readonly periods: readonly Omit<PrefixPeriod<Held>, 'prefix'>[];
}

/** A row has its first address, length, place in `periods`, and the row around it, counted from 1. */
const ROW_WORDS = 7;
const BITS = 4;
const PERIOD = 5;
const AROUND = 6;

/**
 * Among equal prefixes the first one that holds is found. Entries go into columns at once, because thirty
 * thousand are compiled at every start.
 */
export function compilePeriods<Held>(entries: Iterable<PrefixPeriod<Held>>): PeriodTable<Held> {
  const periods: Omit<PrefixPeriod<Held>, 'prefix'>[] = [];
  const given = { 4: new Uint32Array(ROW_WORDS), 6: new Uint32Array(ROW_WORDS) };
  const words = { 4: 0, 6: 0 };
  for (const { prefix, held, from, until } of entries) {
    const last = periods.at(-1);
    if (last?.held !== held || last.from !== from || last.until !== until)
      periods.push({ held, from, ...(until !== undefined && { until }) });
    const { family } = prefix;
    const word = words[family];
    words[family] += ROW_WORDS;
    if (words[family] > given[family].length) given[family] = grown(given[family]);
    const rows = given[family];
    rows[word] = prefix.w0;
    rows[word + 1] = prefix.w1;
    rows[word + 2] = prefix.w2;
    rows[word + 3] = prefix.w3;
    rows[word + BITS] = prefix.bits;
    rows[word + PERIOD] = periods.length - 1;
  }
  const rowsOf = (family: 4 | 6) => inOrder(given[family].subarray(0, words[family]), family);
  return { rows: { 4: rowsOf(4), 6: rowsOf(6) }, periods };
}

function inOrder(given: Uint32Array, family: 4 | 6): Uint32Array<SharedArrayBuffer> {
  const order = Array.from({ length: given.length / ROW_WORDS }, (_, row) => row * ROW_WORDS);
  // Rows are examined from the last one back, so the first of equal prefixes comes last.
  order.sort(
    (a, b) =>
      given[a]! - given[b]! ||
      given[a + 1]! - given[b + 1]! ||
      given[a + 2]! - given[b + 2]! ||
      given[a + 3]! - given[b + 3]! ||
      given[a + BITS]! - given[b + BITS]! ||
      b - a,
  );
  const rows = new Uint32Array(new SharedArrayBuffer(given.byteLength));
  const open: { readonly prefix: Prefix; readonly number: number }[] = [];
  for (let word = 0; word < rows.length; word += ROW_WORDS) {
    for (let i = 0; i < AROUND; i++) rows[word + i] = given[order[word / ROW_WORDS]! + i]!;
    const prefix = prefixAt(rows, word, family);
    while (open.length > 0 && !contains(open.at(-1)!.prefix, prefix)) open.pop();
    rows[word + AROUND] = open.at(-1)?.number ?? 0;
    open.push({ prefix, number: word / ROW_WORDS + 1 });
  }
  return rows;
}

/** Every entry has its time, so that a change of the table never alters an answer about the past. */
export class PrefixPeriods<Held> {
  readonly table: PeriodTable<Held>;

  constructor(table: PeriodTable<Held>) {
    this.table = table;
  }

  /**
   * Returns the value of the longest prefix that contains the address and holds at the instant; undefined
   * without one.
   */
  find(address: Address, at: UnixMs): Held | undefined {
    const rows = this.table.rows[address.family];
    // A prefix that contains the address contains every row between its first address and this one.
    for (let row = lastUpTo(rows, address); row > 0; row = rows[(row - 1) * ROW_WORDS + AROUND]!) {
      const word = (row - 1) * ROW_WORDS;
      const { from, until, held } = this.table.periods[rows[word + PERIOD]!]!;
      if (from <= at && (until === undefined || at < until) && contains(prefixAt(rows, word, address.family), address))
        return held;
    }
    return undefined;
  }

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
