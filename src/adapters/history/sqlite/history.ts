import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { foldObservations } from '../../../core/evidence/fold-observations.ts';
import type { Observation } from '../../../core/evidence/observation.ts';
import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { EvidenceColumns } from '../../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../../engine/evidence/evidence-row.ts';
import type { CompactionOutcome, EvidenceScan } from '../../../service/ports.ts';
import { type DeriveBy, WITHOUT_FACTS } from '../derive/derive-batch.ts';
import { keyOfNetwork, type PrefixKey } from '../prefix-key.ts';
import { Catalogue } from '../read/catalogue.ts';
import { loadCatalogue, readHead } from '../read/load-catalogue.ts';
import { PrefixRecords } from '../read/prefix-records.ts';
import { type ScanCursor, type ScanRecord, scanColumns } from '../read/scan-columns.ts';
import { RECORD } from '../read/series-fold.ts';
import {
  type EventPosition,
  MEMORY_ROWS,
  runSync,
  type Sql,
  type SqlRow,
  type SqlValue,
  type Steps,
  type Transaction,
  UNITE_MEMORY,
} from '../sql.ts';
import { SqlHistory } from '../sql-history.ts';
import { hasRecords, readPrefix } from './read-prefixes.ts';
import { openEvidenceDatabase } from './schema.ts';
import { numbers, Statements } from './statements.ts';

export class SqliteTransaction implements Transaction {
  readonly statements: Statements;
  readonly catalogue: Catalogue;

  constructor(statements: Statements, catalogue: Catalogue) {
    this.statements = statements;
    this.catalogue = catalogue;
  }

  query<Row extends readonly unknown[]>(text: string, values?: SqlRow): readonly Row[] {
    return this.statements.query(text, values);
  }

  keyIn = (key: PrefixKey = -1): SqlValue => key;

  keyOf = (value: unknown): PrefixKey => value as PrefixKey;

  each<Row extends readonly unknown[]>(text: string, rows: readonly SqlRow[]): readonly (readonly Row[])[] {
    return rows.map((row) => this.statements.query<Row>(text, row));
  }

  insert(into: string, rows: Iterable<SqlRow>, conflict?: string): void {
    const insert = this.#insert(into, conflict);
    for (const row of rows) insert(row);
  }

  insertEvents(rows: readonly SqlRow[]): readonly SqlRow[] {
    const insert = this.#insert('evidence_events (prefix, track, at)');
    return rows.filter((row) => insert(row) > 0);
  }

  withRows(statement: string, columns: readonly string[], rows: readonly SqlRow[]): void {
    const where = columns.map((column, i) => `${column} = $${i + 1}`).join(' and ');
    for (const row of rows) this.statements.run(`${statement} where ${where}`, row);
  }

  /** The table is stored in prefix order, so a slice moves the old events among the next `rows` rows. */
  moveEvents(after: EventPosition, horizon: UnixMs, rows: number): { moved: number; after: EventPosition } {
    const from = after ?? this.keyIn();
    const [last] = this.query<[SqlValue]>(
      'select prefix from evidence_events where prefix > $1 order by prefix limit 1 offset $2',
      [from, rows - 1],
    );
    const old = `at < $1 and prefix > $2${last === undefined ? '' : ' and prefix <= $3'}`;
    const bounds = [horizon, from, ...(last ?? [])];
    this.statements.run(
      `insert into ${MEMORY_ROWS} select prefix, track, min(at), max(at) from evidence_events where ${old} group by prefix, track ${UNITE_MEMORY}`,
      bounds,
    );
    return { moved: this.statements.run(`delete from evidence_events where ${old}`, bounds), after: last?.[0] };
  }

  #insert(into: string, conflict = 'on conflict do nothing'): (row: SqlRow) => number {
    const values = into.split(',').map((_, i) => `$${i + 1}`);
    const statement = this.statements.get(`insert into ${into} values (${values.join(', ')}) ${conflict}`);
    return (row) => Number(statement.run(...(row as readonly SQLInputValue[])).changes);
  }
}

/**
 * Identifies the file that a connection has open. After a rename or a replacement the connection would keep
 * the old inode.
 */
export class OpenFile {
  readonly #path: string;
  readonly #inode: string | undefined;
  readonly #walInode: string | undefined;

  /**
   * Must be constructed after the first read, when the write-ahead log exists. @param path a path that is not
   * a file (`:memory:`) never counts as replaced
   */
  constructor(path: string) {
    this.#path = path;
    this.#inode = inodeOf(path);
    this.#walInode = inodeOf(`${path}-wal`);
  }

  /**
   * Returns whether another file is at the path now.
   * @throws when the file is missing, since a running service must not start an empty store, and when the old
   * file's log lies next to the new file: SQLite would apply it to the wrong file
   */
  isReplaced(): boolean {
    if (this.#inode === undefined) return false;
    const inode = inodeOf(this.#path);
    if (inode === this.#inode) return false;
    if (inode === undefined)
      throw new Error(
        `${this.#path} was moved or deleted: put it back, or start the service again to begin with an empty one`,
      );
    if (this.#walInode !== undefined && inodeOf(`${this.#path}-wal`) === this.#walInode)
      throw new Error(
        `${this.#path} was replaced, but ${this.#path}-wal is of the file before: stop the service, delete it and -shm, and start the service again`,
      );
    return true;
  }
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

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

/**
 * Rows fetched per call. One call per row costs nearly twice as much, and larger pages survive long enough
 * for the garbage collector to copy them.
 */
const PAGE_ROWS = 1024;

class Cursor implements ScanCursor {
  readonly kind: number;
  readonly #statement: StatementSync;
  readonly #keyColumns: number;
  page: readonly ScanRecord[] = [];
  at = 0;

  constructor(statements: Statements, kind: number, table: string, key: readonly string[], more: readonly string[]) {
    const columns = key.join(', ');
    const after = key.map(() => '?').join(', ');
    this.kind = kind;
    this.#statement = statements.get(
      `select ${[...key, ...more].join(', ')} from ${table} where (${columns}) > (${after}) order by ${columns} limit ${PAGE_ROWS}`,
    );
    this.#keyColumns = key.length;
    this.#fetch([-1, ...key.slice(1).map(() => 0)]);
  }

  turn(): void {
    this.#fetch(this.page[this.page.length - 1]!.slice(0, this.#keyColumns) as SQLInputValue[]);
  }

  #fetch(after: readonly SQLInputValue[]): void {
    this.page = this.#statement.all(...after) as unknown as readonly ScanRecord[];
    this.at = 0;
  }
}

/**
 * Yields all rows of now or of `at` in chunks. Must run in a read transaction with a current catalogue.
 */
export function* scanTables(
  statements: Statements,
  catalogue: Catalogue,
  names: RowNames,
  at?: UnixMs,
): Generator<EvidenceColumns> {
  const cursors = [
    new Cursor(statements, RECORD.presence, 'spells', ['prefix', 'track', 'first_at'], ['last_at']),
    new Cursor(statements, RECORD.event, 'events', ['prefix', 'track', 'at'], []),
    new Cursor(statements, RECORD.firstLast, 'memory', ['prefix', 'track'], ['first_at', 'last_at']),
  ];
  if (at !== undefined)
    cursors.push(new Cursor(statements, RECORD.withdrawn, 'withdrawn', ['prefix', 'track', 'at'], ['made_at']));
  for (const step of scanColumns(cursors, catalogue, names, at)) {
    if (step instanceof Cursor) step.turn();
    else yield step;
  }
}
