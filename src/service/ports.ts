/**
 * Needs of the services from outside. Adapters implement these; roots choose. An implementation must not: read the clock where a time is
 * a parameter, log keys or phone numbers, or turn a refusal into an exception (refusals are values; exceptions are faults).
 */
import type { RiskType } from '../contract/risk.ts';
import type { Account, ApiKey, Plan } from '../core/caller/caller.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../core/evidence/observation.ts';
import type { Address, Prefix } from '../core/ip/address.ts';
import type { ChargeRequest, ChargeResult, DayUsage, QuotaId, Receipt, Windows } from '../core/quota/quota.ts';
import { DAY_MS, type UnixMs } from '../core/units.ts';
import type { EvidenceColumns, EvidencePosition } from '../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../engine/evidence/row-names.ts';

export interface Clock {
  now(): UnixMs;
}

/**
 * Quota ledger. The in-process one answers at once; the one over Redis answers with a promise. A charge that was answered survives a crash.
 *
 * A quota day that was begun is not begun again: when the clock goes back by up to `DAYS_KEPT_AHEAD` days, the later day stays in force until the clock
 * reaches it. When it goes back further, the clock's day goes on from its use so far.
 */
export interface Ledger {
  charge(request: ChargeRequest): ChargeResult | Promise<ChargeResult>;
  /** Windows as the next charge would find them; nothing is counted. */
  windows(allowances: Pick<ChargeRequest, 'minute' | 'day'>, at: UnixMs): Windows | Promise<Windows>;
  /** Gives the day's units back, once a receipt. @param units of those taken; all when left out */
  refund(receipt: Receipt, at: UnixMs, units?: number): void | Promise<void>;
  /** Use of the day in force. To look does not begin the next day. */
  usage(id: QuotaId, at: UnixMs): DayUsage | Promise<DayUsage>;
  /** Use of several counters of one owner on as many quota days as `days` says: one row a day, ascending up to the day in force, one entry an id. One pass. */
  usageOf(
    ids: readonly QuotaId[],
    at: UnixMs,
    days: number,
  ): readonly (readonly DayUsage[])[] | Promise<readonly (readonly DayUsage[])[]>;
  /** Resolves when every charge made before this call is durable against a crash of the process. */
  flushed(): Promise<void> | undefined;
  close(): Promise<void>;
}

export type KeyVerdict =
  | { readonly status: 'ok'; readonly account: Account; readonly key: ApiKey }
  | { readonly status: 'unknown' | 'revoked' | 'expired' };

/** Verified AI assistants: who says so in the user agent *and* asks from that vendor's published prefixes (decisions 5.7). */
export interface AssistantDirectory {
  /** @returns the family, or undefined for any other caller, a false claim included. Must be cheap for ordinary user agents: it is asked at every keyless request. */
  familyOf(userAgent: string, address: Address): string | undefined;
}

/** The read path of every request: cached, and at most two seconds behind the store. */
export interface KeyDirectory {
  /** Facts of the key without another question to the store, or will be when one under way is answered; undefined when `find` would ask. */
  remembered(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict> | undefined;
  find(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict>;
  account(id: string): Account | undefined | Promise<Account | undefined>;
  plans(): readonly Plan[];
}

/**
 * State of one (prefix, source, risk type, pool) now, unfolded. An entry that a listing still holds is `following`: its capture is the source's
 * newest run and its days are the source's run days from `capturedAt`, the first run of its spell, on. So a run that changes nothing changes no row.
 */
export interface LiveRow {
  readonly prefix: Prefix;
  readonly source: string;
  readonly riskType: RiskType;
  /** '' = none */
  readonly pool: string;
  readonly following: boolean;
  /** Newest capture; following: first run of the open spell. */
  readonly capturedAt: UnixMs;
  /** As in Observation; following: 0. */
  readonly days: number;
}

/** Everything one source says of one prefix now; replaces its earlier rows. */
export interface SourceChange {
  readonly prefix: Prefix;
  readonly source: string;
  readonly rows: readonly LiveRow[];
}

/** Newest accepted batch. `latestAt` is the newest run time or capture day of any source, for data_version.risk. */
export interface EvidenceHead extends EvidencePosition {
  readonly latestAt?: UnixMs;
}

/**
 * How the view moves from one batch to the newest, in columns whose `source` and `pool` index the lists in the same object: cheaper than the present state of each
 * entry that changed, because hardly any entry is asked for. Rows as in `EvidenceDelta`.
 */
export interface EvidenceRows {
  readonly names: Pick<RowNames, 'sources' | 'pools' | 'dropped'>;
  readonly rows: EvidenceColumns;
}

export interface EvidenceChanges {
  readonly head: EvidenceHead;
  /** Where the store stood at the batch asked about; undefined where it has no such batch. Compare it with the position the view has (`continues`). */
  readonly since: EvidencePosition | undefined;
  /** `all`: too much changed, or the journal no longer reaches back; read everything again. */
  readonly changed: EvidenceRows | 'all';
}

/** All changes of batches. */
export interface EvidenceLog extends EvidenceRows {
  readonly head: EvidenceHead;
  /** As in EvidenceChanges. */
  readonly since: EvidencePosition | undefined;
}

/**
 * One consistent reading of everything, in ascending order of (family, address, length): all rows of a prefix come together. In chunks of columns whose
 * `source` and `pool` index the names, so that there is no object for each row. A chunk is valid until the next one is asked for, and its pools are named by then.
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
  /** Monotonic number of the accepted batch; followers ask for changes after the one they know. */
  readonly sequence: number;
  readonly rows: number;
  readonly added: number;
  readonly ended: number;
  /** False: this very batch was there already and nothing changed. */
  readonly changed: boolean;
  readonly refused: ReadonlyMap<string, number>;
}

/** Captures of one source, with the time of those that carry none. */
export interface SourceCaptures {
  readonly source: EvidenceSource;
  readonly defaultAt: UnixMs;
  readonly batch: CaptureBatch;
}

/** A batch of captures under the name its sender gave it, so that it is taken in once however often it is sent. */
export interface Delivery {
  readonly account: string;
  /** Unique within the account. */
  readonly id: string;
  /** Of everything that was sent: another one under the same id is refused. */
  readonly digest: Uint8Array;
  /** Answer kept with the id and given back when the batch is sent again. Called inside the transaction. */
  readonly answer: (outcomes: readonly RunOutcome[]) => string;
}

/** How long a store remembers the id of a delivery. Senders are promised seven days; the eighth is for clocks that differ. */
export const DELIVERY_KEPT_MS = 8 * DAY_MS;

/** Lines or addresses that may come under one name in a window of time, which begins with the first of them. */
export interface Budget {
  readonly name: string;
  readonly of: 'lines' | 'addresses';
  readonly most: number;
  readonly windowMs: number;
}

/** Under which name a delivery is kept, if any, and the budgets it is counted against. */
export interface DeliveryTerms {
  readonly delivery?: Delivery | undefined;
  readonly budgets?: readonly Budget[];
  /** Lines that were read for it; left out: its rows. */
  readonly lines?: number;
  /** Sources the store may know before captures of another one are refused; left out: any number. */
  readonly sourcesMax?: number;
}

/** Rows of one sender at once: captures of any number of sources. */
export interface SentDelivery extends DeliveryTerms {
  readonly captures: readonly SourceCaptures[];
}

export type DeliveryOutcome =
  | { readonly status: 'taken'; readonly outcomes: readonly RunOutcome[] }
  | { readonly status: 'replayed'; readonly answer: string }
  /** `differs`: the account has sent something else under this id; `untrusted`: an operator withdrew the trust of a source. */
  | { readonly status: 'differs' | 'untrusted' }
  /** A source is new, and the store knows as many as it may. */
  | { readonly status: 'no_room' }
  /** A budget has no room until then. Lines are counted all the same where the addresses are too many. */
  | { readonly status: 'over_budget'; readonly of: Budget['of']; readonly until: UnixMs };

/** Captures of a source whose times lie in a stretch count no more from `madeAt` on; answers about moments before it stay as they were. */
export interface Retraction {
  readonly source: string;
  readonly from: UnixMs;
  /** Before this moment. */
  readonly to: UnixMs;
  readonly madeAt: UnixMs;
}

export interface RetractedCaptures {
  readonly status: 'retracted';
  /** Captures with times of their own, and entries of a listing that stood in the stretch. */
  readonly captures: number;
  /** Derived captures that rested on retracted captures alone, and were taken back with it. */
  readonly derivedAlone: number;
  /** Derived captures that rest on captures that count, too; they stay. */
  readonly derivedPartly: number;
}

export type RetractionOutcome = RetractedCaptures | { readonly status: 'unknown_source' };

/** Whether the captures that a source sends are taken in. A source that nothing was said of has it in full. */
export type Trust = 'full' | 'none';

export interface SourceTrust {
  readonly source: string;
  readonly trust: Trust;
  /** Since when it is so. */
  readonly madeAt: UnixMs;
  readonly actor: string;
  /** '' = none was given */
  readonly reason: string;
}

export interface TrustChange extends SourceTrust {
  /** Captures of this time are taken back in the same transaction. */
  readonly retracted?: Pick<Retraction, 'from' | 'to'>;
}

/** Sources of evidence that verdicts lack, of those that are followed, as the node that reads feeds notes it. */
export interface SourcesNote {
  /** Expected sources that were never read, fail for longer than their bound, or hold older content (decisions 4.12). */
  readonly ids: readonly string[];
  /** Sources that published nothing new for so long that they are not expected until they do. */
  readonly retired: readonly string[];
  /** How many sources are expected, `ids` among them. */
  readonly expected: number;
  /** Since when the one that is late longest is so; left out where none was ever read. */
  readonly since?: UnixMs;
}

/** Sources that verdicts of a moment lack. */
export interface LeftOut extends SourcesNote {
  /** No notes came at that moment, so that more may be left out. */
  readonly silent: boolean;
}

/** Where no source is expected. */
export const NO_SOURCES: SourcesNote = { ids: [], retired: [], expected: 0 };

/** Whether verdicts of a moment are degraded. @param leftOut undefined: no source was ever expected */
export const isDegraded = (leftOut: LeftOut | undefined): boolean =>
  leftOut !== undefined && (leftOut.silent || leftOut.ids.length > 0);

/** Days of answerable past unless an account's contract grants more. */
export const HISTORY_DAYS = 30;

/** Why a derived capture is there. */
export interface DerivationNote {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  /** Own sources whose captures it rests on. */
  readonly sources: readonly string[];
  readonly reason: string;
}

/** Answers about the past: captures with a time up to the instant asked about. */
export interface HistoryPast {
  /** Everything known of one address as of `at` (captures with a time ≤ at), one Observation per risk type (osint: per family). */
  observationsAt(address: Address, at: UnixMs): readonly Observation[] | Promise<readonly Observation[]>;
  /** Earliest moment whose past can be asked: where the record begins, or later where older detail was compacted. Undefined when nothing was ever accepted. */
  earliest(): UnixMs | undefined | Promise<UnixMs | undefined>;
  /** Sources that verdicts of a moment lack; undefined where nothing was ever noted. */
  leftOutAt(at: UnixMs): LeftOut | undefined | Promise<LeftOut | undefined>;
}

/** The past of one address as a course of instants. */
export interface HistoryTimeline extends Pick<HistoryPast, 'earliest'> {
  /** Answers of `observationsAt` for each of many instants, in their order: one read of one state of the store, however many there are. */
  observationsAtEach(
    address: Address,
    instants: readonly UnixMs[],
  ): readonly (readonly Observation[])[] | Promise<readonly (readonly Observation[])[]>;
}

/** Source of the live view and of its changes. */
export interface HistoryLog {
  head(): EvidenceHead | Promise<EvidenceHead>;
  /** Changes after a batch, at most `limit` rows; more of them answer `all`. Its sources have the state of every source, also where nothing changed. */
  changesSince(sequence: number, limit: number): EvidenceChanges | Promise<EvidenceChanges>;
  /** All changes of batches after this one; undefined when that is no longer held. */
  logSince(sequence: number): EvidenceLog | undefined | Promise<EvidenceLog | undefined>;
  /** Everything that is known now, unfolded, in one snapshot that lasts as long as `read`. Ask nothing else before it has ended. */
  scan<T>(read: (scan: EvidenceScan) => T | Promise<T>): Promise<T>;
}

/** Takes in batches of senders. */
export interface DeliveryWriter {
  /** Captures of one request in one transaction, counted against its budgets. @returns one outcome a source */
  recordDelivery(
    captures: readonly SourceCaptures[],
    acceptedAt: UnixMs,
    terms?: DeliveryTerms,
  ): DeliveryOutcome | Promise<DeliveryOutcome>;
}

/** Takes captures in. */
export interface HistoryWriter extends DeliveryWriter {
  /** One complete reading of a listing at its publication time. Entries absent from it end their spell. One transaction; the same run twice changes nothing. */
  recordRun(
    source: EvidenceSource,
    runAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): RunOutcome | Promise<RunOutcome>;
  /** Captures with their own times (events, appearances, imports). One transaction; idempotent. */
  recordCaptures(
    source: EvidenceSource,
    defaultAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): RunOutcome | Promise<RunOutcome>;
  /** Several deliveries in one transaction, each as if by itself. A fault of one leaves none of them. */
  recordDeliveries(
    deliveries: readonly SentDelivery[],
    acceptedAt: UnixMs,
  ): readonly DeliveryOutcome[] | Promise<readonly DeliveryOutcome[]>;
  /** A source could not be read, or was refused. The next batch of it that is accepted, or was there already, takes this back. */
  recordFailure(source: EvidenceSource, at: UnixMs): void | Promise<void>;
  /**
   * Says that the record held is complete from `since` on: an imported series begins there, or the operator of an import says so. Sets an earlier beginning only.
   * Without it the record begins when the first batch was accepted, however old the captures in it are.
   */
  follow(since: UnixMs): void | Promise<void>;
  /** Notes the sources that verdicts lack from `at` on, at least once a minute. @param note undefined: none expected */
  noteLeftOut(note: SourcesNote | undefined, at: UnixMs): void | Promise<void>;
}

/** For operators and the node itself. */
export interface HistoryUpkeep {
  /** Sources that ever brought something, or failed to. `overdue` is judged by the catalogue of feeds and is false here. */
  sources(): readonly SourceHealth[] | Promise<readonly SourceHealth[]>;
  /** Why there are derived captures of an address: for each prefix around it and kind, the newest up to `at`. For operators; compacted captures have no reason any more. */
  derivationsAt(address: Address, at: UnixMs): readonly DerivationNote[] | Promise<readonly DerivationNote[]>;
  /** All retractions, oldest first. */
  retractions(): readonly Retraction[] | Promise<readonly Retraction[]>;
  /** Takes captures back from `madeAt` on, with derived ones that rest on nothing else. One transaction. */
  retract(retraction: Retraction): RetractionOutcome | Promise<RetractionOutcome>;
  /** Last decision on each source that has one. */
  trusts(): readonly SourceTrust[] | Promise<readonly SourceTrust[]>;
  /** Says whether captures of a source are taken in by `recordDelivery` and `recordRun`. One transaction, with the retraction. @returns as `retract` does */
  setTrust(change: TrustChange): RetractionOutcome | Promise<RetractionOutcome>;
  /** Reduces detail that no answer of `historyDays` needs to first and last captures, in pieces. */
  compact(now: UnixMs, historyDays?: number): CompactionOutcome | Promise<CompactionOutcome>;
}

/** Captures over time: runs and presence intervals of listings, events, and a first/last memory that is never forgotten. For those that open it; others take the part they need. */
export interface HistoryStore extends HistoryPast, HistoryTimeline, HistoryLog, HistoryWriter, HistoryUpkeep {
  close(): void | Promise<void>;
}

/** Data of the look-up services at each request: immutable images, swapped as one. */
export type { LookupView } from '../engine/create-data-view.ts';
export type { NetworkRecordFacts as NetworkFacts } from '../engine/geo/network-records.ts';

export interface SourceHealth {
  readonly id: string;
  readonly riskType?: RiskType;
  /** The time its newest content is from. */
  readonly lastRunAt?: UnixMs;
  /** When it was read last; left out where this node does not read it. */
  readonly lastReadAt?: UnixMs;
  readonly lastErrorAt?: UnixMs;
  readonly rows: number;
  readonly overdue: boolean;
}
