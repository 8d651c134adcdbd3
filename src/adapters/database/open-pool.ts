import { type ClientBase, Pool, types } from 'pg';

const INT8 = 20;

/**
 * A small pool: writes are rare, and every thread has its own. Times and counts fit a number, so int8 is read as one.
 * @param options.settings statements each new connection begins with
 */
export function openPool(url: string, { max = 4, settings }: { readonly max?: number; readonly settings?: string } = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 3000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 15_000,
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
