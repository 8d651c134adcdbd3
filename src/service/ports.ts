/**
 * Ports of the services: adapters implement them, roots choose. An implementation must not read the clock
 * where a time is a parameter, log keys or phone numbers, or turn a refusal into an exception. Refusals are
 * values; exceptions are faults.
 */

import type { RiskType } from '../contract/risk.ts';
import type { Account, ApiKey, Plan } from '../core/caller/caller.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../core/evidence/observation.ts';
import type { Address, Prefix } from '../core/ip/address.ts';
import type { ChargeRequest, ChargeResult, DayUsage, QuotaId, Receipt, Windows } from '../core/quota/quota.ts';
import { DAY_MS, type UnixMs } from '../core/units.ts';
import type { EvidenceColumns, EvidencePosition } from '../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../engine/evidence/evidence-row.ts';

export interface Clock {
  now(): UnixMs;
}

/**
 * Quota ledger. The in-process one answers at once, the one over Redis with a promise. A charge that was
 * answered survives a crash.
 *
 * A quota day begins once. When the clock goes back by up to `CLOCK_BACK_DAYS_MAX` days, the later day stays in
 * force until the clock reaches it. When it goes back further, the clock's day continues from its use so far.
 */
export interface Ledger {
  charge(request: ChargeRequest): ChargeResult | Promise<ChargeResult>;
  /** Returns the windows as the next charge would find them; nothing is counted. */
  windows(allowances: Pick<ChargeRequest, 'minute' | 'day'>, at: UnixMs): Windows | Promise<Windows>;
  /** Gives the day's units back, once a receipt. @param units default: all units of the receipt */
  refund(receipt: Receipt, at: UnixMs, units?: number): void | Promise<void>;
  /** Returns the use of the day in force, without beginning the next day. */
  usage(id: QuotaId, at: UnixMs): DayUsage | Promise<DayUsage>;
  /**
   * Returns the use of several counters: one row a day, ascending up to the day in force for the counter's
   * owner, and one entry an id.
   */
  usageOf(
    ids: readonly QuotaId[],
    at: UnixMs,
    days: number,
  ): readonly (readonly DayUsage[])[] | Promise<readonly (readonly DayUsage[])[]>;
  /** Resolves when every earlier charge is durable against a crash of the process. */
  flushed(): Promise<void> | undefined;
  close(): Promise<void>;
}

export type KeyVerdict =
  | { readonly status: 'ok'; readonly account: Account; readonly key: ApiKey }
  | { readonly status: 'unknown' | 'revoked' | 'expired' };

/**
 * Verified AI assistants: the user agent names one *and* the address is in that vendor's published prefixes
 * (decisions 5.7).
 */
export interface AssistantDirectory {
  /**
   * Called for every keyless request, so it must be cheap for ordinary user agents. @returns the family;
   * undefined for any other caller and for a false claim
   */
  familyOf(userAgent: string, address: Address): string | undefined;
}

/** Keys of every request: cached, and at most two seconds behind the store. */
export interface KeyDirectory {
  /**
   * Returns the key's facts without a new question to the store, possibly when one under way is answered;
   * undefined when `find` would ask.
   */
  remembered(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict> | undefined;
  find(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict>;
  account(id: string): Account | undefined | Promise<Account | undefined>;
  plans(): readonly Plan[];
}

/**
 * State of one (prefix, source, risk type, pool), unfolded; an empty pool means none. An entry that a listing
 * still holds is `following`: its `capturedAt` is the first run of the open spell, and its `days` are 0. Its
 * capture is the source's newest run, and its days are the source's run days from `capturedAt` on. A run that
 * changes nothing therefore changes no row.
 */
export interface LiveRow {
  readonly prefix: Prefix;
  readonly source: string;
  readonly riskType: RiskType;
  readonly pool: string;
  readonly following: boolean;
  readonly capturedAt: UnixMs;
  readonly days: number;
}

/** All rows that one source now has of one prefix; they replace its earlier rows. */
export interface SourceChange {
  readonly prefix: Prefix;
  readonly source: string;
  readonly rows: readonly LiveRow[];
}

/**
 * Newest accepted batch. `latestAt` is the newest run time or capture day of any source, for
 * data_version.risk.
 */
export interface EvidenceHead extends EvidencePosition {
  readonly latestAt?: UnixMs;
}

/**
 * Changes from one batch to the newest, in columns that index the lists in this object. Changes are cheaper
 * than the full state of each changed entry, because most entries are never looked up. Rows are as in
 * `EvidenceDelta`.
 */
export interface EvidenceRows {
  readonly names: Pick<RowNames, 'sources' | 'pools' | 'dropped'>;
  readonly rows: EvidenceColumns;
}

export interface EvidenceChanges {
  readonly head: EvidenceHead;
  /**
   * Position of the store at the batch asked about; undefined where it has no such batch. Compare it with the
   * view's position (`continues`).
   */
  readonly since: EvidencePosition | undefined;
  readonly changed: EvidenceRows | 'all';
}

export interface EvidenceLog extends EvidenceRows {
  readonly head: EvidenceHead;
  readonly since: EvidencePosition | undefined;
}

/**
 * One consistent reading of everything, ascending by (family, address, length), so that the rows of a prefix
 * are adjacent. Chunks of columns index `names`. A chunk is valid until the next one; its pools are named by
 * then.
 */
export interface EvidenceScan {
  readonly head: EvidenceHead;
  readonly names: Pick<RowNames, 'sources' | 'pools' | 'dropped'>;
  readonly columns: Iterable<EvidenceColumns> | AsyncIterable<EvidenceColumns>;
}

export interface CompactionOutcome {
  readonly spells: number;
  readonly events: number;
}

export interface RunOutcome {
  readonly sequence: number;
  readonly rows: number;
  readonly added: number;
  readonly ended: number;
  /** False when this batch was already there. */
  readonly changed: boolean;
  readonly refused: ReadonlyMap<string, number>;
}

export interface SourceCaptures {
  readonly source: EvidenceSource;
  readonly defaultAt: UnixMs;
  readonly batch: CaptureBatch;
}

/**
 * A batch of captures under an id that is unique within the account, so that it is accepted once, however
 * often it is sent. A different digest under the same id is refused.
 */
export interface Delivery {
  readonly account: string;
  readonly id: string;
  readonly digest: Uint8Array;
  /**
   * Makes the answer that is kept with the id and repeated when the batch is sent again. It is called inside
   * the transaction.
   */
  readonly answer: (outcomes: readonly RunOutcome[]) => string;
}

/**
 * A store remembers the id of a delivery for this long. Senders are promised seven days; the eighth allows
 * for clocks that differ.
 */
export const DELIVERY_KEPT_MS = 8 * DAY_MS;

/** Lines or addresses that one name may send in a window, which begins with the first of them. */
export interface Budget {
  readonly name: string;
  readonly of: 'lines' | 'addresses';
  readonly most: number;
  readonly windowMs: number;
}

export interface DeliveryOptions {
  readonly delivery?: Delivery | undefined;
  readonly budgets?: readonly Budget[];
  readonly lines?: number;
  readonly sourcesMax?: number;
}

export interface SentDelivery extends DeliveryOptions {
  readonly captures: readonly SourceCaptures[];
}

/**
 * `differs`: the account sent something else under this id. `untrusted`: an operator withdrew the trust of a
 * source. `no_room`: a source is new, and the store knows `sourcesMax` of them.
 */
export type DeliveryOutcome =
  | { readonly status: 'taken'; readonly outcomes: readonly RunOutcome[] }
  | { readonly status: 'replayed'; readonly answer: string }
  | { readonly status: 'differs' | 'untrusted' }
  | { readonly status: 'no_room' }
  /** A budget has no room until then. Lines are counted even where the addresses are too many. */
  | { readonly status: 'over_budget'; readonly of: Budget['of']; readonly until: UnixMs };

/**
 * Captures of a source with times in [from, to) no longer count from `madeAt` on. With a sender, only
 * captures of this key are meant. Answers about earlier moments stay.
 */
export interface Retraction {
  readonly source: string;
  readonly sender?: string;
  readonly from: UnixMs;
  readonly to: UnixMs;
  readonly madeAt: UnixMs;
}

export type RetractionRequest = Omit<Retraction, 'source' | 'sender'> &
  (Pick<Retraction, 'source' | 'sender'> | { readonly source?: undefined; readonly sender: string });

export interface RetractedCaptures {
  readonly status: 'retracted';
  readonly captures: number;
  readonly derivedRetracted: number;
  readonly derivedKept: number;
}

/** `unknown_source`: the store knows no such source, or none that the key sent to. */
export type RetractionOutcome = RetractedCaptures | { readonly status: 'unknown_source' };

/** The store refuses captures of a source whose trust is `none`; the default is `full`. */
export type Trust = 'full' | 'none';

export interface SourceTrust {
  readonly source: string;
  readonly trust: Trust;
  readonly madeAt: UnixMs;
  readonly actor: string;
  readonly reason: string;
}

export interface TrustChange extends SourceTrust {
  readonly retracted?: Pick<Retraction, 'from' | 'to'>;
}

/**
 * Missing sources of evidence, as the node that reads feeds reports them.
 * - `ids`: expected sources that were never read, have failed for longer than their bound, or hold older content
 *   (decisions 4.12).
 * - `retired`: sources without news for so long that they are not expected until they publish again.
 * - `since`: the longest-overdue source has been overdue since then; absent if none was ever read.
 */
export interface SourcesReport {
  readonly ids: readonly string[];
  readonly retired: readonly string[];
  readonly expected: number;
  readonly since?: UnixMs;
}

export interface MissingSourcesReport extends SourcesReport {
  /** No report came at that moment, so more sources may be missing. */
  readonly silent: boolean;
}

export const NO_SOURCES: SourcesReport = { ids: [], retired: [], expected: 0 };

export const isDegraded = (leftOut: MissingSourcesReport | undefined): boolean =>
  leftOut !== undefined && (leftOut.silent || leftOut.ids.length > 0);

/** Accounts can ask about this many past days unless their contract grants more. */
export const HISTORY_DAYS = 30;

export interface DerivationNote {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  readonly sources: readonly string[];
  readonly reason: string;
}

export interface HistoryPast {
  /**
   * Returns everything known of an address as of `at` (captures with a time ≤ at), one Observation per risk
   * type (osint: per family).
   */
  observationsAt(address: Address, at: UnixMs): readonly Observation[] | Promise<readonly Observation[]>;
  /**
   * Returns the earliest answerable moment: the beginning of the record, or later where older detail was
   * compacted. Undefined when nothing was ever accepted.
   */
  earliest(): UnixMs | undefined | Promise<UnixMs | undefined>;
  /** Returns the sources missing from the verdicts of a moment; undefined where nothing was ever reported. */
  leftOutAt(at: UnixMs): MissingSourcesReport | undefined | Promise<MissingSourcesReport | undefined>;
}

export interface HistoryTimeline extends Pick<HistoryPast, 'earliest'> {
  /** Answers `observationsAt` for each instant, in order, from one read of one state of the store. */
  observationsAtEach(
    address: Address,
    instants: readonly UnixMs[],
  ): readonly (readonly Observation[])[] | Promise<readonly (readonly Observation[])[]>;
  /**
   * Returns the instants in (from, to] at which captures of an address may have changed, ascending. Some may
   * change nothing.
   */
  captureInstants(address: Address, from: UnixMs, to: UnixMs): readonly UnixMs[] | Promise<readonly UnixMs[]>;
  missingBetween(from: UnixMs, to: UnixMs): readonly MissingTime[] | Promise<readonly MissingTime[]>;
}

export interface MissingTime {
  readonly from: UnixMs;
  readonly to: UnixMs;
  /** Number of missing sources; absent while no report came, so that any may have been missing. */
  readonly missing?: number;
}

export interface HistoryLog {
  head(): EvidenceHead | Promise<EvidenceHead>;
  /**
   * Returns the changes after a batch; `all` for more than `limit` rows, or where the journal no longer reaches
   * back. The sources have the state of every source, even where nothing changed.
   */
  changesSince(sequence: number, limit: number): EvidenceChanges | Promise<EvidenceChanges>;
  /** Returns all changes after this batch; undefined when they are no longer kept. */
  logSince(sequence: number): EvidenceLog | undefined | Promise<EvidenceLog | undefined>;
  /**
   * Reads everything known now, unfolded, in one snapshot that lasts as long as `read`. Ask nothing else
   * before it has ended.
   * @param at reads what was known at this instant instead, folded as by `observationsAt`
   */
  scan<T>(read: (scan: EvidenceScan) => T | Promise<T>, at?: UnixMs): Promise<T>;
}

export interface DeliveryWriter {
  /**
   * Records the captures of one request in one transaction, counted against its budgets. @returns one outcome
   * a source
   */
  recordDelivery(
    captures: readonly SourceCaptures[],
    acceptedAt: UnixMs,
    terms?: DeliveryOptions,
  ): DeliveryOutcome | Promise<DeliveryOutcome>;
}

export interface HistoryWriter extends DeliveryWriter {
  /**
   * Records one complete reading of a listing at its publication time. Entries absent from it end their
   * spell. One transaction; the same run twice changes nothing.
   */
  recordRun(
    source: EvidenceSource,
    runAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): RunOutcome | Promise<RunOutcome>;
  /** Records captures with their own times (events, appearances, imports). One transaction; idempotent. */
  recordCaptures(
    source: EvidenceSource,
    defaultAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): RunOutcome | Promise<RunOutcome>;
  /** Records several deliveries in one transaction, each as if by itself. A fault of one records none. */
  recordDeliveries(
    deliveries: readonly SentDelivery[],
    acceptedAt: UnixMs,
  ): readonly DeliveryOutcome[] | Promise<readonly DeliveryOutcome[]>;
  /**
   * Records that a source could not be read, or was refused. The source's next accepted or repeated batch
   * clears it.
   */
  recordFailure(source: EvidenceSource, at: UnixMs): void | Promise<void>;
  /**
   * Declares the record complete from `since` on: an imported series begins there, or the operator of an
   * import says so. Only an earlier beginning is set. Without it the record begins with the first accepted
   * batch, however old its captures are.
   */
  follow(since: UnixMs): void | Promise<void>;
  /**
   * Records the missing sources from `at` on; call it at least once a minute. @param note undefined when none
   * is expected
   */
  noteLeftOut(note: SourcesReport | undefined, at: UnixMs): void | Promise<void>;
}

export interface HistoryUpkeep {
  /**
   * Returns sources that ever brought something or failed. `overdue` is judged by the catalogue of feeds and
   * is false here.
   */
  sources(): readonly SourceHealth[] | Promise<readonly SourceHealth[]>;
  /**
   * Returns why an address has derived captures: for each prefix around it and kind, the newest up to `at`.
   * For operators; compacted captures have lost their reason.
   */
  derivationsAt(address: Address, at: UnixMs): readonly DerivationNote[] | Promise<readonly DerivationNote[]>;
  retractions(): readonly Retraction[] | Promise<readonly Retraction[]>;
  retract(request: RetractionRequest): RetractionOutcome | Promise<RetractionOutcome>;
  trusts(): readonly SourceTrust[] | Promise<readonly SourceTrust[]>;
  /**
   * Decides whether `recordDelivery` and `recordRun` accept captures of a source. One transaction, with the
   * retraction. @returns as `retract` does
   */
  setTrust(change: TrustChange): RetractionOutcome | Promise<RetractionOutcome>;
  compact(now: UnixMs, historyDays?: number): CompactionOutcome | Promise<CompactionOutcome>;
}

/**
 * Captures over time: runs and presence intervals of listings, events, and first and last captures that are
 * never forgotten. Only the opener uses the whole; others take the part they need.
 */
export interface HistoryStore extends HistoryPast, HistoryTimeline, HistoryLog, HistoryWriter, HistoryUpkeep {
  close(): void | Promise<void>;
}

export type { LookupView } from '../engine/create-data-view.ts';
export type { NetworkRecordFacts as NetworkFacts } from '../engine/geo/network-records.ts';

export interface SourceHealth {
  readonly id: string;
  readonly riskType?: RiskType;
  readonly lastRunAt?: UnixMs;
  readonly lastReadAt?: UnixMs;
  readonly lastErrorAt?: UnixMs;
  readonly rows: number;
  readonly overdue: boolean;
}
