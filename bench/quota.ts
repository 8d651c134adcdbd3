/**
 * Cost of one charge: a lookup with a key, which is the account's minute, the key's day and the account's day
 * in one decision, next to rate-limiter-flexible asked the same three questions. In memory and over a Redis
 * of this machine, in turns within one run: read the ratios.
 *
 *   node bench/quota.ts [--charges 200000] [--rounds 5]
 *
 * The two are not equal in their promises: ours decides all counters at once (all or none), survives the
 * crash of the process (in memory: one log write per wave of 64, as the server does per event-loop turn) and
 * gives units back; the other takes each counter by itself.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Redis } from 'iovalkey';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { MemoryLedger } from '../src/adapters/counters/memory/memory-ledger.ts';
import { openSharedLedger } from '../src/adapters/counters/memory/shared-ledger.ts';
import { RedisLedger } from '../src/adapters/counters/redis/redis-ledger.ts';
import type { ChargeRequest } from '../src/core/quota/quota.ts';
import { unixMs } from '../src/core/units.ts';
import type { Ledger } from '../src/service/ports.ts';
import { randomWords } from '../test/support/random.ts';
import { startRedis } from '../test/support/redis.ts';
import { median, table } from './peers/measure.ts';

const ACCOUNTS = 1000;
/** Requests that are in the server at the same time. */
const WAVE = 64;
const LIMIT = 1_000_000_000;
const ZONE = 'Asia/Shanghai';

type Charge = (account: number) => unknown;
interface Contender {
  readonly name: string;
  readonly charge: Charge;
  readonly settle: () => unknown;
}

const requests: readonly ChargeRequest[] = Array.from({ length: ACCOUNTS }, (_, n) => {
  const allowance = (id: `account:${string}` | `key:${string}`) => ({ id, limit: LIMIT, hardLimit: LIMIT });
  return {
    at: unixMs(Date.now()),
    units: 1,
    minute: [allowance(`account:a${n}`)],
    day: [allowance(`key:a${n}/k${n}`), allowance(`account:a${n}`)],
  };
});
const ours = (name: string, ledger: Ledger): Contender => ({
  name,
  charge: (account) => ledger.charge(requests[account]!),
  settle: () => ledger.flushed(),
});
const theirs = (name: string, limiters: readonly { consume(key: string): Promise<unknown> }[]): Contender => ({
  name,
  charge: (account) => Promise.all(limiters.map((limiter) => limiter.consume(`a${account}`))),
  settle: () => undefined,
});

/** Microseconds a charge, waves of WAVE at once. */
async function time({ charge, settle }: Contender, charges: number): Promise<number> {
  const random = randomWords(7);
  const start = process.hrtime.bigint();
  for (let done = 0; done < charges; done += WAVE) {
    const wave: unknown[] = [];
    for (let at = 0; at < WAVE; at += 1) wave.push(charge(random() % ACCOUNTS));
    if (wave[0] instanceof Promise) await Promise.all(wave);
    settle();
  }
  return Number(process.hrtime.bigint() - start) / 1000 / charges;
}

async function compare(
  title: string,
  contenders: readonly Contender[],
  charges: number,
  rounds: number,
): Promise<void> {
  const results = contenders.map((): number[] => []);
  for (const contender of contenders) await time(contender, Math.min(charges, 20_000));
  for (let round = 0; round < rounds; round += 1) {
    const order = contenders.map((_, at) => at);
    if (round % 2 === 1) order.reverse();
    for (const at of order) results[at]!.push(await time(contenders[at]!, charges));
  }
  const medians = results.map(median);
  console.log(`${title}\n`);
  table(
    ['', 'µs a charge', 'charges/s', 'ratio'],
    contenders.map(({ name }, at) => [
      name,
      medians[at]!.toFixed(2),
      Math.round(1e6 / medians[at]!).toLocaleString('en'),
      (medians[at]! / medians[0]!).toFixed(2),
    ]),
  );
}

const { values } = parseArgs({
  options: { charges: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '5' } },
});
const charges = Number(values.charges);
const rounds = Number(values.rounds);
const dir = mkdtempSync(join(tmpdir(), 'pulse-bench-quota-'));
const shared = openSharedLedger({ dir, zone: ZONE }, unixMs(Date.now()));
const memory = new MemoryLedger(shared, { owner: 2, writer: 'bench' });
const limits = { points: LIMIT };
const three = [60, 86_400, 86_400] as const;
try {
  const peers = three.map((duration, at) => new RateLimiterMemory({ ...limits, duration, keyPrefix: `m${at}` }));
  await compare(
    'In memory',
    [ours('Pulse, log written per wave', memory), theirs('rate-limiter-flexible, three limiters, no log', peers)],
    charges,
    rounds,
  );
  const server = await startRedis();
  if ('skip' in server) console.log(`Over Redis: not measured (${server.skip})`);
  else {
    const redis = new RedisLedger({
      url: server.url,
      zone: ZONE,
      secret: randomBytes(32),
      fallback: new MemoryLedger(shared, { owner: 3, writer: 'spare' }),
      answerWithinMs: 10_000,
    });
    const client = new Redis(server.url, { enableAutoPipelining: true });
    await redis.ready(5000);
    const remote = three.map(
      (duration, at) => new RateLimiterRedis({ ...limits, storeClient: client, duration, keyPrefix: `r${at}` }),
    );
    await compare(
      'Over Redis on the same machine, which shares its processors',
      [ours('Pulse, one script a charge', redis), theirs('rate-limiter-flexible, three limiters', remote)],
      Math.ceil(charges / 10),
      rounds,
    );
    const bytes = async (key: string): Promise<string> => `${String(await client.call('MEMORY', 'USAGE', key))} B`;
    const [day] = await client.keys('pulse:d:*:account:*');
    const [minute] = await client.keys('pulse:m:*');
    console.log(`Memory of one counter in Redis: day ${await bytes(day!)}, minute ${await bytes(minute!)}`);
    await redis.close();
    client.disconnect();
    await server.dispose();
  }
} finally {
  await memory.close();
  rmSync(dir, { recursive: true, force: true });
}
