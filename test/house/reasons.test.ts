/**
 * Files that do by themselves what has one place stand in a list with their reason, and leave it when they do so no more. Content that must survive a crash has
 * one durable write. Background work has one timer, `every` of src/service: an error in a bare timer ends the whole process. A test waits for the thing itself, with
 * `eventually` or `seenByThreads`, or moves the clock: a private timer is too short on a busy machine and too long on a free one.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const isTest = (file: string): boolean => /\.(?:test|fixture|contract)\.ts$/.test(file);
const filesOf = (folders: string): readonly string[] =>
  globSync(`${folders}/**/*.ts`, { cwd: ROOT, exclude: ['**/node_modules'] });
const production = (folders: string): readonly string[] => filesOf(folders).filter((file) => !isTest(file));

function onlyIn(files: readonly string[], shape: RegExp, reasons: Readonly<Record<string, string>>): void {
  assert.ok(files.length > 100, String(files.length));
  const found = files.filter((file) => shape.test(readFileSync(resolve(ROOT, file), 'utf8')));
  assert.deepEqual(found.toSorted(), Object.keys(reasons).toSorted());
}

test('files of the data folder are written by the one durable write; every other file that places one has its reason', () => {
  const placing =
    /import (?:\w+, )?\{[^}]*\b(?:writeFile|rename|link|copyFile)(?:Sync)?\b[^}]*\} from 'node:fs(?:\/promises)?'/;
  onlyIn(production('src'), placing, {
    'src/adapters/system/write-durably.ts': 'the one durable write',
    'src/adapters/backup/restore-backup.ts':
      'moves synced files of a backup into place, while a marker blocks every start',
    'src/adapters/counters/memory/day-totals.ts': 'puts a damaged log aside',
    'src/main/lists/list-thread.ts':
      'what a bouncer was told; one that is lost is told again, and decisions end by themselves',
    'src/adapters/log-files/open-output.ts':
      'a file that the user names, written as a stream, synced and renamed when it is whole',
    'src/cli/commands/doctor.ts': 'a support bundle, a new file where its user wants it',
    'src/main/jobs/database-watch-job.ts': 'a probe of the free space, written and removed at once',
    'src/adapters/data-folder/open-demo-folder.ts': 'empty marker files of a demonstration',
  });
});

test('every interval is the guarded one, but for those in the list with their reason', () => {
  const others = production('src').filter((file) => file !== 'src/service/every.ts');
  onlyIn(others, /\bsetInterval\b/, {
    'src/adapters/counters/redis/redis-ledger.ts':
      'asks a server that is away; either outcome is handled, and is reported by the ledger',
    'src/apps/http/connection/limit-connections.ts': 'compares counters of sockets, which cannot fail',
    'src/apps/http/connection/create-http-server.ts': 'lets idle connections go while a server closes',
  });
});

test('a pause or deadline of main and apps stands in the list with its bound or guard', () => {
  onlyIn(production('src/{main,apps}'), /\bsetTimeout\b/, {
    'src/apps/http/connection/app-pipe.ts': 'how long a request waits for the app thread or a place',
    'src/apps/http/connection/closing-connections.ts': 'deadlines of sockets',
    'src/apps/http/connection/create-http-server.ts': 'deadline of a close',
    'src/apps/http/connection/require-seal.ts': 'deadlines of sockets',
    'src/apps/sensor/take-connection.ts': 'deadlines of sockets',
    'src/main/bulk/database-files.ts':
      'how long a request waits for a file that is being made; both outcomes are answers',
    'src/main/bulk/watch-export.ts': 'a command that runs until it is stopped; what fails ends it',
    'src/main/hand-over.ts': 'how long a successor may prepare; it is ended then, and this process goes on',
    'src/main/jobs/ingest-job.ts': 'before a dead thread is restarted; before a good state is published',
    'src/main/lists/list-thread.ts': 'how long a client may take for its last answer; then it is told the same',
    'src/main/sensor/report-captures.ts': 'between tries of a delivery; each is caught',
    'src/main/sensor/run-follow.ts': 'a command that runs until it is stopped; what fails ends it',
    'src/main/serve.ts': 'a deadline of the start',
    'src/main/threads/control-threads.ts': 'deadlines of dying threads; before one is restarted, which is caught',
    'src/main/threads/http-worker.ts': 'deadline of a dying thread',
  });
});

test('no test has a timer of its own, but for those in the list with their reason', () => {
  const timer =
    /\b(?:setTimeout|setInterval|waitForTimeout|performance\.now|Atomics\.wait)\b|node:timers|scheduler\.wait/;
  const others = filesOf('{src,test,console}').filter((file) => isTest(file) && file !== 'test/house/reasons.test.ts');
  onlyIn(others, timer, {
    'src/adapters/counters/memory/charging-thread.fixture.ts': 'a thread that stands at a gate until the test opens it',
    'src/adapters/counters/redis/lost-data.test.ts': 'a connection that a relay has closed is still up for its node',
    'src/adapters/database/keep-deadline.test.ts': 'a server that freezes while a question is with it',
    'src/adapters/system/folder-lock.test.ts': 'a process that stays until it is killed',
    'src/adapters/system/worker-calls.test.ts': 'an answer must not come: only time shows that',
    'src/adapters/system/write-durably.test.ts': 'a process that stays until it is killed',
    'src/apps/http/connection/app-pipe.test.ts': 'the timer under test is a mock that the test moves',
    'src/apps/http/connection/require-seal.test.ts': 'the timer under test is a mock that the test moves',
    'src/apps/http/connection/limit-connections.test.ts': 'the timer under test is a mock that the test moves',
    'src/service/every.test.ts': 'the timer under test is a mock that the test moves',
    'test/deploy/restart-without-gap.test.ts': 'measures the longest answer, and asserts nothing on it',
    'test/data/prepare-image.test.ts': 'lists that arrive some seconds apart',
    'test/deploy/proxies.test.ts': 'lookups at a steady rate, and nodes that restart apart from each other',
    'test/http/databases.test.ts': 'a file that takes longer to make than an old one is waited for',
    'test/http/every-answer.test.ts': 'a client that leaves shortly after its request',
    'test/http/outgoing.fixture.ts': 'answers that never end',
    'test/http/running.test.ts': 'callers that ask at a pace',
    'test/starter/starter.test.ts': 'a program that waits for a file',
  });
});
