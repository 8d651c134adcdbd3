import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { ChargeRequest } from '../../../core/quota/quota.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { counterContract } from '../counter.contract.ts';
import { tableBytes } from './counter-table.ts';
import { allow, folder, NOON, open, shared, take } from './ledger.fixture.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import { type SharedLedger, tidyLedger } from './shared-ledger.ts';

counterContract('ledger in memory', () => {
  const dir = folder();
  const memory = shared(dir);
  return { open: () => open(memory), tidy: (today) => void tidyLedger(dir, today, () => false), close: () => {} };
});

/** Runs the same requests on several real threads that start together. */
async function race(
  memory: SharedLedger,
  threads: number,
  requests: readonly ChargeRequest[],
  rounds: number,
  refundEvery = 0,
): Promise<{ passed: number; refunded: number }> {
  const gate = new SharedArrayBuffer(4);
  const workers = Array.from(
    { length: threads },
    (_, i) =>
      new Worker(new URL('./charging-thread.fixture.ts', import.meta.url), {
        workerData: { shared: memory, owner: 100 + i, requests, rounds, gate, refundEvery },
      }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const reports = workers.map((worker) => once(worker, 'message'));
  Atomics.store(new Int32Array(gate), 0, 1);
  Atomics.notify(new Int32Array(gate), 0);
  const all = (await Promise.all(reports)).map(([report]) => report as { passed: number; refunded: number });
  await Promise.all(workers.map((worker) => worker.terminate()));
  return {
    passed: all.reduce((sum, one) => sum + one.passed, 0),
    refunded: all.reduce((sum, one) => sum + one.refunded, 0),
  };
}

describe('across threads', () => {
  test('four threads charging one counter let exactly the limit pass', async () => {
    const memory = shared(folder());
    const request: ChargeRequest = { at: NOON, units: 1, minute: [], day: [allow('account:hot', 15_000)] };
    const { passed } = await race(memory, 4, [request], 10_000);
    assert.equal(passed, 15_000);
    assert.equal(open(memory).usage('account:hot', NOON).used, 15_000);
  });

  test('batches of several sizes, key caps and refunds at once: passed units minus refunds are the count, and never more than the limit', async () => {
    const memory = shared(folder());
    const requests: ChargeRequest[] = [1, 3, 7, 100].map((units) => ({
      at: NOON,
      units,
      minute: [allow('account:b', 1e9)],
      day: [allow('key:k', 90_000), allow('account:b', 30_000)],
    }));
    const { passed, refunded } = await race(memory, 4, requests, 3000, 5);
    const ledger = open(memory);
    const { used, refunded: counted } = ledger.usage('account:b', NOON);
    assert.equal(used, passed - refunded);
    assert.equal(counted, refunded);
    assert.ok(used <= 30_000);
    assert.equal(ledger.usage('key:k', NOON).used, used);
  });

  test('many new clients at once get one counter each, through growth and day change', async () => {
    const memory = shared(folder(), NOON, { clientShape: { firstSegment: 64, segments: 4 } });
    for (const at of [NOON, unixMs(NOON + DAY_MS), unixMs(NOON + 4 * DAY_MS)]) {
      const requests = Array.from(
        { length: 1500 },
        (_, i): ChargeRequest => ({ at, units: 1, minute: [], day: [allow(`ip:198.51.${i >> 8}.${i & 255}`, 5)] }),
      );
      const { passed } = await race(memory, 2, requests, 3);
      assert.equal(passed, 1500 * 5);
    }
  });
});

describe('when the table is more than half full', () => {
  const one = (client: string, at: UnixMs = NOON): ChargeRequest => {
    const wide = client.includes(':') ? [allow(`ip:${client.split(':', 3).join(':')}::/48`, 1_000_000)] : [];
    const allowances = [...wide, allow(`ip:${client}`, 3)];
    return { at, units: 1, minute: allowances, day: allowances };
  };
  const passes = (ledger: MemoryLedger, client: string, at?: UnixMs): number =>
    Array.from({ length: 4 }, () => ledger.charge(one(client, at)).ok).filter(Boolean).length;

  test('new IPv6 clients count as their /48 alone, which leaves every other client its allowance', () => {
    const dir = folder();
    const memory = shared(dir);
    const ledger = open(memory);
    const early = '2001:db8:1:fff0::/64';
    assert.equal(ledger.charge(one(early)).ok, true);
    for (let n = 0; n < 20_000; n++) ledger.charge(one(`2001:db8:1:${n.toString(16)}::/64`));
    assert.equal(passes(ledger, '2001:db8:1:eeee::/64'), 0, 'its /48 has used up what it has');
    assert.equal(passes(ledger, early), 2, 'a client with a counter keeps it');
    for (let n = 0; n < 80; n++) assert.equal(passes(ledger, `203.0.113.${n}`), 3);
    for (let n = 2; n < 42; n++) assert.equal(passes(ledger, `2001:db8:${n.toString(16)}:1::/64`), 3);
    const refused = ledger.charge(one('2001:db8:1:eeee::/64'));
    assert.ok(!refused.ok && refused.refusedBy === 'ip:2001:db8:1::/48');
    const wide = ledger.charge(one('2001:db8:abcd:1::/64'));
    assert.ok(wide.ok);
    ledger.refund(wide.receipt, NOON);
    assert.equal(ledger.usage(wide.receipt.ids[0]!, NOON).refunded, 1, 'given back where it was counted');
    ledger.flushed();
    const again = open(shared(dir));
    assert.equal(passes(again, '2001:db8:1:eeee::/64'), 0, 'a restart changes nothing about it');
  });

  test('two days later each /64 counts by itself again', () => {
    const ledger = open(shared(folder()));
    for (let n = 0; n < 20_000; n++) ledger.charge(one(`2001:db8:1:${n.toString(16)}::/64`));
    const later = unixMs(NOON + 2 * DAY_MS);
    for (let n = 0; n < 20; n++) assert.equal(passes(ledger, `2001:db8:1:${(0x7000 + n).toString(16)}::/64`, later), 3);
  });
});

describe('when the table is full', () => {
  test('late clients share counters: refused too early at worst, never too late', () => {
    const memory = shared(folder(), NOON, { clientShape: { firstSegment: 64, segments: 1 } });
    const ledger = open(memory);
    const passed = Array.from(
      { length: 5000 },
      (_, i) =>
        Array.from({ length: 4 }, () => take(ledger, `ip:2001:db8:${i.toString(16)}::/64`, 3)).filter(Boolean).length,
    );
    assert.ok(passed.every((count) => count <= 3));
    assert.ok(passed.filter((count) => count === 3).length >= 64);
    assert.equal(ledger.occupancy().clients.overflowing, true);
  });

  test('accounts keep their own counters whatever clients do', () => {
    const memory = shared(folder(), NOON, { clientShape: { firstSegment: 64, segments: 1 } });
    const ledger = open(memory);
    for (let i = 0; i < 5000; i++) take(ledger, `ip:203.0.${i >> 8}.${i & 255}`, 1);
    for (let i = 0; i < 5; i++) assert.equal(take(ledger, 'account:payer', 5), true);
    assert.equal(take(ledger, 'account:payer', 5), false);
    assert.equal(ledger.occupancy().accounts.overflowing, false);
  });

  test('two days later the slots of those clients are free for others', () => {
    const memory = shared(folder(), NOON, { clientShape: { firstSegment: 64, segments: 1 } });
    const ledger = open(memory);
    /**
     * Counts how many of 5000 clients with one unit each are answered; clients that share a counter share its
     * unit too.
     */
    const served = (net: string, at: UnixMs): number =>
      Array.from({ length: 5000 }, (_, i) => take(ledger, `ip:${net}.${i >> 8}.${i & 255}`, 1, 1, at)).filter(Boolean)
        .length;
    served('203.0', NOON);
    assert.ok(served('198.51', NOON) < 64, 'the table is full, and so are nearly all of its 1024 shared counters');
    const later = served('192.0', unixMs(NOON + 2 * DAY_MS));
    assert.ok(later > 1024 && later <= 1024 + 64, `${later} were served: more than the shared counters have to give`);
  });

  test('memory is bounded by the shape', () => {
    assert.equal(tableBytes({ firstSegment: 64, segments: 3 }), (64 + 8 * (64 + 256 + 1024 + 1024)) * 4);
  });
});
