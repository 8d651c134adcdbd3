import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

/** Attribute types that hold an address (MISP core format, attribute types); the `|port` ones hold `address|port`. */
const ADDRESS_TYPES = new Set(['ip-src', 'ip-dst', 'ip-src|port', 'ip-dst|port']);

interface Attribute {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly to_ids?: unknown;
  readonly deleted?: unknown;
  readonly timestamp?: unknown;
  readonly last_seen?: unknown;
}

interface Event {
  readonly Attribute?: readonly Attribute[];
  readonly Object?: readonly { readonly Attribute?: readonly Attribute[] }[];
}

/**
 * Events of a MISP feed, one JSON document a line as they are read from the feed's folder: addresses meant for detection (`to_ids`), of the event and of the
 * objects in it, at the time they were last seen or else written. What is marked deleted and what is context only says nothing.
 */
export function parseMisp(bytes: Uint8Array, rows: RowBuilder): void {
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    if (line.trim() === '') continue;
    const event = eventOf(line);
    if (event === undefined) rows.refuse('not_misp');
    else for (const attribute of attributesOf(event)) addAttribute(attribute, rows);
  }
}

function eventOf(line: string): Event | undefined {
  try {
    const document = JSON.parse(line) as { readonly Event?: Event } | null;
    return typeof document?.Event === 'object' && document.Event !== null ? document.Event : undefined;
  } catch {
    return undefined;
  }
}

function* attributesOf(event: Event): Generator<Attribute> {
  for (const holder of [event, ...listOf(event.Object)]) yield* listOf(holder.Attribute);
}

const listOf = <T>(value: readonly T[] | undefined): readonly T[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];

function addAttribute({ type, value, to_ids, deleted, last_seen, timestamp }: Attribute, rows: RowBuilder): void {
  if (!ADDRESS_TYPES.has(String(type))) return;
  if (to_ids !== true || deleted === true) {
    rows.refuse('not_for_detection');
    return;
  }
  const at = readTime(String(last_seen ?? timestamp ?? ''));
  if (at === undefined) rows.refuse('bad_time');
  else rows.addText(String(value).split('|')[0] ?? '', at);
}

/** How far back from the newest event of a manifest events are read: longer ago nothing in them is inside its window. */
const RECENT_SECONDS = 30 * 86_400;

/**
 * Ids of the events to read, newest first, out of a feed's `manifest.json` (`{uuid: {timestamp, …}}`).
 * @param max most events of one reading
 * @throws Error when it is no manifest
 */
export function recentEvents(manifest: Uint8Array, max: number): readonly string[] {
  const document = JSON.parse(new TextDecoder().decode(manifest)) as Readonly<Record<string, { readonly timestamp?: unknown } | null>>;
  const events = Object.entries(document)
    .filter(([uuid]) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid))
    .map(([uuid, meta]) => ({ uuid, at: Number(meta?.timestamp) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => b.at - a.at);
  if (events.length === 0) throw new Error('the manifest names no events');
  return events
    .filter(({ at }) => at >= events[0]!.at - RECENT_SECONDS)
    .slice(0, max)
    .map(({ uuid }) => uuid);
}
