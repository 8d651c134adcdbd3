import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerCalls } from './worker-calls.ts';

/** A thread that doubles numbers, throws at words, and dies at null. */
const entry = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { answerCalls } from ${JSON.stringify(new URL('./worker-calls.ts', import.meta.url).href)};
  answerCalls((request) => {
    if (request === null) process.exit(3);
    if (typeof request !== 'number') throw new Error('no number: ' + request);
    return 2 * request;
  });`)}`,
);
const open = (idleMs?: number) => new WorkerCalls<number | string | null, number>(entry, { ended: 'it ended', ...(idleMs === undefined ? {} : { idleMs }) });

test('each call gets its own answer, an error its own message', async () => {
  const calls = open();
  assert.equal(calls.running, false);
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map((n) => calls.call(n))), [2, 4, 6, 8]);
  await assert.rejects(calls.call('x'), /no number: x/);
  assert.equal(await calls.call(5), 10);
  await calls.close();
});

test('a thread that dies fails what it was asked, and the next call gets another', async () => {
  const calls = open();
  const [dead] = await Promise.allSettled([calls.call(null)]);
  assert.match(String(dead.status === 'rejected' && dead.reason), /it ended/);
  assert.equal(await calls.call(7), 14);
  await calls.close();
});

test('a thread without work ends after a while, and one that is closed answers again when asked', async () => {
  const calls = open(1);
  assert.equal(await calls.call(1), 2);
  for (let waits = 0; calls.running; waits++) {
    assert.ok(waits < 1000);
    await sleep(5);
  }
  assert.equal(await calls.call(2), 4);
  await calls.close();
  assert.equal(await calls.call(3), 6);
  await calls.close();
});
