import type { DatabaseSync } from 'node:sqlite';
import { foldObservations } from '../../../core/evidence/fold-observations.ts';
import type { Observation } from '../../../core/evidence/observation.ts';
import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import { RowNames } from '../../../engine/evidence/row-names.ts';
import type { CompactionOutcome, EvidenceScan } from '../../../service/ports.ts';
import { type DeriveBy, WITHOUT_FACTS } from '../derive/derive-batch.ts';
import { keyOfNetwork } from '../prefix-key.ts';
import { Catalogue } from '../read/catalogue.ts';
import { loadCatalogue, readHead } from '../read/load-catalogue.ts';
import { PrefixRecords } from '../read/prefix-records.ts';
import { runSync, type Sql, type Steps, type Transaction } from '../sql.ts';
import { SqlHistory } from '../sql-history.ts';
import { OpenFile } from './open-file.ts';
import { hasRecords, readPrefix } from './read-prefixes.ts';
import { scanTables } from './scan.ts';
import { openEvidenceDatabase } from './schema.ts';
import { numbers, Statements } from './statements.ts';
import { SqliteTransaction } from './transaction.ts';

export class SqliteHistory extends SqlHistory<'now'> {
  readonly #path: string;
  #database!: DatabaseSync;
  #statements!: Statements;
  #file!: OpenFile;
  /** `#version` detects writes of other connections. */
  #catalogue = new Catalogue();
  #version = -1;

  constructor(path: string, deriveBy: DeriveBy = WITHOUT_FACTS) {
    super(deriveBy);
    this.#path = path;
    this.#open();
  }

  observationsAt(address: Address, at: UnixMs): readonly Observation[] {
    return this.#reading(() => foldObservations(this.#captured(address, this.#catalogue.lengths[address.family], at)));
  }

  observationsAtEach(address: Address, instants: readonly UnixMs[]): readonly (readonly Observation[])[] {
    return this.#reading(() => {
      const last = Math.max(...instants);
      const lengths = this.#catalogue.lengths[address.family].filter((bits) =>
        hasRecords(this.#statements, keyOfNetwork(address, bits), last),
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

  async scan<T>(read: (scan: EvidenceScan) => T | Promise<T>, at?: UnixMs): Promise<T> {
    this.#begin('begin');
    try {
      const catalogue = this.#refreshed();
      const names = new RowNames(catalogue.liveSources());
      return await read({ head: catalogue.head, names, columns: scanTables(this.#statements, catalogue, names, at) });
    } finally {
      this.#end();
    }
  }

  override async compact(...how: Parameters<SqlHistory<'now'>['compact']>): Promise<CompactionOutcome> {
    const outcome = await super.compact(...how);
    this.#forget();
    return outcome;
  }

  protected get isOpen(): boolean {
    return this.#database.isOpen;
  }

  close(): void {
    this.#database.close();
  }

  protected read<T>(work: (tx: Transaction) => Steps<T>): T {
    return this.#reading(() => runSync(work(new SqliteTransaction(this.#statements, this.#catalogue))));
  }

  protected write<T>(work: (tx: Transaction) => Steps<T>): T {
    return this.#writing(() => {
      const { sequence } = this.#catalogue.head;
      const outcome = runSync(work(new SqliteTransaction(this.#statements, this.#catalogue)));
      if (this.#catalogue.head.sequence !== sequence) this.#catalogue.head = runSync(readHead(this.#statements));
      return outcome;
    });
  }

  protected ask<T>(work: (sql: Sql) => Steps<T>): T {
    return this.read(work);
  }

  protected note(work: (sql: Sql) => Steps<void>): void {
    this.write(work);
  }

  #open(): void {
    this.#database = openEvidenceDatabase(this.#path);
    this.#statements = new Statements(this.#database);
    this.#forget();
    this.#file = new OpenFile(this.#path);
  }

  /** A full disk already ended the transaction; a second rollback would fail and hide the cause. */
  #end(): void {
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }

  #forget(): void {
    this.#catalogue = new Catalogue();
    this.#version = -1;
  }

  /** Begins a transaction on the file that is at the path now, reopening it if it was replaced. */
  #begin(how: 'begin' | 'begin immediate'): void {
    if (this.#file.isReplaced()) {
      if (this.#database.isOpen) this.#database.close();
      this.#open();
    }
    this.#database.exec(how);
  }

  #refreshed(): Catalogue {
    const version = numbers(this.#statements.get('pragma data_version').get())[0]!;
    if (version !== this.#version) this.#catalogue = runSync(loadCatalogue(this.#statements, this.#catalogue));
    this.#version = version;
    return this.#catalogue;
  }

  #reading<T>(work: () => T): T {
    this.#begin('begin');
    try {
      this.#refreshed();
      return work();
    } finally {
      this.#end();
    }
  }

  #writing<T>(work: () => T): T {
    this.#begin('begin immediate');
    try {
      this.#refreshed();
      const outcome = work();
      this.#database.exec('commit');
      return outcome;
    } catch (error) {
      this.#end();
      this.#forget();
      throw error;
    }
  }
}
