/** A test waits for the thing itself, with `eventually` or `seenByThreads`, or moves the clock; a private timer is too short on a busy machine and too long on a free one. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMER =
  /\b(?:setTimeout|setInterval|waitForTimeout|performance\.now|Atomics\.wait)\b|node:timers|scheduler\.wait/;

/** Files with a timer of their own, and its purpose. */
const EXCEPTIONS: readonly (readonly [file: string, reason: string])[] = [
  ['src/adapters/counters/memory/charging-thread.fixture.ts', 'a thread that stands at a gate until the test opens it'],
  ['src/adapters/database/keep-deadline.test.ts', 'a server that freezes while a question is with it'],
  ['src/adapters/system/folder-lock.test.ts', 'a process that stays until it is killed'],
  ['src/adapters/system/worker-calls.test.ts', 'an answer must not come: only time shows that'],
  ['src/adapters/system/write-durably.test.ts', 'a process that stays until it is killed'],
  ['src/apps/http/limit-connections.test.ts', 'the timer under test is a mock that the test moves'],
  ['src/service/every.test.ts', 'the timer under test is a mock that the test moves'],
  ['test/feeds/slow-publishers.test.ts', 'a publisher that sends a byte now and then'],
  ['test/http/every-answer.test.ts', 'a client that leaves shortly after its request'],
  ['test/starter/starter.test.ts', 'a program that waits for a file'],
];

const TESTS = ['src', 'test', 'console'].flatMap((folder) =>
  globSync(`${folder}/**/*.{test,contract,fixture}.ts`, { cwd: ROOT }),
);
const timed = TESTS.filter(
  (file) => file !== 'test/house/waiting.test.ts' && TIMER.test(readFileSync(resolve(ROOT, file), 'utf8')),
);

test('no test has a timer of its own, but for those in the list above with their reason', () => {
  assert.ok(TESTS.length > 150, String(TESTS.length));
  const unexpected = timed.filter((file) => !EXCEPTIONS.some(([known]) => known === file));
  assert.deepEqual(unexpected, []);
});

test('an exception stands in the list only while its file has a timer', () => {
  const files = EXCEPTIONS.filter(([file]) => !timed.includes(file)).map(([file]) => file);
  assert.deepEqual(files, []);
});
