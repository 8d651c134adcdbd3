import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.ts';
import { WorkerCalls } from './worker-calls.ts';

/**
 * A thread that doubles numbers, throws at words, dies at null, measures bytes, counts down in reports, and
 * works until it is cancelled.
 */
const entry = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { answerCalls } from ${JSON.stringify(new URL('./worker-calls.ts', import.meta.url).href)};
  answerCalls((request, { report, signal }) => {
    if (request === null) process.exit(3);
    if (request instanceof Uint8Array) return request.length;
    if (request.from !== undefined) {
      for (let left = request.from; left > 0; left--) report(left);
      return 0;
    }
    if (request.endless) return new Promise((resolve) => {
      report(1);
      signal.addEventListener('abort', () => resolve(-1));
    });
    if (typeof request !== 'number') throw new Error('not a number: ' + request);
    return 2 * request;
  });`)}`,
);
type Request = number | string | null | Uint8Array | { readonly from: number } | { readonly endless: true };
const open = (idleMs?: number) =>
  new WorkerCalls<Request, number, number>(entry, { ended: 'it ended', ...(idleMs === undefined ? {} : { idleMs }) });

test('each call gets its own answer, an error its own message', async () => {
  const calls = open();
  assert.equal(calls.running, false);
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map((n) => calls.call(n))), [2, 4, 6, 8]);
  await assert.rejects(calls.call('x'), /not a number: x/);
  assert.equal(await calls.call(5), 10);
  await calls.close();
});

test('reports reach the call they belong to, in order and before its answer', async () => {
  const calls = open();
  const seen: Record<string, number[]> = { one: [], other: [] };
  const count = (name: 'one' | 'other', from: number) =>
    calls.call({ from }, { onProgress: (left) => seen[name]!.push(left) });
  await Promise.all([count('one', 3), count('other', 2)]);
  assert.deepEqual(seen, { one: [3, 2, 1], other: [2, 1] });
  assert.equal(await calls.call({ from: 4 }), 0, 'a caller need not listen');
  await calls.close();
});

test('a transferred buffer moves; without a transfer list it is copied', async () => {
  const calls = open();
  const [moved, copied] = [new Uint8Array(1000), new Uint8Array(1000)];
  assert.equal(await calls.call(moved, { transfer: [moved.buffer] }), 1000);
  assert.equal(await calls.call(copied), 1000);
  assert.deepEqual([moved.length, copied.length], [0, 1000]);
  await calls.close();
});

test('an abort stops the call it belongs to, before and while it runs, and no other', async () => {
  const calls = open();
  const [first, second] = [new AbortController(), new AbortController()];
  let running = 0;
  const started = Promise.withResolvers<void>();
  const onProgress = () => ++running === 2 && started.resolve();
  const one = calls.call({ endless: true }, { signal: first.signal, onProgress });
  const other = calls.call({ endless: true }, { signal: second.signal, onProgress });
  await started.promise;
  first.abort();
  assert.equal(await one, -1);
  assert.equal(await calls.call(2), 4);
  assert.equal(await Promise.race([other, sleep(20, 'still running')]), 'still running');
  second.abort();
  assert.equal(await other, -1);
  assert.equal(await calls.call({ endless: true }, { signal: AbortSignal.abort() }), -1);
  await calls.close();
});

test('a thread that dies fails the calls it had, and the next call starts another', async () => {
  const calls = open();
  const [dead, waiting] = await Promise.allSettled([calls.call(null), calls.call({ endless: true })]);
  for (const one of [dead, waiting]) assert.match(String(one.status === 'rejected' && one.reason), /it ended/);
  assert.equal(await calls.call(7), 14);
  await calls.close();
});

test('a thread without work ends after a while, and one that is closed answers again when asked', async () => {
  const calls = open(1);
  assert.equal(await calls.call(1), 2);
  await eventually(() => !calls.running);
  assert.equal(await calls.call(2), 4);
  await calls.close();
  assert.equal(await calls.call(3), 6);
  await calls.close();
});
