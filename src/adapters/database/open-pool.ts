import { type ClientBase, Pool, types } from 'pg';

const INT8 = 20;

export interface PoolOptions {
  readonly max?: number;
  /** Statements each new connection begins with. */
  readonly settings?: string;
  /** How long a connection may take to be made. */
  readonly connectMs?: number;
  /** How long a statement may run before the database ends it; 0: as long as it takes. */
  readonly statementMs?: number;
  /** How long an answer is waited for, from a database that says nothing too; without it as long as it takes. */
  readonly answerMs?: number;
}

/** A small pool: writes are rare, and every thread has its own. Times and counts fit a number, so int8 is read as one. */
export function openPool(url: string, { max = 4, settings, connectMs = 3000, statementMs = 15_000, answerMs }: PoolOptions = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementMs,
    ...(answerMs !== undefined && { query_timeout: answerMs }),
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'pulse',
    ...(settings && { onConnect: (client: ClientBase) => client.query(settings) }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => (oid === INT8 ? (text: string) => Number(text) : types.getTypeParser(oid, format as 'text')),
    },
  });
  // A connection that breaks is replaced; whatever query it carried fails on its own. Unheard, the events would end the process: the pool's for an idle
  // connection, the client's for one that is checked out, which the pool does not listen to.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
