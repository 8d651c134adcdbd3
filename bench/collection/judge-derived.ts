import type { RiskType } from '../../src/contract/risk.ts';
import type { Address, Prefix } from '../../src/core/ip/address.ts';
import { contains } from '../../src/core/ip/prefix.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/units.ts';
import type { DerivedRow } from './play-world.ts';
import type { Party, RotatedPrefix, Tenure, World } from './world.ts';

/** How often a kind was derived rightly, and of whom. */
export interface Judgement {
  /** Distinct prefixes (of a range) or addresses and days that were derived, and how many of them are right. */
  readonly derived: number;
  readonly right: number;
  /** Parties that could have been found, and how many were. */
  readonly parties: number;
  readonly found: number;
  /** Who was behind the captures where it is wrong: how many prefixes or addresses. */
  readonly wrong: Readonly<Partial<Record<Party, number>>>;
}

/** Ranges: right where all of the prefix is one party's. A party could be found when sensors captured ten of its addresses on one day. */
export function judgeRanges(world: World, rows: readonly DerivedRow[], minAddresses = 10): Judgement {
  const ranges = distinct(of(rows, 'ipv6_range'), ({ prefix }) => keyOf(prefix));
  const isInside = (prefix: Prefix, { prefix: whole }: RotatedPrefix): boolean => whole.bits <= prefix.bits && contains(whole, prefix);
  const right = ranges.filter(({ prefix }) => world.rotated.some((rotated) => isInside(prefix, rotated)));
  const parties = world.rotated.filter(({ busiest }) => busiest >= minAddresses);
  const found = parties.filter((rotated) => right.some(({ prefix }) => isInside(prefix, rotated)));
  return { derived: ranges.length, right: right.length, parties: parties.length, found: found.length, wrong: wrongOf(world, ranges.filter((row) => !right.includes(row))) }; // biome-ignore format: one row
}

/** Hijacked proxies: right where the address was a hijacked home's at that moment. A home could be found when sensors captured it. */
export function judgeHijacked(world: World, rows: readonly DerivedRow[]): Judgement {
  const seen = new Set(world.captures.filter(({ party }) => party === 'hijacked home').map(({ address, at }) => holderOf(world.hijacked, address, at)));
  return judgeTenures(world, world.hijacked, of(rows, 'hijacked_proxy'), seen);
}

/** The homes among them that a list named on some day: what the rule can find at all. */
export function listedHomes(world: World): ReadonlySet<number> {
  const listed = new Set<number>();
  const byAddress = Map.groupBy(world.hijacked, ({ address }) => address.w0);
  for (const { at, addresses } of world.runs)
    for (const { w0 } of addresses) for (const { from, until, holder } of byAddress.get(w0) ?? []) if (from <= at && at < until) listed.add(holder);
  return listed;
}

/** An address that a line has left is captured when the rule is complete, some minutes later. */
const DIALLED_SLACK_MS = 2 * HOUR_MS;

/** Dial-up pools: right where a dialled line held the address at that moment or shortly before. A line could be found when sensors captured it. */
export function judgeDialled(world: World, rows: readonly DerivedRow[]): Judgement {
  const seen = new Set(world.captures.filter(({ party }) => party === 'dialled line').map(({ address, at }) => holderOf(world.dialled, address, at)));
  const tenures = world.dialled.map((tenure) => ({ ...tenure, until: tenure.until + DIALLED_SLACK_MS }));
  return judgeTenures(world, tenures, of(rows, 'dialup_pool'), seen);
}

function judgeTenures(world: World, tenures: readonly Tenure[], rows: readonly DerivedRow[], seen: ReadonlySet<number | undefined>): Judgement {
  const derived = distinct(rows, ({ prefix, at }) => `${prefix.w0} ${Math.floor(at / DAY_MS)}`);
  const byAddress = Map.groupBy(tenures, ({ address }) => address.w0);
  const holders = derived.map(({ prefix, at }) => holderOf(byAddress.get(prefix.w0) ?? [], prefix, at));
  const right = derived.filter((_, i) => holders[i] !== undefined);
  const found = new Set(holders.filter((holder) => holder !== undefined));
  return { derived: derived.length, right: right.length, parties: seen.size, found: found.size, wrong: wrongOf(world, derived.filter((_, i) => holders[i] === undefined)) }; // biome-ignore format: one row
}

const holderOf = (tenures: readonly Tenure[], { w0 }: Address, at: number): number | undefined =>
  tenures.find(({ address, from, until }) => address.w0 === w0 && from <= at && at < until)?.holder;

/** Who was captured most inside each of these prefixes on the day before. */
function wrongOf(world: World, rows: readonly DerivedRow[]): Partial<Record<Party, number>> {
  const wrong: Partial<Record<Party, number>> = {};
  for (const { prefix, at } of rows) {
    const inside = world.captures.filter((capture) => capture.at <= at && capture.at > at - DAY_MS && contains(prefix, capture.address));
    const [party] = [...Map.groupBy(inside, (capture) => capture.party)].sort(([, a], [, b]) => b.length - a.length)[0]!;
    wrong[party] = (wrong[party] ?? 0) + 1;
  }
  return wrong;
}

const of = (rows: readonly DerivedRow[], riskType: RiskType): readonly DerivedRow[] => rows.filter((row) => row.riskType === riskType);

function distinct(rows: readonly DerivedRow[], key: (row: DerivedRow) => string): readonly DerivedRow[] {
  return [...new Map([...rows].reverse().map((row) => [key(row), row])).values()].reverse();
}

const keyOf = ({ w0, w1, w2, w3, bits }: Prefix): string => `${w0} ${w1} ${w2} ${w3} ${bits}`;
