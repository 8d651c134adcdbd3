import { EVIDENCE_STATES, LEVELS, type Signal } from '../../contract/risk.ts';
import type {
  SummaryAddress,
  SummaryPaths,
  SummaryRanking,
  SummaryRow,
  TrafficSummary,
} from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import { pathPrefix } from '../oauth/oauth-addresses.ts';
import { fillWords } from '../texts/said.ts';
import { HOUR_MS, unixMs } from '../units.ts';
import { rankingTable } from './ranking-table.ts';
import {
  type AsName,
  busiestText,
  originTexts,
  type ReportFormat,
  reportFormat,
  riskyRankings,
  seenText,
} from './report-format.ts';
import { REPORT_STYLE } from './report-style.ts';
import { countText, doubtText, type ReportWords, reasonTexts, requestText } from './report-words.ts';
import { kindMark, shareBar } from './share-bar.ts';
import { timeChart } from './time-chart.ts';
import { type WorldOutlines, worldMap } from './world-map.ts';

/**
 * - `linkBase`: addresses link to the pages of a Pulse at this public address; without it they are text.
 * - `scheme`: set by a page whose frame shows the report, which then has no margins; otherwise the reader's system
 *   decides.
 * - `nonce`: admits the style sheet where the page's own policy asks for it.
 */
export interface HtmlReportOptions {
  readonly source: string;
  readonly words: ReportWords;
  readonly world: WorldOutlines;
  readonly asName?: AsName;
  readonly linkBase?: string | undefined;
  readonly scheme?: 'light' | 'dark';
  readonly nonce?: string | undefined;
}

const RANKED = 12;
/** The document loads, sends and runs nothing; its style sheet is inside. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Writes a summary as one HTML document that stands alone, without scripts. Text of the log is escaped. */
export function htmlReport(summary: TrafficSummary, options: HtmlReportOptions): string {
  const { source, words, world, asName, linkBase, scheme, nonce } = options;
  const format = { ...reportFormat(words, yearOf(summary), asName), linkBase };
  const { judged } = summary.lines;
  return html`<!doctype html>
<html lang="${words.tag}"${scheme !== undefined && html` data-scheme="${scheme}"`}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<base target="_blank">
<title>${words.title}${words.colon}${source}</title>
<style${nonce !== undefined && html` nonce="${nonce}"`}>${{ html: REPORT_STYLE }}</style>
</head>
<body>
<main>
${head(summary, source, format)}
${tiles(summary, format)}
${summary.time && timeSection(summary.time, format)}
${riskSections(summary, format)}
<div class="grid2">
<section><h2>${words.state}</h2>${stateBar(summary, format)}</section>
<section><h2>${words.level}</h2>${levelBar(summary, format)}</section>
</div>
<section><h2>${words.countries}</h2>${worldMap(summary.country, world, format)}<p class="note">${words.mapNote}</p></section>
<div class="grid2">
${ranked(words.signals, summary.signals, (value: Signal) => words.signalNames[value] ?? value, judged, format, words.signalsNote)}
${ranked(words.usage, summary.usage_type, (value) => (Object.hasOwn(words.usageNames, value) ? `${words.usageNames[value]} (${value})` : value), judged, format)}
${ranked(words.countries, summary.country, format.country, judged, format)}
${ranked(words.networks, summary.asn, format.network, judged, format)}
</div>
${summary.pools.rows.length > 0 && ranked(words.pools, summary.pools, (value) => value, judged, format)}
${addressTable(summary, format)}
${prefixTable(summary, format)}
${notes(summary, format)}
</main>
</body>
</html>
`.html;
}

export const yearOf = ({ computed_at }: TrafficSummary): number => new Date(computed_at).getUTCFullYear();

function head(
  { computed_at, data_version, degraded, doubt }: TrafficSummary,
  source: string,
  { words, moment }: ReportFormat,
): Html {
  return html`<header>
<h1>${words.title}</h1>
<dl><div><dt>${words.log}${words.colon}</dt><dd>${source}</dd></div><div><dt>${words.moment}${words.colon}</dt><dd>${moment(unixMs(Date.parse(computed_at)))}</dd></div>
<div><dt>${words.data}${words.colon}</dt><dd>${data_version.risk}, ${data_version.geo}</dd></div></dl>
${degraded && html`<p>${words.degraded}</p>`}
${(doubt ?? []).map((one) => html`<p class="doubt">${doubtText(one, { ...words, comma: words.sheet.comma })}</p>`)}
</header>`;
}

function tiles(summary: TrafficSummary, { words, number, percent }: ReportFormat): Html {
  const { lines, addresses } = summary;
  const count = number(addresses.count);
  const withCount = (name: string, of: number | undefined): string =>
    of === undefined ? name : fillWords(words.withAddresses, { name, n: number(of) });
  const tile = (value: string, name: string): Html => html`<div class="tile"><b>${value}</b><span>${name}</span></div>`;
  return html`<div class="tiles">
${tile(number(lines.total), words.lines)}
${tile(addresses.method === 'exact' ? count : fillWords(words.about, { n: count }), words.addresses)}
${tile(percent(linesOf(summary.evidence_state, 'active'), lines.judged), withCount(words.activeLines, rowOf(summary.evidence_state, 'active')?.addresses))}
${tile(percent(linesOf(summary.level, 'high'), lines.judged), withCount(words.highLines, rowOf(summary.level, 'high')?.addresses))}
</div>`;
}

const rowOf = <Value>({ rows }: SummaryRanking<Value>, wanted: Value): SummaryRow<Value> | undefined =>
  rows.find(({ value }) => value === wanted);

const linesOf = <Value>(ranking: SummaryRanking<Value>, wanted: Value): number => rowOf(ranking, wanted)?.lines ?? 0;

const stateBar = ({ evidence_state }: TrafficSummary, format: ReportFormat): Html =>
  shareBar(
    format.words.state,
    EVIDENCE_STATES.map((state) => ({
      name: format.words.states[state],
      kind: state,
      lines: linesOf(evidence_state, state),
    })),
    format,
  );

const levelBar = ({ level }: TrafficSummary, format: ReportFormat): Html =>
  shareBar(
    format.words.level,
    [...LEVELS].reverse().map((one) => ({ name: format.words.levels[one], kind: one, lines: linesOf(level, one) })),
    format,
  );

function timeSection(time: NonNullable<TrafficSummary['time']>, format: ReportFormat): Html {
  const { words, number } = format;
  const notes = [
    time.bucket_ms === HOUR_MS ? words.timeNote.hour : words.timeNote.day,
    ...(time.untimed > 0 ? [fillWords(words.untimed, { n: number(time.untimed) })] : []),
  ];
  return html`<section><h2>${words.time}</h2>${timeChart(time, format)}<p class="note">${notes.join(' ')}</p></section>`;
}

function ranked<Value>(
  label: string,
  ranking: SummaryRanking<Value>,
  nameOf: (value: Value) => string,
  whole: number,
  format: ReportFormat,
  note?: string,
): Html {
  const table = rankingTable(ranking, { label, whole, most: RANKED, nameOf }, format);
  return html`<section><h2>${label}</h2>${table}${note !== undefined && html`<p class="note">${note}</p>`}</section>`;
}

type LinkedFormat = ReportFormat & Pick<HtmlReportOptions, 'linkBase'>;

function addressCell(ip: string, { linkBase, words }: LinkedFormat): Html {
  const text = html`<code>${ip}</code>`;
  return linkBase === undefined
    ? text
    : html`<a href="${linkBase}${pathPrefix(words.tag === 'en' ? 'en' : 'zh')}/ip/${ip}">${text}</a>`;
}

type Column = readonly [name: string, kind?: 'n' | 'free' | 'tight'];

/** On a narrow screen the rows become blocks of named values, each named by its first cell. */
function listTable(label: string, columns: readonly Column[], rows: readonly ListRow[]): Html {
  const cell = (content: Html | string, i: number): Html =>
    i === 0
      ? html`<th scope="row" class="${columns[0]![1] ?? ''}">${content}</th>`
      : html`<td class="${columns[i]![1] ?? ''}" data-name="${columns[i]![0]}">${content}</td>`;
  const entry = ({ cells, more }: ListRow): Html =>
    html`<tbody><tr>${cells.map(cell)}</tr>${more !== undefined && html`<tr class="more"><td colspan="${columns.length}">${more}</td></tr>`}</tbody>`;
  return html`<table class="list" aria-label="${label}"><thead><tr>${columns.map(([name, kind]) => html`<th scope="col" class="${kind ?? ''}">${name}</th>`)}</tr></thead>
${rows.map(entry)}</table>`;
}

interface ListRow {
  readonly cells: readonly (Html | string)[];
  readonly more?: string | undefined;
}

const verdictCell = (
  { evidence_state: state, level, score }: SummaryAddress,
  { words }: Pick<ReportFormat, 'words'>,
): Html =>
  state === 'active'
    ? html`<span class="verdict">${kindMark(level)}<b>${score}</b> ${words.levels[level]}</span>`
    : html`<span class="verdict">${kindMark(state)}${words.states[state]}</span>`;

function addressTable({ top, lines }: TrafficSummary, format: LinkedFormat): Html {
  const { words, number, percent } = format;
  const columns: readonly Column[] = [
    [words.address],
    [words.score],
    [words.lines, 'n'],
    [words.share, 'n'],
    [words.signals],
    [words.network, 'free'],
  ];
  const rows = top.addresses.map((address) => ({
    cells: [
      addressCell(address.ip, format),
      verdictCell(address, format),
      number(address.lines),
      percent(address.lines, lines.judged),
      reasonTexts(address, words).join(words.sheet.comma),
      originTexts(address, format).join(words.sheet.comma),
    ],
  }));
  return html`<section><h2>${words.topAddresses}</h2>${listTable(words.topAddresses, columns, rows)}${errorNote(top.addresses_error, format)}</section>`;
}

function riskSections(summary: TrafficSummary, format: LinkedFormat): Html {
  const { top, against, risky } = summary;
  const { words, number } = format;
  return html`${risky.paths && pathTable(risky.paths, format)}
${riskTable(words.riskiest, top.riskiest, format, words.riskiestNote)}
<div class="grid2">${riskyRankings(summary, format).map(({ heading, ranking }) => ranked(heading, ranking, String, risky.lines, format))}
<section><h2>${words.next}</h2><ul>${words.nextSteps.map((step) => html`<li>${step}</li>`)}</ul></section></div>
${
  against !== undefined &&
  html`${riskTable(fillWords(words.newAddresses, { n: number(against.lines) }), against.new, format)}
${riskTable(words.goneAddresses, against.gone, format)}`
}`;
}

function pathTable(paths: SummaryPaths, format: ReportFormat): Html {
  const { words, number } = format;
  const columns: readonly Column[] = [
    [words.path, 'free'],
    [words.addresses, 'n'],
    [words.requests, 'n'],
    [words.statuses, 'free'],
    [words.busiest, 'tight'],
  ];
  const rows = paths.rows.slice(0, RANKED).map((path) => ({
    cells: [
      path.value === undefined ? words.withoutPath : html`<code>${path.value}</code>`,
      path.addresses === undefined ? '' : number(path.addresses),
      number(path.lines),
      countText(path.statuses, number).replaceAll(' ×', '\u00a0×'),
      busiestText(path, format),
    ],
  }));
  return html`<section><h2>${words.paths}</h2>${listTable(words.paths, columns, rows)}
<p class="note">${pathNotes(paths, RANKED, format).join(' ')}</p></section>`;
}

export function pathNotes(
  { rows, others, forgotten_lines: forgotten = 0, error }: SummaryPaths,
  shown: number,
  { words, number }: ReportFormat,
): readonly string[] {
  const values = Math.max(0, rows.length - shown) + (others?.values ?? 0);
  const lines = rows.slice(shown).reduce((sum, row) => sum + row.lines, (others?.lines ?? 0) + forgotten);
  return [
    ...(lines === 0 ? [] : [fillWords(words.otherPaths, { n: number(values), lines: number(lines) })]),
    words.pathsNote,
    ...(error === 0 ? [] : [fillWords(words.topError, { n: number(error) })]),
  ];
}

function riskTable(heading: string, addresses: readonly SummaryAddress[], format: LinkedFormat, note?: string): Html {
  const { words, number } = format;
  const columns: readonly Column[] = [
    [words.address],
    [words.score],
    [words.signals],
    [words.network, 'free'],
    [words.lines, 'n'],
    [words.seen, 'tight'],
  ];
  const rows = addresses.map((address) => ({
    cells: [
      addressCell(address.ip, format),
      verdictCell(address, format),
      [...reasonTexts(address, words), ...(address.share_tier === undefined ? [] : [address.share_tier])].join(
        words.sheet.comma,
      ),
      originTexts(address, format).join(words.sheet.comma),
      number(address.lines),
      seenText(address, format),
    ],
    more: address.requests && requestText(address.requests, 1),
  }));
  if (rows.length === 0) return html`<section><h2>${heading}</h2><p class="soft">${words.none}</p></section>`;
  return html`<section><h2>${heading}</h2>${listTable(heading, columns, rows)}${note !== undefined && html`<p class="note">${note}</p>`}</section>`;
}

function prefixTable({ top, lines }: TrafficSummary, format: ReportFormat): Html {
  const { words, number, percent } = format;
  const columns: readonly Column[] = [
    [words.prefix],
    [words.lines, 'n'],
    [words.share, 'n'],
    [words.addresses, 'n'],
    [words.activeLines, 'n'],
  ];
  const rows = top.prefixes.map(({ prefix, lines: count, addresses, active_lines: active }) => ({
    cells: [
      html`<code>${prefix}</code>`,
      number(count),
      percent(count, lines.judged),
      addresses === undefined ? '' : number(addresses),
      active === undefined ? '' : percent(active, count),
    ],
  }));
  return html`<section><h2>${words.topPrefixes}</h2>${listTable(words.topPrefixes, columns, rows)}${errorNote(top.prefixes_error, format)}</section>`;
}

const errorNote = (error: number, { words, number }: ReportFormat): Html | false =>
  error > 0 && html`<p class="note">${fillWords(words.topError, { n: number(error) })}</p>`;

function notes(summary: TrafficSummary, format: ReportFormat): Html {
  const { words } = format;
  return html`<footer><h2>${words.notes}</h2><ul>${reportNotes(summary, format).map((note) => html`<li>${note}</li>`)}</ul>
<a href="https://db-ip.com">${words.attribution}</a> · Pulse</footer>`;
}

export function reportNotes(
  { lines, addresses }: TrafficSummary,
  { words, number, percent }: ReportFormat,
): readonly string[] {
  const counted = (sentence: string, n: number): readonly string[] =>
    n === 0 ? [] : [fillWords(sentence, { n: number(n) })];
  return [
    fillWords(words.judged, { n: number(lines.judged) }),
    ...counted(words.withoutAddress, lines.without_address),
    ...counted(words.reserved, lines.reserved),
    ...counted(words.notFound, lines.not_found),
    ...counted(words.withoutHistory, lines.without_history ?? 0),
    ...(addresses.method === 'hyperloglog'
      ? [fillWords(words.estimate, { n: percent(addresses.standard_error, 1) })]
      : []),
    words.noneIsNotSafe,
    words.notProbability,
  ];
}
