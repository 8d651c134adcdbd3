import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { foldObservations } from '../../../core/evidence/fold-observations.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../../../core/evidence/observation.ts';
import type { Address } from '../../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { RowNames } from '../../../engine/evidence/row-names.ts';
import {
  type Budget,
  type CompactionOutcome,
  DELIVERY_KEPT_MS,
  type Delivery,
  type DeliveryOutcome,
  type DeliveryTerms,
  type DerivationNote,
  type EvidenceChanges,
  type EvidenceHead,
  type EvidenceLog,
  type EvidenceRows,
  type EvidenceScan,
  HISTORY_DAYS,
  type HistoryStore,
  type LeftOut,
  type Retraction,
  type RetractionOutcome,
  type RunOutcome,
  type SentDelivery,
  type SourceCaptures,
  type SourceChange,
  type SourceHealth,
  type SourcesNote,
  type SourceTrust,
  type Trust,
  type TrustChange,
} from '../../../service/ports.ts';
import type { SourceEntry } from '../catalogue.ts';
import { ChangeLog, JOURNAL_MS } from '../change-log.ts';
import { COUNTED_AGAIN_MS, chargeWindow, linesOf, namedPrefixes } from '../charge-window.ts';
import {
  type DeriveBy,
  deriveBatch,
  planDerivation,
  receiveDerived,
  WITHOUT_FACTS,
  withListedKinds,
} from '../derive-batch.ts';
import {
  type ChangedEntry,
  deltaLimits,
  type Journal,
  type JournalLimits,
  JournalRows,
  MERGE_LIMITS,
} from '../journal-rows.ts';
import { type JudgedBatch, judgeBatch, refusedStranger } from '../judge-batch.ts';
import { type LeftOutRow, leftOutOf, noteText, rowsOfNote } from '../left-out.ts';
import { keyOfNetwork, prefixOfKey } from '../prefix-key.ts';
import { PrefixRecords } from '../prefix-records.ts';
import { namesTooMany, type PreparedDelivery, prepareDelivery } from '../prepare-delivery.ts';
import {
  acceptedOutcome,
  hashBatch,
  type ReceivedBatch,
  Refusals,
  receiveCaptures,
  receiveRun,
  refusedOutcome,
  unchangedOutcome,
  type WrittenBatch,
} from '../receive-captures.ts';
import { NOTHING_RETRACTED } from '../retractions.ts';
import { type HealthRow, healthOf } from '../source-health.ts';
import { SqliteCatalogue } from './catalogue.ts';
import { Compactor, earliest } from './compactor.ts';
import { derivationsOf, readDerivationState, writeDerivation } from './derivation-tables.ts';
import { OpenFile } from './open-file.ts';
import { holdsRecords, readPrefix } from './read-prefixes.ts';
import { putTrust, retractCaptures } from './retract.ts';
import { scanTables } from './scan.ts';
import { openEvidenceDatabase } from './schema.ts';
import { numbers, Statements } from './statements.ts';
import { writeBatch } from './write-batch.ts';

/** Pause after a slice of compacting that wrote. */
const PAUSE_MS = 5;

/** HistoryStore over one SQLite file. Every method is one transaction; refusals are counted, faults are thrown and leave nothing behind. */
export class SqliteHistory implements HistoryStore {
  readonly #path: string;
  readonly #deriveBy: DeriveBy;
  #database!: DatabaseSync;
  #statements!: Statements;
  #catalogue!: SqliteCatalogue;
  #file!: OpenFile;

  /** @param deriveBy what captures are derived by when others are accepted */
  constructor(path: string, deriveBy: DeriveBy = WITHOUT_FACTS) {
    this.#path = path;
    this.#deriveBy = deriveBy;
    this.#open();
  }

  recordRun(source: EvidenceSource, runAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): RunOutcome {
    const received = receiveRun(source, runAt, batch, acceptedAt);
    if (received === undefined) return refusedOutcome(this.head().sequence, batch.length, 'ahead_of_clock');
    const hash = hashBatch(received);
    return this.#write(() => {
      const refused = (reason: 'untrusted' | 'retracted') =>
        refusedOutcome(this.#catalogue.head.sequence, batch.length, reason);
      if (this.#isUntrusted(source.id)) return refused('untrusted');
      return this.#catalogue.isRetractedRun(source.id, received.runAt)
        ? refused('retracted')
        : this.#take(received, hash);
    });
  }

  recordCaptures(source: EvidenceSource, defaultAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): RunOutcome {
    const received = receiveCaptures(source, defaultAt, batch, acceptedAt);
    const hash = hashBatch(received);
    return this.#write(() => this.#take(received, hash));
  }

  recordDelivery(captures: readonly SourceCaptures[], acceptedAt: UnixMs, terms: DeliveryTerms = {}): DeliveryOutcome {
    return this.recordDeliveries([{ captures, ...terms }], acceptedAt)[0]!;
  }

  recordDeliveries(deliveries: readonly SentDelivery[], acceptedAt: UnixMs): readonly DeliveryOutcome[] {
    const prepared = deliveries.map((sent) => prepareDelivery(sent, acceptedAt));
    return this.#write(() => prepared.map((one) => this.#takeDelivery(one, acceptedAt)));
  }

  #takeDelivery({ sent, batches }: PreparedDelivery, acceptedAt: UnixMs): DeliveryOutcome {
    const { captures, delivery, sourcesMax } = sent;
    const before = delivery && this.#deliveredBefore(delivery);
    if (before !== undefined) return before;
    if (captures.some(({ source }) => this.#isUntrusted(source.id))) return { status: 'untrusted' };
    const budgets = Map.groupBy(sent.budgets ?? [], ({ of }) => of);
    for (const unit of ['lines', 'addresses'] as const) {
      const charged = budgets.get(unit);
      const until =
        charged &&
        this.#chargeBudgets(
          charged,
          unit === 'lines' ? linesOf(sent) : this.#newAddresses(captures, acceptedAt),
          acceptedAt,
        );
      if (until !== undefined) return { status: 'over_budget', of: unit, until };
    }
    const tooMany = namesTooMany(captures, this.#catalogue, sourcesMax);
    if (tooMany > 0 && this.#emptied() < tooMany) return { status: 'no_room' };
    const outcomes = batches.map(({ received, hash }) => this.#take(received, hash));
    if (delivery !== undefined) this.#noteDelivery(delivery, delivery.answer(outcomes), acceptedAt);
    return { status: 'taken', outcomes };
  }

  #deliveredBefore({ account, id, digest }: Delivery): DeliveryOutcome | undefined {
    const found = this.#statements
      .get('select digest, answer from deliveries where account = ? and id = ?')
      .get(account, id);
    if (found === undefined) return undefined;
    const [known, answer] = found as unknown as [Uint8Array, string];
    return Buffer.compare(known, digest) === 0 ? { status: 'replayed', answer } : { status: 'differs' };
  }

  #isUntrusted(source: string): boolean {
    const sql = `select 1 from trust where trust = 'none' and source = (select id from sources where name = ?)`;
    return this.#statements.get(sql).get(source) !== undefined;
  }

  /** Addresses that the sources of these captures did not name in the last day. */
  #newAddresses(captures: readonly SourceCaptures[], at: UnixMs): number {
    const known = this.#statements.get(
      'select 1 from events where prefix = ? and track in (select id from tracks where source = ?) and at > ? limit 1',
    );
    let sum = 0;
    for (const one of captures) {
      const source = this.#catalogue.named(one.source.id)?.id ?? -1;
      for (const [key, addresses] of namedPrefixes(one))
        if (known.get(key, source, at - COUNTED_AGAIN_MS) === undefined) sum += addresses;
    }
    return sum;
  }

  /** Sources of which everything was taken back: they take no room. */
  #emptied(): number {
    const sql = `select count(*) from sources where exists (
      select 1 from retractions where source = sources.id and from_at <= 0 and to_at > sources.last_run_at)`;
    return numbers(this.#statements.get(sql).get())[0]!;
  }

  /** @returns when a budget without room for the rows begins again; then none of them is changed */
  #chargeBudgets(budgets: readonly Budget[], rows: number, at: UnixMs): UnixMs | undefined {
    const select = this.#statements.get('select begun_at, rows from budgets where name = ? and window_ms = ?');
    const charged = budgets.map((budget) => {
      const [begunAt, held] = numbers(select.get(budget.name, budget.windowMs));
      return chargeWindow(budget, begunAt === undefined ? undefined : { begunAt, rows: held! }, rows, at);
    });
    const full = charged.filter((window) => typeof window === 'number');
    if (full.length > 0) return unixMs(Math.max(...full));
    const put = this.#statements.get(
      'insert or replace into budgets (name, window_ms, begun_at, rows) values (?, ?, ?, ?)',
    );
    for (const [i, window] of charged.entries())
      if (typeof window === 'object') put.run(budgets[i]!.name, budgets[i]!.windowMs, window.begunAt, window.rows);
    return undefined;
  }

  #noteDelivery({ account, id, digest }: Delivery, answer: string, acceptedAt: UnixMs): void {
    this.#statements.get('delete from deliveries where accepted_at < ?').run(acceptedAt - DELIVERY_KEPT_MS);
    this.#statements
      .get('insert into deliveries (account, id, digest, accepted_at, answer) values (?, ?, ?, ?, ?)')
      .run(account, id, digest, acceptedAt, answer);
  }

  observationsAt(address: Address, at: UnixMs): readonly Observation[] {
    return this.#read(() => foldObservations(this.#captured(address, this.#catalogue.lengths[address.family], at)));
  }

  observationsAtEach(address: Address, instants: readonly UnixMs[]): readonly (readonly Observation[])[] {
    return this.#read(() => {
      const last = Math.max(...instants);
      const lengths = this.#catalogue.lengths[address.family].filter((bits) =>
        holdsRecords(this.#statements, keyOfNetwork(address, bits), last),
      );
      return instants.map((at) => foldObservations(this.#captured(address, lengths, at)));
    });
  }

  #captured(address: Address, lengths: readonly number[], at: number): Observation[] {
    return lengths.flatMap((bits) => {
      const records = new PrefixRecords(this.#catalogue, at);
      readPrefix(this.#statements, keyOfNetwork(address, bits), at, records);
      return records.observations(bits);
    });
  }

  derivationsAt(address: Address, at: UnixMs): readonly DerivationNote[] {
    return this.#read(() =>
      this.#catalogue.lengths[address.family].flatMap((bits) =>
        derivationsOf(this.#statements, keyOfNetwork(address, bits), at),
      ),
    );
  }

  follow(since: UnixMs): void {
    this.#write(() => this.#noteFollowed(since));
  }

  earliest(): UnixMs | undefined {
    return this.#read(() => earliest(this.#statements));
  }

  head(): EvidenceHead {
    return this.#read(() => this.#catalogue.head);
  }

  changesSince(sequence: number, limit: number): EvidenceChanges {
    return this.#read(() => ({
      ...this.#movedFrom(sequence),
      changed: this.#rowsSince(sequence, deltaLimits(limit)) ?? 'all',
    }));
  }

  logSince(sequence: number): EvidenceLog | undefined {
    return this.#read(() => {
      const rows = this.#rowsSince(sequence, MERGE_LIMITS);
      return rows && { ...this.#movedFrom(sequence), ...rows };
    });
  }

  #movedFrom(sequence: number): Pick<EvidenceChanges, 'head' | 'since'> {
    return { head: this.#catalogue.head, since: this.#catalogue.positionAt(sequence) };
  }

  /** @returns undefined when there is more than the limits allow, or the journal does not reach back */
  #rowsSince(sequence: number, limits: JournalLimits): EvidenceRows | undefined {
    const journal = sequence === this.#catalogue.head.sequence ? [] : this.#journalAfter(sequence);
    const rows = new JournalRows(this.#catalogue);
    const touched = journal && rows.read(journal, limits);
    return touched && rows.finish(this.#changes(touched));
  }

  async scan<T>(read: (scan: EvidenceScan) => T | Promise<T>): Promise<T> {
    this.#begin('begin');
    try {
      this.#catalogue.refresh();
      const names = new RowNames(this.#catalogue.liveSources());
      return await read({
        head: this.#catalogue.head,
        names,
        columns: scanTables(this.#statements, this.#catalogue, names),
      });
    } finally {
      this.#database.exec('rollback');
    }
  }

  sources(): readonly SourceHealth[] {
    const rows = this.#database
      .prepare('select name, risk_type, last_run_at, last_error_at, rows from sources order by name')
      .all();
    return rows.map((row) => healthOf(row as unknown as HealthRow));
  }

  retract(retraction: Retraction): RetractionOutcome {
    return this.#write(() => this.#retract(retraction));
  }

  #retract(retraction: Retraction): RetractionOutcome {
    const { batches, outcome } = retractCaptures(this.#statements, this.#catalogue, retraction);
    for (const { sequence, changes } of batches) this.#journal(sequence, retraction.madeAt, changes);
    if (batches.length > 0) this.#catalogue.noteBatch();
    return outcome;
  }

  setTrust({ retracted, ...said }: TrustChange): RetractionOutcome {
    return this.#write(() => {
      const refusal = putTrust(this.#statements, this.#catalogue, said);
      if (refusal !== undefined) return refusal;
      return retracted === undefined
        ? NOTHING_RETRACTED
        : this.#retract({ source: said.source, ...retracted, madeAt: said.madeAt });
    });
  }

  trusts(): readonly SourceTrust[] {
    const rows = this.#read(() =>
      this.#statements
        .get('select name, trust, made_at, actor, reason from trust t join sources s on s.id = t.source order by name')
        .all(),
    );
    return (rows as unknown as [string, Trust, UnixMs, string, string][]).map(
      ([source, trust, madeAt, actor, reason]) => ({
        source,
        trust,
        madeAt,
        actor,
        reason,
      }),
    );
  }

  retractions(): readonly Retraction[] {
    const rows = this.#read(() =>
      this.#statements
        .get(
          'select name, from_at, to_at, made_at from retractions join sources s on s.id = source order by retractions.id',
        )
        .all(),
    );
    return (rows as unknown as [string, UnixMs, UnixMs, UnixMs][]).map(([source, from, to, madeAt]) => ({
      source,
      from,
      to,
      madeAt,
    }));
  }

  recordFailure(source: EvidenceSource, at: UnixMs): void {
    this.#write(() => {
      const { id } = this.#catalogue.sourceOf(source);
      this.#statements.get('update sources set last_error_at = ? where id = ?').run(at, id);
    });
  }

  noteLeftOut(note: SourcesNote | undefined, at: UnixMs): void {
    this.#write(() => {
      const known = { newest: this.#leftOut(Number.MAX_SAFE_INTEGER), heardAt: this.#heardAt() };
      if (note === undefined && known.newest === undefined) return;
      const insert = this.#statements.get('insert or replace into left_out (at, sources) values (?, ?)');
      for (const row of rowsOfNote(known, noteText(note), at)) insert.run(row.at, row.sources);
      if (note === undefined) this.#statements.get(`delete from facts where name = 'heard'`).run();
      else
        this.#statements
          .get(
            `insert into facts (name, value) values ('heard', ?) on conflict (name) do update set value = excluded.value`,
          )
          .run(at);
      this.#statements
        .get(
          `delete from left_out where at < (select max(at) from left_out where at <= (select value from facts where name = 'answerable'))`,
        )
        .run();
    });
  }

  leftOutAt(at: UnixMs): LeftOut | undefined {
    return this.#read(() => {
      const any = this.#leftOut(Number.MAX_SAFE_INTEGER) !== undefined;
      return leftOutOf(this.#leftOut(at), any, this.#heardAt(), at);
    });
  }

  #leftOut(at: number): LeftOutRow | undefined {
    const row = this.#statements
      .get('select at, sources from left_out where at <= ? order by at desc limit 1')
      .get(at) as unknown as [number, string | null] | undefined;
    return row && { at: row[0], sources: row[1] };
  }

  #heardAt(): number | undefined {
    return numbers(this.#statements.get(`select value from facts where name = 'heard'`).get())[0];
  }

  /** In short transactions with pauses between them, so that other writers get their turn. @param sliceRows rows a transaction */
  async compact(now: UnixMs, historyDays = HISTORY_DAYS, sliceRows?: number): Promise<CompactionOutcome> {
    const compactor = this.#read(() => new Compactor(this.#statements, this.#catalogue, now, historyDays, sliceRows));
    let [spells, events] = [0, 0];
    while (this.#database.isOpen) {
      const slice = this.#write(() => compactor.slice());
      spells += slice.spells;
      events += slice.events;
      if (slice.done) break;
      await setTimeout(slice.spells + slice.events > 0 ? PAUSE_MS : 0);
    }
    this.#catalogue.reset();
    return { spells, events };
  }

  close(): void {
    this.#database.close();
  }

  #open(): void {
    this.#database = openEvidenceDatabase(this.#path);
    this.#statements = new Statements(this.#database);
    this.#catalogue = new SqliteCatalogue(this.#statements);
    this.#file = new OpenFile(this.#path);
  }

  /** Begins a transaction on the file that is at the path now. */
  #begin(how: 'begin' | 'begin immediate'): void {
    if (this.#file.isReplaced()) {
      if (this.#database.isOpen) this.#database.close();
      this.#open();
    }
    this.#database.exec(how);
  }

  #read<T>(work: () => T): T {
    this.#begin('begin');
    try {
      this.#catalogue.refresh();
      return work();
    } finally {
      this.#database.exec('rollback');
    }
  }

  #write<T>(work: () => T): T {
    this.#begin('begin immediate');
    try {
      this.#catalogue.refresh();
      const outcome = work();
      this.#database.exec('commit');
      return outcome;
    } catch (error) {
      this.#database.exec('rollback');
      this.#catalogue.reset();
      throw error;
    }
  }

  /** What sources say now of entries that changed. */
  #changes(entries: readonly ChangedEntry[]): readonly SourceChange[] {
    return entries.map(([key, source]) => {
      const records = new PrefixRecords(this.#catalogue);
      readPrefix(this.#statements, key, Number.MAX_SAFE_INTEGER, records);
      const prefix = prefixOfKey(key);
      return { prefix, source: source.name, rows: records.liveRows(prefix, source) };
    });
  }

  /** Takes one batch in, and what follows from it. Inside a write transaction. */
  #take(given: ReceivedBatch, hash: Uint8Array): RunOutcome {
    const named = refusedStranger(given, this.#catalogue);
    if (named !== undefined) return unchangedOutcome(this.#catalogue.head.sequence, named);
    const entry = this.#catalogue.sourceOf(given.source);
    this.#statements
      .get('update sources set last_error_at = null where id = ? and last_error_at is not null')
      .run(entry.id);
    const sequence = this.#beginBatch(entry, given, hash);
    if (sequence === undefined) return unchangedOutcome(this.#catalogue.head.sequence);
    const received = withListedKinds(given, this.#deriveBy);
    const refusals = new Refusals();
    const judged = judgeBatch(received, refusals, this.#catalogue.retractions.of(entry.id));
    const written = this.#writeBatch(entry, received, judged, sequence);
    this.#derive(received, judged);
    return acceptedOutcome(this.#catalogue.head.sequence, written, refusals);
  }

  #writeBatch(entry: SourceEntry, received: ReceivedBatch, judged: JudgedBatch, sequence: number): WrittenBatch {
    const { acceptedAt, runAt } = received;
    const changes = new ChangeLog();
    if (this.#catalogue.revives(entry, runAt)) changes.everything();
    const written = writeBatch(
      { statements: this.#statements, catalogue: this.#catalogue },
      entry,
      received,
      judged,
      changes,
    );
    if (runAt !== undefined) {
      this.#statements
        .get('insert or ignore into runs (source, at, sequence) values (?, ?, ?)')
        .run(entry.id, runAt, sequence);
      entry.runs.add(runAt);
    }
    this.#journal(sequence, acceptedAt, changes);
    this.#noteFollowed(acceptedAt);
    this.#finish(entry, written);
    return written;
  }

  /** Writes what follows from a batch, as a batch of its own in the same transaction: after a crash both are there or neither. */
  #derive(received: ReceivedBatch, judged: JudgedBatch): void {
    const plan = planDerivation(received, judged, this.#deriveBy);
    if (plan === undefined) return;
    const derivation = deriveBatch(
      plan,
      readDerivationState(this.#statements, this.#catalogue, plan, this.#deriveBy.rules),
      this.#deriveBy,
    );
    writeDerivation(this.#statements, this.#catalogue, derivation);
    if (derivation.captures.length === 0) return;
    const derived = receiveDerived(derivation, received.acceptedAt);
    const entry = this.#catalogue.sourceOf(derived.source);
    const sequence = this.#beginBatch(entry, derived, hashBatch(derived));
    if (sequence !== undefined)
      this.#writeBatch(
        entry,
        derived,
        judgeBatch(derived, new Refusals(), this.#catalogue.retractions.of(entry.id)),
        sequence,
      );
  }

  /** Number of the new batch; undefined when this very batch is there already. */
  #beginBatch(
    source: SourceEntry,
    { kind, at, acceptedAt, batch }: ReceivedBatch,
    hash: Uint8Array,
  ): number | undefined {
    const result = this.#statements
      .get('insert or ignore into batches (source, kind, at, hash, accepted_at, rows) values (?, ?, ?, ?, ?, ?)')
      .run(source.id, kind, at, hash, acceptedAt, batch.length);
    return result.changes === 0 ? undefined : Number(result.lastInsertRowid);
  }

  #noteFollowed(since: UnixMs): void {
    this.#statements
      .get(
        `insert into facts (name, value) values ('followed', ?) on conflict (name) do update set value = excluded.value where excluded.value < value`,
      )
      .run(since);
  }

  #finish(source: SourceEntry, { rows, newest }: WrittenBatch): void {
    if (newest !== undefined)
      this.#statements
        .get('update sources set last_run_at = max(coalesce(last_run_at, 0), ?), rows = ? where id = ?')
        .run(newest, rows, source.id);
    this.#catalogue.noteBatch();
  }

  #journal(sequence: number, acceptedAt: UnixMs, changes: ChangeLog): void {
    this.#statements
      .get('insert into journal (sequence, part, accepted_at, prefixes) values (?, ?, ?, ?)')
      .run(sequence, 0, acceptedAt, changes.pack());
    this.#statements.get('delete from journal where accepted_at < ?').run(acceptedAt - JOURNAL_MS);
  }

  /** Logs of the batches after this one; undefined when the journal does not reach back. Finish or leave the iteration before the next question. */
  #journalAfter(sequence: number): Journal | undefined {
    const missing = this.#statements.get(
      'select count(*) from batches left join journal using (sequence) where batches.sequence > ? and (journal.sequence is null or prefixes is null)',
    );
    if (sequence > this.#catalogue.head.sequence || numbers(missing.get(sequence))[0]! > 0) return undefined;
    const select = this.#statements.get(
      'select source, prefixes from journal join batches using (sequence) where sequence > ? order by sequence',
    );
    return select.iterate(sequence) as unknown as Journal;
  }
}
