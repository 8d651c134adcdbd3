import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openSqlite } from '../database/open-sqlite.ts';
import { openMoment } from './sqlite-moment.ts';

/** Writes n to the first database, then n to the second, without a pause. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite');
  const { workerData, parentPort } = require('node:worker_threads');
  const adds = workerData.map((path) => new DatabaseSync(path, { timeout: 5000 }).prepare('insert into t values (?)'));
  for (let n = 1; ; n++) {
    for (const add of adds) add.run(n);
    if (n === 50) parentPort.postMessage('writes');
  }`;

const newestIn = (path: string): number => {
  const database = new DatabaseSync(path);
  const { newest } = database.prepare('select max(n) as newest from t').get() as { newest: number };
  database.close();
  return newest;
};

test('databases that are written to are copied as of one instant between their commits', async () => {
  const folder = testFolder('moment');
  const paths = ['a.db', 'b.db'].map((name) => join(folder, name));
  for (const path of paths) {
    const database = openSqlite(path);
    database.exec('create table t (n integer); pragma synchronous = off');
    database.close();
  }
  const writer = new Worker(WRITER, { eval: true, workerData: paths });
  await once(writer, 'message');
  try {
    for (let round = 0; round < 20; round++) {
      // The order in which they are opened must not matter.
      const moment = await openMoment(round % 2 === 0 ? paths : paths.toReversed());
      const copies = paths.map((_, index) => join(folder, `copy-${round}-${index}.db`));
      for (const [index, path] of paths.entries()) await moment.copy(path, copies[index]!, () => {});
      moment.close();
      const [first, second] = copies.map(newestIn) as [number, number];
      assert.ok(first - second === 0 || first - second === 1, `${first} in the first, ${second} in the second`);
    }
  } finally {
    await writer.terminate();
  }
});
