import { refuseReading } from '../core/feeds/check-reading.ts';
import { evidenceSourceOf, type Feed, type ParsedFeed } from '../core/feeds/feed.ts';
import { networkListOf } from '../core/feeds/network-list-of.ts';
import { MINUTE_MS, type UnixMs } from '../core/units.ts';
import type { FeedReader, FeedReading, FeedStates, NetworkListSink } from './feed-ports.ts';
import type { Clock, HistoryWriter } from './ports.ts';

/** Publication times this far ahead of our clock are taken as now; further ahead they are not believed. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

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

/**
 * Reads one feed once and takes in what it says. Never throws: a broken feed is an outcome and is remembered in its state, so that it harms no other.
 * @param options.runAt the moment the reading speaks for; left out, it is the list's own publication time, else now
 */
export async function refreshFeed(feed: Feed, reader: FeedReader, parts: RefreshParts, options: { readonly runAt?: UnixMs } = {}): Promise<RefreshOutcome> {
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
  const refusal = refuseReading(feed, reading.parsed, reading.bytes, before.lastSuccessAt === undefined ? undefined : before.rows);
  // The publisher says that nothing changed since a body we refuse: asked the same way it would say so for ever, so it is asked for the whole list next time.
  if (refusal !== undefined) return remember({ status: 'refused', reason: refusal }, reading.status === 'unchanged');
  const now = clock.now();
  const runAt = options.runAt ?? publicationOf(reading, now);
  try {
    const changed = await takeIn(feed, reading.parsed, runAt, now, parts);
    await reader.keep(feed);
    states.put(feed.id, {
      lastAttemptAt: now,
      lastSuccessAt: now,
      lastRunAt: runAt,
      tookMs,
      failures: 0,
      rows: reading.parsed.rows,
      refused: Object.fromEntries(reading.parsed.refused),
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

/**
 * A reading speaks for the list's publication time where it has one, else for now. So a list that says "not modified" without stating when it was
 * published is a sighting of every entry in it now, and one that states its time is not re-sighted until it is published again.
 */
function publicationOf(reading: FeedReading, now: UnixMs): UnixMs {
  const stated = reading.publishedAt;
  return stated === undefined || stated > now + CLOCK_SKEW_MS ? now : (Math.min(stated, now) as UnixMs);
}

/** Hands the rows to the store or the network lists. @returns whether anything changed */
export async function takeIn(feed: Feed, parsed: ParsedFeed, runAt: UnixMs, now: UnixMs, parts: Pick<RefreshParts, 'store' | 'networks'>): Promise<boolean> {
  const source = evidenceSourceOf(feed);
  if (source === undefined) return parts.networks.put(feed, networkListOf(feed, parsed));
  const outcome = await (source.mode === 'events'
    ? parts.store.recordCaptures(source, runAt, parsed.batch, now)
    : parts.store.recordRun(source, runAt, parsed.batch, now));
  return outcome.changed;
}
