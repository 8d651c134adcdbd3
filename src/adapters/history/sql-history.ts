import { setTimeout } from 'node:timers/promises';
import type { RiskType } from '../../contract/risk.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import {
  type CompactionOutcome,
  type DeliveryOptions,
  type DeliveryOutcome,
  type DerivationNote,
  type EvidenceChanges,
  type EvidenceHead,
  type EvidenceLog,
  type EvidenceRows,
  type EvidenceScan,
  HISTORY_DAYS,
  type HistoryStore,
  type MissingSourcesReport,
  type MissingTime,
  type Retraction,
  type RetractionOutcome,
  type RetractionRequest,
  type RunOutcome,
  type SentDelivery,
  type SourceCaptures,
  type SourceHealth,
  type SourcesReport,
  type SourceTrust,
  type TrustChange,
} from '../../service/ports.ts';
import { type DeriveBy, deriveBatch, planDerivation, receiveDerived, withListedKinds } from './derive/derive-batch.ts';
import { derivationsAt, readDerivationState, writeDerivation } from './derive/read-derivation-state.ts';
import { captureInstants } from './read/capture-instants.ts';
import type { SourceEntry } from './read/catalogue.ts';
import { ChangeLog } from './read/change-log.ts';
import { addLengths, positionAt, putSeries, putSource, readHead } from './read/load-catalogue.ts';
import {
  missingBetween,
  missingSourcesIn,
  readMissingSources,
  sourcesReportText,
  writeSourcesReport,
} from './read/missing-sources.ts';
import { readChanged } from './read/read-changed.ts';
import {
  admitDelivery,
  noteDelivery,
  type PreparedDelivery,
  prepareDelivery,
  putTrust,
  readTrusts,
  untrusted,
} from './receive/admit-delivery.ts';
import { type BatchJudgement, judgeBatch, refuseUnknownSource } from './receive/judge-batch.ts';
import {
  acceptedOutcome,
  hashBatch,
  type ReceivedBatch,
  Refusals,
  receiveCaptures,
  receiveRun,
  refusedOutcome,
  repeatedOutcome,
  type WrittenBatch,
} from './receive/receive-captures.ts';
import { type Reply, type Sql, type Steps, type Transaction, type Way, wait } from './sql.ts';
import { Compactor } from './upkeep/compactor.ts';
import {
  deltaLimits,
  type JournalLimits,
  JournalRows,
  journalAfter,
  MERGE_LIMITS,
  writeJournal,
} from './write/journal.ts';
import { retractCaptures } from './write/retract-captures.ts';
import { NOTHING_RETRACTED } from './write/retraction-table.ts';
import { beginBatch, noteFollowed, noteTimes, writeBatch } from './write/write-batch.ts';

const PAUSE_MS = 5;

/**
 * HistoryStore over SQL. Every method is one transaction. Refused rows are counted; a fault leaves nothing
 * behind.
 */
export abstract class SqlHistory<W extends Way> implements HistoryStore {
  readonly #deriveBy: DeriveBy;

  constructor(deriveBy: DeriveBy) {
    this.#deriveBy = deriveBy;
  }

  protected abstract read<T>(work: (tx: Transaction) => Steps<T>): Reply<W, T>;
  protected abstract write<T>(work: (tx: Transaction) => Steps<T>): Reply<W, T>;
  protected abstract ask<T>(work: (sql: Sql) => Steps<T>): Reply<W, T>;
  /**
   * Runs the work in a write transaction outside the order of batches. PostgreSQL does not take the writers'
   * lock for it.
   */
  protected abstract note(work: (sql: Sql) => Steps<void>): Reply<W, void>;

  abstract observationsAt(address: Address, at: UnixMs): Reply<W, readonly Observation[]>;
  abstract observationsAtEach(
    address: Address,
    instants: readonly UnixMs[],
  ): Reply<W, readonly (readonly Observation[])[]>;
  abstract scan<T>(read: (scan: EvidenceScan) => T | Promise<T>, at?: UnixMs): Promise<T>;
  abstract close(): Reply<W, void>;
  protected abstract get isOpen(): boolean;

  recordRun(source: EvidenceSource, runAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): Reply<W, RunOutcome> {
    const received = receiveRun(source, runAt, batch, acceptedAt);
    const hash = received && hashBatch(received);
    const take = this.#take.bind(this);
    return this.write(function* (tx) {
      const { sequence } = tx.catalogue.head;
      if (received === undefined) return refusedOutcome(sequence, batch.length, 'ahead_of_clock');
      if ((yield* untrusted(tx)).has(source.id)) return refusedOutcome(sequence, batch.length, 'untrusted');
      if (tx.catalogue.isRetractedRun(source.id, received.runAt))
        return refusedOutcome(sequence, batch.length, 'retracted');
      return yield* take(tx, received, hash!);
    });
  }

  recordCaptures(
    source: EvidenceSource,
    defaultAt: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
  ): Reply<W, RunOutcome> {
    const received = receiveCaptures(source, defaultAt, batch, acceptedAt);
    const hash = hashBatch(received);
    return this.write((tx) => this.#take(tx, received, hash));
  }

  recordDelivery(
    captures: readonly SourceCaptures[],
    acceptedAt: UnixMs,
    terms: DeliveryOptions = {},
  ): Reply<W, DeliveryOutcome> {
    const prepared = prepareDelivery({ captures, ...terms }, acceptedAt);
    return this.write((tx) => this.#takeDelivery(tx, prepared, acceptedAt));
  }

  recordDeliveries(deliveries: readonly SentDelivery[], acceptedAt: UnixMs): Reply<W, readonly DeliveryOutcome[]> {
    const prepared = deliveries.map((sent) => prepareDelivery(sent, acceptedAt));
    const take = this.#takeDelivery.bind(this);
    return this.write(function* (tx) {
      const outcomes: DeliveryOutcome[] = [];
      for (const one of prepared) outcomes.push(yield* take(tx, one, acceptedAt));
      return outcomes;
    });
  }

  *#takeDelivery(tx: Transaction, prepared: PreparedDelivery, acceptedAt: UnixMs): Steps<DeliveryOutcome> {
    const refused = yield* admitDelivery(tx, prepared, acceptedAt);
    if (refused !== undefined) return refused;
    const outcomes: RunOutcome[] = [];
    for (const { received, hash } of prepared.batches) outcomes.push(yield* this.#take(tx, received, hash));
    const { delivery } = prepared.sent;
    if (delivery !== undefined) yield* noteDelivery(tx, delivery, delivery.answer(outcomes), acceptedAt);
    return { status: 'taken', outcomes };
  }

  *#take(tx: Transaction, given: ReceivedBatch, hash: Uint8Array): Steps<RunOutcome> {
    const { catalogue } = tx;
    const stranger = refuseUnknownSource(given, catalogue);
    if (stranger !== undefined) return repeatedOutcome(catalogue.head.sequence, stranger);
    const entry = yield* putSource(tx, given.source);
    yield* wait(
      tx.query('update evidence_sources set last_error_at = null where id = $1 and last_error_at is not null', [
        entry.id,
      ]),
    );
    const sequence = yield* beginBatch(tx, entry.id, { ...given, rows: given.batch.length }, hash);
    if (sequence === undefined) return repeatedOutcome(catalogue.head.sequence);
    const received = withListedKinds(given, this.#deriveBy);
    const refusals = new Refusals();
    const judged = judgeBatch(received, refusals, catalogue.retractions.of(entry.id, received.source.sender ?? ''));
    const written = yield* this.#writeBatch(tx, entry, sequence, received, judged);
    yield* this.#derive(tx, received, judged);
    return acceptedOutcome(catalogue.head.sequence, written, refusals);
  }

  /**
   * Writes the captures derived from a batch as a batch of their own. Both are in one transaction, so that a
   * crash cannot separate them.
   */
  *#derive(tx: Transaction, received: ReceivedBatch, judged: BatchJudgement): Steps<void> {
    const plan = planDerivation(received, judged, this.#deriveBy);
    if (plan === undefined) return;
    const state = yield* readDerivationState(tx, plan, this.#deriveBy.rules);
    const derivation = deriveBatch(plan, state, this.#deriveBy);
    yield* writeDerivation(tx, derivation);
    if (derivation.captures.length === 0) return;
    const derived = receiveDerived(derivation, received.acceptedAt);
    const entry = yield* putSource(tx, derived.source);
    const sequence = yield* beginBatch(tx, entry.id, { ...derived, rows: derived.batch.length }, hashBatch(derived));
    if (sequence === undefined) return;
    const taken = judgeBatch(derived, new Refusals(), tx.catalogue.retractions.of(entry.id, ''));
    yield* this.#writeBatch(tx, entry, sequence, derived, taken);
  }

  *#writeBatch(
    tx: Transaction,
    entry: SourceEntry,
    sequence: number,
    received: ReceivedBatch,
    judged: BatchJudgement,
  ): Steps<WrittenBatch> {
    const { acceptedAt, runAt } = received;
    yield* addLengths(tx, judged.lengths);
    const tracks = new Map();
    for (const [code, kind] of judged.tracks) tracks.set(code, yield* putSeries(tx, entry, kind));
    const changes = new ChangeLog();
    // Entries whose runs were retracted count again with this run, although no interval changes.
    if (tx.catalogue.revives(entry, runAt)) changes.everything();
    const written = yield* writeBatch(tx, entry, received, judged, tracks, changes);
    yield* writeJournal(tx, { sequence, acceptedAt }, changes);
    if (runAt !== undefined) {
      yield* wait(
        tx.query('insert into evidence_runs (source, at, sequence) values ($1, $2, $3) on conflict do nothing', [
          entry.id,
          runAt,
          sequence,
        ]),
      );
      tx.catalogue.addRun(entry, runAt);
    }
    yield* noteFollowed(tx, acceptedAt);
    yield* noteTimes(tx, entry.id, written);
    return written;
  }

  captureInstants(address: Address, from: UnixMs, to: UnixMs): Reply<W, readonly UnixMs[]> {
    return this.read((tx) => captureInstants(tx, address, from, to));
  }

  missingBetween(from: UnixMs, to: UnixMs): Reply<W, readonly MissingTime[]> {
    return this.ask((sql) => missingBetween(sql, from, to));
  }

  derivationsAt(address: Address, at: UnixMs): Reply<W, readonly DerivationNote[]> {
    return this.read((tx) => derivationsAt(tx, address, at));
  }

  follow(since: UnixMs): Reply<W, void> {
    return this.write((tx) => noteFollowed(tx, since));
  }

  earliest(): Reply<W, UnixMs | undefined> {
    return this.ask(function* (sql) {
      const facts = `select max(value) from evidence_facts where name in ('followed', 'answerable')`;
      const [row] = yield* wait(sql.query<[number | null]>(facts));
      return row![0] === null ? undefined : unixMs(row![0]);
    });
  }

  head(): Reply<W, EvidenceHead> {
    return this.ask(readHead);
  }

  changesSince(sequence: number, limit: number): Reply<W, EvidenceChanges> {
    return this.read(function* (tx) {
      const changed = (yield* rowsSince(tx, sequence, deltaLimits(limit))) ?? ('all' as const);
      return { ...(yield* movedFrom(tx, sequence)), changed };
    });
  }

  logSince(sequence: number): Reply<W, EvidenceLog | undefined> {
    return this.read(function* (tx) {
      const rows = yield* rowsSince(tx, sequence, MERGE_LIMITS);
      return rows && { ...(yield* movedFrom(tx, sequence)), ...rows };
    });
  }

  sources(): Reply<W, readonly SourceHealth[]> {
    type HealthRow = [string, RiskType | null, UnixMs | null, UnixMs | null, number];
    return this.ask(function* (sql) {
      const all = 'select name, risk_type, last_run_at, last_error_at, rows from evidence_sources order by name';
      return (yield* wait(sql.query<HealthRow>(all))).map(([id, riskType, lastRunAt, lastErrorAt, rows]) => ({
        id,
        ...(riskType === null ? {} : { riskType }),
        ...(lastRunAt === null ? {} : { lastRunAt }),
        ...(lastErrorAt === null ? {} : { lastErrorAt }),
        rows,
        overdue: false,
      }));
    });
  }

  retract(request: RetractionRequest): Reply<W, RetractionOutcome> {
    return this.write((tx) => retractCaptures(tx, request));
  }

  setTrust({ retracted, ...said }: TrustChange): Reply<W, RetractionOutcome> {
    return this.write(function* (tx) {
      const refusal = yield* putTrust(tx, said);
      if (refusal !== undefined || retracted === undefined) return refusal ?? NOTHING_RETRACTED;
      return yield* retractCaptures(tx, { source: said.source, ...retracted, madeAt: said.madeAt });
    });
  }

  trusts(): Reply<W, readonly SourceTrust[]> {
    return this.ask(readTrusts);
  }

  retractions(): Reply<W, readonly Retraction[]> {
    return this.ask(function* (sql) {
      const all = `select s.name, r.sender, r.from_at, r.to_at, r.made_at from evidence_retractions r join evidence_sources s on s.id = r.source order by r.id`;
      const rows = yield* wait(sql.query<[string, string, UnixMs, UnixMs, UnixMs]>(all));
      return rows.map(([source, sender, from, to, madeAt]) => ({
        source,
        ...(sender === '' ? {} : { sender }),
        from,
        to,
        madeAt,
      }));
    });
  }

  recordFailure(source: EvidenceSource, at: UnixMs): Reply<W, void> {
    return this.write(function* (tx) {
      const { id } = yield* putSource(tx, source);
      yield* wait(tx.query('update evidence_sources set last_error_at = $1 where id = $2', [at, id]));
    });
  }

  /**
   * Works in short transactions with pauses between them, so that other writers get their turn.
   * @param sliceRows rows per transaction
   */
  async compact(now: UnixMs, historyDays = HISTORY_DAYS, sliceRows?: number): Promise<CompactionOutcome> {
    const compactor = await this.read((tx) => Compactor.open(tx, now, historyDays, sliceRows));
    let [spells, events] = [0, 0];
    while (this.isOpen) {
      const slice = await this.write((tx) => compactor.slice(tx));
      spells += slice.spells;
      events += slice.events;
      if (slice.done) break;
      await setTimeout(PAUSE_MS);
    }
    return { spells, events };
  }

  noteLeftOut(note: SourcesReport | undefined, at: UnixMs): Reply<W, void> {
    return this.note((sql) => writeSourcesReport(sql, note === undefined ? undefined : sourcesReportText(note), at));
  }

  leftOutAt(at: UnixMs): Reply<W, MissingSourcesReport | undefined> {
    return this.ask(function* (sql) {
      const { row, newest, heardAt } = yield* readMissingSources(sql, at);
      return missingSourcesIn(row, newest !== undefined, heardAt, at);
    });
  }
}

function* movedFrom(tx: Transaction, sequence: number): Steps<Pick<EvidenceChanges, 'head' | 'since'>> {
  return { head: tx.catalogue.head, since: yield* positionAt(tx, sequence) };
}

function* rowsSince(tx: Transaction, sequence: number, limits: JournalLimits): Steps<EvidenceRows | undefined> {
  const { catalogue } = tx;
  const rows = new JournalRows(catalogue);
  const journal = sequence === catalogue.head.sequence ? [] : yield* journalAfter(tx, sequence, limits);
  const touched = journal && rows.read(journal, limits);
  return touched && rows.finish(yield* readChanged(tx, touched));
}
