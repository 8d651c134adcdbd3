import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'iovalkey';
import { eventually } from '../../../../test/support/eventually.ts';
import { type RedisServer, startRedis } from '../../../../test/support/redis.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import type { Allowance, ChargeRequest, ChargeResult, QuotaId, Receipt } from '../../../core/quota/quota.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import { folder, open as openLocal, SMALL_TABLES, shared } from '../memory/ledger.fixture.ts';
import { MemoryLedger } from '../memory/memory-ledger.ts';
import { openSharedLedger } from '../memory/shared-ledger.ts';
import { RedisLedger, type RedisLedgerOptions } from './redis-ledger.ts';

const ZONE = 'Asia/Shanghai';
/** 12:00 in Shanghai on 2026-11-21. */
const NOON = unixMs(Date.UTC(2026, 10, 21, 4));
const later = (ms: number): UnixMs => unixMs(NOON + ms);

const SECRET = Buffer.alloc(32, 1);

let writers = 0;
function memory(): MemoryLedger {
  const dir = testFolder('redis-ledger');
  writers += 1;
  return new MemoryLedger(openSharedLedger({ dir, zone: ZONE, sharing: 'alone', ...SMALL_TABLES }, NOON), {
    owner: 2,
    writer: `w${writers}`,
  });
}

let server: RedisServer | undefined;
let why = '';
const open: RedisLedger[] = [];
/** Opens one node: a ledger with a connection of its own. */
async function node(
  options: Partial<Pick<RedisLedgerOptions, 'answerWithinMs' | 'secret' | 'onState' | 'zone' | 'fallback'>> = {},
) {
  const ledger = new RedisLedger({ url: server!.url, zone: ZONE, fallback: memory(), secret: SECRET, ...options });
  open.push(ledger);
  assert.ok(await ledger.ready(5000));
  return ledger;
}

/** Number of commands that the server refused for missing rights, over all probes. */
const refusals = async (redis: Redis): Promise<number> =>
  ((await redis.call('ACL', 'LOG')) as unknown[][]).reduce(
    (sum, entry) => sum + Number(entry[entry.indexOf('count') + 1]),
    0,
  );

let serial = 0;
const fresh = (pool: 'ip' | 'account' | 'phone'): QuotaId => {
  serial += 1;
  return `${pool}:t${serial}`;
};
const one = (id: QuotaId, limit: number, hardLimit = limit): Allowance[] => [{ id, limit, hardLimit }];
const ask = (id: QuotaId, perMin: number, perDay: number, more: Partial<ChargeRequest> = {}): ChargeRequest => ({
  at: NOON,
  units: 1,
  minute: one(id, perMin),
  day: one(id, perDay),
  ...more,
});
const receiptOf = (result: ChargeResult) => {
  assert.ok(result.ok);
  return result.receipt;
};

before(async () => {
  const started = await startRedis();
  if ('skip' in started) why = started.skip;
  else server = started;
});
after(async () => {
  server?.resume();
  for (const ledger of open) await ledger.close();
  await server?.dispose();
});

describe('ledger over Redis', () => {
  const guarantee = (title: string, body: () => Promise<void>): void => {
    test(title, async (t) => {
      if (server === undefined) return t.skip(why);
      await body();
    });
  };

  for (const apartMs of [90_000, -90_000, 1_000_000_000])
    guarantee(`with clocks ${apartMs} ms apart, before and after a jump, 60 a minute stay 60`, async () => {
      const now = Date.now;
      const [right, jumping] = [await node(), await node()];
      let id = fresh('account');
      const askAt = async (ledger: RedisLedger, clock: () => number) => {
        Date.now = clock;
        const at = unixMs(clock());
        const answer = await ledger.charge(ask(id, 60, 999, { at })).finally(() => {
          Date.now = now;
        });
        const { resetsAt } = answer.minute!;
        assert.ok(resetsAt > at - 1000 && resetsAt <= at + MINUTE_MS + 1000, `ends ${resetsAt - at} ms from now`);
        return answer.ok;
      };
      const wrong = (): number => now() + apartMs;
      for (let begun = -1; begun !== Math.floor(now() / MINUTE_MS); ) {
        begun = Math.floor(now() / MINUTE_MS);
        id = fresh('account');
        assert.ok(await askAt(jumping, now));
        for (let n = 0; n < 59; n++) assert.ok(await askAt(n % 2 ? right : jumping, n % 2 ? now : wrong));
        if (begun !== Math.floor(now() / MINUTE_MS)) continue;
        for (const [ledger, clock] of [
          [right, now],
          [jumping, wrong],
          [jumping, now],
        ] as const)
          assert.equal(await askAt(ledger, clock), false);
      }
    });

  guarantee(
    'a network of IPv6 /64s takes a bounded number of keys, and leaves other clients their allowance',
    async () => {
      const ledger = await node({
        fallback: openLocal(shared(folder(), NOON, { sharing: 'alone' })),
        secret: Buffer.alloc(32, 7),
      });
      const redis = new Redis(server!.url);
      const before = await redis.dbsize();
      const charge = (client: string): Promise<ChargeResult> => {
        const allowances = [...one('ip:2001:db8:1::/48', 100_000), ...one(`ip:${client}`, 3)];
        return ledger.charge(ask(`ip:${client}`, 3, 3, { minute: allowances, day: allowances }));
      };
      const early = '2001:db8:1:fff0::/64';
      await charge(early);
      for (let from = 0; from < 20_000; from += 100)
        await Promise.all(Array.from({ length: 100 }, (_, i) => charge(`2001:db8:1:${(from + i).toString(16)}::/64`)));
      const keys = (await redis.dbsize()) - before;
      redis.disconnect();
      assert.ok(keys < 2 * 5_000, `${keys} keys, of a minute and of a day, for 20,000 clients`);
      const late = await charge('2001:db8:1:eeee::/64');
      assert.ok(!late.ok && late.refusedBy === 'ip:2001:db8:1::/48', 'it counts as its /48 alone');
      const known = await charge(early);
      assert.ok(known.ok && known.receipt.ids.length === 2, 'a client with a counter keeps it');
    },
  );

  guarantee('for any sequence of charges and refunds the answers are those of the ledger in memory', async () => {
    const shared = await node();
    const step = fc.record({
      units: fc.integer({ min: 0, max: 6 }),
      after: fc.constantFrom(0, 0, 0, MINUTE_MS / 2, MINUTE_MS, DAY_MS / 2),
      perMin: fc.integer({ min: 0, max: 12 }),
      keyCap: fc.integer({ min: 0, max: 12 }),
      perDay: fc.integer({ min: 0, max: 20 }),
      overage: fc.integer({ min: 0, max: 5 }),
      dayToo: fc.boolean(),
      refund: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const account = fresh('account');
        const key: QuotaId = `key:${account.slice(8)}/k`;
        const here = memory();
        let at = NOON;
        for (const { units, after: wait, perMin, keyCap, perDay, overage, dayToo, refund } of steps) {
          at = unixMs(at + wait);
          const request: ChargeRequest = {
            at,
            units,
            minute: one(account, perMin),
            day: dayToo ? [...one(key, keyCap), ...one(account, perDay, perDay + overage)] : [],
          };
          const [theirs, ours] = [await shared.charge(request), here.charge(request)];
          assert.deepEqual(plain(theirs), plain(ours));
          if (refund && theirs.ok && ours.ok) {
            await shared.refund(theirs.receipt, at);
            here.refund(ours.receipt, at);
          }
          for (const id of [account, key]) assert.deepEqual(await shared.usage(id, at), here.usage(id, at));
        }
        await here.close();
      }),
      { numRuns: 25 },
    );
  });

  guarantee('batches are all or nothing under concurrency', async () => {
    const nodes = await Promise.all([node(), node()]);
    const id = fresh('phone');
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, at) => nodes[at % 2]!.charge(ask(id, 100_000, 1000, { units: 30 + (at % 3) }))),
    );
    const taken = results.reduce((sum, result) => sum + (result.ok ? result.receipt.units : 0), 0);
    assert.ok(taken <= 1000 && taken > 1000 - 32, String(taken));
    assert.equal((await nodes[0]!.usage(id, NOON)).used, taken);
  });

  guarantee('a day that has begun in one zone is not in force in a zone that is a date behind', async () => {
    const at = unixMs(Date.UTC(2026, 10, 21, 11)); // 01:00 of the 22nd in one zone and of the 21st in the other
    const [east, west] = [await node({ zone: 'Pacific/Kiritimati' }), await node({ zone: 'Pacific/Honolulu' })];
    const id = fresh('account');
    assert.equal((await east.charge(ask(id, 9, 5, { at, units: 5 }))).ok, true);
    const midnight = unixMs(Date.UTC(2026, 10, 22, 10));
    const { day } = await west.charge(ask(id, 9, 5, { at, units: 2 }));
    assert.deepEqual(day, { limit: 5, remaining: 3, resetsAt: midnight });
    assert.equal((await west.usage(id, midnight)).used, 0);
    assert.equal((await east.usage(id, at)).used, 5);
  });

  guarantee('a refund counts once however often it is asked for', async () => {
    const ledger = await node();
    const id = fresh('phone');
    const receipt = receiptOf(await ledger.charge(ask(id, 100, 100, { units: 5 })));
    await ledger.charge(ask(id, 100, 100, { units: 7 }));
    await Promise.all([ledger.refund(receipt, NOON), ledger.refund(receipt, NOON), ledger.refund(receipt, NOON)]);
    assert.deepEqual(await ledger.usage(id, NOON), {
      dayNumber: 20_778,
      used: 7,
      refunded: 5,
      resetsAt: unixMs(Date.UTC(2026, 10, 21, 16)),
    });
  });

  guarantee('charges of one turn are one question, and each has the answer of a charge by itself', async () => {
    const shared = await node();
    const redis = new Redis(server!.url);
    const questions = async (): Promise<number> =>
      [...(await redis.info('commandstats')).matchAll(/cmdstat_evalsha:calls=(\d+)/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    const busy = fresh('account');
    await shared.charge(ask(busy, 1000, 1000));
    const before = await questions();
    const results = await Promise.all(Array.from({ length: 50 }, () => shared.charge(ask(busy, 1000, 1000))));
    assert.equal((await questions()) - before, 1);
    assert.deepEqual(
      results.map((result) => result.ok && result.day?.remaining),
      Array.from({ length: 50 }, (_, i) => 998 - i),
    );
    await redis.quit();
    let refusals = 0;
    const turn = fc.array(fc.record({ units: fc.integer({ min: 0, max: 4 }), other: fc.boolean() }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 8 }), fc.nat(25), fc.nat(40), async (turns, perMin, perDay) => {
        const [account, other] = [fresh('account'), fresh('account')];
        const here = memory();
        for (const charges of turns) {
          const requests = charges.map(({ units, other: isOther }) =>
            ask(isOther ? other : account, perMin, perDay, { units }),
          );
          const theirs = await Promise.all(requests.map((request) => shared.charge(request)));
          const ours = requests.map((request) => here.charge(request));
          assert.deepEqual(theirs.map(plain), ours.map(plain));
          refusals += ours.filter(({ ok }) => !ok).length;
          const given = theirs.findIndex(({ ok }) => ok);
          if (given < 0) continue;
          await shared.refund(receiptOf(theirs[given]!), NOON);
          here.refund(receiptOf(ours[given]!), NOON);
          for (const id of [account, other]) assert.deepEqual(await shared.usage(id, NOON), here.usage(id, NOON));
        }
        await here.close();
      }),
      { numRuns: 25 },
    );
    assert.ok(refusals > 20, `${refusals} were refused`);
  });

  guarantee('no client address reaches Redis, and another secret gives another name', async () => {
    const ledger = await node();
    const redis = new Redis(server!.url);
    const namesOf = async (one: RedisLedger): Promise<string[]> => {
      await redis.flushall();
      for (const address of ['203.0.113.77', '2001:db8:77:1::/64'] as const) {
        const { receipt } = (await one.charge(ask(`ip:${address}`, 9, 9))) as { receipt: Receipt };
        await one.refund(receipt, NOON);
        assert.equal((await one.usage(`ip:${address}`, NOON)).used, 0);
        await one.charge(ask(`ip:${address}`, 9, 9));
        assert.equal((await one.usage(`ip:${address}`, NOON)).used, 1);
      }
      return (await redis.keys('*')).sort();
    };
    try {
      const names = await namesOf(ledger);
      assert.ok(names.length >= 8, names.join(' '));
      for (const name of names) assert.doesNotMatch(name, /203\.0|2001:db8/);
      const other = await namesOf(await node({ secret: Buffer.alloc(32, 2) }));
      const unexpected = other.filter((name) => names.includes(name));
      assert.deepEqual(unexpected, []);
    } finally {
      redis.disconnect();
    }
  });

  guarantee('every key expires by itself, after its window', async () => {
    const ledger = await node();
    const redis = new Redis(server!.url);
    await redis.flushall();
    await ledger.charge(ask(fresh('ip'), 9, 9));
    receiptOf(await ledger.charge(ask(fresh('phone'), 9, 9)));
    await ledger.refund(receiptOf(await ledger.charge(ask(fresh('phone'), 9, 9))), NOON);
    const keys = await redis.keys('*');
    assert.ok(keys.length >= 8, keys.join(' '));
    for (const key of keys) assert.ok((await redis.ttl(key)) >= (key.startsWith('pulse:m:') ? 120 : 86_400), key);
    redis.disconnect();
  });

  guarantee('a server that forgot the scripts is taught them again', async () => {
    const ledger = await node();
    const id = fresh('account');
    await ledger.charge(ask(id, 9, 9));
    const redis = new Redis(server!.url);
    await redis.script('FLUSH');
    redis.disconnect();
    await eventually(() => ledger.state().up);
    const results = [];
    for (let at = 0; at < 3; at += 1) results.push((await ledger.charge(ask(id, 9, 9))).ok);
    assert.deepEqual(results, [true, true, true]);
    await eventually(() => ledger.state().up);
  });

  guarantee('with the server gone lookups are counted here, phone is refused, and both recover', async () => {
    const ledger = await node();
    const [account, phone] = [fresh('account'), fresh('phone')];
    await ledger.charge(ask(account, 100, 5));
    await ledger.charge(ask(phone, 100, 50, { units: 20 }));
    await server!.stop();
    await eventually(() => !ledger.state().up);
    const kept = await ledger.charge(ask(account, 100, 2));
    assert.equal(kept.ok, true, 'counted by this process alone');
    assert.equal((await ledger.charge(ask(account, 100, 2))).ok, false, 'and limited by it');
    const unavailable = (error: unknown) => error instanceof Problem && error.code === 'quota_unavailable';
    await assert.rejects(ledger.charge(ask(phone, 100, 50)), unavailable);
    await assert.rejects(ledger.usage(account, NOON), unavailable);
    await ledger.refund(receiptOf(kept), NOON);
    assert.deepEqual([ledger.state().localCharges, ledger.state().refusedPhoneCharges], [2, 1]);
    await server!.start();
    await eventually(() => ledger.state().up);
    assert.equal((await ledger.usage(phone, NOON)).used, 20, 'what was answered is still counted');
    const result = await ledger.charge(ask(phone, 100, 50, { units: 30 }));
    assert.ok(result.ok && result.day?.remaining === 0);
  });

  /** Counts how many charges pass when the nodes are asked in turn, one charge at a time. */
  const passing = async (nodes: readonly RedisLedger[], times: number, request: ChargeRequest): Promise<number> => {
    let passed = 0;
    for (let n = 0; n < times; n += 1) if ((await nodes[n % nodes.length]!.charge(request)).ok) passed += 1;
    return passed;
  };
  const admin = async (...command: [string, ...string[]]): Promise<void> => {
    const redis = new Redis(server!.url);
    await redis.call(...command);
    redis.disconnect();
  };
  /** Ways in which the server goes away and returns, with its data or without. */
  const away: Readonly<
    Record<string, readonly [leave: () => Promise<void>, comeBack: (empty: boolean) => Promise<void>]>
  > = {
    stopped: [() => server!.stop(), (empty) => server!.start(empty)],
    frozen: [
      async () => server!.freeze(),
      async (empty) => {
        if (empty) await server!.stop();
        server!.resume();
        if (empty) await server!.start(true);
      },
    ],
    refusing: [
      () => admin('ACL', 'SETUSER', 'default', '-evalsha', '-eval'),
      async (empty) => {
        if (empty) await admin('FLUSHALL');
        await admin('ACL', 'SETUSER', 'default', '+@all');
      },
    ],
  };
  for (const [how, [leave, comeBack]] of Object.entries(away))
    for (const empty of [false, true])
      guarantee(
        `a node never lets more pass than the allowance over a server that is ${how} and comes back ${empty ? 'empty' : 'as it was'}`,
        async () => {
          const ledger = await node({ answerWithinMs: 400 });
          const [account, phone, crowd] = [fresh('account'), fresh('phone'), fresh('account')];
          const key: QuotaId = `key:${account.slice(8)}/k`;
          const daily = { ...ask(account, 1000, 60), day: [...one(key, 1000), ...one(account, 60)] };
          const hurried = ask(fresh('ip'), 60, 1000);
          for (const request of [daily, hurried]) assert.equal(await passing([ledger], 20, request), 20);
          await ledger.charge(ask(phone, 100, 50, { units: 20 }));
          await leave();
          // Charges under way are in doubt: the server may have counted them, and must not count them twice
          // when it returns.
          const doubtful = await Promise.all(Array.from({ length: 5 }, () => ledger.charge(ask(crowd, 9, 4))));
          assert.equal(doubtful.filter(({ ok }) => ok).length, 4);
          for (const request of [daily, hurried]) assert.equal(await passing([ledger], 30, request), 30);
          await comeBack(empty);
          await eventually(() => ledger.state().up);
          for (const request of [daily, hurried]) assert.equal(await passing([ledger], 30, request), 10);
          assert.equal(await passing([ledger], 5, ask(crowd, 9, 4)), 0);
          assert.equal((await ledger.charge(ask(phone, 100, 50, { units: 31 }))).ok, false);
          assert.equal((await ledger.charge(ask(phone, 100, 50, { units: 30 }))).ok, true);
          const used = async (id: QuotaId): Promise<number> => (await ledger.usage(id, NOON)).used;
          assert.deepEqual(await Promise.all([account, key, crowd, phone].map(used)), [60, 60, 4, 50]);
        },
      );

  for (const empty of [false, true])
    guarantee(
      `local counts of two nodes are added up when the server comes back ${empty ? 'empty' : 'as it was'}`,
      async () => {
        const nodes = await Promise.all([node(), node()]);
        const [a, b] = nodes as [RedisLedger, RedisLedger];
        const id = fresh('account');
        const request = ask(id, 1000, 100);
        assert.equal(await passing([a], 20, request), 20);
        assert.equal(await passing([b], 15, request), 15);
        const given = receiptOf(await a.charge(request));
        await a.refund(given, NOON);
        await server!.stop();
        await eventually(() => nodes.every((one) => !one.state().up));
        assert.equal(await passing([a], 10, request), 10);
        await a.refund(receiptOf(await a.charge(request)), NOON);
        assert.equal(await passing([b], 100, request), 65, 'b goes on from the 35 that it knows');
        await server!.start(empty);
        await eventually(
          async () =>
            nodes.every((one) => one.state().up) &&
            (await Promise.all(nodes.map((one) => one.usage(id, NOON)))).every(({ used }) => used === 110),
        );
        assert.equal(await passing(nodes, 4, request), 0);
      },
    );

  guarantee('a server that takes our rights away counts as away: lookups go on, phone is refused', async () => {
    const states: boolean[] = [];
    const ledger = await node({ onState: (fault) => states.push(fault === undefined) });
    states.length = 0;
    const redis = new Redis(server!.url);
    try {
      // The right is withdrawn first for scripts, then for a command inside them. The server answers pings
      // meanwhile, and must count as away until it can count again.
      for (const lost of [['-evalsha', '-eval'], ['-hset']]) {
        await redis.call('ACL', 'SETUSER', 'default', ...lost);
        const before = ledger.state().localCharges;
        assert.equal((await ledger.charge(ask(fresh('account'), 9, 9))).ok, true);
        await assert.rejects(
          ledger.charge(ask(fresh('phone'), 9, 9)),
          (error) => error instanceof Problem && error.code === 'quota_unavailable',
        );
        await redis.call('ACL', 'LOG', 'RESET');
        await eventually(async () => (await refusals(redis)) > 4);
        assert.equal((await ledger.charge(ask(fresh('account'), 9, 9))).ok, true);
        assert.equal(ledger.state().localCharges - before, 2, lost.join());
        assert.deepEqual([...new Set(states)], [false], 'away, told again where the cause is another');
        await redis.call('ACL', 'SETUSER', 'default', '+@all');
        await eventually(() => ledger.state().up);
        assert.deepEqual([...new Set(states.splice(0))], [false, true]);
      }
    } finally {
      await redis.call('ACL', 'SETUSER', 'default', '+@all');
      redis.disconnect();
    }
  });

  guarantee('a fault of our own scripts is not taken for an absent server', async () => {
    const ledger = await node();
    const redis = new Redis(server!.url);
    const id = fresh('account');
    const key = `pulse:m:{${id.slice(8)}}:account:${Math.floor(NOON / MINUTE_MS)}`;
    await redis.hset(key, 'not', 'a string');
    redis.disconnect();
    await assert.rejects(async () => ledger.charge(ask(id, 9, 9)), /WRONGTYPE/);
    assert.equal(ledger.state().up, true);
  });

  guarantee('a refund asked for while the server is away is made when it is back', async () => {
    const ledger = await node();
    const id = fresh('phone');
    const receipt = receiptOf(await ledger.charge(ask(id, 100, 50, { units: 20 })));
    await server!.stop();
    await eventually(() => !ledger.state().up);
    await ledger.refund(receipt, NOON);
    assert.equal(ledger.state().waitingRefunds, 1);
    await server!.start();
    await eventually(() => ledger.state().up && ledger.state().waitingRefunds === 0);
    assert.deepEqual(await ledger.usage(id, NOON), {
      dayNumber: 20_778,
      used: 0,
      refunded: 20,
      resetsAt: unixMs(Date.UTC(2026, 10, 21, 16)),
    });
  });

  guarantee('a phone charge whose answer is lost in a frozen server is refused and not billed', async () => {
    const ledger = await node({ answerWithinMs: 100 });
    const id = fresh('phone');
    server!.freeze();
    await assert.rejects(
      ledger.charge(ask(id, 100, 50, { units: 20 })),
      (error) => error instanceof Problem && error.code === 'quota_unavailable',
    );
    const lookup = await ledger.charge(ask(fresh('account'), 100, 50));
    assert.equal(lookup.ok, true, 'lookups go on meanwhile');
    server!.resume();
    await eventually(() => ledger.state().up && ledger.state().waitingRefunds === 0);
    const { used, refunded } = await ledger.usage(id, NOON);
    assert.deepEqual([used, refunded], [0, 20]);
  });

  guarantee('a node that starts without the server works locally until it is there', async () => {
    await server!.stop();
    const ledger = new RedisLedger({ url: server!.url, zone: ZONE, fallback: memory(), secret: SECRET });
    open.push(ledger);
    assert.equal(await ledger.ready(50), false);
    assert.equal((await ledger.charge(ask(fresh('ip'), 9, 9, { at: later(1) }))).ok, true);
    await server!.start();
    assert.equal(await ledger.ready(10_000), true);
  });
});

const plain = (result: ChargeResult): unknown => {
  if (!result.ok) return result;
  const { chargeId: _name, ...receipt } = result.receipt;
  return { ...result, receipt };
};
