import { coverageOf, nextBase } from '../core/feeds/coverage.ts';
import { dateRows } from '../core/feeds/date-rows.ts';
import { evidenceSourceOf, type Feed, type ParsedFeed } from '../core/feeds/feed.ts';
import { networkListOf } from '../core/feeds/network-list-of.ts';
import { refuseReading } from '../core/feeds/refuse-reading.ts';
import { runTime } from '../core/feeds/run-time.ts';
import { type UnixMs, unixMs } from '../core/units.ts';
import type { FeedReader, FeedReading, FeedState, FeedStates, NetworkListSink } from './feed-ports.ts';
import type { Clock, HistoryWriter } from './ports.ts';

export interface RefreshParts {
  readonly store: HistoryWriter;
  readonly states: FeedStates;
  readonly networks: NetworkListSink;
  readonly clock: Clock;
}

export type RefreshOutcome =
  | { readonly status: 'accepted'; readonly rows: number; readonly runAt: UnixMs; readonly changed: boolean }
  /** The reading was outside the feed's bounds; the last good one keeps serving. */
  | { readonly status: 'refused'; readonly reason: string }
  /** It could not be read or stored at all. `store`: the fault was our own store's. */
  | { readonly status: 'failed'; readonly reason: string; readonly store: boolean };

/** What is known of the time of a reading besides what the reading says. */
export interface RefreshOptions {
  /** The moment the reading speaks for, whatever else says so: an operator's word. */
  readonly runAt?: UnixMs;
  /** The publisher's time for content that states none. */
  readonly publishedAt?: UnixMs | undefined;
  /** When the content came within reach, where that was before now. */
  readonly firstReadAt?: UnixMs;
}

/**
 * Reads one feed once and takes in what it says. Never throws: a broken feed is an outcome and is remembered in its state, so that it harms no other.
 * A fetch is not a sighting: unchanged content of a source that is not live makes no run, so nothing is seen again and its age goes on growing (decisions 1).
 */
export async function refreshFeed(feed: Feed, reader: FeedReader, parts: RefreshParts, options: RefreshOptions = {}): Promise<RefreshOutcome> {
  const { states, clock } = parts;
  const before = states.get(feed.id);
  const startedAt = clock.now();
  let tookMs = 0;
  let reading: FeedReading;
  try {
    reading = await reader.read(feed, before.validators).finally(() => {
      tookMs = Math.max(0, clock.now() - startedAt);
    });
  } catch (error) {
    if (error instanceof ReadingGivenUp) return { status: 'failed', reason: error.message, store: false };
    return remember({ status: 'failed', reason: messageOf(error), store: false });
  }
  const refusal = refuseReading(feed, reading.parsed, reading.bytes, {
    rows: before.lastSuccessAt === undefined ? undefined : before.rows,
    // A run of another time, on an operator's word, says nothing of growth within a day.
    covered: options.runAt === undefined ? before.coverage?.covered : undefined,
  });
  // The publisher says that nothing changed since a body we refuse: asked the same way it would say so for ever, so it is asked for the whole list next time.
  if (refusal !== undefined) return remember({ status: 'refused', reason: refusal }, reading.status === 'unchanged');
  const now = clock.now();
  const unchanged = isUnchanged(reading, before);
  const { publishedAt = options.publishedAt, live, content } = reading;
  const newRunAt = options.runAt ?? runTime({ unchanged, publishedAt, live, firstReadAt: options.firstReadAt }, before.lastRunAt, now);
  const success = { lastAttemptAt: now, lastSuccessAt: now, tookMs, failures: 0 };
  const runAt = newRunAt ?? before.lastRunAt ?? now;
  try {
    // Unchanged content is stored again at the time of its own run, which changes nothing, except in a store that has lost it.
    const changed = (newRunAt !== undefined || unchanged) && (await takeIn(feed, reading.parsed, runAt, now, parts));
    if (!unchanged && (newRunAt ?? 0) < (before.lastRunAt ?? 0)) {
      // An older copy, or a past that was imported: what is known of the newest content stands.
      const { error: _, ...newest } = before;
      states.put(feed.id, { ...newest, ...success });
      return { status: 'accepted', rows: reading.parsed.rows, runAt, changed };
    }
    await reader.keep(feed);
    states.put(feed.id, {
      ...success,
      lastRunAt: unixMs(Math.max(runAt, before.lastRunAt ?? runAt)),
      content,
      rows: reading.parsed.rows,
      refused: Object.fromEntries(reading.parsed.refused),
      coverage: nextBase(before.coverage, coverageOf(reading.parsed.batch), now),
      validators: reading.validators,
    });
    return { status: 'accepted', rows: reading.parsed.rows, runAt, changed };
  } catch (error) {
    return remember({ status: 'failed', reason: messageOf(error), store: true });
  }

  async function remember(failure: Exclude<RefreshOutcome, { status: 'accepted' }>, unconditional = false): Promise<RefreshOutcome> {
    const at = clock.now();
    const outcome = failure.status === 'failed' && failure.store ? failure : await noteFailure(feed, failure, at, parts.store);
    const { validators, ...known } = before;
    const kept = validators === undefined || unconditional ? known : before;
    states.put(feed.id, { ...kept, lastAttemptAt: at, lastErrorAt: at, tookMs, error: outcome.reason, failures: before.failures + 1 });
    return outcome;
  }
}

/** What a reader throws when the reading is not wanted any more. It says nothing of the feed, so it is not remembered as a failure. */
export class ReadingGivenUp extends Error {}

/** Notes it in the evidence store as well, which other nodes read: they have no state of this feed. */
async function noteFailure<F extends { readonly reason: string }>(feed: Feed, failure: F, at: UnixMs, store: HistoryWriter): Promise<F> {
  const source = evidenceSourceOf(feed);
  if (source === undefined) return failure;
  try {
    await store.recordFailure(source, at);
    return failure;
  } catch (error) {
    return { ...failure, reason: `${failure.reason}; the evidence store could not note it: ${messageOf(error)}` };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether this is the content of the last accepted run. A state from before contents had digests knows the body as it was received. */
function isUnchanged({ status, content, validators }: FeedReading, before: FeedState): boolean {
  if (before.lastRunAt === undefined) return false;
  if (before.content !== undefined) return before.content === content;
  const mark = validators.body?.sha256;
  return status === 'unchanged' || (mark !== undefined && mark === before.validators?.body?.sha256);
}

/** Hands the rows to the store or the network lists. @returns whether anything changed */
export async function takeIn(feed: Feed, parsed: ParsedFeed, runAt: UnixMs, now: UnixMs, parts: Pick<RefreshParts, 'store' | 'networks'>): Promise<boolean> {
  const source = evidenceSourceOf(feed);
  if (source === undefined) return parts.networks.put(feed, networkListOf(feed, parsed));
  const batch = dateRows(parsed.batch, runAt);
  const outcome = await (source.mode === 'events' ? parts.store.recordCaptures(source, runAt, batch, now) : parts.store.recordRun(source, runAt, batch, now));
  return outcome.changed;
}
