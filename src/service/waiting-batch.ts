import type { Limit } from '../core/limits/limits.ts';
import type { UnixMs } from '../core/units.ts';
import type { IntakeRequest } from './accept-captures.ts';

/** Captures of one request that were checked and are not stored yet. */
export interface WaitingBatch extends Pick<IntakeRequest, 'source' | 'format' | 'at' | 'account'> {
  /** Under which the store takes it in once: the sender's name for it, or one made when it was appended. */
  readonly id: string;
  /** The rows as they were sent, packed with gzip. */
  readonly body: Uint8Array;
}

/** What an append is judged by, all of it in one step. */
export interface AppendTerms {
  /** Rows that count against the budgets. */
  readonly rows: number;
  readonly budgets: readonly Limit[];
  /** The sender gave the batch its name: for a week it stands for these bytes alone, with this answer. */
  readonly named: { readonly digest: string; readonly answer: string } | undefined;
}

export type AppendOutcome =
  | { readonly status: 'queued' }
  | { readonly status: 'replayed'; readonly answer: string }
  | { readonly status: 'differs' }
  /** As many batches or bytes wait as may. */
  | { readonly status: 'full' }
  | { readonly status: 'over_budget'; readonly waitMs: number };

/** The side of the stream that answers senders. */
export interface IntakeAppender {
  /** @throws Error where it cannot be known whether the batch is kept */
  append(batch: WaitingBatch, terms: AppendTerms): Promise<AppendOutcome>;
}

/** An entry that this node reads; others leave it alone until the node is silent for `CLAIM_AFTER_MS`. */
export interface StreamEntry {
  readonly id: string;
  /** Undefined: it is not what a node of this deployment appended. */
  readonly batch: WaitingBatch | undefined;
  /** Times it was handed to a node, this one included. */
  readonly attempts: number;
}

/** The side of the stream that stores: nodes share the entries as one consumer group. Every method throws while the server is away. */
export interface IntakeReader {
  /** The next entry, one of a node that died first; undefined after about a second without any. */
  next(): Promise<StreamEntry | undefined>;
  /** Says that this node is still at work on an entry. */
  keep(id: string): Promise<void>;
  /** The entry is stored, and leaves the stream. */
  settle(id: string): Promise<void>;
  /** The entry can never be stored: it leaves the stream for the place where operators find it. */
  setAside(id: string, reason: string): Promise<void>;
}

/** How much waits, for metrics. */
export interface StreamState {
  readonly entries: number;
  readonly bytes: number;
  /** When the oldest entry was appended. */
  readonly oldestAt: UnixMs | undefined;
  /** Entries that were set aside, ever. */
  readonly setAside: number;
}

/** An entry of a node that gave no sign for this long is taken over by another, milliseconds. */
export const CLAIM_AFTER_MS = 15_000;
/** An entry that was handed out more often than this, while the store is there, brings nodes down: it is set aside. */
export const ATTEMPTS_MAX = 5;
