import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('a thread that gives way has a priority below normal, or the lower one that it had, and the others keep theirs', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = getPriority(0);
  const entry = `
    import { getPriority, setPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${JSON.stringify(import.meta.resolve('./own-process.ts'))};
    const seen = () => (lowerPriority(), getPriority(0));
    parentPort.postMessage([seen(), (setPriority(0, 19), seen())]);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(entry)}`));
  const [lowered] = await once(worker, 'message');
  await worker.terminate();
  assert.deepEqual(lowered, [Math.max(before, 10), 19]);
  assert.equal(getPriority(0), before);
});
