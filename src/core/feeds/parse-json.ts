import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { JsonFormat } from './feed.ts';
import { poolName } from './parse-csv.ts';
import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const isContainer = (value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } => typeof value === 'object' && value !== null;

const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** Values (with the object they stand in) picked out by pointers; the additions to RFC 6901 are described at `JsonFormat`. */
export function parseJsonFeed(bytes: Uint8Array, format: JsonFormat, rows: RowBuilder): void {
  const text = new TextDecoder().decode(bytes);
  const document = parseJson(format.firstLine === true ? (text.split('\n', 1)[0] ?? '') : text);
  if (document === undefined) {
    rows.refuse('not_json');
    return;
  }
  for (const path of format.paths) {
    walk(document, path.split('/').slice(1), undefined, (value, parent) => {
      if (typeof value !== 'string') rows.refuse('not_an_address');
      else addValue(value, parent, format, rows);
    });
  }
}

function addValue(value: string, parent: Json | undefined, format: JsonFormat, rows: RowBuilder): void {
  const stamp = format.time === undefined || !isContainer(parent) ? undefined : (parent as { readonly [key: string]: Json })[format.time];
  if (stamp === undefined || stamp === null) {
    rows.addText(value);
    return;
  }
  const at = readTime(String(stamp));
  if (at === undefined) rows.refuse('bad_time');
  else rows.addText(value, at);
}

/** Visits what a path leads to. Members that are absent (a record without an IPv6 address, say) are simply not there. */
function walk(value: Json | undefined, path: readonly string[], parent: Json | undefined, visit: (value: Json, parent: Json | undefined) => void): void {
  if (value === undefined || value === null) return;
  const [segment, ...rest] = path;
  if (segment === undefined) {
    visit(value, parent);
    return;
  }
  if (!isContainer(value)) return;
  if (segment === '~keys') {
    for (const key of Object.keys(value)) visit(key, value);
    return;
  }
  const condition = /^\*(?:\[([^=]+)=([^\]]*)\])?$/.exec(segment);
  if (condition === null) {
    walk((value as { readonly [key: string]: Json })[unescapePointer(segment)], rest, value, visit);
    return;
  }
  const [, key, wanted] = condition;
  for (const member of Object.values(value)) {
    if (key === undefined || hasValue(member, key, wanted ?? '')) walk(member, rest, value, visit);
  }
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

function hasValue(member: Json, key: string, wanted: string): boolean {
  if (!isContainer(member)) return false;
  const actual = (member as { readonly [key: string]: Json })[key];
  const values: readonly Json[] = Array.isArray(actual) ? actual : [actual ?? null];
  const accepted = wanted.split('|');
  return values.some((value) => accepted.includes(String(value)));
}

const lines = function* (bytes: Uint8Array): Generator<Json | undefined> {
  for (const line of new TextDecoder().decode(bytes).split('\n')) if (line.trim() !== '') yield parseJson(line);
};

const text = (record: Json, key: string): string | undefined => {
  const value = isContainer(record) ? (record as { readonly [key: string]: Json })[key] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
};

/** NDJSON rows `{ip, risk_type?, captured_at?, pool?}`: what own systems send. */
export function parseRecords(bytes: Uint8Array, rows: RowBuilder): void {
  for (const record of lines(bytes)) {
    if (record === undefined || !isContainer(record)) {
      rows.refuse('not_json');
      continue;
    }
    const riskType = text(record, 'risk_type');
    const captured = text(record, 'captured_at');
    const at = captured === undefined ? Number.NaN : readTime(captured);
    if (riskType !== undefined && !(RISK_TYPES as readonly string[]).includes(riskType)) rows.refuse('unknown_risk_type');
    else if (at === undefined) rows.refuse('bad_time');
    else rows.addText(text(record, 'ip') ?? '', at, riskType as RiskType | undefined, rows.pool(poolName(text(record, 'pool') ?? '')));
  }
}

const COWRIE_EVENTS: Readonly<Record<string, RiskType>> = {
  'cowrie.session.connect': 'honeypot_scan',
  'cowrie.login.failed': 'honeypot_credential',
  'cowrie.login.success': 'honeypot_credential',
};

/** Cowrie's JSON log: one event a line, with its own time. Events that are neither a connection nor a login attempt say nothing new. */
export function parseCowrie(bytes: Uint8Array, rows: RowBuilder): void {
  for (const event of lines(bytes)) {
    const riskType = event === undefined ? undefined : COWRIE_EVENTS[text(event, 'eventid') ?? ''];
    if (event === undefined) rows.refuse('not_json');
    else if (riskType === undefined) rows.refuse('other_event');
    else {
      const at = readTime(text(event, 'timestamp') ?? '');
      if (at === undefined) rows.refuse('bad_time');
      else rows.addText(text(event, 'src_ip') ?? '', at, riskType);
    }
  }
}

const STIX_ADDRESS = /ipv[46]-addr:value\s*=\s*'([^']+)'/g;

/**
 * STIX 2.1 (OASIS): `indicator` objects whose pattern compares an address, and `ipv4-addr`/`ipv6-addr` observables. The capture time is the indicator's
 * `valid_from`, else `modified`. Revoked indicators are refused.
 */
export function parseStix(bytes: Uint8Array, rows: RowBuilder): void {
  const bundle = parseJson(new TextDecoder().decode(bytes));
  const objects = bundle !== undefined && isContainer(bundle) ? (bundle as { readonly objects?: Json }).objects : undefined;
  if (!Array.isArray(objects)) {
    rows.refuse('not_stix');
    return;
  }
  for (const object of objects as readonly Json[]) {
    const type = text(object, 'type');
    if (type === 'ipv4-addr' || type === 'ipv6-addr') rows.addText(text(object, 'value') ?? '');
    else if (type === 'indicator') addIndicator(object, rows);
  }
}

function addIndicator(indicator: Json, rows: RowBuilder): void {
  if (isContainer(indicator) && (indicator as { readonly revoked?: Json }).revoked === true) {
    rows.refuse('revoked');
    return;
  }
  const at = readTime(text(indicator, 'valid_from') ?? text(indicator, 'modified') ?? '');
  const addresses = [...(text(indicator, 'pattern') ?? '').matchAll(STIX_ADDRESS)];
  if (addresses.length === 0) rows.refuse('other_indicator');
  for (const [, address] of addresses) {
    if (at === undefined) rows.refuse('bad_time');
    else rows.addText(address ?? '', at);
  }
}
