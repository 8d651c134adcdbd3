import type { RiskType } from '../../contract/risk.ts';
import { type CheckedRow, checkRow, type RowSchema } from '../kit/check-row.ts';
import { isRecord, type Json, parseJson, parseRecord } from '../kit/json.ts';
import { DAY_MS } from '../units.ts';
import type { HostNames, JsonFormat } from './feed.ts';
import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

const isContainer = (value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null;

/** Picks values and their objects by pointers; `JsonFormat` describes the additions to RFC 6901. */
export function parseJsonFeed(bytes: Uint8Array, format: JsonFormat, rows: RowBuilder): void {
  const text = new TextDecoder().decode(bytes);
  const document =
    parseJson(format.firstLine === true ? (text.split('\n', 1)[0] ?? '') : text) ??
    (format.inPage === true ? jsonInPage(text) : undefined);
  if (document === undefined) {
    rows.refuse('not_json');
    return;
  }
  for (const path of format.paths) {
    walk(document, path.split('/').slice(1), [], (value, above) => {
      const parent = above.at(-1);
      if (typeof value !== 'string') rows.refuse('not_an_address');
      else if (format.daysLeftOf !== undefined) addAged(value, parent, format.daysLeftOf, rows);
      else if (addValue(value, parent, format, rows)) addRegion(above, format, rows);
    });
  }
}

export function hostNamesIn(bytes: Uint8Array, { paths, domain }: HostNames): readonly string[] | undefined {
  const document = parseJson(new TextDecoder().decode(bytes));
  if (document === undefined) return undefined;
  const names = new Set<string>();
  for (const path of paths)
    walk(document, path.split('/').slice(1), [], (value) => {
      const name = typeof value === 'string' ? value.toLowerCase() : '';
      if (HOST_NAME.test(name) && name.endsWith(`.${domain}`)) names.add(name);
    });
  return [...names];
}

const HOST_NAME = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;

function addValue(value: string, parent: Json | undefined, format: JsonFormat, rows: RowBuilder): boolean {
  const stamp =
    format.time === undefined || !isContainer(parent)
      ? undefined
      : (parent as { readonly [key: string]: Json })[format.time];
  if (stamp === undefined || stamp === null) return rows.addText(value);
  const at = readTime(scalar(stamp) ?? '');
  if (at !== undefined) return rows.addText(value, at);
  rows.refuse('bad_time');
  return false;
}

function addRegion(above: readonly Json[], { region }: JsonFormat, rows: RowBuilder): void {
  if (region === undefined) return;
  const holder = above.findLast((value) => isRecord(value) && region.key in value);
  const name = isRecord(holder) ? holder[region.key] : undefined;
  const place = typeof name === 'string' ? region.places.get(name) : undefined;
  if (place !== undefined) rows.addPlace(place);
}

/** The time of such a row counts back from the run: it is negative until the run has one (`dateRows`). */
function addAged(value: string, parent: Json | undefined, full: number, rows: RowBuilder): void {
  const left = isContainer(parent) ? (parent as { readonly [key: string]: Json })[value] : undefined;
  const days = typeof left === 'number' ? full - left : Number.NaN;
  if (Number.isInteger(days) && days >= 0 && days <= full) rows.addText(value, -(days + 1) * DAY_MS);
  else rows.refuse('bad_time');
}

function walk(
  value: Json | undefined,
  path: readonly string[],
  above: readonly Json[],
  visit: (value: Json, above: readonly Json[]) => void,
): void {
  if (value === undefined || value === null) return;
  const [segment, ...rest] = path;
  if (segment === undefined) {
    visit(value, above);
    return;
  }
  if (!isContainer(value)) return;
  const within = [...above, value];
  if (segment === '~keys') {
    for (const key of Object.keys(value)) visit(key, within);
    return;
  }
  const condition = /^\*(?:\[([^=^]+)(\^?)=([^\]]*)\])?$/.exec(segment);
  if (condition === null) {
    walk((value as { readonly [key: string]: Json })[unescapePointer(segment)], rest, within, visit);
    return;
  }
  const [, key, begins, wanted = ''] = condition;
  const accepts =
    begins === '^'
      ? (text: string): boolean => text.startsWith(wanted)
      : (text: string): boolean => wanted.split('|').includes(text);
  for (const member of Object.values(value)) {
    if (key === undefined || hasValue(member, key, accepts)) walk(member, rest, within, visit);
  }
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

function hasValue(member: Json, key: string, accepts: (text: string) => boolean): boolean {
  if (!isContainer(member)) return false;
  const actual = (member as { readonly [key: string]: Json })[key];
  const values: readonly Json[] = Array.isArray(actual) ? actual : [actual ?? null];
  return values.some((value) =>
    accepts(typeof value === 'boolean' || value === null ? String(value) : (scalar(value) ?? '')),
  );
}

const scalar = (value: Json): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

const lines = function* (bytes: Uint8Array): Generator<Json | undefined> {
  for (const line of new TextDecoder().decode(bytes).split('\n')) if (line.trim() !== '') yield parseJson(line);
};

const COWRIE_EVENTS: ReadonlyMap<string, RiskType> = new Map([
  ['cowrie.session.connect', 'honeypot_scan'],
  ['cowrie.login.failed', 'honeypot_credential'],
  ['cowrie.login.success', 'honeypot_credential'],
]);

const COWRIE_EVENT = {
  eventid: ['text', 'other_event'],
  timestamp: ['scalar', 'bad_time'],
  src_ip: ['text', 'not_an_address'],
} as const satisfies RowSchema;

/** Reads Cowrie's JSON log, one event a line with its own time. Only connections and login attempts count. */
export function parseCowrie(bytes: Uint8Array, rows: RowBuilder): void {
  for (const line of lines(bytes)) {
    const event = checkRow(line, COWRIE_EVENT) ?? 'not_json';
    const riskType = typeof event === 'string' ? undefined : COWRIE_EVENTS.get(event.eventid ?? '');
    if (typeof event === 'string') rows.refuse(event);
    else if (riskType === undefined) rows.refuse('other_event');
    else {
      const at = readTime(event.timestamp ?? '');
      if (at === undefined) rows.refuse('bad_time');
      else rows.addText(event.src_ip ?? '', at, riskType);
    }
  }
}

const STIX_ADDRESS = /ipv[46]-addr:value\s*=\s*'([^']+)'/g;

const STIX_BUNDLE = { objects: ['list', 'not_stix'] } as const satisfies RowSchema;

const STIX_OBJECT = {
  type: ['text', 'bad_object'],
  value: ['text', 'not_an_address'],
  revoked: ['flag', 'bad_object'],
  valid_from: ['scalar', 'bad_time'],
  modified: ['scalar', 'bad_time'],
  pattern: ['text', 'other_indicator'],
} as const satisfies RowSchema;

/**
 * Reads STIX 2.1 (OASIS): `indicator` objects whose pattern compares an address, and `ipv4-addr`/`ipv6-addr`
 * observables. The capture time is the indicator's `valid_from`, else `modified`. Revoked indicators are
 * refused.
 */
export function parseStix(bytes: Uint8Array, rows: RowBuilder): void {
  const bundle = checkRow(parseJson(new TextDecoder().decode(bytes)), STIX_BUNDLE);
  if (bundle === undefined || typeof bundle === 'string' || bundle.objects === undefined) {
    rows.refuse('not_stix');
    return;
  }
  for (const one of bundle.objects) {
    if (isRecord(one) && !STIX_TYPES.has(one['type'])) continue;
    const object = checkRow(one, STIX_OBJECT) ?? 'bad_object';
    if (typeof object === 'string') rows.refuse(object);
    else if (object.type === 'indicator') addIndicator(object, rows);
    else rows.addText(object.value ?? '');
  }
}

/**
 * Objects of other types (identities, relations, sightings) say nothing about an address, whatever their
 * fields.
 */
const STIX_TYPES: ReadonlySet<unknown> = new Set(['indicator', 'ipv4-addr', 'ipv6-addr']);

function addIndicator(indicator: CheckedRow<typeof STIX_OBJECT>, rows: RowBuilder): void {
  if (indicator.revoked === true) {
    rows.refuse('revoked');
    return;
  }
  const at = readTime(indicator.valid_from ?? indicator.modified ?? '');
  const addresses = [...(indicator.pattern ?? '').matchAll(STIX_ADDRESS)];
  if (addresses.length === 0) rows.refuse('other_indicator');
  for (const [, address] of addresses) {
    if (at === undefined) rows.refuse('bad_time');
    else rows.addText(address ?? '', at);
  }
}

/**
 * The `<pre><code>` element holds text alone. No part of the pattern runs past the next angle bracket, so the
 * time stays linear in the page.
 */
const ELEMENT = /<pre(?:\s[^<>]*)?>\s*<code(?:\s[^<>]*)?>([^<]*)<\/code>\s*<\/pre>/gi;

/**
 * JSON text needs these character references in HTML (HTML standard, section 13.5). Any other one leaves text
 * that is not JSON.
 */
const REFERENCES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

export function jsonInPage(page: string): Json | undefined {
  const objects = Array.from(page.matchAll(ELEMENT), ([, text = '']) => objectIn(text)).filter(
    (object) => object !== undefined,
  );
  return objects.length === 1 ? objects[0] : undefined;
}

const objectIn = (text: string): Json | undefined =>
  parseRecord(text.replace(/&[#a-z0-9]{2,5};/gi, (reference) => REFERENCES[reference.toLowerCase()] ?? reference)) as
    | Json
    | undefined;
