import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { RECORDS } from './migrations/index.ts';
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

test('a new and a current database are ready afterwards, and readers find it while it is held open', async () => {
  for (const before of ['new', 'current']) {
    const prepared = await prepareDatabase({ dataDir, databaseUrl: undefined });
    assert.deepEqual(applied(), Object.keys(RECORDS.sqlite.migrations), before);
    await prepared.close();
  }
});
