import type { SummaryBucket, TrafficSummary } from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import { TIME_KINDS, type TimeKind } from '../summary/time-buckets.ts';
import { DAY_MS, type UnixMs, unixMs } from '../units.ts';
import type { ReportFormat } from './report-format.ts';
import { swatch } from './share-bar.ts';

/** Units of the drawing. */
const WIDTH = 1000;
const HEIGHT = 260;
const LEFT = 52;
const BOTTOM = 26;
const TOP = 10;
/** Columns at most; more stretches of time than that share columns. */
const COLUMNS_MAX = 240;
const LABELS_MAX = 8;

/** One column of the chart. */
export interface TimeColumn {
  readonly at: UnixMs;
  readonly lines: Readonly<Record<TimeKind, number>>;
}

/** Equal stretches of time from the first to the last, those without a line included. */
export function timeColumns({
  buckets,
  bucket_ms: bucketMs,
}: NonNullable<TrafficSummary['time']>): readonly TimeColumn[] {
  const first = Date.parse(buckets[0]!.at);
  const count = Math.round((Date.parse(buckets.at(-1)!.at) - first) / bucketMs) + 1;
  const each = Math.ceil(count / COLUMNS_MAX);
  const columns = Array.from({ length: Math.ceil(count / each) }, (_, i) => ({
    at: unixMs(first + i * each * bucketMs),
    lines: { none: 0, stale: 0, low: 0, medium: 0, high: 0 },
  }));
  for (const bucket of buckets) {
    const column = columns[Math.floor((Date.parse(bucket.at) - first) / bucketMs / each)]!;
    for (const kind of TIME_KINDS) column.lines[kind] += bucket[kind];
  }
  return columns;
}

/** Lines over time as columns, divided by the kind of their addresses. */
export function timeChart(time: NonNullable<TrafficSummary['time']>, format: ReportFormat): Html {
  const { words } = format;
  const columns = timeColumns(time);
  const most = roundUp(Math.max(...columns.map(({ lines }) => sumOf(lines))));
  const width = (WIDTH - LEFT) / columns.length;
  const y = (lines: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - lines / most);
  const label = time.bucket_ms < DAY_MS && columns.length < 72 ? format.hour : format.day;
  const every = Math.ceil(columns.length / LABELS_MAX);
  return html`<svg class="time" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words.time}">
${[0, 0.25, 0.5, 0.75, 1].map(
  (
    part,
  ) => html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y(part * most).toFixed(1)}" y2="${y(part * most).toFixed(1)}"/>
<text class="axis" x="${LEFT - 8}" y="${(y(part * most) + 4).toFixed(1)}" text-anchor="end">${format.compact(part * most)}</text>`,
)}
${columns.map((column, i) => columnOf(column, { x: LEFT + i * width, width: Math.max(0.6, width * 0.86), y, format }))}
${columns.map((column, i) => i % every === 0 && i * width < WIDTH - LEFT - 90 && html`<text class="axis" x="${(LEFT + i * width).toFixed(1)}" y="${HEIGHT - 6}">${label(column.at)}</text>`).filter((one) => one !== false)}
</svg>
<ul class="legend">${TIME_KINDS.map((kind) => html`<li>${swatch(kind)}${words.kinds[kind]}</li>`)}</ul>`;
}

interface Placing {
  readonly x: number;
  readonly width: number;
  readonly y: (lines: number) => number;
  readonly format: ReportFormat;
}

function columnOf({ at, lines }: TimeColumn, { x, width, y, format }: Placing): Html {
  let below = 0;
  const pieces = TIME_KINDS.filter((kind) => lines[kind] > 0).map((kind) => {
    const top = y(below + lines[kind]);
    const height = y(below) - top;
    below += lines[kind];
    return html`<rect class="k-${kind}" x="${x.toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const said = TIME_KINDS.filter((kind) => lines[kind] > 0).map(
    (kind) => `${format.words.kinds[kind]}: ${format.number(lines[kind])}`,
  );
  return html`<g><title>${[format.hour(at), ...said].join('\n')}</title>${pieces}</g>`;
}

const sumOf = (lines: Omit<SummaryBucket, 'at'>): number => TIME_KINDS.reduce((sum, kind) => sum + lines[kind], 0);

/** The next of some steps between powers of ten whose quarters are round. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, value)));
  return [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value)!;
}
