import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Redis } from 'iovalkey';
import { startRedis } from '../../../../test/support/redis.ts';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';
import { clientCounters, type LimitCounter } from '../../../core/limits/limits.ts';
import { HOUR_MS, unixMs } from '../../../core/units.ts';
import { limiterContract } from '../limiter.contract.ts';
import { createSharedLimits, MemoryLimiter } from '../memory/memory-limiter.ts';
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

  test('a flood of IPv6 /64s makes no more counters in Redis than this node has places for, and the /48 bounds them', async () => {
    const limiter = open();
    assert.ok(await limiter.ready(5000));
    const limit = { most: 50, windowMs: HOUR_MS };
    const admitted = async (subnet: number): Promise<boolean> => {
      const client = parseAnyAddress(`2a00:1:1:${subnet.toString(16)}::1`)!;
      return (await limiter.take(clientCounters('flood', limit, client), NOON)) === undefined;
    };
    const redis = new Redis(server.url);
    const before = await redis.dbsize();
    for (let n = 0; n < 50; n++) assert.ok(await admitted(1));
    assert.equal(await admitted(1), false, 'a /64 has its own bound');
    const rest = await Promise.all(Array.from({ length: 200 }, (_, n) => admitted(2 + n)));
    assert.equal(rest.filter(Boolean).length, 150, 'four times that for all of a /48');
    const made = (await redis.dbsize()) - before;
    redis.disconnect();
    assert.ok(made > 2 && made <= 64, `${made} keys`);
  });

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
