import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Pool, PoolClient } from 'pg';
import { covers } from '../../../test/spec/covers.ts';
import { type PostgresServer, sharedPostgres } from '../../../test/support/postgres.ts';
import { withDeadline } from '../../service/deadline.ts';
import { setDeadline } from './keep-deadline.ts';
import { openPool } from './open-pool.ts';
import { isPostgresUnavailable } from './store-faults.ts';

let postgres: PostgresServer | undefined;
let why = '';
let url = '';
before(async () => {
  const server = await sharedPostgres();
  if ('skip' in server) why = server.skip;
  else {
    postgres = server;
    url = await server.createDatabase();
  }
});

const withPool = (
  title: string,
  body: (pool: Pool, server: PostgresServer) => Promise<void>,
  options: Parameters<typeof openPool>[1] = {},
): void => {
  test(title, async (t) => {
    if (postgres === undefined) return t.skip(why);
    const pool = openPool(url, { max: 2, ...options });
    const used = new Set<PoolClient>();
    pool.on('acquire', (client) => used.add(client)).on('release', (_error, client) => used.delete(client));
    try {
      await body(pool, postgres);
    } finally {
      postgres.resume();
      // A failed body leaves connections in use. The pool would wait for them, and nobody would learn why it failed.
      for (const client of used) client.release(true);
      await pool.end();
    }
  });
};

describe('a question to PostgreSQL', () => {
  withPool(
    'that a frozen server does not answer is given up, its connection is dropped, and the next one is answered after the thaw',
    async (pool, server) => {
      const clients = await Promise.all([pool.connect(), pool.connect()]);
      for (const client of clients) client.release();
      server.freeze();
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => pool.query('select 1')));
      for (const outcome of outcomes)
        assert.ok(outcome.status === 'rejected' && isPostgresUnavailable(outcome.reason), JSON.stringify(outcome));
      assert.deepEqual([pool.idleCount, pool.waitingCount], [0, 0]);
      server.resume();
      assert.equal((await pool.query('select 7 as n')).rows[0].n, 7);
    },
  );

  withPool(
    'inside a transaction fails the transaction, whose rollback does not wait either',
    async (pool, server) => {
      const client = await pool.connect();
      await client.query('begin');
      server.freeze();
      await assert.rejects(client.query('select 1'), isPostgresUnavailable);
      await assert.rejects(client.query('rollback'), isPostgresUnavailable);
      client.release(true);
    },
    { patience: { answerMs: 300 } },
  );

  withPool(
    'that takes too long is ended by the server, and its connection goes on',
    async (pool) => {
      const client = await pool.connect();
      await assert.rejects(client.query('select pg_sleep(30)'), { code: '57014' });
      assert.equal((await client.query('select 7 as n')).rows[0].n, 7);
      client.release();
    },
    { patience: { answerMs: 1000 } },
  );

  withPool('may take as long as it takes as bulk work while the server lives, and no longer', async (pool, server) => {
    const client = await pool.connect();
    setDeadline(client, { silentMs: 100, aliveMs: 1000 });
    await client.query('set statement_timeout = 0');
    await client.query('select pg_sleep(1.5)');
    const asked = client.query('select pg_sleep(30)');
    setTimeout(() => server.freeze(), 300);
    await assert.rejects(asked, { code: 'ETIMEDOUT' });
    client.release();
    assert.equal(pool.totalCount, 0, 'it does not go back to the pool');
  });

  withPool(
    'of a request is given up at its deadline, however many came before it and however patient the connection is, and so is a wait for a connection',
    async (pool) => {
      const client = await pool.connect();
      setDeadline(client, { silentMs: 60_000, aliveMs: 60_000 });
      let answered = 0;
      const asked = withDeadline(1000, async () => {
        for (; answered < 100; answered += 1) await client.query('select pg_sleep(0.1)');
      });
      await assert.rejects(asked, { code: 'ETIMEDOUT' });
      assert.ok(answered > 0, 'questions before it are answered');
      client.release();
      assert.equal(pool.totalCount, 0, 'its connection is dropped');
      const all = await Promise.all([pool.connect(), pool.connect()]);
      await assert.rejects(
        withDeadline(100, () => pool.query('select 1')),
        isPostgresUnavailable,
      );
      for (const one of all) one.release();
      assert.equal((await pool.query('select 7 as n')).rows[0].n, 7);
    },
  );

  withPool(
    'is patient for one use of a connection only',
    async (pool, server) => {
      const client = await pool.connect();
      setDeadline(client, { silentMs: 60_000, aliveMs: 60_000 });
      client.release();
      server.freeze();
      await assert.rejects(pool.query('select 1'), isPostgresUnavailable);
    },
    { patience: { answerMs: 300 } },
  );
});

test('a server that answers no connection is waited for over one connection of all pools, so that its queue is short when it thaws', async () => {
  covers('STORE-QUEUE');
  const queue: Socket[] = [];
  const frozen = createServer((socket) => queue.push(socket.on('error', () => {})));
  await once(frozen.listen(0, '127.0.0.1'), 'listening');
  const url = `postgres://pulse@127.0.0.1:${(frozen.address() as AddressInfo).port}/pulse`;
  const pools = [openPool(url, { connectMs: 200 }), openPool(url, { connectMs: 200 })];
  const ask = () =>
    Promise.allSettled(pools.flatMap((pool) => Array.from({ length: 4 }, () => pool.query('select 1'))));
  try {
    await ask();
    const first = queue.length;
    for (let round = 0; round < 5; round++)
      for (const outcome of await ask())
        assert.ok(outcome.status === 'rejected' && isPostgresUnavailable(outcome.reason), JSON.stringify(outcome));
    assert.ok(queue.length - first < 5, `${queue.length - first} connections for forty questions`);
  } finally {
    for (const pool of pools) await pool.end();
    for (const socket of queue) socket.destroy();
    frozen.close();
  }
});
