import { clockOffset } from '../../core/clock-offset.ts';
import { coverageOf, nextBase } from '../../core/feeds/coverage.ts';
import { evidenceSourceOf, type Feed, type ParsedFeed } from '../../core/feeds/feed.ts';
import { foldHosts } from '../../core/feeds/fold-hosts.ts';
import { networkListOf } from '../../core/feeds/network-list-of.ts';
import { readingFigures } from '../../core/feeds/reading-figures.ts';
import { type KnownReadings, refuseReading } from '../../core/feeds/refuse-reading.ts';
import { dateRows, runTime } from '../../core/feeds/run-time.ts';
import { withoutOwn } from '../../core/feeds/without-own.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { Fault, reasonOf, type Said, said, sentenceOf } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { Clock, HistoryWriter } from '../ports.ts';
import { WAITS_FOR_NETWORK_DATA, WAITS_FOR_RELAY, waitsForNetworkData, waitsForRelay } from './due-at.ts';
import type { FeedReader, FeedReading, FeedState, FeedStates, NetworkListSink, Quarantine } from './feed-ports.ts';

export interface RefreshParts {
  readonly store: HistoryWriter;
  readonly states: FeedStates;
  readonly networks: NetworkListSink;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly hasNetworkData?: () => boolean;
  readonly own?: readonly Prefix[];
}

export type RefreshOutcome =
  | {
      readonly status: 'accepted';
      readonly rows: number;
      readonly runAt: UnixMs;
      readonly changed: boolean;
      readonly folded?: number;
      readonly refused?: Readonly<Record<string, number>>;
    }
  | { readonly status: 'refused'; readonly reason: Said }
  /** It could not be read or stored at all. `store`: the fault was our own store's. */
  | { readonly status: 'failed'; readonly reason: Said; readonly store: boolean };

/**
 * - `runAt`: the moment the reading speaks for, whatever else says so: an operator's word.
 * - `publishedAt`: the publisher's time for content that states none, or why that cannot be understood: the content
 *   has no age then, and is refused.
 */
export interface RefreshOptions {
  readonly runAt?: UnixMs;
  readonly publishedAt?: UnixMs | Error | undefined;
  readonly firstReadAt?: UnixMs;
}

/**
 * Reads one feed once and takes in its entries. Never throws: a broken feed is an outcome and is remembered in its state, so that it harms no other.
 * A fetch is not a sighting: unchanged content of a source that is not live makes no run, so nothing is seen again and its age goes on growing (decisions 1).
 * A reading outside the bounds is kept in quarantine for an operator to judge.
 */
export async function refreshFeed(
  feed: Feed,
  reader: FeedReader,
  parts: RefreshParts,
  options: RefreshOptions = {},
): Promise<RefreshOutcome> {
  const { states, clock } = parts;
  let before = states.get(feed.id);
  const waitsFor = whatItWaitsFor(feed, parts);
  if (waitsFor !== undefined) return wait(waitsFor);
  const startedAt = clock.now();
  let tookMs = 0;
  let reading: FeedReading;
  try {
    reading = await readRows(feed, reader, before, parts).finally(() => {
      tookMs = Math.max(0, clock.now() - startedAt);
    });
  } catch (error) {
    if (error instanceof ReadingStopped) return { status: 'failed', reason: sentenceOf(error), store: false };
    return remember({ status: 'failed', reason: reasonOf(error), store: false });
  }
  // Reading takes minutes; an operator's acceptance meanwhile counts.
  before = states.get(feed.id);
  const earlier: KnownReadings = {
    rows: before.lastSuccessAt === undefined ? undefined : before.rows,
    // A run of another time, on an operator's word, says nothing of growth within a day.
    covered: options.runAt === undefined ? before.coverage?.covered : undefined,
  };
  const { publishedAt, runAt } = options;
  if (publishedAt instanceof Error && runAt === undefined && reading.publishedAt === undefined)
    return remember({ status: 'failed', reason: sentenceOf(publishedAt), store: false });
  // An operator's word dates a list whose header cannot be read.
  const parsed = runAt === undefined ? reading.parsed : { ...reading.parsed, unreadTime: undefined };
  const refusal = reading.content === before.allowed ? undefined : refuseReading(feed, parsed, reading.bytes, earlier);
  if (refusal !== undefined) {
    const fault = await setAside(feed, reading, refusal, { before, earlier, options }, parts);
    const reason =
      fault === undefined ? refusal : said('{refusal}; the reading could not be kept: {why}', { refusal, why: fault });
    // The publisher says that nothing changed since a body we refuse: asked the same way it would say so for ever, so it is asked for the whole list next time.
    return remember({ status: 'refused', reason }, reading.status === 'unchanged');
  }
  try {
    const unchanged = isUnchanged(reading, before);
    return await acceptReading(
      feed,
      reading,
      reader,
      { before, unchanged, newRunAt: runOf(reading, before, options, unchanged, clock.now()), tookMs },
      parts,
    );
  } catch (error) {
    return remember(
      error instanceof UntrustedFeed
        ? { status: 'refused', reason: sentenceOf(error) }
        : { status: 'failed', reason: reasonOf(error), store: true },
    );
  }

  /** Asked again within minutes however often: nothing was asked of the publisher. */
  async function wait(reason: Said): Promise<RefreshOutcome> {
    const at = clock.now();
    const outcome = await noteFailure(feed, { status: 'refused', reason } as const, at, parts.store);
    states.put(feed.id, { ...before, lastAttemptAt: at, lastErrorAt: at, error: outcome.reason, failures: 1 });
    return outcome;
  }

  async function remember(
    failure: Exclude<RefreshOutcome, { status: 'accepted' }>,
    unconditional = false,
  ): Promise<RefreshOutcome> {
    const at = clock.now();
    const outcome =
      failure.status === 'failed' && failure.store ? failure : await noteFailure(feed, failure, at, parts.store);
    const { validators, ...known } = before;
    const kept = validators === undefined || unconditional ? known : before;
    states.put(feed.id, {
      ...kept,
      lastAttemptAt: at,
      lastErrorAt: at,
      tookMs,
      error: outcome.reason,
      failures: before.failures + 1,
    });
    return outcome;
  }
}

function whatItWaitsFor(
  feed: Feed,
  { networks, hasNetworkData }: Pick<RefreshParts, 'networks' | 'hasNetworkData'>,
): Said | undefined {
  if (waitsForRelay(feed, networks)) return said(WAITS_FOR_RELAY);
  return waitsForNetworkData(feed, hasNetworkData) ? said(WAITS_FOR_NETWORK_DATA) : undefined;
}

export async function readRows(
  feed: Feed,
  reader: FeedReader,
  { validators }: Pick<FeedState, 'validators'>,
  { own }: Pick<RefreshParts, 'own'>,
): Promise<FeedReading> {
  const reading = await reader.read(feed, validators);
  return feed.effect.kind === 'risk' ? { ...reading, parsed: rowsOf(reading.parsed, own) } : reading;
}

/** The rows of a list of evidence that count: none about the operator's own addresses, and hosts of crowded networks by their /64. Both are counted among the refused rows. */
export function rowsOf(parsed: ParsedFeed, own: RefreshParts['own'] = []): ParsedFeed {
  const { batch: others, left } = withoutOwn(parsed.batch, own);
  const { batch, hosts } = foldHosts(others);
  if (left + hosts === 0) return parsed;
  const counts = [['own_address', left] as const, [FOLDED, hosts] as const].filter(([, count]) => count > 0);
  return { ...parsed, batch, rows: parsed.rows - left, refused: new Map([...parsed.refused, ...counts]) };
}

const FOLDED = 'folded_into_64';

/** Thrown by a reader when the reading is not wanted any more. It says nothing of the feed, so it is not remembered as a failure. */
export class ReadingStopped extends Error {}

/** An operator withdrew the trust of a list: nothing of it is taken in. */
export class UntrustedFeed extends Fault {
  constructor(id: string) {
    super(
      said('an operator withdrew the trust of {source}; `pulse evidence trust {source} --full` gives it back', {
        source: id,
      }),
    );
  }
}

export interface AcceptedReading {
  readonly before: FeedState;
  readonly unchanged: boolean;
  readonly newRunAt: UnixMs | undefined;
  readonly tookMs: number;
  /** An operator accepted it outside the bounds: later readings are compared with it. */
  readonly byOperator?: true;
}

/** Stores a reading and makes it the feed's last good one. @throws Error when it cannot be stored or its source has no trust; the state is as before then */
export async function acceptReading(
  feed: Feed,
  reading: FeedReading,
  reader: Pick<FeedReader, 'keep'>,
  { before, unchanged, newRunAt, tookMs, byOperator }: AcceptedReading,
  parts: RefreshParts,
): Promise<RefreshOutcome & { readonly status: 'accepted' }> {
  const { states, clock } = parts;
  const now = clock.now();
  const { parsed, content } = reading;
  const { answeredAt } = reading.validators;
  const success = {
    lastAttemptAt: now,
    lastSuccessAt: now,
    tookMs,
    failures: 0,
    ...(answeredAt !== undefined && { clockOffsetMs: clockOffset(answeredAt, now - tookMs, now) }),
  };
  const runAt = newRunAt ?? before.lastRunAt ?? now;
  // Unchanged content is stored again at the time of its own run, which changes nothing, except in a store that has lost it.
  const changed = (newRunAt !== undefined || unchanged) && (await takeIn(feed, parsed, runAt, now, parts));
  if (!unchanged && (newRunAt ?? 0) < (before.lastRunAt ?? 0)) {
    // An older copy, or a past that was imported: the newest content stands.
    const { error: _, ...newest } = before;
    states.put(feed.id, { ...newest, ...success });
    return { status: 'accepted', rows: parsed.rows, runAt, changed, ...unusedOf(parsed) };
  }
  await reader.keep(feed, reading);
  const covered = coverageOf(parsed.batch);
  const allowed = byOperator === true ? content : before.allowed === content ? content : undefined;
  states.put(feed.id, {
    ...success,
    lastRunAt: unixMs(Math.max(runAt, before.lastRunAt ?? runAt)),
    content,
    rows: parsed.rows,
    refused: Object.fromEntries(parsed.refused),
    coverage: byOperator === true ? { at: now, covered } : nextBase(before.coverage, covered, now),
    ...(allowed === undefined ? {} : { allowed }),
    validators: reading.validators,
  });
  parts.quarantine.drop(feed.id);
  return { status: 'accepted', rows: parsed.rows, runAt, changed, ...unusedOf(parsed) };
}

export function unusedOf({ refused }: ParsedFeed): { folded?: number; refused?: Record<string, number> } {
  const { [FOLDED]: folded, ...others } = Object.fromEntries(refused);
  return {
    ...(folded === undefined ? {} : { folded }),
    ...(Object.keys(others).length === 0 ? {} : { refused: others }),
  };
}

function runOf(
  reading: Pick<FeedReading, 'publishedAt' | 'live'>,
  { lastRunAt }: FeedState,
  options: RefreshOptions,
  unchanged: boolean,
  now: UnixMs,
) {
  const { publishedAt = options.publishedAt, live } = reading;
  if (options.runAt !== undefined || publishedAt instanceof Error) return options.runAt;
  return runTime({ unchanged, publishedAt, live, firstReadAt: options.firstReadAt }, lastRunAt, now);
}

interface Refused {
  readonly before: FeedState;
  readonly earlier: KnownReadings;
  readonly options: RefreshOptions;
}

/**
 * Keeps a refused reading for an operator. One without a single row holds nothing to accept, and one that would make no run (it is served already, or is an older
 * copy) nothing new; the age of one whose header has an unread time is not known: these are not kept. @returns why it could not be kept
 */
async function setAside(
  feed: Feed,
  reading: FeedReading,
  reason: Said,
  { before, earlier, options }: Refused,
  { quarantine, clock }: RefreshParts,
): Promise<Said | undefined> {
  const now = clock.now();
  const runAt = runOf(reading, before, options, isUnchanged(reading, before), now);
  const { rows, unreadTime } = reading.parsed;
  if (rows === 0 || runAt === undefined || unreadTime !== undefined) return undefined;
  try {
    const { content, live, publishedAt, validators } = reading;
    const last = quarantine.get(feed.id);
    const same = last?.content === content ? last : undefined;
    const note = {
      content,
      reason,
      live,
      validators,
      figures: readingFigures(reading.parsed, earlier.covered),
      refusedAt: same?.refusedAt ?? now,
      lastReadAt: now,
      // Content that was read before is not seen again, unless its source answers for the moment of asking.
      runAt: same === undefined || live || options.runAt !== undefined ? runAt : same.runAt,
      replaced: same?.replaced ?? (last === undefined ? 0 : last.replaced + 1),
      ...(publishedAt === undefined ? {} : { publishedAt }),
    };
    await quarantine.put(feed.id, note, same === undefined ? reading.body : undefined);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Notes it in the evidence store as well, which other nodes read: they have no state of this feed. */
async function noteFailure<F extends { readonly reason: Said }>(
  feed: Feed,
  failure: F,
  at: UnixMs,
  store: HistoryWriter,
): Promise<F> {
  const source = evidenceSourceOf(feed);
  if (source === undefined) return failure;
  try {
    await store.recordFailure(source, at);
    return failure;
  } catch (error) {
    const words = { failure: failure.reason, why: reasonOf(error) };
    return { ...failure, reason: said('{failure}; the evidence store could not note it: {why}', words) };
  }
}

const isUnchanged = ({ content }: FeedReading, before: FeedState): boolean =>
  before.lastRunAt !== undefined && before.content === content;

export async function takeIn(
  feed: Feed,
  parsed: ParsedFeed,
  runAt: UnixMs,
  now: UnixMs,
  parts: Pick<RefreshParts, 'store' | 'networks'>,
): Promise<boolean> {
  const source = evidenceSourceOf(feed);
  if (source === undefined) return parts.networks.put(feed, networkListOf(feed, parsed));
  const batch = dateRows(parsed.batch, runAt);
  const { changed, refused } = await parts.store.recordRun(source, runAt, batch, now);
  if (refused.has('untrusted')) throw new UntrustedFeed(feed.id);
  return changed;
}
