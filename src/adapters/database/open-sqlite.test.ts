import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openDatabase } from './open-database.ts';
import { openSqlite } from './open-sqlite.ts';

test('a deleted row is gone from the file', () => {
  covers('DELETED-GONE');
  const path = join(testFolder('deleted'), 'pulse.db');
  const open = () => openSqlite(path);
  let database = open();
  database.exec('create table people (id integer primary key, email text)');
  for (let n = 0; n < 200; n += 1)
    database.prepare('insert into people (email) values (?)').run(`person${n}@example.com`);
  database.close();
  assert.match(readFileSync(path, 'latin1'), /person17@example/);
  database = open();
  database.exec('delete from people where id < 190');
  database.close();
  assert.doesNotMatch(readFileSync(path, 'latin1'), /person17@example/);
});

test('a database that was opened and asked nothing is closed whole: its tables are in the file', async () => {
  const dataDir = testFolder('unasked');
  await (await openDatabase({ dataDir, databaseUrl: undefined })).destroy();
  assert.deepEqual(readdirSync(dataDir), ['pulse.db']);
});
