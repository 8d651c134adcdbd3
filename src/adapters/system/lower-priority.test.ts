import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('the thread that gives way has a lower priority than the others of its process', {
  skip: process.platform !== 'linux',
}, async () => {
  const before = getPriority(0);
  const entry = `
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { lowerPriority } from ${JSON.stringify(import.meta.resolve('./lower-priority.ts'))};
    lowerPriority();
    parentPort.postMessage(getPriority(0));
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(entry)}`));
  const [lowered] = await once(worker, 'message');
  await worker.terminate();
  assert.ok(lowered > before, `${lowered} after ${before}`);
  assert.equal(getPriority(0), before);
});
