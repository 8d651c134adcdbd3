import type { PhoneLibraryName } from '../../contract/phone.ts';
import { codeOf } from '../../core/phone/dictionary.ts';
import type { CardFacts, PhoneEntry } from '../../core/phone/entry.ts';
import { normalise } from '../../core/phone/normalise.ts';
import { MAINLAND } from '../../core/phone/numbering-plan.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { ImportStamp, LibraryOutcome, PhoneChange, PhoneLibraryWriter } from './phone-libraries.ts';

/**
 * Keys are those of the NDJSON form, to which CSV columns are mapped. `merge`: the row is a dated appearance on a
 * public list, which is merged with the stored record.
 */
export interface RawPhoneRow {
  readonly number?: unknown;
  readonly risk?: unknown;
  readonly tags?: unknown;
  readonly primary_tag?: unknown;
  readonly first_seen?: unknown;
  readonly last_active?: unknown;
  readonly observed_days?: unknown;
  readonly province?: unknown;
  readonly city_code?: unknown;
  readonly carrier?: unknown;
  readonly attribute?: unknown;
  readonly card_type?: unknown;
  readonly deleted?: unknown;
  readonly merge?: true;
}

/** Refusals are counted, and never shown with the row. */
export type RowRefusal =
  | 'unreadable_row'
  | 'bad_number'
  | 'no_country_code'
  | 'bad_length'
  | 'bad_risk'
  | 'bad_tag'
  | 'bad_time'
  | 'bad_observed_days'
  | 'bad_carrier';

export interface PhoneImportOptions {
  readonly library: PhoneLibraryName;
  readonly full: boolean;
  readonly stamp: ImportStamp;
  /** National numbers of one country's file get this calling code. */
  readonly callingCode?: string;
  readonly progress?: (rows: number) => void;
}

export interface PhoneImportOutcome extends LibraryOutcome {
  readonly refused: Readonly<Partial<Record<RowRefusal, number>>>;
  /** The first row of each refusal, counted from 1 without a header. */
  readonly firstRefused: Readonly<Partial<Record<RowRefusal, number>>>;
}

type Counts = Partial<Record<RowRefusal, number>>;

class Refusals {
  readonly counts: Counts = {};
  readonly firstRows: Counts = {};

  add(reason: RowRefusal, row: number): void {
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    this.firstRows[reason] ??= row;
  }

  lines(): readonly Said[] {
    return (Object.entries(this.counts) as [RowRefusal, number][]).map(([reason, count]) =>
      said('{reason}: {count}, the first in row {row}', { reason, count, row: this.firstRows[reason]! }),
    );
  }
}

/**
 * Checks each row on its own and refuses it with a reason. A file without a usable row is refused as a whole.
 */
export async function importPhones(
  writer: PhoneLibraryWriter,
  rows: AsyncIterable<readonly (RawPhoneRow | undefined)[]>,
  options: PhoneImportOptions,
): Promise<PhoneImportOutcome> {
  const refused = new Refusals();
  const judged = judgeBatches(rows, options, refused);
  const outcome = await (options.full
    ? writer.replace(options.library, judged, options.stamp)
    : writer.apply(options.library, judged, options.stamp));
  return { ...outcome, refused: refused.counts, firstRefused: refused.firstRows };
}

async function* judgeBatches(
  batches: AsyncIterable<readonly (RawPhoneRow | undefined)[]>,
  { stamp, callingCode, progress }: PhoneImportOptions,
  refused: Refusals,
): AsyncGenerator<readonly PhoneChange[]> {
  let seen = 0;
  let accepted = 0;
  for await (const batch of batches) {
    const changes: PhoneChange[] = [];
    for (const [at, row] of batch.entries()) {
      const change = row === undefined ? 'unreadable_row' : judgeRow(row, stamp.at, callingCode);
      if (typeof change === 'string') refused.add(change, seen + at + 1);
      else changes.push(change);
    }
    seen += batch.length;
    accepted += changes.length;
    if (changes.length > 0) yield changes;
    progress?.(seen);
  }
  if (seen > 0 && accepted === 0)
    throw fault('no row of the file can be used:\n{reasons}', { reasons: refused.lines() });
}

/** A number may lack its plus only if its meaning is unambiguous. */
export function judgeRow(row: RawPhoneRow, at: UnixMs, callingCode = ''): PhoneChange | RowRefusal {
  const text = typeof row.number === 'number' ? String(row.number) : row.number;
  if (typeof text !== 'string') return 'bad_number';
  const marked = /^\s*(?:[+＋]|00)/.test(text);
  const number = normalise(marked ? text : `+${callingCode}${text}`);
  // A number such as 138… may be a mainland number without 86, or one of +1 without the plus. A guess would
  // put the record on another person's number.
  if (!marked && callingCode === '' && number?.callingCode === 1 && normalise(text)?.callingCode === MAINLAND)
    return 'no_country_code';
  if (number === undefined) return 'bad_number';
  if (number.validLength === false) return 'bad_length';
  const { digits } = number;
  if (row.deleted === true || row.deleted === 'true' || row.deleted === '1') return { digits, deleted: true };
  const entry = judgeEntry(row, at);
  if (typeof entry === 'string') return entry;
  return row.merge === true ? { digits, entry, merge: true } : { digits, entry };
}

function judgeEntry(row: RawPhoneRow, at: UnixMs): PhoneEntry | RowRefusal {
  const risk = absent(row.risk) ? undefined : wholeNumber(row.risk, 9);
  if (!absent(row.risk) && risk === undefined) return 'bad_risk';
  const tags = tagsOf(row);
  if (tags === undefined) return 'bad_tag';
  // A source without scores must have a tag that names the number's risk.
  if (risk === undefined && tags.length === 0) return 'bad_risk';
  const firstSeen = timeOf(row.first_seen);
  const lastActive = absent(row.last_active) ? (firstSeen ?? at) : timeOf(row.last_active);
  if (firstSeen === null || lastActive === null || lastActive === undefined || lastActive > at + CLOCK_AHEAD_MS)
    return 'bad_time';
  if (firstSeen !== undefined && firstSeen > lastActive) return 'bad_time';
  const observedDays = absent(row.observed_days) ? undefined : wholeNumber(row.observed_days, 0xffff);
  if (!absent(row.observed_days) && observedDays === undefined) return 'bad_observed_days';
  const card = cardOf(row);
  if (card === null) return 'bad_carrier';
  return {
    ...(risk === undefined ? {} : { risk }),
    tags,
    ...(firstSeen === undefined ? {} : { firstSeen }),
    lastActive,
    ...(observedDays === undefined ? {} : { observedDays }),
    ...(card === undefined ? {} : { card }),
  };
}

/**
 * Cap on how far ahead a capture may be dated (decisions 1). A date without a time may mean any moment of its
 * day, in any zone.
 */
const CLOCK_AHEAD_MS = 36 * 3_600_000;
const absent = (value: unknown): boolean => value === undefined || value === null || value === '';

function wholeNumber(value: unknown, max: number): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max ? number : undefined;
}

function timeOf(value: unknown): UnixMs | undefined | null {
  if (absent(value)) return undefined;
  const seconds = wholeNumber(value, 0xffff_ffff);
  if (seconds !== undefined && seconds > 0) return unixMs(seconds * 1000);
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/.test(value)
  )
    return null;
  const parsed = Date.parse(value.replace(' ', 'T'));
  return Number.isNaN(parsed) || parsed <= 0 ? null : unixMs(Math.floor(parsed / 1000) * 1000);
}

/**
 * Returns codes, the primary one first, then ascending. Values are codes or slugs; CSV cells separate them
 * with a semicolon, a bar or a blank.
 */
function tagsOf(row: RawPhoneRow): readonly number[] | undefined {
  const list = tagList(row.tags);
  if (list === undefined) return undefined;
  const codes = list.map(code);
  const primary = absent(row.primary_tag) ? codes[0] : code(row.primary_tag);
  if (codes.includes(undefined) || codes.length > TAGS_MAX || (!absent(row.primary_tag) && primary === undefined))
    return undefined;
  const others = new Set(codes as number[]);
  if (primary === undefined) return [];
  others.delete(primary);
  return [primary, ...[...others].sort((a, b) => a - b)];
}

function tagList(tags: unknown): readonly unknown[] | undefined {
  if (absent(tags)) return [];
  if (Array.isArray(tags)) return tags;
  return typeof tags === 'string' || typeof tags === 'number' ? String(tags).split(/[;|\s]+/) : undefined;
}

const TAGS_MAX = 64;
const CODE_MAX = 99_999;

function code(value: unknown): number | undefined {
  const number = wholeNumber(value, CODE_MAX);
  return number ?? (typeof value === 'string' ? codeOf(value.trim()) : undefined);
}

function cardOf(row: RawPhoneRow): CardFacts | undefined | null {
  const nested = typeof row.carrier === 'object' && row.carrier !== null ? (row.carrier as RawPhoneRow) : undefined;
  const from = nested === undefined ? row : { ...row, ...nested };
  const text = (value: unknown, pattern: RegExp): string | undefined | null =>
    absent(value) ? undefined : typeof value === 'string' && pattern.test(value) ? value : null;
  const number = (value: unknown): number | undefined | null => (absent(value) ? undefined : (code(value) ?? null));
  const province = text(from.province, /^CN-[A-Z]{2}$/);
  const cityCode = text(typeof from.city_code === 'number' ? String(from.city_code) : from.city_code, /^\d{6}$/);
  const carrier =
    nested !== undefined && nested.carrier === undefined ? undefined : text(from.carrier, /^[A-Za-z][\w-]{0,31}$/);
  const attribute = number(from.attribute);
  const cardType = number(from.card_type);
  if (province === null || cityCode === null || carrier === null || attribute === null || cardType === null)
    return null;
  const card: CardFacts = {
    ...(province === undefined ? {} : { province }),
    ...(cityCode === undefined ? {} : { cityCode }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(attribute === undefined ? {} : { attribute }),
    ...(cardType === undefined ? {} : { cardType }),
  };
  return Object.keys(card).length === 0 ? undefined : card;
}
