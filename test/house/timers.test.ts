/** Background work has one timer, `every` of src/service: an error in a bare timer ends the whole process when it throws. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/** Files with an interval of their own, and the reason. */
const INTERVALS: Readonly<Record<string, string>> = {
  'src/adapters/counters/redis/redis-ledger.ts':
    'asks a server that is away; either outcome is handled, and is reported by the ledger',
  'src/apps/http/limit-connections.ts': 'compares counters of sockets, which cannot fail',
  'src/apps/http/create-http-server.ts': 'lets idle connections go while a server closes',
};

/** Files of main and apps with a pause or a deadline of their own, and its bound or guard. */
const PAUSES: Readonly<Record<string, string>> = {
  'src/apps/http/app-pipe.ts': 'how long a request waits for the app thread',
  'src/apps/http/closing-connections.ts': 'deadlines of sockets',
  'src/apps/http/create-http-server.ts': 'deadline of a close',
  'src/apps/sensor/take-connection.ts': 'deadlines of sockets',
  'src/main/bulk/watch-export.ts': 'a command that runs until it is stopped; what fails ends it',
  'src/main/jobs/ingest-job.ts': 'before a dead thread is restarted; before a good state is published',
  'src/main/sensor/report-captures.ts': 'between tries of a delivery; each is caught',
  'src/main/sensor/run-follow.ts': 'a command that runs until it is stopped; what fails ends it',
  'src/main/serve.ts': 'a deadline of the start',
  'src/main/threads/control-threads.ts': 'deadlines of dying threads; before one is restarted, which is caught',
  'src/main/threads/http-worker.ts': 'deadline of a dying thread',
};

/** Files below a folder, besides `every` itself, that name something. */
function naming(folders: string, name: RegExp): readonly string[] {
  const files = globSync(`${folders}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !/\.(?:test|fixture|contract)\.ts$/.test(file),
  );
  assert.ok(files.length > 100, String(files.length));
  return files
    .filter((file) => file !== 'src/service/every.ts' && name.test(readFileSync(resolve(ROOT, file), 'utf8')))
    .toSorted();
}

test('every interval is the guarded one, but for those in the list with their reason', () => {
  assert.deepEqual(naming('src', /\bsetInterval\b/), Object.keys(INTERVALS).toSorted());
});

test('a pause or deadline of main and apps stands in the list with its guard', () => {
  assert.deepEqual(naming('src/{main,apps}', /\bsetTimeout\b/), Object.keys(PAUSES));
});
