import { createRequire } from 'node:module';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { deadlineEnds } from '../../service/deadline.ts';
import { keepDeadline, type Patience, QUESTION, setPatience } from './keep-deadline.ts';

const INT8 = 20;
/** Loaded by the first pool: a service over SQLite opens none. */
const pg = (): typeof import('pg') => createRequire(import.meta.url)('pg');

export interface PoolOptions {
  readonly max?: number;
  /** Statements each new connection begins with. */
  readonly settings?: string;
  /** How long a connection may take to be had: made, or given back by its user. Milliseconds. */
  readonly connectMs?: number;
  /** How long answers are waited for; `setPatience` changes it for one use of a connection. */
  readonly patience?: Patience;
}

/** The server itself ends a statement a little before we give up, and the connection can be used again. */
const ANSWERED_SOONER_MS = 200;

/** A small pool, one a thread. int8 is read as a number; every question and wait has a deadline. */
export function openPool(
  url: string,
  { max = 4, settings, connectMs = 2500, patience = QUESTION }: PoolOptions = {},
): Pool {
  const { Pool, types } = pg();
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: 'answerMs' in patience ? patience.answerMs - ANSWERED_SOONER_MS : 0,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'pulse',
    onConnect: (client: ClientBase) => {
      keepDeadline(client, patience, (withinMs) => isAlive(url, withinMs));
      return settings === undefined ? undefined : client.query(settings);
    },
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? (text: string) => Number(text) : types.getTypeParser(oid, format as 'text'),
    },
  });
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  // With a callback it is the pool's own, which asks one question.
  pool.connect = ((given?: (error: unknown, client?: PoolClient, release?: PoolClient['release']) => void) => {
    const had = byDeadline(connect());
    return given === undefined ? had : void had.then((client) => given(undefined, client, client.release), given);
  }) as typeof pool.connect;
  // A connection that breaks is replaced; the query it carried fails on its own. Unheard, the events would end the process: the pool's for an idle
  // connection, the client's for one that is checked out, which the pool does not listen to.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('release', (_error, client) => setPatience(client, patience));
  return pool;
}

/** A connection by the deadline of the request that asks for it; one that comes later goes back to the pool. */
function byDeadline(asked: Promise<PoolClient>): Promise<PoolClient> {
  const left = deadlineEnds() - performance.now();
  if (left === Number.POSITIVE_INFINITY) return asked;
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        reject(
          Object.assign(new Error('PostgreSQL: no connection within the time of the request'), { code: 'ETIMEDOUT' }),
        );
      },
      Math.max(0, left),
    );
    asked.then((client) => (late ? client.release() : resolve(client)), reject).finally(() => clearTimeout(timer));
  });
}

/** Whether the server says anything to a connection of its own. A refusal is an answer too: one with a code of the server's. */
async function isAlive(url: string, withinMs: number): Promise<boolean> {
  const client = new (pg().Client)({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: 'pulse',
  });
  client.on('error', () => {});
  const late = new Promise<boolean>((resolve) => void setTimeout(resolve, withinMs, false).unref());
  const asked = client
    .connect()
    .then(() => client.query('select 1'))
    .then(
      () => true,
      (error: unknown) => error instanceof Error && 'severity' in error,
    );
  const alive = await Promise.race([asked, late]);
  void client.end().catch(() => {});
  return alive;
}
