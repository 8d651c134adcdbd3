import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { compilePeriods, type PrefixPeriod, PrefixPeriods } from '../../core/ip/prefix-periods.ts';
import type { KnownGood, KnownGoodSet } from '../../core/risk/known-good.ts';
import { unixMs } from '../../core/units.ts';
import { shippedTable } from './tables.ts';

/** One list of data/known-good.json: prefixes of one service that were known good from a UTC date on, until before another. */
export interface KnownGoodList {
  readonly id: string;
  readonly what: string;
  readonly from: string;
  readonly until?: string;
  /** The publisher's address, or the copy at a commit if the content was read from one. */
  readonly source: string;
  /** `YYYY-MM-DD`, the day of the content. */
  readonly seen: string;
  readonly licence: string;
  readonly prefixes: readonly string[];
}

export const knownGoodLists = (table: 'known-good' | 'known-scanners' = 'known-good'): readonly KnownGoodList[] =>
  shippedTable<{ lists: readonly KnownGoodList[] }>(table).lists;

let known: KnownGood | undefined;

/** The tables of known-good addresses and known research scanners that ship in data/, read once in a thread: some thirty thousand prefixes. */
export const loadKnownGood = (): KnownGood => (known ??= new PrefixPeriods(compilePeriods(entries())));

/** The part of the tables that says something about these few addresses, read in a quarter of the time. */
export function loadKnownGoodOf(addresses: readonly Address[]): KnownGood {
  const firstGroups = new Set(addresses.map((address) => firstGroupOf(formatAddress(address))));
  // A prefix as short as its first group, or shorter, may hold addresses that begin differently.
  const isNear = (text: string): boolean => firstGroups.has(firstGroupOf(text)) || isShort(text);
  return new PrefixPeriods(compilePeriods(entries(isNear)));
}

const firstGroupOf = (text: string): string => text.slice(0, text.search(/[.:]/) + 1);
const isShort = (text: string): boolean => Number(/\/(\d+)$/.exec(text)?.[1] ?? 128) < (text.includes(':') ? 16 : 8);

function* entries(isWanted?: (text: string) => boolean): Generator<PrefixPeriod<KnownGoodSet>> {
  for (const list of knownGoodLists()) yield* entriesOf(list, isWanted);
  for (const list of knownGoodLists('known-scanners')) yield* entriesOf(list, isWanted, true);
}

function* entriesOf(
  { id, what, from, until, source, seen, prefixes }: KnownGoodList,
  isWanted?: (text: string) => boolean,
  scanner?: true,
): Generator<PrefixPeriod<KnownGoodSet>> {
  const since = instantOf(id, from);
  const before = until === undefined ? undefined : instantOf(id, until);
  const held = { id, what, source, seen, ...(scanner && { scanner }) };
  for (const text of prefixes) {
    if (isWanted?.(text) === false) continue;
    const prefix = parsePrefix(text);
    if (prefix === undefined) throw new Error(`data/ ${id}: ${JSON.stringify(text)} is not a prefix`);
    // Thirty thousand times at every start: spreading a common part takes longer.
    yield before === undefined ? { prefix, from: since, held } : { prefix, from: since, until: before, held };
  }
}

function instantOf(id: string, date: string): ReturnType<typeof unixMs> {
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) throw new Error(`data/ ${id}: ${JSON.stringify(date)} is not a date`);
  return unixMs(at);
}
