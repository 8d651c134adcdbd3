import { EVIDENCE_STATES, LEVELS } from '../../contract/risk.ts';
import type {
  SummaryAddress,
  SummaryPath,
  SummaryPaths,
  SummaryRanking,
  TrafficSummary,
} from '../../contract/traffic-summary.ts';
import { fillWords } from '../texts/said.ts';
import { unixMs } from '../units.ts';
import { pathNotes, reportNotes, yearOf } from './html-report.ts';
import {
  type AsName,
  busiestText,
  originTexts,
  type ReportFormat,
  reportFormat,
  riskyRankings,
  seenText,
} from './report-format.ts';
import { countText, type ReportWords, reasonTexts, requestText } from './report-words.ts';

const BAR = 20;
const RANKED = 8;
const TOP = 10;

/** Writes a summary for a terminal. Text of the log stays unchanged: the printer makes it harmless. */
export function textReport(
  summary: TrafficSummary,
  source: string,
  words: ReportWords,
  asName?: AsName,
): readonly string[] {
  const format = reportFormat(words, yearOf(summary), asName);
  const { number, moment } = format;
  const { lines, addresses, top, against } = summary;
  const distinct = number(addresses.count);
  const named = <Value>(
    heading: string,
    ranking: SummaryRanking<Value>,
    nameOf: (value: Value) => string,
  ): readonly string[] => ['', heading, ...rankingLines(ranking, nameOf, lines.judged, format)];
  return [
    `${words.title}${words.colon}${source}`,
    `${words.moment} ${moment(unixMs(Date.parse(summary.computed_at)))}  ${words.data} ${summary.data_version.risk}, ${summary.data_version.geo}`,
    `${words.lines} ${number(lines.total)}  ${words.addresses} ${addresses.method === 'exact' ? distinct : fillWords(words.about, { n: distinct })}`,
    ...(summary.degraded === true ? [words.degraded] : []),
    ...pathSection(summary.risky.paths, format),
    ...riskSection(words.riskiest, top.riskiest, format),
    ...riskyRankings(summary, format).flatMap(({ heading, ranking }) => [
      '',
      heading,
      ...rankingLines(ranking, String, summary.risky.lines, format),
    ]),
    ...(top.riskiest.length === 0 ? [] : ['', words.next, ...words.nextSteps.map((step) => `  ${step}`)]),
    ...(against === undefined
      ? []
      : [
          ...riskSection(fillWords(words.newAddresses, { n: number(against.lines) }), against.new, format),
          ...riskSection(words.goneAddresses, against.gone, format),
        ]),
    ...named(words.state, inOrder(summary.evidence_state, EVIDENCE_STATES), (value) => words.states[value]),
    ...named(words.level, inOrder(summary.level, [...LEVELS].reverse()), (value) => words.levels[value]),
    ...named(words.signals, summary.signals, (value) => `${words.signalNames[value]} (${value})`),
    ...named(words.usage, summary.usage_type, (value) =>
      Object.hasOwn(words.usageNames, value) ? `${words.usageNames[value]} (${value})` : value,
    ),
    ...named(words.countries, summary.country, (value) => `${format.country(value)} (${value})`),
    ...named(words.networks, summary.asn, format.network),
    ...(summary.pools.rows.length === 0 ? [] : named(words.pools, summary.pools, (value) => value)),
    '',
    words.topAddresses,
    ...top.addresses.slice(0, TOP).map((address) => {
      const { ip, lines: count, score, level, evidence_state: state } = address;
      const verdict = state === 'active' ? `${words.levels[level]} ${score}` : words.states[state];
      return rowLine(
        count,
        lines.judged,
        [ip, verdict, reasonTexts(address, words).join(words.sheet.comma), ...originTexts(address, format)]
          .filter((part) => part !== '')
          .join('  '),
        format,
      );
    }),
    ...errorLine(top.addresses_error, format),
    '',
    words.topPrefixes,
    ...top.prefixes.slice(0, TOP).map(({ prefix, lines: count }) => rowLine(count, lines.judged, prefix, format)),
    ...errorLine(top.prefixes_error, format),
    '',
    ...reportNotes(summary, format),
  ];
}

const riskSection = (heading: string, rows: readonly SummaryAddress[], format: ReportFormat): readonly string[] => [
  '',
  heading,
  ...(rows.length === 0 ? [`  ${format.words.none}`] : rows.slice(0, TOP).flatMap((row) => riskLines(row, format))),
];

function riskLines(address: SummaryAddress, format: ReportFormat): readonly string[] {
  const { ip, lines, score, share_tier: tier, requests } = address;
  const { words, number } = format;
  const network = [...(tier === undefined ? [] : [tier]), ...originTexts(address, format)];
  const seen = seenText(address, format);
  return [
    `  ${String(score).padStart(3)} ${number(lines).padStart(12)}  ${ip}  ${reasonTexts(address, words).join(words.sheet.comma)}  ${network.join(' ')}`,
    ...(seen === '' ? [] : [`      ${seen} UTC`]),
    ...(requests === undefined ? [] : [`      ${requestText(requests, 1)}`]),
  ];
}

function pathSection(paths: SummaryPaths | undefined, format: ReportFormat): readonly string[] {
  if (paths === undefined) return [];
  const { words, number } = format;
  const named = (path: SummaryPath): string => {
    const name = path.value ?? words.withoutPath;
    return path.addresses === undefined ? name : fillWords(words.withAddresses, { name, n: number(path.addresses) });
  };
  return [
    '',
    words.paths,
    ...paths.rows.slice(0, RANKED).flatMap((path) => {
      const time = busiestText(path, format);
      const facts = [countText(path.statuses, number), time === '' ? '' : `${time} UTC`].filter((fact) => fact !== '');
      return [`  ${number(path.lines).padStart(12)}  ${named(path)}`, `${' '.repeat(16)}${facts.join(' · ')}`];
    }),
    ...pathNotes(paths, RANKED, format).map((note) => `  ${note}`),
  ];
}

const inOrder = <Value>({ rows }: SummaryRanking<Value>, values: readonly Value[]): SummaryRanking<Value> => ({
  rows: values.flatMap((value) => rows.filter((row) => row.value === value)),
});

function rankingLines<Value>(
  { rows, others }: SummaryRanking<Value>,
  nameOf: (value: Value) => string,
  whole: number,
  format: ReportFormat,
): readonly string[] {
  const { words, number } = format;
  if (rows.length === 0) return [`  ${words.none}`];
  const hidden = rows.slice(RANKED);
  const values = hidden.length + (others?.values ?? 0);
  const rest = hidden.reduce((sum, { lines }) => sum + lines, others?.lines ?? 0);
  return [
    ...rows
      .slice(0, RANKED)
      .map(({ value, lines }) => rowLine(lines, whole, value === undefined ? words.unknown : nameOf(value), format)),
    ...(values === 0 ? [] : [rowLine(rest, whole, fillWords(words.others, { n: number(values) }), format)]),
  ];
}

function rowLine(lines: number, whole: number, name: string, { number, percent }: ReportFormat): string {
  const filled = whole === 0 ? 0 : Math.round((BAR * lines) / whole);
  return `  ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${percent(lines, whole).padStart(6)} ${number(lines).padStart(12)}  ${name}`;
}

const errorLine = (error: number, { words, number }: ReportFormat): readonly string[] =>
  error === 0 ? [] : [`  ${fillWords(words.topError, { n: number(error) })}`];
