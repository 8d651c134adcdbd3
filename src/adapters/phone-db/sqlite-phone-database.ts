import { statSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import { fault } from '../../core/texts/said.ts';
import { migrateSqlite } from '../database/migrate.ts';
import { keptStatements, openSqlite } from '../database/open-sqlite.ts';
import { sqliteCode } from '../database/store-faults.ts';
import { COLUMNS, PHONE_TABLES, type PhoneDatabase, type PhoneSession, type StoredRecord } from './phone-database.ts';

const TYPES = 'risk integer, tags text, first_seen integer, last_active integer, observed_days integer, card text';
const SQLITE_BUSY = 5;
const WAIT_MS = 60_000;
const LOOK_MS = 50;
/**
 * Page cache for a file larger than it: the inner pages of some hundred million records, and the pages of a
 * sort.
 */
const CACHE_KIB = 64 * 1024;
/**
 * Cap on mapped bytes. A reader's question takes a fifth less time when pages are not copied.
 * Reading a mapped page that the file no longer has would end the process. A reader therefore reopens a file
 * that has been written since, and an import never shortens it.
 */
const MAPPED_BYTES = 0x7fff_0000;

interface OpenFile {
  readonly database: DatabaseSync;
  readonly session: PhoneSession;
  readonly inode: bigint;
  readonly changedAt: bigint;
}

/** The libraries in a SQLite file. The next question notices that the file was removed or replaced. */
export class SqlitePhoneDatabase implements PhoneDatabase {
  readonly bytes = 'blob';
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #waitMs: number;
  #open: OpenFile | undefined;

  constructor(path: string, { readOnly = false, waitMs = WAIT_MS } = {}) {
    this.#path = path;
    this.#readOnly = readOnly;
    this.#waitMs = waitMs;
  }

  async query<Row>(text: string, parameters: Parameters<PhoneSession['query']>[1]): Promise<readonly Row[]> {
    return this.#file(false).session.query(text, parameters);
  }

  /** @throws Error if another import, into either library, blocks the file for the whole wait */
  async write<Result>(_: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result> {
    const { database, session } = this.#file(true);
    for (let waitedMs = 0; !begins(database); waitedMs += LOOK_MS) {
      if (waitedMs >= this.#waitMs) throw fault('another import into the phone libraries is under way');
      await setTimeout(LOOK_MS);
    }
    try {
      const result = await work(session);
      database.exec('commit');
      // The write-ahead log is as large as the import, so it is checkpointed and truncated now.
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
    const isSame = this.#open?.inode === stats?.ino && (!this.#readOnly || this.#open?.changedAt === stats?.mtimeNs);
    if (this.#open !== undefined && isSame) return this.#open;
    this.#open?.database.close();
    this.#open = undefined;
    if (stats === undefined && !create) throw new NoFile();
    const database = openSqlite(this.#path, { readOnly: this.#readOnly });
    database.exec(`pragma cache_size = -${CACHE_KIB}; pragma mmap_size = ${this.#readOnly ? MAPPED_BYTES : 0}`);
    if (create) migrateSqlite(database, PHONE_TABLES, this.#path);
    const { ino: inode, mtimeNs: changedAt } = stats ?? statSync(this.#path, { bigint: true });
    this.#open = { database, session: sessionOf(database), inode, changedAt };
    return this.#open;
  }
}

class NoFile extends Error {}

function begins(database: DatabaseSync): boolean {
  if (database.isTransaction) return false;
  try {
    database.exec('pragma busy_timeout = 0; begin immediate');
    return true;
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) return false;
    throw error;
  } finally {
    database.exec('pragma busy_timeout = 5000');
  }
}

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
    /**
     * Sorts the records on disk first. Keys are random, so each record in its original order would dirty its
     * own page.
     */
    async fill(table, batches) {
      createSqliteLibraryTable(database, table);
      database.exec(`create temp table arriving (key blob, ${TYPES})`);
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

export function createSqliteLibraryTable(database: DatabaseSync, table: string): void {
  database.exec(`create table ${table} (key blob primary key, ${TYPES}) without rowid`);
}
