import type { CoverageAt } from '../../core/feeds/coverage.ts';
import type { Feed, ParsedFeed } from '../../core/feeds/feed.ts';
import type { ReadingFigures } from '../../core/feeds/reading-figures.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import type { Said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';

export interface BodyMark {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The publisher's validators for the next conditional request (RFC 9110, 13.1), and the body they belong to.
 * - `body`: without it, or when the kept body is not this one, the next request is unconditional: "not modified"
 *   would leave nothing to read.
 * - `answeredAt`: the publisher's clock when it answered.
 * - `commit`: newest commit of the file in its repository, and the validator of the feed of commits.
 */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
  readonly body?: BodyMark;
  readonly answeredAt?: UnixMs;
  readonly commit?: { readonly at: UnixMs; readonly etag?: string };
}

/**
 * - `clockOffsetMs`: the publisher's clock less ours at the last success, milliseconds; 0 where it may have been
 *   equal.
 * - `allowed`: digest of content outside the bounds that an operator accepted: it is not judged by them again.
 */
export interface FeedState {
  readonly lastAttemptAt?: UnixMs;
  readonly lastSuccessAt?: UnixMs;
  readonly lastRunAt?: UnixMs;
  readonly content?: string;
  readonly lastErrorAt?: UnixMs;
  readonly error?: Said;
  readonly clockOffsetMs?: number;
  readonly tookMs?: number;
  readonly failures: number;
  readonly rows: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly coverage?: CoverageAt;
  readonly allowed?: string;
  readonly validators?: Validators;
}

export interface FeedStates {
  get(id: string): FeedState;
  put(id: string, state: FeedState): void;
}

/** Sources that an operator has switched off: the schedule does not read them, and verdicts do not expect them. Their captures stay and age. */
export interface FeedSwitchStore {
  off(): ReadonlySet<string>;
  set(id: string, to: 'on' | 'off'): void;
}

export interface MirrorContent {
  held(): ReadonlySet<string>;
  note(ids: ReadonlySet<string>): void;
}

/**
 * One body read and parsed. A fault of the network or the publisher is an exception; content never is. `publishedAt`:
 * the publisher's time for this content; undefined when nothing says, and when the content is known, so that its
 * repository was not asked.
 */
export interface FeedReading {
  readonly status: 'fresh' | 'unchanged';
  readonly body: Uint8Array;
  readonly parsed: ParsedFeed;
  readonly bytes: number;
  readonly content: string;
  readonly publishedAt: UnixMs | undefined;
  readonly live: boolean;
  readonly validators: Validators;
}

/**
 * A place lists come from. Must not keep a body as good before `keep` says so, and must not read the clock. `keep`:
 * the last reading of this feed was accepted: a later "not modified" means this content.
 */
export interface FeedReader {
  read(feed: Feed, validators: Validators | undefined): Promise<FeedReading>;
  keep(feed: Feed, reading: FeedReading): void | Promise<void>;
}

export interface QuarantinedReading {
  readonly content: string;
  readonly reason: Said;
  readonly figures: ReadingFigures;
  readonly refusedAt: UnixMs;
  readonly lastReadAt: UnixMs;
  readonly runAt: UnixMs;
  /** Earlier contents that this one replaced in quarantine since the feed's last accepted reading. */
  readonly replaced: number;
  readonly live: boolean;
  readonly publishedAt?: UnixMs;
  readonly validators: Validators;
}

/**
 * - `put`: keeps a reading in place of the feed's earlier one. The body is as received, and left out where the same
 *   content is there already.
 * - `reader`: reads the kept body again, and only this one. Its `keep` makes it the feed's good body.
 */
export interface Quarantine {
  get(id: string): QuarantinedReading | undefined;
  put(id: string, reading: QuarantinedReading, body: Uint8Array | undefined): void | Promise<void>;
  reader(reading: QuarantinedReading): FeedReader;
  drop(id: string): void;
}

/**
 * - `put`: returns whether the content differs from before.
 * - `knowsRelay`: tells whether private-relay ranges are known, from the shipped table or from a list that was ever
 *   read.
 */
export interface NetworkListSink {
  put(feed: Feed, list: NetworkList): boolean | Promise<boolean>;
  knowsRelay(): boolean;
}

export interface FeedNotes {
  readonly states: ReadonlyMap<string, FeedState>;
  readonly off: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
}

export const NO_FEED_NOTES: FeedNotes = { states: new Map(), off: new Set(), held: new Set() };
