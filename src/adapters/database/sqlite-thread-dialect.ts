/**
 * Kysely's SQLite dialect over a thread of its own: a thread that answers look-ups must not wait for the disk, for another writer, or for a statement over many
 * rows. The thread starts with the first statement and ends after a while without one.
 */
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SqliteDialect } from 'kysely';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { WorkerCalls } from '../system/worker-calls.ts';
import { TransactionalAdapter } from './node-sqlite-dialect.ts';
import { sqliteFault } from './sqlite-faults.ts';

/** A statement for the thread. `begun`: it belongs to a transaction. */
export type ThreadQuestion = 'close' | { readonly sql: string; readonly parameters: readonly unknown[]; readonly begun: boolean };

/** `begun`: a transaction is open after the statement. A full disk ends one by itself. */
export type ThreadAnswer =
  | { readonly rows: readonly unknown[]; readonly changes?: number | bigint; readonly lastInsertRowid?: number | bigint; readonly begun: boolean }
  | { readonly fault: string; readonly errcode: number; readonly begun: boolean };

/** A thread without a statement for this long ends: an installation whose console is not used holds no memory for it. */
const IDLE_MS = 300_000;

export class SqliteThreadDialect extends SqliteDialect {
  readonly #path: string;

  /** @param path of a database whose schema is up to date */
  constructor(path: string) {
    // The driver below opens the file, in its thread.
    super({ database: async () => Promise.reject(new Error('opened in a thread of its own')) });
    this.#path = path;
  }

  override createDriver(): Driver {
    return new ThreadDriver(this.#path);
  }

  override createAdapter(): TransactionalAdapter {
    return new TransactionalAdapter();
  }
}

/** One connection, which Kysely gives to one user at a time. */
class ThreadDriver implements Driver {
  readonly #calls: WorkerCalls<ThreadQuestion, ThreadAnswer>;
  readonly #connection: DatabaseConnection;
  /** A transaction was begun here and neither committed nor taken back. */
  #inTransaction = false;
  /** It is still open in the thread. */
  #begun = false;

  constructor(path: string) {
    const entry = new URL('./sqlite-thread-worker.ts', import.meta.url);
    this.#calls = new WorkerCalls(entry, { workerData: { path }, idleMs: IDLE_MS, ended: 'the thread of the records database ended' });
    this.#connection = {
      executeQuery: <Row>(query: CompiledQuery) => this.#execute<Row>(query),
      streamQuery: () => {
        throw new Error('records are not read in pieces');
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  /** The write lock at once: a transaction that reads first and writes later would fail with "database is locked" under WAL. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    this.#inTransaction = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
    this.#inTransaction = false;
  }

  /** What a full disk or the end of the thread has taken back is not taken back once more: that would fail, and hide why. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#begun) await connection.executeQuery(CompiledQuery.raw('rollback'));
    } finally {
      this.#inTransaction = false;
    }
  }

  async destroy(): Promise<void> {
    if (this.#calls.running) await this.#calls.call('close').catch(() => undefined);
    await this.#calls.close();
  }

  async #execute<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const answer = await this.#ask({ sql, parameters, begun: this.#inTransaction });
    this.#begun = answer.begun;
    if ('fault' in answer) throw sqliteFault(Object.assign(new Error(answer.fault), { code: 'ERR_SQLITE_ERROR', errcode: answer.errcode }));
    const { rows, changes, lastInsertRowid } = answer;
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
      ...(lastInsertRowid === undefined ? {} : { insertId: BigInt(lastInsertRowid) }),
    };
  }

  /** @throws StoreUnavailable when the thread has died */
  async #ask(question: ThreadQuestion): Promise<ThreadAnswer> {
    try {
      return await this.#calls.call(question);
    } catch (error) {
      this.#begun = false;
      throw new StoreUnavailable(error);
    }
  }
}
