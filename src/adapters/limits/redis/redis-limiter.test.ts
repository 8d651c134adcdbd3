import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startRedis } from '../../../../test/support/redis.ts';
import type { LimitCounter } from '../../../core/limits/limits.ts';
import { HOUR_MS, unixMs } from '../../../core/units.ts';
import { limiterContract } from '../limiter.contract.ts';
import { MemoryLimiter } from '../memory/memory-limiter.ts';
import { createSharedLimits } from '../memory/shared-limits.ts';
import { RedisLimiter } from './redis-limiter.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const secret = new Uint8Array(32);
const server = await startRedis();

if ('skip' in server) test('limiter over Redis', { skip: server.skip }, () => {});
else {
  const opened: RedisLimiter[] = [];
  const open = (): RedisLimiter => {
    const fallback = new MemoryLimiter(createSharedLimits({ clients: 64, subjects: 64 }), 1);
    const limiter = new RedisLimiter({ url: server.url, fallback, secret, answerWithinMs: 2000 });
    opened.push(limiter);
    return limiter;
  };
  const ready = [open(), open()];
  for (const limiter of ready) assert.ok(await limiter.ready(5000));
  after(async () => {
    for (const limiter of opened) limiter.close();
    await server.dispose();
  });
  let turn = 0;
  limiterContract('limiter over Redis', () => ready[turn++ % 2]!);

  test('while Redis is away each node counts by itself, within the same limits', async () => {
    const limiter = open();
    assert.ok(await limiter.ready(5000));
    const one: LimitCounter = { of: 'client', id: 'away', limit: { most: 3, windowMs: HOUR_MS } };
    for (let n = 0; n < 3; n += 1) assert.equal(await limiter.take([one], NOON), undefined);
    assert.notEqual(await limiter.take([one], NOON), undefined);
    await server.stop();
    const admitted = [];
    for (let n = 0; n < 10; n += 1) admitted.push(await limiter.take([one], NOON));
    assert.equal(admitted.filter((answer) => answer === undefined).length, 3);
    await server.start();
    assert.ok(await limiter.ready(5000));
    assert.notEqual(await limiter.take([one], NOON), undefined, 'what Redis held is counted on');
  });
}
