import { createRequire } from 'node:module';
import type { Client, Pool, PoolClient } from 'pg';
import { databaseAddresses } from '../../core/data-folder/folder-record.ts';
import { deadlineEnds } from '../../service/deadline.ts';
import { type DatabaseDeadline, keepDeadline, QUERY_DEADLINE, setDeadline } from './keep-deadline.ts';

const INT8 = 20;
/** Loaded by the first pool; a service over SQLite never needs it. */
const pg = (): typeof import('pg') => createRequire(import.meta.url)('pg');

export interface PoolOptions {
  readonly max?: number;
  readonly connectMs?: number;
  readonly patience?: DatabaseDeadline;
}

/** The server ends a statement this long before we would give up, so that the connection stays usable. */
const ANSWERED_SOONER_MS = 200;

/**
 * Opens the pool of a thread. int8 is read as a number. Every question and every wait has a deadline. Of a list
 * of hosts, the one that takes writes is used.
 */
export function openPool(
  url: string,
  { max = 4, connectMs = 2500, patience = QUERY_DEADLINE }: PoolOptions = {},
): Pool {
  const { Pool, types } = pg();
  const addresses = databaseAddresses(url);
  const timeoutMs = 'answerMs' in patience ? patience.answerMs - ANSWERED_SOONER_MS : 0;
  const pool = new Pool({
    connectionString: addresses[0],
    max,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    // Settings of a database, such as read-only, hold for sessions that begin later.
    maxLifetimeSeconds: 30,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'pulse',
    onConnect: async (client) => {
      const address = pool.options.connectionString!;
      keepDeadline(client, patience, (withinMs) => isAlive(address, withinMs));
      const readOnly = await setUpSession(client as Client, timeoutMs);
      if (readOnly && addresses.length > 1) throw Object.assign(new Error('PostgreSQL: read-only'), { code: '25006' });
    },
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? (text: string) => Number(text) : types.getTypeParser(oid, format as 'text'),
    },
  });
  const dial = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const connect = async (left = addresses.length): Promise<PoolClient> => {
    const address = pool.options.connectionString!;
    try {
      await untilAnswering(address, connectMs);
      return await dial();
    } catch (error) {
      const { message } = error as Error;
      if (message === NOT_CONNECTED) silentServers.add(address);
      if (left === 1 || message === ALL_IN_USE) throw error;
      if (pool.options.connectionString === address)
        pool.options.connectionString = addresses[(addresses.indexOf(address) + 1) % addresses.length]!;
      return connect(left - 1);
    }
  };
  // The pool itself passes a callback, in order to ask a single question.
  pool.connect = ((given?: (error: unknown, client?: PoolClient, release?: PoolClient['release']) => void) => {
    const had = byDeadline(connect());
    return given === undefined ? had : void had.then((client) => given(undefined, client, client.release), given);
  }) as typeof pool.connect;
  // The pool replaces a broken connection, and its query fails on its own. Without listeners the events would
  // end the process: those of the pool for idle connections, those of the client for connections in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('release', (_error, client) => setDeadline(client, patience));
  return pool;
}

/**
 * Bounds the statements of a new connection whose session is ours alone. Behind a pooler such as PgBouncer
 * each transaction may meet another session, and the process is another than the connection was told.
 * @returns whether the server is read-only, as a standby is
 */
async function setUpSession(client: Client, timeoutMs: number): Promise<boolean> {
  const { processID } = client as unknown as { readonly processID: number };
  const { rows } = await client.query<{ state: string }>(
    `select current_setting('transaction_read_only') as state,
     case when pg_backend_pid() = ${processID} then set_config('statement_timeout', '${timeoutMs}', false) end`,
  );
  return rows[0]!.state === 'on';
}

/** What the driver and the pool say when no connection was there in time. */
const NOT_CONNECTED = 'Connection terminated due to connection timeout';
const ALL_IN_USE = 'timeout exceeded when trying to connect';
/** A probe may be lost on the way and is then sent again. */
const PROBE_MS = 5000;

const silentServers = new Set<string>();
const probes = new Map<string, Promise<boolean>>();

/**
 * Waits for a silent server over one connection for all pools of this thread. Every connection that is given
 * up stays in the server's queue, and a server that thaws answers the whole queue before it answers anyone
 * who still waits.
 */
async function untilAnswering(url: string, withinMs: number): Promise<void> {
  if (!silentServers.has(url)) return;
  let probe = probes.get(url);
  if (probe === undefined) {
    probe = isAlive(url, PROBE_MS).finally(() => probes.delete(url));
    probes.set(url, probe);
  }
  const late = new Promise<boolean>((resolve) => void setTimeout(resolve, withinMs, false).unref());
  if (!(await Promise.race([probe, late])))
    throw Object.assign(new Error('PostgreSQL: no answer to a connection'), { code: 'ETIMEDOUT' });
  silentServers.delete(url);
}

/** Rejects at the deadline of the request; a connection that comes later goes back to the pool. */
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

/**
 * Returns whether the server answers a separate connection. A refusal with one of the server's codes counts
 * as an answer.
 */
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
