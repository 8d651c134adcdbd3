import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { MIGRATION_NAMES } from './migrations/names.ts';
import { connectDatabase, migrate } from './open-database.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import { prepareDatabase } from './prepare-database.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = testFolder('prepare');
});

const applied = (): readonly unknown[] => {
  const reader = openSqlite(sqlitePath({ dataDir }), { readOnly: true });
  try {
    return reader
      .prepare('select name from kysely_migration order by name')
      .all()
      .map(({ name }) => name);
  } finally {
    reader.close();
  }
};

test('the names of migrations are those that are applied, in their order', () => {
  assert.deepEqual(Object.keys(MIGRATIONS), [...MIGRATION_NAMES]);
  assert.deepEqual([...MIGRATION_NAMES], [...MIGRATION_NAMES].sort());
});

test('a new and a current database are ready afterwards, and readers find it while it is held open', async () => {
  for (const before of ['new', 'current']) {
    const prepared = await prepareDatabase({ dataDir, databaseUrl: undefined });
    assert.deepEqual(applied(), [...MIGRATION_NAMES], before);
    await prepared.close();
  }
});

test('a database of another release is refused', async () => {
  const db = connectDatabase({ dataDir, databaseUrl: undefined });
  await migrate(db, { ...MIGRATIONS, '9999-from-the-future': { up: async () => {} } });
  await db.destroy();
  await assert.rejects(
    prepareDatabase({ dataDir, databaseUrl: undefined }),
    /another release of pulse.*9999-from-the-future/,
  );
});
