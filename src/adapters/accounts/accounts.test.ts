import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../test/support/postgres.ts';
import { changeSource, sqliteChangeSource } from '../database/change-source.ts';
import { connectFromAnsweringThread, openDatabase } from '../database/open-database.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import { accountsContract } from './accounts.contract.ts';
import { kyselyKeySource, sqliteKeySource } from './key-sources.ts';

accountsContract('SQLite', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-accounts-'));
  const db = await openDatabase({ dataDir, databaseUrl: undefined });
  const reader = openSqlite(sqlitePath({ dataDir }), { readOnly: true });
  return {
    db,
    readers: () => ({ keys: sqliteKeySource(reader), changes: sqliteChangeSource(reader) }),
    async close() {
      reader.close();
      await db.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});

accountsContract('SQLite from an answering thread', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-accounts-'));
  const target = { dataDir, databaseUrl: undefined };
  await (await openDatabase(target)).destroy();
  const db = connectFromAnsweringThread(target);
  const reader = openSqlite(sqlitePath(target), { readOnly: true });
  return {
    db,
    readers: () => ({ keys: sqliteKeySource(reader), changes: sqliteChangeSource(reader) }),
    async close() {
      reader.close();
      await db.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});

accountsContract('PostgreSQL', async () => {
  const server = await startPostgres();
  if ('skip' in server) return server;
  const target = { dataDir: '/nonexistent', databaseUrl: await server.createDatabase() };
  const db = await openDatabase(target);
  return {
    db,
    readers: () => ({ keys: kyselyKeySource(db), changes: changeSource(db) }),
    async close() {
      await db.destroy();
      await server.dispose();
    },
  };
});
