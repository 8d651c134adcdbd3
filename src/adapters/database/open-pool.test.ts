/** Pools over a real PgBouncer in transaction mode, and over lists of hosts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { covers } from '../../../test/spec/covers.ts';
import { startPgBouncer } from '../../../test/support/pgbouncer.ts';
import { sharedPostgres, startPostgres } from '../../../test/support/postgres.ts';
import { databaseAddresses } from '../../core/data-folder/folder-record.ts';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import type { EvidenceSource } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { unixMs } from '../../core/units.ts';
import { PostgresHistory } from '../history/postgres/history.ts';
import { openDatabase } from './open-database.ts';
import { openPool } from './open-pool.ts';
import { openPostgresCheck, postgresAddress } from './open-postgres-check.ts';

const AT = unixMs(Date.UTC(2026, 5, 1));
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

test('behind PgBouncer in transaction mode with its defaults, records are written and every `at` is answered', async (t) => {
  covers('POOLER-TRANSACTION');
  const postgres = await sharedPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const pooler = await startPgBouncer(await postgres.createDatabase());
  if ('skip' in pooler) return t.skip(pooler.skip);
  t.after(() => pooler.stop());
  const db = await openDatabase({ dataDir: '/nonexistent', databaseUrl: pooler.url });
  const { rows } = await sql<{ readonly name: string }>`select name from plans order by name`.execute(db);
  assert.equal(rows.length, 4);
  await db.destroy();

  const nodes = [1, 2, 3].map(() => new PostgresHistory(pooler.url, { connections: 4 }));
  const builder = new CaptureBatchBuilder(1);
  builder.addIpv4(0x08080808, 32);
  await nodes[0]!.recordCaptures(EVENTS, AT, builder.build(), unixMs(AT + 1000));
  const address = parseAnyAddress('8.8.8.8')!;
  const later = unixMs(AT + 3_600_000);
  const counts: number[] = [];
  const ask = async (caller: number): Promise<void> => {
    for (let n = 0; n < 25; n++) {
      const node = nodes[(caller + n) % nodes.length]!;
      const each =
        n % 2 === 0 ? [await node.observationsAt(address, later)] : await node.observationsAtEach(address, [later]);
      counts.push(each[0]!.length);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, caller) => ask(caller)));
  assert.deepEqual(counts, Array(200).fill(1));
  await Promise.all(nodes.map((node) => node.close()));
});

test('behind PgBouncer, no setting of ours stays in a session that others meet', async (t) => {
  const postgres = await sharedPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const direct = await postgres.createDatabase();
  const pooler = await startPgBouncer(direct);
  if ('skip' in pooler) return t.skip(pooler.skip);
  t.after(() => pooler.stop());
  const timeoutBy = async (url: string): Promise<unknown> => {
    const pool = openPool(url, { max: 1 });
    const { rows } = await pool.query("select current_setting('statement_timeout') as timeout");
    await pool.end();
    return rows[0].timeout;
  };
  assert.equal(await timeoutBy(direct), '2300ms');
  assert.equal(await timeoutBy(pooler.url), '0');
});

test('a refusal of the pooler is told in its own words', async (t) => {
  const postgres = await sharedPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const pooler = await startPgBouncer(await postgres.createDatabase());
  if ('skip' in pooler) return t.skip(pooler.skip);
  t.after(() => pooler.stop());
  const check = openPostgresCheck(pooler.url.replace(/[^/]+$/, 'absent'), 1500);
  t.after(() => check.close());
  assert.match((await check.ask()).cause!, /^it says: .*absent/);
});

test('of several hosts the one that takes writes is used, and the other when it goes', async (t) => {
  covers('DATABASE-HOSTS');
  const servers = [await startPostgres(), await startPostgres()] as const;
  const [a, b] = servers;
  if ('skip' in a || 'skip' in b) return t.skip('PostgreSQL is not installed and cannot be installed here');
  t.after(() => Promise.all([a.dispose(), b.dispose()]));
  const setReadOnly = async (port: number, value: 'on' | 'off'): Promise<void> => {
    const client = new Client(`postgres://pulse@127.0.0.1:${port}/postgres`);
    await client.connect();
    await client.query(
      `set transaction_read_only = off; alter database postgres set default_transaction_read_only = ${value}`,
    );
    await client.end();
  };
  await setReadOnly(a.port, 'on');
  const pool = openPool(
    `postgres://pulse@127.0.0.1:${a.port},127.0.0.1:${b.port}/postgres?target_session_attrs=read-write`,
  );
  t.after(() => pool.end());
  const port = async (): Promise<unknown> =>
    (await pool.query<{ port: string }>("select current_setting('port') as port")).rows[0]!.port;
  assert.deepEqual(await Promise.all([port(), port(), port()]), Array(3).fill(String(b.port)));
  await b.stop();
  await setReadOnly(a.port, 'off');
  await port().catch(() => undefined);
  assert.equal(await port(), String(a.port));
});

test('a list of hosts is one address for each, and is told without user and password', () => {
  const url = 'postgres://me:se,cr@a,[::1]:6432,c:1/pulse?sslmode=disable';
  assert.deepEqual(databaseAddresses(url), [
    'postgres://me:se,cr@a/pulse?sslmode=disable',
    'postgres://me:se,cr@[::1]:6432/pulse?sslmode=disable',
    'postgres://me:se,cr@c:1/pulse?sslmode=disable',
  ]);
  assert.equal(postgresAddress(url), 'a:5432,[::1]:6432,c:1/pulse');
});
