import type { SummaryAddress, SummaryPath, SummaryRanking, TrafficSummary } from '../../contract/traffic-summary.ts';
import { namesIn } from '../names/names-in.ts';
import { fillWords } from '../texts/said.ts';
import { type UnixMs, unixMs } from '../units.ts';
import type { ReportWords } from './report-words.ts';

export type AsName = (asn: number) => string | undefined;

/**
 * Writes numbers, shares, times and names for a reader of one language. Times are UTC, as in servers' logs. `range`:
 * gives two moments to the minute, each part of the date once; the year only where it is not the report's.
 */
export interface ReportFormat {
  readonly words: ReportWords;
  readonly number: (value: number) => string;
  readonly compact: (value: number) => string;
  readonly percent: (part: number, whole: number) => string;
  readonly moment: (at: UnixMs) => string;
  readonly range: (from: UnixMs, to: UnixMs) => string;
  readonly day: (at: UnixMs) => string;
  readonly hour: (at: UnixMs) => string;
  readonly clock: (at: UnixMs) => string;
  readonly country: (code: string) => string;
  readonly network: (asn: number) => string;
}

export function reportFormat(words: ReportWords, year: number, asName: AsName = () => undefined): ReportFormat {
  const { tag } = words;
  const whole = new Intl.NumberFormat(tag);
  const short = new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const date = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options });
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const day = { month: 'short', day: 'numeric' } as const;
  const [moment, days, hours, clock] = [
    date({ year: 'numeric', ...day, ...time, second: '2-digit' }),
    date(day),
    date({ ...day, ...time }),
    date(time),
  ];
  const withYear = date({ year: 'numeric', ...day, ...time });
  const isOfYear = (at: UnixMs): boolean => new Date(at).getUTCFullYear() === year;
  const names = namesIn(tag);
  return {
    words,
    number: (value) => whole.format(value),
    compact: (value) => short.format(value),
    percent: (part, all) =>
      part > 0 && part / all < 0.001 ? `<${share.format(0.001)}` : share.format(all === 0 ? 0 : part / all),
    moment: (at) => `${moment.format(at)} UTC`,
    range: (from, to) => (isOfYear(from) && isOfYear(to) ? hours : withYear).formatRange(from, to),
    day: (at) => days.format(at),
    hour: (at) => hours.format(at),
    clock: (at) => clock.format(at),
    country: names.country,
    network: (asn) => names.network(asn, asName(asn)),
  };
}

export const originTexts = ({ country, asn }: SummaryAddress, format: ReportFormat): readonly string[] => [
  ...(country === undefined ? [] : [format.country(country)]),
  ...(asn === undefined ? [] : [format.network(asn)]),
];

export function riskyRankings(
  { risky }: TrafficSummary,
  { words, number, network }: ReportFormat,
): readonly RiskyRanking[] {
  const one = <Value>(
    what: string,
    ranking: SummaryRanking<Value>,
    nameOf: (value: Value) => string,
  ): RiskyRanking => ({
    heading: fillWords(words.risky, { what }),
    ranking: {
      ...ranking,
      rows: ranking.rows.map(({ value, lines, addresses }) => {
        const name = value === undefined ? words.unknown : nameOf(value);
        const named = addresses === undefined ? name : fillWords(words.withAddresses, { name, n: number(addresses) });
        return { value: named, lines };
      }),
    },
  });
  return [
    one(words.prefixes, risky.prefixes, (value) => value),
    one(words.networks, risky.asn, network),
    one(words.pools, risky.pools, (value) => value),
  ].filter(({ ranking }) => ranking.rows.length > 0);
}

interface RiskyRanking {
  readonly heading: string;
  readonly ranking: SummaryRanking<string>;
}

export const seenText = (
  { first, last }: { readonly first?: string | undefined; readonly last?: string | undefined },
  { range }: Pick<ReportFormat, 'range'>,
): string => (first === undefined || last === undefined ? '' : range(instant(first), instant(last)));

export const busiestText = ({ busiest, first, last }: SummaryPath, format: ReportFormat): string =>
  // A stretch ends where the next one begins, so one minute shows only its beginning.
  busiest === undefined || first?.slice(0, MINUTE) === last?.slice(0, MINUTE)
    ? seenText({ first, last }, format)
    : format.range(instant(busiest.from), instant(busiest.to));

/** The length covers RFC 3339 to the minute. */
const MINUTE = 16;
const instant = (text: string): UnixMs => unixMs(Date.parse(text));
