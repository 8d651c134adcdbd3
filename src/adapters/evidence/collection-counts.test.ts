import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder } from '../../../test/support/test-folder.ts';
import { systemClock } from '../system/own-process.ts';
import { CollectionCountsWriter } from './collection-counts.ts';

/** Writes one heartbeat over a database without tables. @returns how many it has then */
async function tablesAfterHeartbeat(prepared: boolean): Promise<number> {
  const dataDir = testFolder('counts');
  const counts = new CollectionCountsWriter({ dataDir, logLevel: 'fatal' }, systemClock, prepared);
  counts.noteHeartbeat({ source: 'trap', seenAt: systemClock.now(), clockOffsetMs: 0 });
  await counts.close();
  const database = new DatabaseSync(join(dataDir, 'pulse.db'));
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  database.close();
  return tables.length;
}

test('a running service makes no tables where they are gone; a process that never made any does', async () => {
  assert.equal(await tablesAfterHeartbeat(true), 0);
  assert.notEqual(await tablesAfterHeartbeat(false), 0);
});
