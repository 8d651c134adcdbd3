/**
 * The ledger while its log cannot be written, on a disk that fails on demand. test/http/full-disk.test.ts
 * runs the service on a disk that is really full.
 */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../../test/support/eventually.ts';
import type { QuotaId, Receipt } from '../../../core/quota/quota.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import { FailingDisk } from './failing-disk.fixture.ts';
import { inspectLedger } from './inspect-ledger.ts';
import { allow, folder, NOON, shared as sharedLedger } from './ledger.fixture.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { SharedLedger } from './shared-ledger.ts';

const SMALL = { clientShape: { firstSegment: 64, segments: 2 }, accountShape: { firstSegment: 64, segments: 2 } };
/** Room for 64 records, 48 of them for charges. */
const RESERVE = 64 * 24;
let writers = 0;
const shared = (dir: string, at: UnixMs = NOON): SharedLedger => sharedLedger(dir, at, SMALL);
const opened: MemoryLedger[] = [];
// Ledgers of simulated crashes would try their failing disks for ever, also in the tests of other files.
after(async () => {
  for (const ledger of opened) await ledger.close().catch(() => {});
});
function open(
  memory: SharedLedger,
  disk: FailingDisk,
  onTrouble: (error?: unknown) => void = () => {},
  waitingMax = 1000,
): MemoryLedger {
  const ledger = new MemoryLedger(memory, {
    owner: 2 + writers,
    writer: `w${writers++}`,
    log: { files: disk, reserveBytes: RESERVE, retryEveryMs: 0, onTrouble, waitingMax },
  });
  opened.push(ledger);
  return ledger;
}
const logsOf = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('charges-'));

/** @returns the receipt, or the code of the refusal */
function charge(ledger: MemoryLedger, id: QuotaId, units = 1, at: UnixMs = NOON): Receipt | string {
  try {
    const result = ledger.charge({ at, units, minute: [], day: [{ id, limit: 1e9, hardLimit: 1e9 }] });
    assert.ok(result.ok);
    return result.receipt;
  } catch (error) {
    assert.ok(error instanceof Problem, String((error as Error).stack));
    return error.code;
  }
}
const used = (dir: string, id: QuotaId, at: UnixMs = NOON): number =>
  open(shared(dir, at), new FailingDisk()).usage(id, at).used;

/** @returns whether the turn ended with everything written */
function endTurn(ledger: MemoryLedger): boolean {
  try {
    ledger.flushed();
    return true;
  } catch {
    return false;
  }
}

describe('on a full disk', () => {
  test('lookups go on, phone charges are refused although the reserve has room, and an orderly stop on the full disk writes every charge', async () => {
    const dir = folder();
    const disk = new FailingDisk();
    const ledger = open(shared(dir), disk);
    charge(ledger, 'account:a');
    ledger.flushed();
    disk.freeBytes = 0;
    for (const units of [1, 5]) assert.equal(charge(ledger, 'phone:a', units), 'quota_unavailable');
    const taken = Array.from({ length: 1000 }, () => charge(ledger, 'account:a') as Receipt);
    ledger.refund(taken[0]!, NOON);
    ledger.flushed();
    assert.deepEqual(ledger.usage('account:a', NOON), { ...ledger.usage('account:a', NOON), used: 1000, refunded: 1 });
    assert.equal(ledger.usage('phone:a', NOON).used, 0, 'a refused charge counts nothing');
    assert.deepEqual([ledger.state().accepts, ledger.state().waiting], [false, 2]);
    await ledger.close();
    assert.deepEqual([used(dir, 'account:a'), used(dir, 'phone:a')], [1000, 0]);
    assert.equal(logsOf(dir).length, 1);
  });

  test('without room for a log lookups wait in memory from the first, within the bound, leave no files behind, and are written by themselves', async () => {
    const dir = folder();
    const disk = new FailingDisk();
    disk.freeBytes = RESERVE / 4 - 1;
    const states: unknown[] = [];
    const ledger = open(
      shared(dir),
      disk,
      (error) => states.push(error === undefined ? 'written' : (error as NodeJS.ErrnoException).code),
      3,
    );
    for (let i = 0; i < 500; i++) {
      assert.equal(charge(ledger, 'phone:a'), 'quota_unavailable');
      for (const id of ['ip:a', 'ip:b', 'account:a'] as const) assert.equal(typeof charge(ledger, id), 'object');
      assert.equal(charge(ledger, 'ip:c'), 'not_ready', 'one counter more than the bound');
      ledger.flushed();
    }
    assert.deepEqual([logsOf(dir), ledger.state().waiting], [[], 3]);
    disk.freeBytes = 10 * RESERVE;
    await eventually(() => ledger.state().waiting === 0);
    assert.equal(typeof charge(ledger, 'phone:a'), 'object');
    await ledger.close();
    assert.deepEqual(states, ['ENOSPC', 'written']);
    const ids = ['ip:a', 'ip:b', 'account:a', 'ip:c', 'phone:a'] as const;
    const found = ids.map((id) => used(dir, id));
    assert.deepEqual(found, [500, 500, 500, 0, 1]);
  });

  test('of two threads on a full disk no more than the allowance passes, and when there is space again every charge is in a log once', async () => {
    const dir = folder();
    const [memory, disk] = [shared(dir), new FailingDisk()];
    const threads = [open(memory, disk), open(memory, disk)];
    disk.freeBytes = 0;
    const results = Array.from({ length: 400 }, (_, i) =>
      threads[i % 2]!.charge({ at: NOON, units: 1, minute: [], day: [allow('key:a/k', 1e9), allow('account:a', 250)] }),
    );
    for (const ledger of threads) ledger.flushed();
    assert.equal(results.filter(({ ok }) => ok).length, 250);
    disk.freeBytes = 10 * RESERVE;
    await eventually(() => threads.every((ledger) => ledger.state().waiting === 0));
    assert.deepEqual([used(dir, 'account:a'), used(dir, 'key:a/k')], [250, 250]);
    for (const ledger of threads) await ledger.close();
    assert.deepEqual([used(dir, 'account:a'), used(dir, 'key:a/k')], [250, 250]);
  });

  test('a refund is never refused and never written without its charge', async () => {
    const dir = folder();
    const disk = new FailingDisk();
    const ledger = open(shared(dir), disk);
    for (let i = 0; i < 10; i++) assert.equal(typeof charge(ledger, 'phone:a'), 'object');
    ledger.flushed();
    const taken = charge(ledger, 'phone:a', 2) as Receipt;
    disk.faults.set('write', 'EIO');
    assert.throws(() => ledger.flushed(), /EIO/);
    ledger.refund(taken, NOON);
    assert.throws(() => ledger.flushed(), /EIO/);
    disk.faults.clear();
    assert.equal(typeof charge(ledger, 'phone:a'), 'object');
    ledger.flushed();
    await ledger.close();
    assert.equal(used(dir, 'phone:a'), 11);
  });

  test('a write that failed in the middle of a charge is written over, and the charges behind it are read', async () => {
    const dir = folder();
    const disk = new FailingDisk();
    const ledger = open(shared(dir), disk);
    charge(ledger, 'account:a');
    ledger.flushed();
    const write = disk.write.bind(disk);
    disk.write = (fd, bytes, offset, length, position) => {
      if (length < 24) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return write(fd, bytes, offset, 24 + 11, position);
    };
    for (let i = 0; i < 5; i++) charge(ledger, 'account:b');
    assert.equal(endTurn(ledger), false);
    disk.write = write;
    for (let i = 0; i < 5; i++) charge(ledger, 'account:c');
    ledger.flushed();
    await ledger.close();
    const found = (['account:a', 'account:b', 'account:c'] as const).map((id) => used(dir, id));
    assert.deepEqual(found, [1, 5, 5]);
  });

  test('a log that a killed process left with its reserve is read and is not damaged', () => {
    const dir = folder();
    const ledger = open(shared(dir), new FailingDisk());
    for (let i = 0; i < 3; i++) charge(ledger, 'account:a');
    ledger.flushed();
    assert.equal(used(dir, 'account:a'), 3);
    assert.deepEqual(inspectLedger(dir), []);
  });

  test('a stop that cannot write says how many charges are lost', async () => {
    const disk = new FailingDisk();
    const ledger = open(shared(folder()), disk);
    for (let i = 0; i < 3; i++) charge(ledger, 'account:a');
    disk.faults.set('write', 'EIO');
    await assert.rejects(ledger.close(), /^Error: 3 charges could not be written/);
  });

  test('a failed sync is reported and done again; no charge is refused for it', async () => {
    const disk = new FailingDisk();
    const states: unknown[] = [];
    const ledger = new MemoryLedger(shared(folder()), {
      owner: 2 + writers,
      writer: `w${writers++}`,
      log: { files: disk, syncEveryMs: 1, retryEveryMs: 0, onTrouble: (error) => states.push(error === undefined) },
    });
    disk.faults.set('sync', 'EIO');
    charge(ledger, 'account:a');
    ledger.flushed();
    await eventually(() => states.length > 0);
    assert.equal(states[0], false);
    assert.equal(typeof charge(ledger, 'account:a'), 'object');
    disk.faults.clear();
    await ledger.close();
  });
});

type Step =
  | { readonly do: 'charge'; readonly id: number; readonly units: number }
  | { readonly do: 'refund'; readonly nth: number }
  | { readonly do: 'turn' | 'day' | 'heal' | 'restart' | 'crash' }
  | { readonly do: 'space'; readonly bytes: number }
  | { readonly do: 'fault'; readonly call: 'open' | 'write' | 'truncate' | 'sync'; readonly code: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('charge' as const), id: fc.nat(3), units: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('refund' as const), nth: fc.nat(20) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('day' as const, 'heal' as const, 'restart' as const, 'crash' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('space' as const),
      bytes: fc.constantFrom(0, 7, 24, 100, RESERVE / 2, 3 * RESERVE),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      call: fc.constantFrom('open' as const, 'write' as const, 'truncate' as const, 'sync' as const),
      code: fc.constantFrom('ENOSPC', 'EIO'),
    }),
  },
);

test('whatever the disk does, answered charges are counted, before and after every restart', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
      const dir = folder();
      const disk = new FailingDisk();
      const ids: readonly QuotaId[] = ['account:a', 'phone:a', 'key:a/k', 'ip:192.0.2.1'];
      let model = new Map<QuotaId, { used: number; refunded: number }>();
      let taken: Receipt[] = [];
      let at = NOON;
      let opened = 1;
      let ledger = open(shared(dir, at), disk);
      const check = (why: string): void => {
        for (const id of ids) {
          const { used: seen, refunded } = ledger.usage(id, at);
          assert.deepEqual({ used: seen, refunded }, model.get(id) ?? { used: 0, refunded: 0 }, `${id} ${why}`);
        }
      };
      /** Frees space before a stop only if charges wait in memory, since they may lack a log with a reserve. */
      const stop = (): Promise<void> => {
        if (ledger.state().waiting > 0) disk.freeBytes = 9 * RESERVE;
        return ledger.close();
      };
      for (const one of steps) {
        if (one.do === 'charge') {
          const id = ids[one.id]!;
          const result = charge(ledger, id, one.units, at);
          if (typeof result === 'string') continue;
          const known = model.get(id) ?? { used: 0, refunded: 0 };
          model.set(id, { ...known, used: known.used + one.units });
          taken.push(result);
        } else if (one.do === 'refund') {
          const [receipt] = taken.splice(one.nth % Math.max(1, taken.length), 1);
          if (receipt === undefined) continue;
          ledger.refund(receipt, at);
          const known = model.get(receipt.ids[0]!)!;
          model.set(receipt.ids[0]!, { used: known.used - receipt.units, refunded: known.refunded + receipt.units });
        } else if (one.do === 'turn') endTurn(ledger);
        else if (one.do === 'day') {
          at = unixMs(at + DAY_MS);
          model = new Map();
          taken = [];
        } else if (one.do === 'space') disk.freeBytes = one.bytes;
        else if (one.do === 'fault') disk.faults.set(one.call, one.code);
        else if (one.do === 'heal') disk.faults.clear();
        else if (one.do === 'crash' && (!endTurn(ledger) || ledger.state().waiting > 0)) continue;
        else {
          disk.faults.clear();
          if (one.do === 'restart') await stop();
          taken = [];
          ledger = open(shared(dir, at), disk);
          opened += 1;
          check('after a restart');
        }
      }
      check('at the end');
      const days = 1 + steps.filter((one) => one.do === 'day').length;
      assert.ok(logsOf(dir).length <= opened + days + 1, `${logsOf(dir).length} files`);
      disk.faults.clear();
      await stop();
      ledger = open(shared(dir, at), disk);
      check('after the last stop');
      rmSync(dir, { recursive: true, force: true });
    }),
    { numRuns: 60 },
  );
});
