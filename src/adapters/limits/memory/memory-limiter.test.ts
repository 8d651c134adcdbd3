import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';
import { clientCounters, type Limit, type LimitCounter } from '../../../core/limits/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { limiterContract } from '../limiter.contract.ts';
import { createSharedLimits, MemoryLimiter } from './memory-limiter.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const WINDOW_MS = 15 * MINUTE_MS;
const shared = createSharedLimits({ clients: 256, subjects: 256 });
let owners = 1;
limiterContract('limiter in memory', () => new MemoryLimiter(shared, ++owners));

const counter = (id: string, limit: Limit): LimitCounter => ({ of: 'client', id, limit });

test('a window ends in time, also when the clock goes back, and a step back gives nothing', () => {
  const limiter = new MemoryLimiter(createSharedLimits({ clients: 64, subjects: 64 }), 1);
  const one = counter('a', { most: 4, windowMs: WINDOW_MS });
  const take = (at: number): UnixMs | undefined => limiter.take([one], unixMs(at))?.endsAt;
  for (const at of [NOON, NOON + MINUTE_MS, NOON - 5]) assert.equal(take(at), undefined);
  const back = NOON - 3 * HOUR_MS;
  assert.equal(take(back), undefined);
  assert.equal(take(back), back + WINDOW_MS);
  assert.equal(take(back + WINDOW_MS - 1), back + WINDOW_MS);
  assert.equal(take(back + WINDOW_MS), undefined);
});

test('counters of a clock that was days ahead make way for others when it is put right', () => {
  const limiter = new MemoryLimiter(createSharedLimits({ clients: 64, subjects: 64 }), 1);
  const limit: Limit = { most: 1, windowMs: HOUR_MS };
  for (let n = 0; n < 5000; n += 1) limiter.take([counter(`ahead ${n}`, limit)], unixMs(NOON + 3 * DAY_MS));
  for (let n = 0; n < 20; n += 1) assert.equal(limiter.take([counter(`now ${n}`, limit)], NOON), undefined);
});

test('a table that is full refuses too early and never too late, and serves again when windows have ended', () => {
  const limiter = new MemoryLimiter(createSharedLimits({ clients: 64, subjects: 64 }), 1);
  const limit: Limit = { most: 2, windowMs: HOUR_MS };
  const admitted = Array.from(
    { length: 5000 },
    (_, n) => [0, 1, 2].filter(() => limiter.take([counter(`c${n}`, limit)], NOON) === undefined).length,
  );
  assert.ok(admitted.every((count) => count <= 2));
  assert.equal(admitted.filter((count) => count > 0).length > 64, true, 'late ones share what is left');
  assert.ok(admitted.reduce((sum, count) => sum + count) <= 2 * (64 + 1024));
  for (let n = 0; n < 20; n += 1)
    assert.equal(limiter.take([counter(`later ${n}`, limit)], unixMs(NOON + HOUR_MS)), undefined);
});

test('above half occupancy IPv6 clients count as their /48 alone, and other sites are served', () => {
  const limiter = new MemoryLimiter(createSharedLimits({ clients: 1024, subjects: 64 }), 1);
  const limit: Limit = { most: 100_000, windowMs: HOUR_MS };
  const subnets = (site: number, n: number) =>
    clientCounters('x', limit, parseAnyAddress(`2001:db8:${site.toString(16)}:${n.toString(16)}::1`)!);
  for (let n = 0; n < 20_000; n += 1) assert.equal(limiter.take(subnets(1, n), NOON), undefined);
  const strict = (site: number) =>
    clientCounters('y', { most: 1, windowMs: HOUR_MS }, parseAnyAddress(`2001:db8:${site.toString(16)}::1`)!);
  for (let site = 2; site < 102; site += 1)
    assert.equal(limiter.take(strict(site), NOON), undefined, `site ${site}: no counter is shared with another's`);
});

test('a /48 admits four times as much as a /64', () => {
  const limiter = new MemoryLimiter(createSharedLimits(), 1);
  const admits = (n: number): boolean =>
    limiter.take(
      clientCounters('z', { most: 10, windowMs: HOUR_MS }, parseAnyAddress(`2001:db8:9:${n.toString(16)}::1`)!),
      NOON,
    ) === undefined;
  assert.equal(Array.from({ length: 20 }, () => admits(0)).filter(Boolean).length, 10);
  assert.equal(Array.from({ length: 200 }, (_, n) => admits(1 + (n % 100))).filter(Boolean).length, 30);
});

test('threads that count at once admit no more than one would', async () => {
  const memory = createSharedLimits({ clients: 64, subjects: 64 });
  const code = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { MemoryLimiter } = await import(workerData.module);
    const limiter = new MemoryLimiter(workerData.memory, workerData.owner);
    let admitted = 0;
    for (let n = 0; n < 4000; n += 1) for (let id = 0; id < 5; id += 1)
      if (limiter.take([{ of: 'client', id: 'c' + id, limit: { most: 1000, windowMs: 3600000 } }], ${NOON}) === undefined) admitted += 1;
    parentPort.postMessage(admitted);`;
  const module = new URL('./memory-limiter.ts', import.meta.url).href;
  const counts = await Promise.all(
    [1, 2, 3].map(
      (owner) =>
        new Promise<number>((resolve, reject) => {
          const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
            workerData: { memory, owner, module },
          });
          worker.on('message', resolve);
          worker.on('error', reject);
        }),
    ),
  );
  assert.equal(counts[0]! + counts[1]! + counts[2]!, 5000);
});
