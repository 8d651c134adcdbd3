import { type CheckedRow, checkRow, type RowSchema } from '../kit/check-row.ts';
import { isRecord, parseJson } from '../kit/json.ts';
import { fault } from '../texts/said.ts';
import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

/**
 * These attribute types hold an address (MISP core format, attribute types); the `|port` ones hold
 * `address|port`.
 */
const ADDRESS_TYPES: ReadonlySet<unknown> = new Set(['ip-src', 'ip-dst', 'ip-src|port', 'ip-dst|port']);

const DOCUMENT = { Event: ['record', 'not_misp'] } as const satisfies RowSchema;
const HOLDER = { Attribute: ['list', 'not_misp'], Object: ['list', 'not_misp'] } as const satisfies RowSchema;

const ATTRIBUTE = {
  value: ['text', 'not_an_address'],
  to_ids: ['flag', 'bad_attribute'],
  deleted: ['flag', 'bad_attribute'],
  timestamp: ['scalar', 'bad_time'],
  last_seen: ['scalar', 'bad_time'],
} as const satisfies RowSchema;

/**
 * Reads events of a MISP feed, one JSON document a line: addresses for detection (`to_ids`) of the event and
 * of its objects, at the time they were last seen or else written. Deleted entries and mere context do not
 * count.
 */
export function parseMisp(bytes: Uint8Array, rows: RowBuilder): void {
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    if (line.trim() === '') continue;
    const event = checkRow(parseJson(line), DOCUMENT);
    if (event === undefined || typeof event === 'string' || event.Event === undefined) rows.refuse('not_misp');
    else addEvent(event.Event, rows);
  }
}

function addEvent(event: unknown, rows: RowBuilder): void {
  const holder = holderOf(event, rows);
  for (const one of [holder, ...(holder?.Object ?? []).map((object) => holderOf(object, rows))])
    for (const attribute of one?.Attribute ?? [])
      if (isRecord(attribute) && ADDRESS_TYPES.has(attribute['type'])) addAttribute(attribute, rows);
}

function holderOf(value: unknown, rows: RowBuilder): CheckedRow<typeof HOLDER> | undefined {
  const holder = checkRow(value, HOLDER) ?? 'not_misp';
  if (typeof holder !== 'string') return holder;
  rows.refuse(holder);
  return undefined;
}

function addAttribute(value: unknown, rows: RowBuilder): void {
  const attribute = checkRow(value, ATTRIBUTE) ?? 'bad_attribute';
  if (typeof attribute === 'string') rows.refuse(attribute);
  else if (attribute.to_ids !== true || attribute.deleted === true) rows.refuse('not_for_detection');
  else addAddress(attribute, rows);
}

function addAddress({ value = '', last_seen, timestamp = '' }: CheckedRow<typeof ATTRIBUTE>, rows: RowBuilder): void {
  const at = readTime(last_seen ?? timestamp);
  if (at === undefined) rows.refuse('bad_time');
  else rows.addText(value.split('|')[0] ?? '', at);
}

const RECENT_SECONDS = 30 * 86_400;

const MANIFEST_ENTRY = { timestamp: ['scalar', 'bad_time'] } as const satisfies RowSchema;

export function recentEvents(manifest: Uint8Array, max: number): readonly string[] {
  const document: unknown = JSON.parse(new TextDecoder().decode(manifest));
  const events = Object.entries(isRecord(document) ? document : {})
    .filter(([uuid]) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid))
    .map(([uuid, entry]) => ({ uuid, at: timestampOf(entry) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => b.at - a.at);
  if (events.length === 0) throw fault('the manifest names no events');
  return events
    .filter(({ at }) => at >= events[0]!.at - RECENT_SECONDS)
    .slice(0, max)
    .map(({ uuid }) => uuid);
}

function timestampOf(value: unknown): number {
  const entry = checkRow(value, MANIFEST_ENTRY);
  return entry === undefined || typeof entry === 'string' || entry.timestamp === undefined
    ? Number.NaN
    : Number(entry.timestamp);
}
