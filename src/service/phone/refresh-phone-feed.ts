import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../contract/phone.ts';
import { fault, reasonOf, type Said, said } from '../../core/texts/said.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { RefreshOutcome } from '../feeds/refresh-feed.ts';
import type { Clock } from '../ports.ts';
import { importPhones, type RawPhoneRow } from './import-phones.ts';
import type { PhoneFeed, PhoneFeedReader, PhoneFeedReading, PhoneFeedStates } from './phone-feed.ts';
import type { PhoneLibraryWriter } from './phone-libraries.ts';

/** A publication time this far ahead of our clock counts as now; one further ahead is ignored. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
/** A list that lost half of its numbers is refused until an operator decides. */
const MIN_SHARE = 0.5;
const BATCH = 4096;

export interface PhoneRefreshOptions {
  readonly writer: PhoneLibraryWriter;
  readonly states: PhoneFeedStates;
  readonly clock: Clock;
}

/** Imports a list's news into the libraries, mainland numbers into `cn`, others into `sg`. Never throws. */
export async function refreshPhoneFeed(
  feed: PhoneFeed,
  reader: PhoneFeedReader,
  parts: PhoneRefreshOptions,
): Promise<RefreshOutcome> {
  const { states, clock } = parts;
  const before = states.get(feed.id);
  try {
    const libraries = await versionsOf(parts.writer);
    const taken = before.libraries === libraries ? before : undefined;
    const reading = await reader.read(feed, taken?.validators);
    const now = clock.now();
    if (reading.status === 'unchanged' || reading.content === taken?.content) {
      const validators = reading.status === 'fresh' ? { validators: reading.validators } : {};
      states.put(feed.id, {
        ...withoutError(before),
        ...validators,
        lastAttemptAt: now,
        lastSuccessAt: now,
        failures: 0,
      });
      return { status: 'accepted', rows: before.rows, runAt: before.lastRunAt ?? now, changed: false };
    }
    const refusal = refusalOf(feed, reading.entries.size, before.lastSuccessAt === undefined ? undefined : before.rows);
    if (refusal !== undefined) return remember({ status: 'refused', reason: refusal });
    const runAt = runOf(
      reading,
      before.content === reading.content ? before.lastRunAt : undefined,
      before.lastRunAt,
      now,
    );
    const { changed, refused } = await takeIn(feed, reading.entries, runAt, now, parts.writer);
    const rows = reading.entries.size;
    const { content, validators } = reading;
    states.put(feed.id, {
      lastAttemptAt: now,
      lastSuccessAt: now,
      lastRunAt: runAt,
      failures: 0,
      rows,
      refused,
      validators,
      content,
      libraries,
    });
    return { status: 'accepted', rows, runAt, changed };
  } catch (error) {
    return remember({ status: 'failed', reason: reasonOf(error), store: false });
  }

  function remember(outcome: Exclude<RefreshOutcome, { status: 'accepted' }>): RefreshOutcome {
    const at = clock.now();
    states.put(feed.id, {
      ...before,
      lastAttemptAt: at,
      lastErrorAt: at,
      error: outcome.reason,
      failures: before.failures + 1,
    });
    return outcome;
  }
}

function withoutError<State extends { readonly error?: Said }>({ error: _, ...state }: State): Omit<State, 'error'> {
  return state;
}

async function versionsOf(writer: PhoneLibraryWriter): Promise<string> {
  const versions: string[] = [];
  for (const library of PHONE_LIBRARIES) {
    const held = await writer.held(library);
    if (held === undefined) throw fault('library {library} has no full load yet', { library });
    versions.push(held);
  }
  return versions.join('|');
}

function refusalOf({ bounds }: PhoneFeed, rows: number, lastRows: number | undefined): Said | undefined {
  if (rows < bounds.minRows)
    return said('{rows:row is|rows are} fewer than the {min} expected', { rows, min: bounds.minRows });
  if (rows > bounds.maxRows)
    return said('{rows:row is|rows are} more than the {max} expected', { rows, max: bounds.maxRows });
  if (lastRows !== undefined && rows < lastRows * MIN_SHARE)
    return said('{rows:row is|rows are} less than half of the {before} of the last good reading', {
      rows,
      before: lastRows,
    });
  return undefined;
}

/**
 * Returns the date of a run: the publisher's, or else when this content was first read (decisions 1). It
 * never moves back.
 */
function runOf(
  { publishedAt }: Extract<PhoneFeedReading, { status: 'fresh' }>,
  firstRead: UnixMs | undefined,
  last: UnixMs | undefined,
  now: UnixMs,
): UnixMs {
  const believed =
    publishedAt === undefined || publishedAt > now + CLOCK_SKEW_MS ? (firstRead ?? now) : Math.min(publishedAt, now);
  return unixMs(Math.max(believed, last ?? 0));
}

async function takeIn(
  feed: PhoneFeed,
  entries: ReadonlyMap<string, string | undefined>,
  runAt: UnixMs,
  now: UnixMs,
  writer: PhoneLibraryWriter,
): Promise<{ readonly changed: boolean; readonly refused: Readonly<Record<string, number>> }> {
  const runText = new Date(runAt).toISOString();
  const dataVersion = runText.replaceAll(/\D/g, '').slice(0, 12);
  const refused: Record<string, number> = {};
  let changed = false;
  for (const library of PHONE_LIBRARIES) {
    const rows = rowsOf(feed, entries, runText, library);
    if (rows.length === 0) continue;
    const outcome = await importPhones(writer, batched(rows), {
      library,
      full: false,
      stamp: { dataVersion, at: now },
    });
    changed ||= outcome.upserts > 0;
    for (const [reason, count] of Object.entries(outcome.refused)) refused[reason] = (refused[reason] ?? 0) + count;
  }
  return { changed, refused };
}

function rowsOf(
  feed: PhoneFeed,
  entries: ReadonlyMap<string, string | undefined>,
  runText: string,
  library: PhoneLibraryName,
): readonly RawPhoneRow[] {
  const rows: RawPhoneRow[] = [];
  for (const [number, seen] of entries)
    if ((number.startsWith('+86') ? 'cn' : 'sg') === library)
      rows.push({ number, tags: [feed.tag], last_active: seen ?? runText, observed_days: 1, merge: true });
  return rows;
}

async function* batched(rows: readonly RawPhoneRow[]): AsyncGenerator<readonly RawPhoneRow[]> {
  for (let from = 0; from < rows.length; from += BATCH) yield rows.slice(from, from + BATCH);
}
