import type { SummaryBucket, TrafficSummary } from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import { TIME_KINDS, type TimeKind } from '../summary/time-buckets.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import type { ReportFormat } from './report-format.ts';
import { kindMark } from './share-bar.ts';

const TOP = 10;
const BASE = 210;
const COLUMNS_MAX = 240;
const LABELS_MAX = 8;

export interface TimeColumn {
  readonly at: UnixMs;
  readonly lines: Readonly<Record<TimeKind, number>>;
}

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

/**
 * Draws lines over time as columns, divided by the kind of their addresses. Only horizontal positions are
 * shares of the width, so that text keeps its size on any screen.
 */
export function timeChart(time: NonNullable<TrafficSummary['time']>, format: ReportFormat): Html {
  const { words } = format;
  const columns = timeColumns(time);
  const most = roundUp(Math.max(...columns.map(({ lines }) => sumOf(lines))));
  const width = 100 / columns.length;
  const y = (lines: number): number => TOP + (BASE - TOP) * (1 - lines / most);
  const parts = [1, 0.75, 0.5, 0.25, 0];
  return html`<div class="plot"><div class="scale" aria-hidden="true">${parts.map((part) => html`<span>${format.compact(part * most)}</span>`)}</div>
<svg class="time" role="img" aria-label="${words.time}">
${parts.map((part) => html`<line class="grid" x1="0" x2="100%" y1="${y(part * most).toFixed(1)}" y2="${y(part * most).toFixed(1)}"/>`)}
${columns.map((column, i) => columnOf(column, { x: i * width, width: 0.86 * width, y, format }))}
${timeLabels(columns, time.bucket_ms, format).map(({ text, column }, i) => html`<text class="axis${i % 2 === 1 && ' odd'}" x="${(column * width).toFixed(2)}%" y="${BASE + 18}">${text}</text>`)}
</svg></div>
<ul class="legend">${TIME_KINDS.map((kind) => html`<li>${kindMark(kind)}${words.kinds[kind]}</li>`)}</ul>`;
}

const LABEL_HOURS = [1, 2, 3, 4, 6, 12, 24, 48, 72, 168, 336, 720, 1440, 2160, 4320, 8760] as const;

/** Labels round times, no more than fit: a time of day, or the date at midnight. */
function timeLabels(
  columns: readonly TimeColumn[],
  bucketMs: number,
  format: ReportFormat,
): readonly { readonly column: number; readonly text: string }[] {
  const spanMs = columns.at(-1)!.at - columns[0]!.at;
  const stepMs = (LABEL_HOURS.find((hours) => spanMs / (hours * HOUR_MS) < LABELS_MAX) ?? 8760) * HOUR_MS;
  const isAlone = spanMs < stepMs;
  return columns.flatMap(({ at }, column) => {
    const before = columns[column - 1]?.at ?? at - bucketMs;
    if (!isAlone && Math.floor(at / stepMs) === Math.floor(before / stepMs)) return [];
    // The last columns have no room for a text to their right.
    if (columns.length > LABELS_MAX && column > 0.95 * columns.length) return [];
    const isMidnight = bucketMs >= DAY_MS || new Date(at).getUTCHours() === 0 || stepMs >= DAY_MS;
    return [{ column, text: isMidnight ? format.day(at) : format.clock(at) }];
  });
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
    return html`<rect class="k-${kind}" x="${x.toFixed(2)}%" y="${top.toFixed(1)}" width="${width.toFixed(2)}%" height="${height.toFixed(1)}"/>`;
  });
  const said = TIME_KINDS.filter((kind) => lines[kind] > 0).map(
    (kind) => `${format.words.kinds[kind]}${format.words.colon}${format.number(lines[kind])}`,
  );
  return html`<g><title>${[format.hour(at), ...said].join('\n')}</title>${pieces}</g>`;
}

const sumOf = (lines: Omit<SummaryBucket, 'at'>): number => TIME_KINDS.reduce((sum, kind) => sum + lines[kind], 0);

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(4, value)));
  return [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= value)!;
}
