import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Kysely } from 'kysely';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { HOUR_MS, MINUTE_MS, unixMs } from '../../core/units.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database } from '../database/tables.ts';
import { SqlSignInStore } from './sql-sign-in-store.ts';

const NOON = Date.UTC(2026, 2, 10, 12);
const WINDOW_MS = 15 * MINUTE_MS;
const dir = mkdtempSync(join(tmpdir(), 'pulse-sign-in-'));
const opened: Kysely<Database>[] = [];
let server: PostgresServer | { readonly skip: string };

before(async () => {
  server = await startPostgres();
});
after(async () => {
  for (const db of opened) await db.destroy();
  if (!('skip' in server)) await server.dispose();
  rmSync(dir, { recursive: true });
});

for (const technology of ['SQLite', 'PostgreSQL'])
  test(`attempts over ${technology}: a window ends in time, also when the clock goes back, and a step back gives no attempt`, async (t) => {
    if (technology === 'PostgreSQL' && 'skip' in server) return t.skip(server.skip);
    const databaseUrl = technology === 'PostgreSQL' && !('skip' in server) ? await server.createDatabase() : undefined;
    const db = await openDatabase({ dataDir: dir, databaseUrl });
    opened.push(db);
    const store = new SqlSignInStore(db);
    const attempt = async (at: number): Promise<readonly [number, number]> => {
      const { count, endsAt } = await store.attempt('sign-in:a', WINDOW_MS, unixMs(at));
      return [count, endsAt];
    };
    assert.deepEqual(await attempt(NOON), [1, NOON + WINDOW_MS]);
    assert.deepEqual(await attempt(NOON + MINUTE_MS), [2, NOON + WINDOW_MS]);
    // Two requests may read the clock in one order and be counted in the other.
    assert.deepEqual(await attempt(NOON - 5), [3, NOON - 5 + WINDOW_MS]);
    const back = NOON - 3 * HOUR_MS;
    assert.deepEqual(await attempt(back), [4, back + WINDOW_MS]);
    assert.deepEqual(await attempt(back + WINDOW_MS - 1), [5, back + WINDOW_MS]);
    assert.deepEqual(await attempt(back + WINDOW_MS), [1, back + 2 * WINDOW_MS]);
  });
