import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import { keptStatements } from '../database/kept-statements.ts';
import { openSqlite } from '../database/open-sqlite.ts';
import { sqliteCode } from '../database/sqlite-faults.ts';
import {
  COLUMNS,
  CREATE_DIRECTORY,
  type PhoneDatabase,
  type PhoneSession,
  type StoredRecord,
} from './phone-database.ts';

const SQLITE_BUSY = 5;
/** An import that meets another waits this long: the thread it is in stands still meanwhile. */
const BUSY_MS = 500;
/** Pages kept of a file that does not fit: the inner ones of some hundred million records, and what is sorted at once. */
const CACHE_KIB = 64 * 1024;

interface OpenFile {
  readonly database: DatabaseSync;
  readonly session: PhoneSession;
  /** Which file it is, as `statSync` says. */
  readonly inode: bigint;
}

/** The libraries in a SQLite file. A file that was taken away or exchanged is noticed at the next question. */
export class SqlitePhoneDatabase implements PhoneDatabase {
  readonly bytes = 'blob';
  readonly #path: string;
  readonly #readOnly: boolean;
  #open: OpenFile | undefined;

  constructor(path: string, { readOnly = false } = {}) {
    this.#path = path;
    this.#readOnly = readOnly;
  }

  async query<Row>(text: string, parameters: Parameters<PhoneSession['query']>[1]): Promise<readonly Row[]> {
    return this.#file(false).session.query(text, parameters);
  }

  /** @throws Error at once when another import writes into the file, whichever library that is for */
  async write<Result>(_: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result> {
    const { database, session } = this.#file(true);
    if (database.isTransaction) throw new Error(ANOTHER);
    try {
      database.exec('begin immediate');
    } catch (error) {
      throw sqliteCode(error) === SQLITE_BUSY ? new Error(ANOTHER, { cause: error }) : error;
    }
    try {
      const result = await work(session);
      database.exec('commit');
      // The log has as many pages as the import wrote: they go to their places now, and the log is cut.
      database.exec('pragma wal_checkpoint(truncate)');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }

  lacksTable(error: unknown): boolean {
    return error instanceof NoFile || (error instanceof Error && error.message.startsWith('no such table: phone_'));
  }

  async close(): Promise<void> {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #file(create: boolean): OpenFile {
    const stats = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (this.#open !== undefined && this.#open.inode === stats?.ino) return this.#open;
    this.#open?.database.close();
    this.#open = undefined;
    if (stats === undefined && !create) throw new NoFile();
    const database = openSqlite(this.#path, { readOnly: this.#readOnly });
    database.exec(`pragma cache_size = -${CACHE_KIB}; pragma busy_timeout = ${BUSY_MS}`);
    if (create) database.exec(CREATE_DIRECTORY);
    this.#open = {
      database,
      session: sessionOf(database),
      inode: statSync(this.#path, { bigint: true }).ino,
    };
    return this.#open;
  }
}

/** The file is not there. Only an import makes one. */
class NoFile extends Error {}

const ANOTHER = 'another import into the phone libraries is under way';

function sessionOf(database: DatabaseSync): PhoneSession {
  const prepare = keptStatements(database);
  const valuesOf = (record: StoredRecord): SQLInputValue[] => [record.key, ...COLUMNS.map((name) => record[name])];
  const insert = (table: string): string => `insert or replace into ${table} values (?${', ?'.repeat(COLUMNS.length)})`;
  return {
    async query<Row>(text: string, parameters: readonly SQLInputValue[]): Promise<readonly Row[]> {
      const named = Object.fromEntries(parameters.map((value, index) => [`$${index + 1}`, value]));
      const { statement } = prepare(text);
      return (parameters.length === 0 ? statement.all() : statement.all(named)) as Row[];
    },
    async put(table, records) {
      const { statement: write } = prepare(insert(table));
      const { statement: remove } = prepare(`delete from ${table} where key = ?`);
      for (const record of records) {
        if (record.last_active === null) remove.run(record.key);
        else write.run(...valuesOf(record));
      }
    },
    /** Keys are random: written as they come, each would change a page of its own. So they are sorted on the disk first. */
    async fill(table, batches) {
      const columns =
        'risk integer, tags text, first_seen integer, last_active integer, observed_days integer, card text';
      database.exec(`create table ${table} (key blob primary key, ${columns}) without rowid;
        create temp table arriving (key blob, ${columns})`);
      const { statement } = prepare(insert('temp.arriving'));
      let deletions = false;
      for await (const records of batches)
        for (const record of records) {
          deletions ||= record.last_active === null;
          statement.run(...valuesOf(record));
        }
      database.exec(`insert or replace into ${table} select * from temp.arriving order by key, rowid;
        drop table temp.arriving`);
      if (deletions) database.exec(`delete from ${table} where last_active is null`);
      return (database.prepare(`select count(*) as records from ${table}`).get() as { records: number }).records;
    },
  };
}
