import { sharedPostgres } from '../../../test/support/postgres.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { changeSource, sqliteChangeSource } from '../database/change-source.ts';
import { openDatabase } from '../database/open-database.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import { accountsContract, type Engine } from './accounts.contract.ts';
import { kyselyKeySource, sqliteKeySource } from './open-keys.ts';

const onSqlite = (dataDir: string, db: Engine['db']): Engine => {
  const reader = openSqlite(sqlitePath({ dataDir }), { readOnly: true });
  return {
    db,
    readers: () => ({ keys: sqliteKeySource(reader), changes: sqliteChangeSource(reader) }),
    async close() {
      reader.close();
      await db.destroy();
    },
  };
};

accountsContract('SQLite', async () => {
  const dataDir = testFolder('accounts');
  return onSqlite(dataDir, await openDatabase({ dataDir, databaseUrl: undefined }));
});

accountsContract('PostgreSQL', async () => {
  const server = await sharedPostgres();
  if ('skip' in server) return server;
  const target = { dataDir: '/nonexistent', databaseUrl: await server.createDatabase() };
  const db = await openDatabase(target);
  return {
    db,
    readers: () => ({ keys: kyselyKeySource(db), changes: changeSource(db) }),
    close: () => db.destroy(),
  };
});
