import type {
  SummaryAddress,
  SummaryPrefix,
  SummaryRanking,
  SummaryRow,
  TrafficSummary,
} from '../../contract/traffic-summary.ts';
import { TRAFFIC_SUMMARY_VERSION } from '../../contract/traffic-summary.ts';
import type { Address } from '../ip/address.ts';
import { formatAddress, formatPrefix } from '../ip/format-address.ts';
import type { LogRequest } from '../logs/request-reader.ts';
import type { UnixMs } from '../units.ts';
import { AddressTable } from './address-table.ts';
import { DistinctCount } from './distinct-count.ts';
import { RequestActs } from './request-acts.ts';
import { RequestedPaths } from './requested-paths.ts';
import { TIME_KINDS, TimeBuckets } from './time-buckets.ts';
import { classKey, isRisky, type VerdictFacts } from './verdict-facts.ts';

/**
 * - `seed`: nine random numbers of 32 bits choose where addresses fall in the tables. The document does not depend on
 *   them.
 * - `addressesMax`: beyond this many, tops have a bound of error and distinct addresses are estimated.
 */
export interface TallyOptions {
  readonly seed: readonly number[];
  readonly addressesMax?: number;
  readonly prefixesMax?: number;
}

export interface SummaryFrame {
  readonly computedAt: UnixMs;
  readonly dataVersion: TrafficSummary['data_version'];
  readonly degraded: boolean;
  readonly top?: number;
}

/** 786,432 addresses and 196,608 prefixes take 60 MB of tables at most. */
const ADDRESSES_MAX = 0.75 * 2 ** 20;
const PREFIXES_MAX = 0.75 * 2 ** 18;
const RANKED_MAX = 250;
const TOP = 20;
const SCORES = 128;
const LINES_MAX = 2 ** 40;

interface VerdictClass {
  readonly facts: VerdictFacts;
  readonly kind: number;
  lines: number;
  addresses: number;
}

/**
 * Tells who is behind the lines of a log, one line at a time, in bounded memory. Shares are exact whatever
 * the size. Distinct addresses and tops are exact up to a number; beyond it distinct addresses are estimated,
 * and tops state their greatest error.
 */
export class TrafficTally {
  readonly #classes: VerdictClass[] = [];
  readonly #classNumbers = new Map<string, number>();
  readonly #factsNumbers = new WeakMap<VerdictFacts, number>();
  /**
   * The columns are lines already passed on to classes and prefixes, lines since, and the times of the first
   * and the last line (0 without one).
   */
  readonly #addresses: AddressTable;
  /**
   * The columns are lines, distinct addresses, lines with active evidence, and lines and distinct addresses
   * of at least medium risk.
   */
  readonly #prefixes: AddressTable;
  readonly #acts = new RequestActs();
  readonly #paths = new RequestedPaths();
  #last = 0;
  readonly #distinct = new DistinctCount();
  readonly #times = new TimeBuckets();
  #addressesError = 0;
  #prefixesError = 0;
  #prefixesKept = true;
  #withoutAddress = 0;
  #reserved = 0;
  #notFound = 0;
  #withoutHistory = 0;

  constructor({ seed, addressesMax = ADDRESSES_MAX, prefixesMax = PREFIXES_MAX }: TallyOptions) {
    this.#addresses = new AddressTable({ entriesMax: addressesMax, columns: 4, seed });
    this.#prefixes = new AddressTable({ entriesMax: prefixesMax, columns: 5, seed });
  }

  /**
   * Counts a line of an address whose verdict is known. @returns false when it is not: look it up and `learn`
   * it
   */
  count({ family, w0, w1, w2, w3 }: Address, at: UnixMs | undefined): boolean {
    const table = this.#addresses;
    const row = table.find(family, w0, w1, w2, w3);
    if (row < 0) return false;
    this.#note(row, at);
    this.#times.add(at, this.#classes[Math.floor(table.tags[row]! / SCORES)]!.kind);
    return true;
  }

  learn(address: Address, at: UnixMs | undefined, facts: VerdictFacts): void {
    const number = this.#classNumber(facts);
    const row = this.#rowOf(address, number, facts.score);
    this.#note(row, at);
    this.#times.add(at, this.#classes[number]!.kind);
  }

  /**
   * Returns whether the last counted line is of at least medium risk, so that `noteRequest` keeps its
   * request.
   */
  get isRisky(): boolean {
    return isRisky(this.#classes[Math.floor(this.#addresses.tags[this.#last]! / SCORES)]!.facts);
  }

  noteRequest(address: Address, at: UnixMs | undefined, request: LogRequest | undefined): void {
    if (request === undefined) return;
    this.#acts.note(formatAddress(address), request);
    this.#paths.note(request, at, this.#isExact ? this.#last : undefined);
  }

  #note(row: number, at: UnixMs | undefined): void {
    const [, fresh, first, last] = this.#addresses.columns;
    this.#last = row;
    fresh![row]!++;
    if (at === undefined) return;
    if (first![row] === 0 || at < first![row]!) first![row] = at;
    if (at > last![row]!) last![row] = at;
  }

  countWithoutAddress(): void {
    this.#withoutAddress++;
  }

  countReserved(): void {
    this.#reserved++;
  }

  countNotFound(): void {
    this.#notFound++;
  }

  countWithoutHistory(): void {
    this.#withoutHistory++;
  }

  document({ computedAt, dataVersion, degraded, top = TOP }: SummaryFrame): TrafficSummary {
    this.#passOn();
    const judged = this.#classes.reduce((sum, { lines }) => sum + lines, 0);
    const time = this.#times.document();
    const paths = this.#paths.document(RANKED_MAX);
    return {
      format: 'pulse-summary',
      version: TRAFFIC_SUMMARY_VERSION,
      computed_at: new Date(computedAt).toISOString(),
      data_version: { risk: dataVersion.risk, geo: dataVersion.geo },
      ...(degraded && { degraded }),
      lines: {
        total: judged + this.#withoutAddress + this.#reserved + this.#notFound + this.#withoutHistory,
        judged,
        without_address: this.#withoutAddress,
        reserved: this.#reserved,
        not_found: this.#notFound,
        ...(this.#withoutHistory > 0 && { without_history: this.#withoutHistory }),
      },
      addresses: this.#isExact ? { count: this.#addresses.size, method: 'exact' } : this.#distinct.estimate(),
      evidence_state: this.#ranking(({ state }) => [state]),
      level: this.#ranking(({ level }) => [level]),
      signals: this.#ranking(({ signals }) => signals),
      usage_type: this.#ranking(({ usageType }) => [usageType]),
      country: this.#ranking(({ country }) => [country]),
      asn: this.#ranking(({ asn }) => [asn]),
      pools: this.#ranking(({ pools }) => pools),
      top: {
        addresses_error: this.#addressesError,
        prefixes_error: this.#prefixesError,
        riskiest: this.riskiest(top),
        addresses: this.#mostFrequent(top),
        prefixes: this.#topPrefixes(top),
      },
      risky: {
        lines: this.#classes.reduce((sum, { facts, lines }) => (isRisky(facts) ? sum + lines : sum), 0),
        prefixes: this.#riskyPrefixes(),
        asn: this.#ranking(({ asn }) => [asn], isRisky),
        pools: this.#ranking(({ pools }) => pools, isRisky),
        ...(paths && { paths }),
      },
      ...(time && { time }),
    };
  }

  get #isExact(): boolean {
    return this.#addressesError === 0;
  }

  #classNumber(facts: VerdictFacts): number {
    // Callers that share facts among addresses pay for the text once.
    const same = this.#factsNumbers.get(facts);
    if (same !== undefined) return same;
    const key = classKey(facts);
    const number =
      this.#classNumbers.get(key) ?? this.#classes.push({ facts, kind: kindOf(facts), lines: 0, addresses: 0 }) - 1;
    this.#classNumbers.set(key, number);
    this.#factsNumbers.set(facts, number);
    return number;
  }

  #rowOf({ family, w0, w1, w2, w3 }: Address, number: number, score: number): number {
    const table = this.#addresses;
    const known = table.find(family, w0, w1, w2, w3);
    if (known >= 0) return known;
    if (table.isFull) {
      this.#passOn();
      this.#addressesError += table.forgetRarest();
    }
    const verdictClass = this.#classes[number]!;
    verdictClass.addresses++;
    this.#distinct.add(family, w0, w1, w2, w3);
    const prefix = this.#prefixRow(family, w0, w1);
    this.#prefixes.columns[1]![prefix]!++;
    if (isRisky(verdictClass.facts)) this.#prefixes.columns[4]![prefix]!++;
    return table.insert(family, w0, w1, w2, w3, number * SCORES + score);
  }

  #passOn(): void {
    const table = this.#addresses;
    const [passed, fresh] = table.columns;
    table.each((row, family, w0, w1) => {
      const lines = fresh![row]!;
      if (lines === 0) return;
      fresh![row] = 0;
      passed![row]! += lines;
      const verdictClass = this.#classes[Math.floor(table.tags[row]! / SCORES)]!;
      verdictClass.lines += lines;
      const prefix = this.#prefixRow(family, w0, w1);
      this.#prefixes.columns[0]![prefix]! += lines;
      if (verdictClass.facts.state === 'active') this.#prefixes.columns[2]![prefix]! += lines;
      if (isRisky(verdictClass.facts)) this.#prefixes.columns[3]![prefix]! += lines;
    });
  }

  #prefixRow(family: 4 | 6, w0: number, w1: number): number {
    const table = this.#prefixes;
    const net0 = family === 4 ? (w0 & 0xffff_ff00) >>> 0 : w0;
    const net1 = family === 4 ? 0 : (w1 & 0xffff_0000) >>> 0;
    const row = table.find(family, net0, net1, 0, 0);
    if (row >= 0) return row;
    if (table.isFull) {
      this.#prefixesError += table.forgetRarest();
      this.#prefixesKept = false;
    }
    return table.insert(family, net0, net1, 0, 0, 0);
  }

  #ranking<Value extends string | number>(
    valuesOf: (facts: VerdictFacts) => readonly (Value | undefined)[],
    isMeant: (facts: VerdictFacts) => boolean = () => true,
  ): SummaryRanking<Value> {
    const sums = new Map<Value | undefined, { lines: number; addresses: number }>();
    for (const { facts, lines, addresses } of this.#classes) {
      if (!isMeant(facts)) continue;
      for (const value of valuesOf(facts)) {
        const sum = sums.get(value) ?? { lines: 0, addresses: 0 };
        sum.lines += lines;
        sum.addresses += addresses;
        sums.set(value, sum);
      }
    }
    const ranked = [...sums].sort(
      ([a, one], [b, other]) => other.lines - one.lines || (String(a ?? '') < String(b ?? '') ? -1 : 1),
    );
    const rows = ranked.slice(0, RANKED_MAX).map(
      ([value, { lines, addresses }]): SummaryRow<Value> => ({
        ...(value !== undefined && { value }),
        lines,
        ...(this.#isExact && { addresses }),
      }),
    );
    const others = ranked.slice(RANKED_MAX);
    return others.length === 0
      ? { rows }
      : { rows, others: { values: others.length, lines: others.reduce((sum, [, { lines }]) => sum + lines, 0) } };
  }

  #mostFrequent(top: number): readonly SummaryAddress[] {
    const [lines] = this.#addresses.columns;
    return topEntries(this.#addresses, top, (row) => lines![row]!).map((entry) => this.#addressOf(entry));
  }

  /**
   * Lists addresses with active evidence as of the last `document`, the greatest score first, then the most
   * lines. @param except another log, whose addresses are omitted
   */
  riskiest(top: number, except?: TrafficTally): readonly SummaryAddress[] {
    const { tags } = this.#addresses;
    const isActive = this.#classes.map(({ facts }) => facts.state === 'active');
    const rank = this.#rankOfRisk((row) => isActive[Math.floor(tags[row]! / SCORES)]!);
    return topEntries(this.#addresses, top, rank, except && ((address) => !except.#has(address))).map((entry) =>
      this.#addressOf(entry),
    );
  }

  *risky(): Generator<SummaryAddress> {
    const { tags } = this.#addresses;
    const rank = this.#rankOfRisk((row) => isRisky(this.#classes[Math.floor(tags[row]! / SCORES)]!.facts));
    for (const entry of topEntries(this.#addresses, this.#addresses.size, rank)) yield this.#addressOf(entry);
  }

  #rankOfRisk(isMeant: (row: number) => boolean): (row: number) => number {
    const { tags, columns } = this.#addresses;
    return (row) => (isMeant(row) ? (tags[row]! % SCORES) * LINES_MAX + columns[0]![row]! : 0);
  }

  #has({ family, w0, w1, w2, w3 }: Address): boolean {
    return this.#addresses.find(family, w0, w1, w2, w3) >= 0;
  }

  #addressOf({ row, address }: TopEntry): SummaryAddress {
    const { tags, columns } = this.#addresses;
    const tag = tags[row]!;
    const [lines, , first, last] = columns;
    const {
      state,
      level,
      signals,
      usageType,
      country,
      asn,
      own = [],
      shareTier,
      sharedBy,
    } = this.#classes[Math.floor(tag / SCORES)]!.facts;
    const ip = formatAddress(address);
    const requests = this.#acts.of(ip);
    return {
      ip,
      lines: lines![row]!,
      score: tag % SCORES,
      level,
      evidence_state: state,
      ...(signals.length > 0 && { signals }),
      ...(usageType !== undefined && { usage_type: usageType }),
      ...(country !== undefined && { country }),
      ...(asn !== undefined && { asn }),
      ...(own.length > 0 && { own }),
      ...(shareTier !== undefined && { share_tier: shareTier }),
      ...(sharedBy !== undefined && { shared_by: sharedBy }),
      ...(first![row]! > 0 && {
        first: new Date(first![row]!).toISOString(),
        last: new Date(last![row]!).toISOString(),
      }),
      ...(requests && { requests }),
    };
  }

  #topPrefixes(top: number): readonly SummaryPrefix[] {
    const table = this.#prefixes;
    const [lines, addresses, active] = table.columns;
    return topEntries(table, top, (row) => lines![row]!).map(({ row, address }) => ({
      prefix: prefixText(address),
      lines: lines![row]!,
      ...(this.#prefixesExact && { addresses: addresses![row]!, active_lines: active![row]! }),
    }));
  }

  get #prefixesExact(): boolean {
    return this.#isExact && this.#prefixesKept;
  }

  #riskyPrefixes(): SummaryRanking<string> {
    const table = this.#prefixes;
    const [, , , lines, addresses] = table.columns;
    const rows = topEntries(table, RANKED_MAX, (row) => lines![row]!).map(({ row, address }) => ({
      value: prefixText(address),
      lines: lines![row]!,
      ...(this.#prefixesExact && { addresses: addresses![row]! }),
    }));
    const others = { values: -rows.length, lines: -rows.reduce((sum, row) => sum + row.lines, 0) };
    table.each((row) => {
      if (lines![row] === 0) return;
      others.values++;
      others.lines += lines![row]!;
    });
    return { rows, ...(others.values > 0 && { others }) };
  }
}

const kindOf = ({ state, level }: VerdictFacts): number =>
  TIME_KINDS.indexOf(state === 'active' && level !== 'none' ? level : state === 'stale' ? 'stale' : 'none');

const prefixText = (address: Address): string => formatPrefix({ ...address, bits: address.family === 4 ? 24 : 48 });

interface TopEntry {
  readonly row: number;
  readonly address: Address;
}

function topEntries(
  table: AddressTable,
  top: number,
  rank: (row: number) => number,
  isMeant: (address: Address) => boolean = () => true,
): readonly TopEntry[] {
  const before = (a: TopEntry, b: TopEntry): number => rank(b.row) - rank(a.row) || inOrder(a.address, b.address);
  let best: TopEntry[] = [];
  let least = 0;
  table.each((row, family, w0, w1, w2, w3) => {
    const ranked = rank(row);
    if (ranked === 0 || ranked < least) return;
    const address = { family, w0, w1, w2, w3 };
    if (isMeant(address)) best.push({ row, address });
    if (best.length < 4 * top + 64) return;
    best = best.sort(before).slice(0, top);
    least = rank(best.at(-1)!.row);
  });
  return best.sort(before).slice(0, top);
}

const inOrder = (a: Address, b: Address): number =>
  a.family - b.family || a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3;
