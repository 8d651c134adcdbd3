import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Kysely } from 'kysely';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { DEFAULT_PLAN } from '../../service/create-account.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database } from '../database/tables.ts';
import { SqlSessionStore } from './sql-sign-in-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
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
  test(`sessions over ${technology}: one more than an account may have ends its oldest, and no other account's`, async (t) => {
    if (technology === 'PostgreSQL' && 'skip' in server) return t.skip(server.skip);
    const databaseUrl = technology === 'PostgreSQL' && !('skip' in server) ? await server.createDatabase() : undefined;
    const db = await openDatabase({ dataDir: dir, databaseUrl });
    opened.push(db);
    const accounts = new KyselyAccountStore(db);
    for (const id of ['acc_one', 'acc_two'])
      await accounts.createAccount(
        { id, email: `${id}@example.com`, plan: DEFAULT_PLAN, passwordHash: 'x', dpa: false, phone: false },
        { actor: 'cli', at: NOON },
      );
    const store = new SqlSessionStore(db);
    const add = (accountId: string, n: number) =>
      store.add(
        { id: `${accountId} ${n}`, accountId, createdAt: unixMs(NOON + n), expiresAt: unixMs(NOON + DAY_MS), amr: ['pwd'], authenticatedAt: unixMs(NOON) },
        3,
      );
    await add('acc_two', 0);
    for (let n = 0; n < 5; n += 1) await add('acc_one', n);
    const found = async (accountId: string): Promise<readonly number[]> => {
      const numbers = [];
      for (let n = 0; n < 5; n += 1) if ((await store.find(`${accountId} ${n}`, NOON)) !== undefined) numbers.push(n);
      return numbers;
    };
    assert.deepEqual([await found('acc_one'), await found('acc_two')], [[2, 3, 4], [0]]);
    // Of sessions opened in one millisecond, the one just opened stays.
    for (const n of [9, 8, 7, 6])
      await store.add(
        { id: `acc_two ${n}`, accountId: 'acc_two', createdAt: NOON, expiresAt: unixMs(NOON + DAY_MS), amr: ['pwd'], authenticatedAt: unixMs(NOON) },
        1,
      );
    assert.notEqual(await store.find('acc_two 6', NOON), undefined);
  });
