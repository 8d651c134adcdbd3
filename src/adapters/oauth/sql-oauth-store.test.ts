import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Kysely } from 'kysely';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database } from '../database/tables.ts';
import { oauthStoreContract, type StoreUnderTest } from './oauth-store.contract.ts';
import { SqlOAuthStore } from './sql-oauth-store.ts';

const dir = mkdtempSync(join(tmpdir(), 'pulse-oauth-'));
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

async function prepare(databaseUrl: string | undefined): Promise<StoreUnderTest> {
  const db = await openDatabase({ dataDir: dir, databaseUrl });
  opened.push(db);
  for (const id of ['acc_1', 'acc_2'])
    await db
      .insertInto('accounts')
      .values({ id, email: `${id}@example.com`, plan: 'free', created_at: 0, dpa: 0, phone: 0, operator: 0, disabled: 0 } as never)
      .execute();
  return {
    store: new SqlOAuthStore(db),
    accounts: ['acc_1', 'acc_2'],
    dump: async () => JSON.stringify(await db.selectFrom('oauth_rows').selectAll().execute()),
  };
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

oauthStoreContract(
  'SQLite',
  once(() => prepare(undefined)),
);
oauthStoreContract(
  'PostgreSQL',
  once(async () => ('skip' in server ? server : await prepare(await server.createDatabase()))),
);
