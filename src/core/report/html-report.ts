import { EVIDENCE_STATES, LEVELS, type Signal } from '../../contract/risk.ts';
import type { SummaryAddress, SummaryPrefix, SummaryRanking, TrafficSummary } from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import { pathPrefix } from '../oauth/oauth-addresses.ts';
import { HOUR_MS, unixMs } from '../units.ts';
import { rankingTable } from './ranking-table.ts';
import { type AsName, originTexts, type ReportFormat, reportFormat, riskyRankings, seenText } from './report-format.ts';
import { REPORT_STYLE } from './report-style.ts';
import { fillWords, type ReportWords, reasonTexts, requestText } from './report-words.ts';
import { shareBar } from './share-bar.ts';
import { timeChart } from './time-chart.ts';
import { type WorldOutlines, worldMap } from './world-map.ts';

export interface HtmlReportOptions {
  /** The log's name, as its reader knows it. */
  readonly source: string;
  readonly words: ReportWords;
  readonly world: WorldOutlines;
  /** Registered name of an AS number; left out: numbers alone. */
  readonly asName?: AsName;
  /** Public address of a Pulse whose pages addresses lead to; left out: addresses are text. */
  readonly linkBase?: string | undefined;
}

/** Rows of a ranking in the report. */
const RANKED = 12;
/** Nothing is loaded, sent or run; the style sheet is in the document. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** A summary as one HTML document that stands alone: no script, and nothing that is loaded. Text of the log is escaped. */
export function htmlReport(
  summary: TrafficSummary,
  { source, words, world, asName, linkBase }: HtmlReportOptions,
): string {
  const format = { ...reportFormat(words, asName), linkBase };
  const title = `${words.title}: ${source}`;
  const { judged } = summary.lines;
  return html`<!doctype html>
<html lang="${words.tag}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: REPORT_STYLE }}</style>
</head>
<body>
<main>
${head(summary, source, format)}
${tiles(summary, format)}
${riskSections(summary, format)}
<section><h2>${words.state}</h2>${stateBar(summary, format)}</section>
<section><h2>${words.level}</h2>${levelBar(summary, format)}</section>
${summary.time && timeSection(summary.time, format)}
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

function head(
  { computed_at, data_version, degraded }: TrafficSummary,
  source: string,
  { words, moment }: ReportFormat,
): Html {
  return html`<header>
<h1>${words.title}</h1>
<dl><div><dt>${words.log}</dt><dd>${source}</dd></div><div><dt>${words.moment}</dt><dd>${moment(unixMs(Date.parse(computed_at)))}</dd></div>
<div><dt>${words.data}</dt><dd>${data_version.risk}, ${data_version.geo}</dd></div></dl>
${degraded && html`<p>${words.degraded}</p>`}
</header>`;
}

function tiles(summary: TrafficSummary, { words, number, percent }: ReportFormat): Html {
  const { lines, addresses } = summary;
  const count = number(addresses.count);
  const tile = (value: string, name: string): Html => html`<div class="tile"><b>${value}</b><span>${name}</span></div>`;
  return html`<div class="tiles">
${tile(number(lines.total), words.lines)}
${tile(addresses.method === 'exact' ? count : fillWords(words.about, { n: count }), words.addresses)}
${tile(percent(linesOf(summary.evidence_state, 'active'), lines.judged), words.activeLines)}
${tile(percent(linesOf(summary.level, 'high'), lines.judged), words.highLines)}
</div>`;
}

const linesOf = <Value>({ rows }: SummaryRanking<Value>, wanted: Value): number =>
  rows.find(({ value }) => value === wanted)?.lines ?? 0;

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
  return html`<section><h2>${words.time}</h2><div class="scroll">${timeChart(time, format)}</div><p class="note">${notes.join(' ')}</p></section>`;
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

function addressTable({ top, lines }: TrafficSummary, format: LinkedFormat): Html {
  const { words, number, percent, country } = format;
  const row = (address: SummaryAddress): Html => html`<tr><th scope="row">${addressCell(address.ip, format)}</th>
<td class="n">${number(address.lines)}</td><td class="n soft">${percent(address.lines, lines.judged)}</td><td class="n">${address.score}</td>
<td>${address.evidence_state === 'active' ? words.levels[address.level] : words.states[address.evidence_state]}</td>
<td>${reasonTexts(address, words).join(', ')}</td>
<td>${address.country === undefined ? '' : country(address.country)}</td><td>${address.asn === undefined ? '' : format.network(address.asn)}</td></tr>`;
  return html`<section><h2>${words.topAddresses}</h2><div class="scroll"><table aria-label="${words.topAddresses}">
<thead><tr><th scope="col">${words.address}</th><th scope="col" class="n">${words.lines}</th><th scope="col" class="n">${words.share}</th><th scope="col" class="n">${words.score}</th>
<th scope="col">${words.state}</th><th scope="col">${words.signals}</th><th scope="col">${words.country}</th><th scope="col">${words.network}</th></tr></thead>
<tbody>${top.addresses.map(row)}</tbody></table></div>${errorNote(top.addresses_error, format)}</section>`;
}

function riskSections(summary: TrafficSummary, format: LinkedFormat): Html {
  const { top, against, risky } = summary;
  const { words, number } = format;
  return html`${riskTable(words.riskiest, top.riskiest, format)}
<div class="grid2">${riskyRankings(summary, format).map(({ heading, ranking }) => ranked(heading, ranking, String, risky.lines, format))}</div>
<section><p class="note">${words.riskiestNote}</p><h2>${words.next}</h2><ul>${words.nextSteps.map((step) => html`<li>${step}</li>`)}</ul></section>
${
  against !== undefined &&
  html`${riskTable(fillWords(words.newAddresses, { n: number(against.lines) }), against.new, format)}
${riskTable(words.goneAddresses, against.gone, format)}`
}`;
}

function riskTable(heading: string, rows: readonly SummaryAddress[], format: LinkedFormat): Html {
  const { words, number } = format;
  const row = (address: SummaryAddress): Html => html`<tr><th scope="row">${addressCell(address.ip, format)}</th>
<td class="n">${address.score}</td><td class="n">${number(address.lines)}</td>
<td>${[...reasonTexts(address, words), ...(address.share_tier === undefined ? [] : [address.share_tier])].join(', ')}</td>
<td>${seenText(address, format)}</td>
<td class="free">${address.requests === undefined ? '' : requestText(address.requests)}</td>
<td>${originTexts(address, format).join(', ')}</td></tr>`;
  if (rows.length === 0) return html`<section><h2>${heading}</h2><p class="soft">${words.none}</p></section>`;
  return html`<section><h2>${heading}</h2><div class="scroll"><table aria-label="${heading}">
<thead><tr><th scope="col">${words.address}</th><th scope="col" class="n">${words.score}</th><th scope="col" class="n">${words.lines}</th><th scope="col">${words.signals}</th>
<th scope="col">${words.seen}</th><th scope="col">${words.requests}</th><th scope="col">${words.network}</th></tr></thead>
<tbody>${rows.map(row)}</tbody></table></div></section>`;
}

function prefixTable({ top, lines }: TrafficSummary, format: ReportFormat): Html {
  const { words, number, percent } = format;
  const row = ({
    prefix,
    lines: count,
    addresses,
    active_lines: active,
  }: SummaryPrefix): Html => html`<tr><th scope="row"><code>${prefix}</code></th>
<td class="n">${number(count)}</td><td class="n soft">${percent(count, lines.judged)}</td><td class="n">${addresses === undefined ? '' : number(addresses)}</td>
<td class="n">${active === undefined ? '' : percent(active, count)}</td></tr>`;
  return html`<section><h2>${words.topPrefixes}</h2><div class="scroll"><table aria-label="${words.topPrefixes}">
<thead><tr><th scope="col">${words.prefix}</th><th scope="col" class="n">${words.lines}</th><th scope="col" class="n">${words.share}</th><th scope="col" class="n">${words.addresses}</th>
<th scope="col" class="n">${words.activeLines}</th></tr></thead>
<tbody>${top.prefixes.map(row)}</tbody></table></div>${errorNote(top.prefixes_error, format)}</section>`;
}

const errorNote = (error: number, { words, number }: ReportFormat): Html | false =>
  error > 0 && html`<p class="note">${fillWords(words.topError, { n: number(error) })}</p>`;

function notes(summary: TrafficSummary, format: ReportFormat): Html {
  const { words } = format;
  return html`<footer><h2>${words.notes}</h2><ul>${reportNotes(summary, format).map((note) => html`<li>${note}</li>`)}</ul>
<a href="https://db-ip.com">${words.attribution}</a> · Pulse</footer>`;
}

/** Notes besides the figures. */
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
