import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { CaptureBatch, EvidenceSource, Observation } from '../../../core/evidence/capture.ts';
import { foldObservations } from '../../../core/evidence/fold.ts';
import type { Address } from '../../../core/ip/address.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import {
  type CondenseOutcome,
  type EvidenceChanges,
  type EvidenceColumnScan,
  type EvidenceHead,
  type EvidenceLog,
  type EvidenceScan,
  HISTORY_DAYS,
  type HistoryStore,
  type RunOutcome,
  type SourceHealth,
} from '../../../service/ports.ts';
import { acceptTime, hashBatch, Refusals } from '../accept-captures.ts';
import { type ChangeLog, readChanges } from '../change-log.ts';
import { compareKeys, keyOfNetwork, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import { Catalogue, type SourceEntry } from './catalogue.ts';
import { Condenser, earliest } from './condense.ts';
import { OpenFile } from './open-file.ts';
import { readLog } from './read-log.ts';
import { readLive, readPrefix } from './read-prefix.ts';
import { scanColumns, scanLists, scanRows } from './scan.ts';
import { openEvidenceDatabase } from './schema.ts';
import { numbers, Statements } from './statements.ts';
import { BatchWriter, type WrittenBatch } from './write-batch.ts';

/** How long the journal of changed prefixes is kept: a follower that was away longer reads everything anew. */
const JOURNAL_MS = HOUR_MS;
/** Pause after a slice of condensing that wrote. */
const PAUSE_MS = 5;

/** HistoryStore over one SQLite file. Every method is one transaction; refusals are counted, faults are thrown and leave nothing behind. */
export class SqliteHistory implements HistoryStore {
  readonly #path: string;
  #database!: DatabaseSync;
  #statements!: Statements;
  #catalogue!: Catalogue;
  #file!: OpenFile;

  constructor(path: string) {
    this.#path = path;
    this.#open();
  }

  recordRun(source: EvidenceSource, runAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): RunOutcome {
    if (source.mode === 'events') return this.recordCaptures(source, runAt, batch, acceptedAt);
    const at = acceptTime(runAt, acceptedAt);
    const refusals = new Refusals();
    if (at === undefined) {
      refusals.add('ahead_of_clock', batch.length);
      return this.#read(() => this.#unchanged(refusals));
    }
    return this.#batch('run', source, runAt, batch, acceptedAt, refusals, (writer, entry, sequence) => {
      const written = writer.writeRun(at);
      this.#statements.get('insert or ignore into runs (source, at, sequence) values (?, ?, ?)').run(entry.id, at, sequence);
      entry.runs.add(at);
      const times = [at, written.oldest, written.newest].filter((time) => time !== undefined);
      return { ...written, oldest: unixMs(Math.min(...times)), newest: unixMs(Math.max(...times)) };
    });
  }

  recordCaptures(source: EvidenceSource, defaultAt: UnixMs, batch: CaptureBatch, acceptedAt: UnixMs): RunOutcome {
    return this.#batch('captures', source, defaultAt, batch, acceptedAt, new Refusals(), (writer) => writer.writeEvents(defaultAt));
  }

  observationsAt(address: Address, at: UnixMs): readonly Observation[] {
    return this.#read(() => foldObservations(this.#captured(address, this.#catalogue.lengths[address.family], at)));
  }

  observationsAtEach(address: Address, instants: readonly UnixMs[]): readonly (readonly Observation[])[] {
    return this.#read(() => {
      const last = Math.max(...instants);
      // What holds nothing at the last instant holds nothing at an earlier one.
      const lengths = this.#catalogue.lengths[address.family].filter((bits) => this.#captured(address, [bits], last).length > 0);
      return instants.map((at) => foldObservations(this.#captured(address, lengths, at)));
    });
  }

  #captured(address: Address, lengths: readonly number[], at: number): Observation[] {
    return lengths.flatMap((bits) => readPrefix(this.#statements, this.#catalogue, keyOfNetwork(address, bits), bits, at));
  }

  earliest(): UnixMs | undefined {
    return this.#read(() => earliest(this.#statements));
  }

  head(): EvidenceHead {
    return this.#read(() => this.#head());
  }

  changesSince(sequence: number, limit: number): EvidenceChanges {
    return this.#read(() => {
      const state = { head: this.#head(), since: this.#catalogue.positionAt(sequence), sources: this.#catalogue.liveSources() };
      if (state.head.sequence === sequence) return { ...state, changed: [] };
      const pairs = this.#journalSince(sequence, limit);
      if (pairs === undefined) return { ...state, changed: 'all' };
      const changed = pairs.map(([key, source]) => ({
        prefix: prefixOfKey(key),
        source: source.name,
        rows: readLive(this.#statements, this.#catalogue, key, source),
      }));
      return { ...state, changed };
    });
  }

  logSince(sequence: number): EvidenceLog | undefined {
    return this.#read(() => {
      if (!this.#journalReaches(sequence)) return undefined;
      const columns = readLog(this.#statements, this.#catalogue, this.#journalAfter(sequence));
      return columns && { head: this.#head(), since: this.#catalogue.positionAt(sequence), sources: this.#catalogue.liveSources(), ...columns };
    });
  }

  scan(): EvidenceScan {
    return this.#scan(() => ({ head: this.#head(), sources: this.#catalogue.liveSources(), rows: this.#toEnd(scanRows(this.#statements, this.#catalogue)) }));
  }

  scanColumns(): EvidenceColumnScan {
    return this.#scan(() => ({
      head: this.#head(),
      ...scanLists(this.#catalogue),
      columns: this.#toEnd(scanColumns(this.#statements, this.#catalogue)),
    }));
  }

  sources(): readonly SourceHealth[] {
    return this.#catalogue.health();
  }

  recordFailure(source: EvidenceSource, at: UnixMs): void {
    this.#write(() => {
      const { id } = this.#catalogue.sourceOf(source);
      this.#statements.get('update sources set last_error_at = ? where id = ?').run(at, id);
    });
  }

  /** In short transactions with pauses between them, so that other writers get their turn. @param sliceRows rows a transaction */
  async condense(now: UnixMs, historyDays = HISTORY_DAYS, sliceRows?: number): Promise<CondenseOutcome> {
    const condenser = this.#read(() => new Condenser(this.#statements, this.#catalogue, now, historyDays, sliceRows));
    let [spells, events] = [0, 0];
    while (this.#database.isOpen) {
      const slice = this.#write(() => condenser.slice());
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
    this.#catalogue = new Catalogue(this.#database, this.#statements);
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

  /** Begins the transaction that `#toEnd` ends. */
  #scan<T>(begin: () => T): T {
    this.#begin('begin');
    try {
      this.#catalogue.refresh();
      return begin();
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  *#toEnd<T>(rows: Iterable<T>): Generator<T> {
    try {
      yield* rows;
    } finally {
      this.#database.exec('rollback');
    }
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

  #head(): EvidenceHead {
    const latest = numbers(this.#statements.get('select max(last_run_at) from sources').get())[0];
    return { ...this.#catalogue.position, ...(typeof latest === 'number' ? { latestAt: unixMs(latest) } : {}) };
  }

  #unchanged(refusals: Refusals): RunOutcome {
    return { sequence: this.#catalogue.position.sequence, rows: 0, added: 0, ended: 0, changed: false, refused: refusals.counts };
  }

  /** Number of the new batch; undefined when this very batch is there already. */
  #beginBatch(source: SourceEntry, kind: string, at: UnixMs, hash: Uint8Array, acceptedAt: UnixMs, rows: number): number | undefined {
    const result = this.#statements
      .get('insert or ignore into batches (source, kind, at, hash, accepted_at, rows, mark) values (?, ?, ?, ?, ?, ?, lower(hex(randomblob(8))))')
      .run(source.id, kind, at, hash, acceptedAt, rows);
    return result.changes === 0 ? undefined : Number(result.lastInsertRowid);
  }

  #batch(
    kind: 'run' | 'captures',
    source: EvidenceSource,
    at: UnixMs,
    batch: CaptureBatch,
    acceptedAt: UnixMs,
    refusals: Refusals,
    write: (writer: BatchWriter, entry: SourceEntry, sequence: number) => WrittenBatch,
  ): RunOutcome {
    const hash = hashBatch(source, batch);
    return this.#write(() => {
      const entry = this.#catalogue.sourceOf(source);
      const sequence = this.#beginBatch(entry, kind, at, hash, acceptedAt, batch.length);
      if (sequence === undefined) return this.#unchanged(refusals);
      const store = { statements: this.#statements, catalogue: this.#catalogue };
      const written = write(new BatchWriter(store, { source, entry, batch, acceptedAt, refusals }), entry, sequence);
      this.#finish(entry, sequence, acceptedAt, written);
      return { sequence, rows: written.rows, added: written.added, ended: written.ended, changed: true, refused: refusals.counts };
    });
  }

  #finish(source: SourceEntry, sequence: number, acceptedAt: UnixMs, written: WrittenBatch): void {
    this.#catalogue.noteBatch();
    this.#journal(sequence, acceptedAt, written.changes);
    if (written.oldest === undefined || written.newest === undefined) return;
    this.#statements
      .get('update sources set last_run_at = max(coalesce(last_run_at, 0), ?), rows = ? where id = ?')
      .run(written.newest, written.rows, source.id);
    this.#statements
      .get(`insert into facts (name, value) values ('earliest', ?) on conflict (name) do update set value = min(value, excluded.value)`)
      .run(written.oldest);
  }

  #journal(sequence: number, acceptedAt: UnixMs, changes: ChangeLog): void {
    this.#statements.get('insert into journal (sequence, part, accepted_at, prefixes) values (?, ?, ?, ?)').run(sequence, 0, acceptedAt, changes.pack());
    this.#statements.get('delete from journal where accepted_at < ?').run(acceptedAt - JOURNAL_MS);
  }

  /** Whether the journal says what every batch after this one changed. */
  #journalReaches(sequence: number): boolean {
    const missing = this.#statements.get(
      'select count(*) from batches left join journal using (sequence) where batches.sequence > ? and (journal.sequence is null or prefixes is null)',
    );
    return sequence <= this.#catalogue.position.sequence && numbers(missing.get(sequence))[0] === 0;
  }

  /** Packed logs of the batches after this one, with the number of their source, oldest first. Finish or leave the iteration before the next question. */
  #journalAfter(sequence: number): Iterable<readonly [source: number, log: Uint8Array]> {
    const select = this.#statements.get('select source, prefixes from journal join batches using (sequence) where sequence > ? order by sequence');
    return select.iterate(sequence) as unknown as Iterable<readonly [number, Uint8Array]>;
  }

  /** (prefix, source) pairs changed after a batch, distinct and ascending; undefined when there are more than `limit` or the journal does not reach back. */
  #journalSince(sequence: number, limit: number): readonly (readonly [PrefixKey, SourceEntry])[] | undefined {
    if (!this.#journalReaches(sequence)) return undefined;
    const pairs = new Map<string, readonly [PrefixKey, SourceEntry]>();
    for (const [id, packed] of this.#journalAfter(sequence)) {
      const source = this.#catalogue.sources.get(id)!;
      readChanges(packed, (_change, key) => {
        pairs.set(`${id} ${typeof key === 'number' ? key : Buffer.from(key).toString('latin1')}`, [key, source]);
        return pairs.size <= limit;
      });
      if (pairs.size > limit) return undefined;
    }
    return [...pairs.values()].sort(([a], [b]) => compareKeys(a, b));
  }
}
