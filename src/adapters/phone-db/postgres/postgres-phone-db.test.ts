import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres.ts';
import { unixMs } from '../../../core/units.ts';
import { openPool } from '../../database/open-pool.ts';
import { numberKey } from '../number-key.ts';
import { phoneDbContract } from '../phone-db.contract.ts';
import { openPostgresLibraryWriter } from './open-library-writer.ts';
import { openPostgresPhoneLibraries } from './open-phone-libraries.ts';

const key = numberKey(new Uint8Array(32).fill(7));
let stopped = false;
let server: Promise<PostgresServer | { readonly skip: string }> | undefined;
after(async () => {
  const started = await server;
  if (started !== undefined && !('skip' in started)) await started.dispose();
});

phoneDbContract('postgres', async () => {
  server ??= startPostgres();
  const started = await server;
  if ('skip' in started) return started;
  if (stopped) await started.start();
  stopped = false;
  const url = await started.createDatabase();
  const writer = openPostgresLibraryWriter(url, key, 4);
  return {
    writer,
    reader: async () => openPostgresPhoneLibraries(url, key),
    async break() {
      stopped = true;
      await started.stop();
    },
    close: () => writer.close(),
  };
});

test('postgres: a table of an earlier version, which demanded a score, takes entries without one', async (t) => {
  server ??= startPostgres();
  const started = await server;
  if ('skip' in started) return t.skip(started.skip);
  if (stopped) await started.start();
  stopped = false;
  const url = await started.createDatabase();
  const writer = openPostgresLibraryWriter(url, key, 4);
  const pool = openPool(url);
  try {
    const stamp = { dataVersion: '1', at: unixMs(Date.parse('2026-11-20T00:00:00Z')) };
    const rows = async function* (risk: { readonly risk?: number }) {
      yield [{ digits: '8613800138000', entry: { ...risk, tags: [104], lastActive: stamp.at } }];
    };
    for (const library of ['cn', 'sg'] as const) await writer.replace(library, rows({ risk: 7 }), stamp);
    await pool.query('alter table phone_cn_g1 alter column risk set not null');
    await writer.apply('cn', rows({}), stamp);
    const reader = openPostgresPhoneLibraries(url, key);
    const found = (await reader.lookup(['8613800138000'])).findings[0]?.map(({ entry }) => entry.risk);
    await reader.close();
    assert.deepEqual(found, [undefined, 7]);
  } finally {
    await pool.end();
    await writer.close();
  }
});
