import type { DerivationRules } from '../../core/collection/derive/derivation-rules.ts';
import type { Address } from '../../core/ip/address.ts';
import type { UnixMs } from '../../core/units.ts';
import type { DerivationNote, SourceCaptures, SourceChange } from '../../service/ports.ts';
import type { Catalogue, Series, SourceEntry } from './catalogue.ts';
import type { Derivation, DerivationPlan, DerivationState } from './derive-batch.ts';
import type { ChangedEntry, Journal, JournalLimits } from './journal-rows.ts';
import type { JudgedBatch } from './judge-batch.ts';
import type { ReceivedBatch, WrittenBatch } from './receive-captures.ts';
import type { RetractedTime } from './retractions.ts';

/** SQLite answers at once, PostgreSQL later. */
export type Way = 'now' | 'later';
export type Reply<W extends Way, T> = W extends 'now' ? T : Promise<T>;
type Maybe<T> = T | Promise<T>;

/** Work written once for both: it yields what it waits for and gets the answer back. */
export type Steps<T> = Generator<unknown, T, unknown>;

export function* wait<T>(answer: Maybe<T>): Steps<T> {
  return (yield answer) as T;
}

export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

export async function runLater<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

export type SqlValue = string | number | boolean | null | Uint8Array;

/** Statements that both databases understand, with the tables' names in PostgreSQL and numbered placeholders (`$1`). Rows come as arrays; booleans may be 0 and 1. */
export interface Sql {
  query<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): Maybe<readonly Row[]>;
}

/** A row of `derivations`; its prefix as the database has it. */
export interface DerivationRow {
  readonly prefix: unknown;
  readonly type: number;
  readonly at: UnixMs;
}

/** A batch that was begun. */
export interface BegunBatch {
  readonly sequence: number;
  readonly acceptedAt: UnixMs;
}

/** One transaction with the small tables as they stand in it, and what is asked differently of each database. */
export interface Transaction extends Sql {
  /** Of this transaction alone while it writes. Run calendars are shared with others and not changed. */
  readonly catalogue: Catalogue;
  /**
   * Writes the rows of one batch that were accepted, and its journal: entries of a run into presence intervals, rows with times of their own into events.
   * The run must not be among the source's runs yet unless it is read a second time.
   * @param tracks the series of each code
   * @param revives entries of runs that were taken back count again: everything may look different
   */
  writeRows(
    entry: SourceEntry,
    sequence: number,
    received: ReceivedBatch,
    judged: JudgedBatch,
    tracks: ReadonlyMap<number, Series>,
    revives: boolean,
  ): Maybe<WrittenBatch>;
  /** What the store knows that a plan asks for. */
  readDerivationState(plan: DerivationPlan, rules: DerivationRules): Maybe<DerivationState>;
  /** Keeps what later batches are judged by, and why each derived capture is there. */
  writeDerivation(derivation: Derivation): Maybe<void>;
  /** Addresses that the sources of these captures did not name since. */
  countNew(captures: readonly SourceCaptures[], since: number): Maybe<number>;
  /** Journals what looks different now that captures of a source were taken back. @returns how many captures these are */
  noteRetracted(source: SourceEntry, time: RetractedTime, sequence: number): Maybe<number>;
  /** Moves derived captures from events to withdrawn, and journals it. @returns how many there were */
  withdraw(derived: SourceEntry, rows: readonly DerivationRow[], batch: BegunBatch): Maybe<number>;
  /** Logs of the batches after this one; undefined when the journal does not reach back, or is sure to hold more than the limits allow. */
  journalAfter(sequence: number, limits: JournalLimits): Maybe<Journal | undefined>;
  /** What sources say now of entries that changed. */
  readChanged(entries: readonly ChangedEntry[]): Maybe<readonly SourceChange[]>;
  /** The newest note of each kind about each prefix around an address, up to `at`, of what counted then. */
  derivationsAt(address: Address, at: UnixMs): Maybe<readonly DerivationNote[]>;
}
