import { RISK_TYPES } from '../../../contract/risk.ts';
import type { DerivationRules } from '../../../core/collection/derive/derivation-rules.ts';
import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { DerivationNote, SourceCaptures, SourceChange } from '../../../service/ports.ts';
import type { Catalogue, Series, SourceEntry } from '../catalogue.ts';
import { ChangeLog, JOURNAL_MS } from '../change-log.ts';
import { namedPrefixes } from '../charge-window.ts';
import type { Derivation, DerivationPlan, DerivationState } from '../derive-batch.ts';
import type { ChangedEntry, Journal } from '../journal-rows.ts';
import type { JudgedBatch } from '../judge-batch.ts';
import { keyOfNetwork, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import { PrefixRecords } from '../prefix-records.ts';
import type { ReceivedBatch, WrittenBatch } from '../receive-captures.ts';
import type { RetractedTime } from '../retractions.ts';
import type { BegunBatch, DerivationRow, SqlValue, Transaction } from '../sql.ts';
import { derivationsOf, readDerivationState, writeDerivation } from './derivation-tables.ts';
import { readPrefix } from './read-prefixes.ts';
import { numbers, type Statements } from './statements.ts';
import { writeBatch } from './write-batch.ts';

/** Captures of the source between two moments; where the detail is gone, prefixes whose first or last capture lies there; presence intervals that reach into the stretch. */
const EVENTS = 'from events where at >= ?1 and at < ?2 and track in (select id from tracks where source = ?3)';
const MEMORY = `from memory where track in (select id from tracks where source = ?3)
  and (first_at >= ?1 and first_at < ?2 or last_at >= ?1 and last_at < ?2)`;
const INTERVALS = `from spells where track in (select id from tracks where source = ?3 and presence = 0) and first_at < ?2 and (last_at is null or last_at >= ?1)`;

/** A transaction of the connection, which has one at a time. */
export class SqliteTransaction implements Transaction {
  readonly statements: Statements;
  readonly catalogue: Catalogue;

  constructor(statements: Statements, catalogue: Catalogue) {
    this.statements = statements;
    this.catalogue = catalogue;
  }

  query<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): readonly Row[] {
    return this.statements.query(text, values);
  }

  writeRows(
    entry: SourceEntry,
    sequence: number,
    received: ReceivedBatch,
    judged: JudgedBatch,
    tracks: ReadonlyMap<number, Series>,
    revives: boolean,
  ): WrittenBatch {
    const changes = new ChangeLog();
    if (revives) changes.everything();
    const written = writeBatch(this, entry, received, judged, tracks, changes);
    if (received.runAt !== undefined) entry.runs.add(received.runAt);
    this.#journal({ sequence, acceptedAt: received.acceptedAt }, changes);
    return written;
  }

  #journal({ sequence, acceptedAt }: BegunBatch, changes: ChangeLog): void {
    this.statements
      .get('insert into journal (sequence, part, accepted_at, prefixes) values (?, ?, ?, ?)')
      .run(sequence, 0, acceptedAt, changes.pack());
    this.statements.get('delete from journal where accepted_at < ?').run(acceptedAt - JOURNAL_MS);
  }

  readDerivationState(plan: DerivationPlan, rules: DerivationRules): DerivationState {
    return readDerivationState(this.statements, this.catalogue, plan, rules);
  }

  writeDerivation(derivation: Derivation): void {
    writeDerivation(this.statements, this.catalogue, derivation);
  }

  countNew(captures: readonly SourceCaptures[], since: number): number {
    const known = this.statements.get(
      'select 1 from events where prefix = ? and track in (select id from tracks where source = ?) and at > ? limit 1',
    );
    let sum = 0;
    for (const one of captures) {
      const source = this.catalogue.named(one.source.id)?.id ?? -1;
      for (const [key, addresses] of namedPrefixes(one))
        if (known.get(key, source, since) === undefined) sum += addresses;
    }
    return sum;
  }

  noteRetracted({ id, runs }: SourceEntry, { from, to, madeAt }: RetractedTime, sequence: number): number {
    const changes = new ChangeLog();
    // Rows of open presence intervals follow from the runs, all at once.
    if (runs.length > 0) changes.everything();
    for (const row of this.statements
      .get(`select prefix ${EVENTS} union select prefix ${MEMORY}`)
      .iterate(from, to, id))
      changes.touched((row as unknown as [PrefixKey])[0]);
    this.#journal({ sequence, acceptedAt: madeAt }, changes);
    const count = (what: string): number =>
      numbers(this.statements.get(`select count(*) ${what}`).get(from, to, id))[0]!;
    return count(EVENTS) + count(INTERVALS);
  }

  withdraw(derived: SourceEntry, rows: readonly DerivationRow[], batch: BegunBatch): number {
    const changes = new ChangeLog();
    let withdrawn = 0;
    for (const { prefix, type, at } of rows as readonly (DerivationRow & { readonly prefix: PrefixKey })[]) {
      this.statements
        .get('update derivations set retracted_at = ? where prefix = ? and risk_type = ? and at = ?')
        .run(batch.acceptedAt, prefix, type, at);
      const held = this.statements.get('select track from events where prefix = ? and at = ?').all(prefix, at);
      const own = held
        .map((row) => this.catalogue.tracks.get(numbers(row)[0]!)!)
        .filter(({ source, riskType }) => source.id === derived.id && riskType === RISK_TYPES[type]);
      for (const { id } of own) {
        this.statements.get('delete from events where prefix = ? and track = ? and at = ?').run(prefix, id, at);
        this.statements
          .get('insert or replace into withdrawn (prefix, track, at, made_at) values (?, ?, ?, ?)')
          .run(prefix, id, at, batch.acceptedAt);
      }
      if (own.length === 0) continue;
      withdrawn++;
      changes.touched(prefix);
    }
    this.#journal(batch, changes);
    return withdrawn;
  }

  /** Finish or leave the iteration before the next question. */
  journalAfter(sequence: number): Journal | undefined {
    const missing = this.statements.get(
      'select count(*) from batches left join journal using (sequence) where batches.sequence > ? and (journal.sequence is null or prefixes is null)',
    );
    if (sequence > this.catalogue.head.sequence || numbers(missing.get(sequence))[0]! > 0) return undefined;
    const select = this.statements.get(
      'select source, prefixes from journal join batches using (sequence) where sequence > ? order by sequence',
    );
    return select.iterate(sequence) as unknown as Journal;
  }

  readChanged(entries: readonly ChangedEntry[]): readonly SourceChange[] {
    return entries.map(([key, source]) => {
      const records = new PrefixRecords(this.catalogue);
      readPrefix(this.statements, key, Number.MAX_SAFE_INTEGER, records);
      const prefix = prefixOfKey(key);
      return { prefix, source: source.name, rows: records.liveRows(prefix, source) };
    });
  }

  derivationsAt(address: Address, at: UnixMs): readonly DerivationNote[] {
    return this.catalogue.lengths[address.family].flatMap((bits) =>
      derivationsOf(this.statements, keyOfNetwork(address, bits), at),
    );
  }
}
