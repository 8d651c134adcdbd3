/** A test waits for the thing itself, with `eventually` or `seenByThreads`, or moves the clock; a private timer is too short on a busy machine and too long on a free one. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMER = /\b(?:setTimeout|setInterval|waitForTimeout|performance\.now|Atomics\.wait)\b|node:timers|scheduler\.wait/;

/** Files with a timer of their own, and what it is for. */
const EXCEPTIONS: readonly (readonly [file: string, reason: string])[] = [];

const TESTS = ['src', 'test', 'console'].flatMap((folder) => globSync(`${folder}/**/*.{test,contract,fixture}.ts`, { cwd: ROOT }));
const timed = TESTS.filter((file) => file !== 'test/house/waiting.test.ts' && TIMER.test(readFileSync(resolve(ROOT, file), 'utf8')));

test('no test has a timer of its own, but for those in the list above with their reason', () => {
  assert.ok(TESTS.length > 150, String(TESTS.length));
  assert.deepEqual(
    timed.filter((file) => !EXCEPTIONS.some(([known]) => known === file)),
    [],
  );
});

test('an exception stands in the list only while its file has a timer', () => {
  assert.deepEqual(
    EXCEPTIONS.filter(([file]) => !timed.includes(file)).map(([file]) => file),
    [],
  );
});
