import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createHashGateMemory, SharedHashGate } from './shared-hash-gate.ts';

test('a fixed number of passwords is hashed at once, others wait in turn, and a full queue refuses', async () => {
  const memory = createHashGateMemory(2, 4);
  const gates = [new SharedHashGate(memory, 2, 4), new SharedHashGate(memory, 3, 4)];
  let [running, most, done] = [0, 0, 0];
  const places = Array.from({ length: 6 }, (_, n) => gates[n % 2]!.enter());
  assert.ok(places.every((place) => place !== undefined));
  assert.equal(gates[0]!.enter(), undefined);
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    done += 1;
  };
  await Promise.all(places.map((place) => place!.run(work).finally(() => place!.leave())));
  assert.deepEqual([most, done], [2, 6]);
  assert.notEqual(gates[1]!.enter(), undefined, 'every place is free again');
});

test('work that fails leaves its room', async () => {
  const gate = new SharedHashGate(createHashGateMemory(1, 1), 2, 1);
  const place = gate.enter()!;
  await assert.rejects(
    place.run(() => Promise.reject(new Error('of the work'))),
    /of the work/,
  );
  assert.equal(await place.run(async () => 'next'), 'next');
});

test('cells of a thread are free once the thread is dead', async () => {
  const memory = createHashGateMemory(1, 1);
  const [dead, living] = [new SharedHashGate(memory, 2, 1), new SharedHashGate(memory, 3, 1)];
  void dead.enter()!.run(() => new Promise(() => {}));
  const place = living.enter()!;
  assert.equal(living.enter(), undefined);
  const waiting = place.run(async () => 'its turn');
  living.releaseOf(2);
  assert.equal(await waiting, 'its turn');
  assert.notEqual(living.enter(), undefined);
});

test('a thread that waits is woken by another one that leaves', async () => {
  const memory = createHashGateMemory(1, 8);
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { SharedHashGate } = await import(workerData.module);
    const gate = new SharedHashGate(workerData.memory, 3, 8);
    for (let n = 0; n < 20; n += 1) { const place = gate.enter(); await place.run(async () => {}); place.leave(); }
    parentPort.postMessage('done');`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData: { memory, module: new URL('./shared-hash-gate.ts', import.meta.url).href },
  });
  const finished = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
  const gate = new SharedHashGate(memory, 2, 8);
  for (let n = 0; n < 20; n += 1) {
    const place = gate.enter()!;
    await place.run(() => new Promise((resolve) => setImmediate(resolve)));
    place.leave();
  }
  assert.equal(await finished, 'done');
});
