import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openSqlite } from '../database/open-sqlite.ts';
import { openMoment } from './sqlite-moment.ts';

const countIn = (path: string): unknown => {
  const database = new DatabaseSync(path);
  const row = database.prepare('select count(*) as n from t').get();
  database.close();
  return row?.['n'];
};

test('databases that are written to are copied as of one instant between their commits', async (t) => {
  const folder = testFolder('moment');
  const paths = ['a.db', 'b.db'].map((name) => join(folder, name));
  const writers = paths.map((path) => openSqlite(path));
  for (const writer of writers) writer.exec('create table t (n integer)');
  const addToAll = (): void => {
    for (const writer of writers) writer.prepare('insert into t values (1)').run();
  };
  addToAll();
  // Another process commits to both after the first of them was opened for reading.
  const { exec } = DatabaseSync.prototype;
  let begun = 0;
  t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    if (sql === 'begin' && ++begun === 2) addToAll();
    exec.call(this, sql);
  });
  const moment = await openMoment(paths);
  addToAll();
  const copies = paths.map((path) => `${path}.copy`);
  for (const [index, path] of paths.entries()) await moment.copy(path, copies[index]!, () => {});
  moment.close();
  for (const writer of writers) writer.close();
  assert.deepEqual(copies.map(countIn), [2, 2]);
  assert.deepEqual(paths.map(countIn), [3, 3]);
});
