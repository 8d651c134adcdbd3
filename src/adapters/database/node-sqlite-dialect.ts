/**
 * Kysely's SQLite dialect over `node:sqlite`, which differs from its base in three ways:
 * - A transaction takes the write lock when it begins. A deferred one that reads first and writes later fails
 *   with "database is locked" under WAL, regardless of the busy timeout.
 * - Waiting for that lock does not block the thread. SQLite's own busy timeout would stop all other requests,
 *   and never succeed if another connection of the same thread holds the lock.
 * - A file that cannot be read or written now (locked too long, full, read-only) throws StoreUnavailable.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { keptStatements } from './open-sqlite.ts';
import { sqliteCode, sqliteFault } from './store-faults.ts';

export class NodeSqliteDialect extends SqliteDialect {
  readonly #open: () => DatabaseSync;

  /** @param open is called by the first question, and what it opened is closed with Kysely */
  constructor(open: () => DatabaseSync) {
    super({ database: async () => asExpected(open()) });
    this.#open = open;
  }

  override createDriver(): Driver {
    return new PatientDriver(this.#open);
  }
}

class PatientDriver extends SqliteDriver {
  #database: DatabaseSync | undefined;

  constructor(open: () => DatabaseSync) {
    super({
      database: async () => {
        try {
          this.#database = open();
        } catch (error) {
          throw sqliteFault(error);
        }
        this.#database.exec('pragma busy_timeout = 0');
        return asExpected(this.#database);
      },
    });
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return patient(await super.acquireConnection());
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** A full disk already ended the transaction; a second rollback would fail and hide the cause. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database?.isTransaction) await super.rollbackTransaction(connection);
  }
}

const SQLITE_BUSY = 5;
/** About ten seconds in all: longer than any transaction of ours, shorter than the timeout of callers. */
const ATTEMPTS = 450;
const LONGEST_PAUSE_MS = 25;

const isBusy = (error: unknown): boolean => sqliteCode(error) === SQLITE_BUSY;

/**
 * Retries a statement while another connection holds the write lock. Inside our own transactions the lock is
 * held, so only their beginning waits.
 */
function patient(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await connection.executeQuery<Row>(query);
        } catch (error) {
          if (!isBusy(error) || attempt === ATTEMPTS) throw sqliteFault(error);
          await pause(Math.min(attempt, LONGEST_PAUSE_MS));
        }
      }
    },
    streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  };
}

function asExpected(database: DatabaseSync) {
  const prepared = keptStatements(database);
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const { statement, reader } = prepared(sql);
      const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
      return {
        reader,
        // Rows come without a prototype; plain objects behave like the rows of the other engine.
        all: (parameters: readonly unknown[]) => statement.all(...values(parameters)).map((row) => ({ ...row })),
        run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
        // Other queries run between the pieces of an iteration and would restart a shared statement, so it
        // has one of its own.
        iterate: (parameters: readonly unknown[]) => database.prepare(sql).iterate(...values(parameters)),
      };
    },
  };
}
