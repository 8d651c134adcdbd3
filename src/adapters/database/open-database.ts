import {
  type AbortableOperationOptions,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  sql,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { Fault, storeAway } from '../../core/texts/said.ts';
import { StoreUnavailable } from '../../service/store-fault.ts';
import { BULK_DEADLINE, type DatabaseDeadline, QUERY_DEADLINE } from './keep-deadline.ts';
import { migratePostgres } from './migrate.ts';
import { openRecordsFile, RECORDS, RECORDS_PLACE } from './migrations/index.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openPool } from './open-pool.ts';
import { postgresAddress, postgresFault } from './open-postgres-check.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import { isPostgresUnavailable } from './store-faults.ts';
import type { Database } from './tables.ts';

export interface DatabaseTarget {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

const CONNECT_MS = 5000;

/**
 * Opens the records database and brings its schema up to date. Threads, processes and nodes may call it at
 * the same time. It is for commands and the control thread: a statement may take any time while the database
 * is alive.
 * @throws when the database cannot be reached or a migration fails, which leaves no trace
 */
export async function openDatabase(target: DatabaseTarget): Promise<Kysely<Database>> {
  if (target.databaseUrl === undefined) {
    openRecordsFile(sqlitePath(target)).close();
    return connectDatabase(target);
  }
  const { databaseUrl } = target;
  await withBulkClient(databaseUrl, (client) => migratePostgres(client, RECORDS.postgres, RECORDS_PLACE, MIGRATING));
  return connectDatabase(target, BULK_DEADLINE);
}

export async function withBulkClient<T>(url: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const pool = openBulkPool(url, 1);
  try {
    const client = await pool.connect();
    return await work(client).finally(() => client.release());
  } catch (error) {
    throw isPostgresUnavailable(error) ? unreachable(url, error) : error;
  } finally {
    await pool.end();
  }
}

const unreachable = (url: string, cause: unknown): Error =>
  new Fault(storeAway('PULSE_DATABASE_URL', postgresAddress(url), postgresFault(cause).cause), { cause });

/** Opens the database without touching the schema, for threads that start after `openDatabase` has run. */
export function connectDatabase(target: DatabaseTarget, deadline: DatabaseDeadline = QUERY_DEADLINE): Kysely<Database> {
  if (target.databaseUrl === undefined)
    return new Kysely({ dialect: new NodeSqliteDialect(() => openSqlite(sqlitePath(target))) });
  const pool = deadline === QUERY_DEADLINE ? openPool(target.databaseUrl) : openBulkPool(target.databaseUrl);
  return new Kysely({ dialect: new PoolDialect(pool) });
}

const openBulkPool = (url: string, max = 4): Pool =>
  openPool(url, { max, patience: BULK_DEADLINE, connectMs: CONNECT_MS });

/**
 * Empties SQLite's write-ahead log, which otherwise holds deleted text until it is written over. A reader of an
 * older state puts it off.
 */
export async function emptyWriteLog(db: Kysely<Database>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

const MIGRATING = 0x70756c73;

/**
 * Kysely's PostgreSQL dialect over our pool. Every statement throws StoreUnavailable if the server cannot be
 * asked.
 */
export class PoolDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new TellingDriver({ pool: this.#pool });
  }
}

class TellingDriver extends PostgresDriver {
  /** The pool hands a connection out many times; it is wrapped once. */
  readonly #wrapped = new WeakSet<DatabaseConnection>();

  override async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(options).catch(tell);
    if (this.#wrapped.has(connection)) return connection;
    this.#wrapped.add(connection);
    const { executeQuery } = connection;
    connection.executeQuery = (query, more) =>
      executeQuery.call(connection, query, more).catch(tell) as ReturnType<typeof connection.executeQuery<never>>;
    return connection;
  }
}

function tell(error: unknown): never {
  throw isPostgresUnavailable(error) ? new StoreUnavailable(error) : error;
}
