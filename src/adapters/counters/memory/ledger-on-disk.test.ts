/** The ledger across restarts, crashes and damage of its files. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ChargeRequest, QuotaId } from '../../../core/quota/quota.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { inspectLedger, ledgerState } from './inspect-ledger.ts';
import { allow, alter, DAY, fiveCharges, flip, folder, NOON, open, shared, take, usedBy } from './ledger.fixture.ts';
import { openSharedLedger, tidyLedger } from './shared-ledger.ts';

describe('on disk', () => {
  test('a start after a stop finds every charge and refund of the day', async () => {
    const dir = folder();
    const first = open(shared(dir));
    for (let i = 0; i < 10; i++) take(first, 'account:a', 100);
    const batch = first.charge({ at: NOON, units: 40, minute: [], day: [allow('phone:a', 100)] });
    assert.ok(batch.ok);
    first.refund(batch.receipt, NOON);
    take(first, 'ip:192.0.2.1', 100);
    await first.close();
    const second = open(shared(dir));
    assert.deepEqual([second.usage('account:a', NOON).used, second.usage('ip:192.0.2.1', NOON).used], [10, 1]);
    assert.deepEqual([second.usage('phone:a', NOON).used, second.usage('phone:a', NOON).refunded], [0, 40]);
    await second.close();
  });

  test('the minute is restored while it lasts', async () => {
    const dir = folder();
    const first = open(shared(dir));
    const request: ChargeRequest = {
      at: NOON,
      units: 1,
      minute: [allow('ip:192.0.2.1', 2)],
      day: [allow('ip:192.0.2.1', 9)],
    };
    first.charge(request);
    first.charge(request);
    await first.close();
    assert.equal(open(shared(dir)).charge(request).ok, false);
    assert.equal(open(shared(dir, unixMs(NOON + 60_000))).charge({ ...request, at: unixMs(NOON + 60_000) }).ok, true);
  });

  test('folding closed logs changes no counter, and a fold that was cut short counts nothing twice', async () => {
    const dir = folder();
    const first = open(shared(dir));
    for (let i = 0; i < 20; i++) take(first, `account:${i % 4}`, 100);
    await first.close();
    const logs = readdirSync(dir).filter((name) => name.startsWith('charges-'));
    const saved = logs.map((name) => [name, readFileSync(join(dir, name))] as const);
    tidyLedger(dir, DAY, () => false);
    assert.equal(
      readdirSync(dir).some((name) => name.startsWith('charges-')),
      false,
    );
    assert.equal(open(shared(dir)).usage('account:1', NOON).used, 5);
    // Restores the logs, as after a crash between writing the totals and deleting the logs.
    for (const [name, bytes] of saved) appendFileSync(join(dir, name), bytes);
    assert.equal(open(shared(dir)).usage('account:1', NOON).used, 5);
    tidyLedger(dir, DAY, () => false);
    assert.equal(open(shared(dir)).usage('account:1', NOON).used, 5);
  });

  test('a log that may still be written is left alone', async () => {
    const dir = folder();
    const ledger = open(shared(dir));
    take(ledger, 'account:a', 9);
    ledger.flushed();
    tidyLedger(dir, DAY, () => true);
    take(ledger, 'account:a', 9);
    await ledger.close();
    assert.equal(open(shared(dir)).usage('account:a', NOON).used, 2);
  });

  test('a past day keeps the use of accounts and forgets client addresses', async () => {
    const dir = folder();
    const ledger = open(shared(dir));
    take(ledger, 'account:a', 9);
    take(ledger, 'ip:192.0.2.7', 9);
    await ledger.close();
    tidyLedger(dir, DAY + 1, () => false);
    const later = open(shared(dir, unixMs(NOON + DAY_MS)));
    const [past] = await later.usageOf(['account:a', 'ip:192.0.2.7'], unixMs(NOON + DAY_MS), 2);
    const shown = past?.map(({ dayNumber, used }) => [dayNumber, used]);
    assert.deepEqual(shown, [
      [DAY, 1],
      [DAY, 0],
    ]);
  });

  test('totals go when 62 later days have theirs, and a clock years ahead does not take them away', async () => {
    const dir = folder();
    const charge = async (day: number): Promise<void> => {
      const ledger = open(shared(dir, unixMs(NOON + day * DAY_MS)));
      take(ledger, 'account:a', 9, 1, unixMs(NOON + day * DAY_MS));
      await ledger.close();
      tidyLedger(dir, DAY + day, () => false);
    };
    const days = (): number => readdirSync(dir).filter((name) => name.startsWith('totals-')).length;
    for (let day = 0; day < 63; day++) await charge(day);
    assert.equal(days(), 63);
    await charge(63);
    await charge(3653);
    tidyLedger(dir, DAY + 3653, () => false);
    const at = unixMs(NOON + 63 * DAY_MS);
    const [oldest] = await open(shared(dir, at)).usageOf(['account:a'], at, 62);
    assert.deepEqual([days(), oldest?.[0]?.dayNumber, oldest?.[0]?.used], [63, DAY + 2, 1]);
    const found = [0, 1].map((day) => readdirSync(dir).includes(`totals-${DAY + day}.bin`));
    assert.deepEqual(found, [false, false]);
  });

  for (const ahead of [1, 2])
    test(`a start under a clock that went back ${ahead} days goes on in the later day`, async () => {
      const dir = folder();
      const ledger = open(shared(dir));
      take(ledger, 'account:a', 9, 4);
      take(ledger, 'account:a', 9, 3, unixMs(NOON + ahead * DAY_MS));
      await ledger.close();
      for (const folded of [false, true]) {
        if (folded) tidyLedger(dir, DAY, () => false);
        const { dayNumber, used } = open(shared(dir)).usage('account:a', NOON);
        assert.deepEqual([dayNumber, used], [DAY + ahead, 3]);
      }
    });

  test('a zone that is a date behind takes the day in use over: it ends at the next midnight there, with its use, and no later day has it', async () => {
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Honolulu'];
    const at = unixMs(Date.UTC(2026, 2, 10, 11)); // 01:00 of the 11th in one zone and of the 10th in the other
    const midnight = unixMs(Date.UTC(2026, 2, 11, 10));
    const dir = folder();
    const before = open(shared(dir, unixMs(at - HOUR_MS - 1), { zone: east }));
    take(before, 'account:a', 9, 7, unixMs(at - HOUR_MS - 1));
    for (const id of ['account:a', 'ip:8.8.8.8'] as const) take(before, id, 9, 4, at);
    await before.close();
    for (const start of ['first', 'again']) {
      const ledger = open(shared(dir, at, { zone: west }));
      for (const id of ['account:a', 'ip:8.8.8.8'] as const)
        assert.deepEqual(ledger.usage(id, at), { dayNumber: DAY, used: 4, refunded: 0, resetsAt: midnight }, start);
      assert.deepEqual((await ledger.usageOf(['account:a'], at, 2)).map(([row]) => row?.used), [7, 4]); // biome-ignore format: short
      await ledger.close();
    }
    const ledger = open(shared(dir, at, { zone: west }));
    assert.deepEqual([take(ledger, 'account:a', 9, 5, at), take(ledger, 'account:a', 9, 1, at)], [true, false]);
    assert.deepEqual(ledger.usage('account:a', midnight), {
      dayNumber: DAY + 1,
      used: 0,
      refunded: 0,
      resetsAt: unixMs(midnight + DAY_MS),
    });
    await ledger.close();

    tidyLedger(dir, DAY, () => false);
    const ahead = open(shared(dir, at, { zone: east }));
    assert.deepEqual(ahead.usage('account:a', at).used, 0, 'the day of a zone that is a date ahead has begun');
    assert.deepEqual((await ahead.usageOf(['account:a'], at, 2)).map(([row]) => row?.used), [9, 0]); // biome-ignore format: short
    await ahead.close();
  });

  test('a zone of the same date takes the day over as it is', async () => {
    const dir = folder();
    const before = open(shared(dir));
    take(before, 'account:a', 9, 4);
    await before.close();
    assert.equal(open(shared(dir, NOON, { zone: 'UTC' })).usage('account:a', NOON).used, 4);
  });

  test('a start under a clock that went back further goes on where its day stood, and so does a clock put right from years back', async () => {
    const dir = folder();
    const ledger = open(shared(dir));
    take(ledger, 'account:a', 9, 4);
    take(ledger, 'account:a', 9, 3, unixMs(NOON + 3 * DAY_MS));
    await ledger.close();
    assert.deepEqual(open(shared(dir)).usage('account:a', NOON).used, 4);
    const early = open(shared(dir, unixMs(0)));
    take(early, 'account:a', 9, 1, unixMs(0));
    assert.equal(take(early, 'account:a', 9, 6), false);
    assert.equal(take(early, 'account:a', 9, 5), true);
    await early.close();
    assert.deepEqual(open(shared(dir)).usage('account:a', NOON).used, 9);
  });

  test('a restart under a clock that went back gives no minute twice', async () => {
    const dir = folder();
    const ledger = open(shared(dir));
    const request = (at: UnixMs): ChargeRequest => ({
      at,
      units: 1,
      minute: [allow('account:a', 3)],
      day: [allow('account:a', 9)],
    });
    for (let i = 0; i < 3; i++) assert.equal(ledger.charge(request(NOON)).ok, true);
    await ledger.close();
    const again = open(shared(dir, unixMs(NOON - 3_600_000)));
    assert.equal(again.charge(request(unixMs(NOON - 3_600_000))).ok, false);
    assert.equal(again.charge(request(unixMs(NOON - 3_540_000))).ok, true);
  });

  test('totals of past days are parsed once, and again when they were written again', async () => {
    const dir = folder();
    const days = Array.from({ length: 30 }, (_, day) => unixMs(NOON + day * DAY_MS));
    const ledger = open(shared(dir));
    for (const [day, at] of days.entries())
      for (let id = 0; id < 20; id++) take(ledger, `account:${id}`, 1000, day + 1, at);
    await ledger.close();
    tidyLedger(dir, DAY + 30, () => false);
    const reader = open(shared(dir, unixMs(NOON + 30 * DAY_MS)));
    const ids: QuotaId[] = ['account:7', 'account:none', 'account:19'];
    const expected = [...days.map((_, day) => [day + 1, 0, day + 1]), [0, 0, 0]];
    const used = async (): Promise<number[][]> =>
      (await reader.usageOf(ids, unixMs(NOON + 30 * DAY_MS), 31)).map((row) => row.map((one) => one.used));
    const path = join(dir, `totals-${DAY + 29}.bin`);
    utimesSync(path, 1e9, 1e9);
    assert.deepEqual(await used(), expected);
    alter(path, (bytes) => flip(bytes, bytes.length - 9));
    utimesSync(path, 1e9, 1e9);
    assert.deepEqual(await used(), expected, 'the file that was read before is not read again');
    utimesSync(path, 1e9, 1e9 + 1);
    await assert.rejects(used, /totals-20551\.bin is damaged/);
  });

  test('a process killed at full speed loses no charge it had answered', { timeout: 60_000 }, async () => {
    const dir = folder();
    const child = spawn(
      process.execPath,
      [new URL('./crash-child.fixture.ts', import.meta.url).pathname, dir, String(NOON)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.length > 20_000) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    const answered = Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
    assert.ok(answered >= 50);
    const restored = open(openSharedLedger({ dir, zone: 'Asia/Shanghai' }, NOON));
    let used = 0;
    let refunded = 0;
    for (let i = 0; i < 5; i++) {
      const usage = restored.usage(`account:crash-${i}`, NOON);
      used += usage.used;
      refunded += usage.refunded;
    }
    // One turn, or a part of it, may have been written and not yet answered, never the reverse.
    assert.ok(
      used + refunded >= answered && used + refunded <= answered + 50,
      `${used} + ${refunded} restored, ${answered} answered`,
    );
    assert.ok(
      refunded >= answered / 10 && refunded <= answered / 10 + 5,
      `${refunded} given back, ${answered} answered`,
    );
  });
});

describe('damage', () => {
  const DAMAGED_LOGS: readonly [string, (bytes: Buffer) => unknown, number, number][] = [
    ['a flipped bit in the first record', (bytes) => flip(bytes, 9), 4, 1],
    ['a flipped bit in the last record', (bytes) => flip(bytes, 4 * 24 + 9), 4, 1],
    ['zeros in the middle', (bytes) => void bytes.fill(0, 24, 72), 3, 2],
    ['nothing but zeros', (bytes) => void bytes.fill(0), 0, 5],
    [
      'foreign bytes behind its room',
      (bytes) => Buffer.concat([bytes, Buffer.alloc(480), Buffer.alloc(480, 0x41)]),
      5,
      40,
    ],
    ['a piece cut out of the middle', (bytes) => Buffer.concat([bytes.subarray(0, 30), bytes.subarray(60)]), 1, 3],
  ];
  for (const [name, change, readable, unreadable] of DAMAGED_LOGS) {
    test(`a log with ${name}: ${readable} records are read, ${unreadable} are reported`, async () => {
      const { dir, log } = await fiveCharges();
      alter(join(dir, log), change);
      const found = inspectLedger(dir);
      assert.deepEqual(
        found.map(({ file, ...counts }) => [file, counts.readable, counts.unreadable]),
        unreadable === 0 ? [] : [[log, readable, unreadable]],
      );
      assert.equal(usedBy(dir, 'account:a'), readable, 'what stands behind the damage is counted too');
    });
  }

  const half = (bytes: Buffer, cut: number) => bytes.subarray(0, 5 * 24 - cut);
  for (const [name, change, counted] of [
    ...[1, 12, 23].map(
      (cut) => [`that lacks ${cut} bytes of its last record`, (bytes: Buffer) => half(bytes, cut), 4] as const,
    ),
    ['with room that was never written', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)]), 5],
    ['with half a record and room behind it', (bytes: Buffer) => Buffer.concat([half(bytes, 7), Buffer.alloc(999)]), 4],
  ] as const) {
    test(`a log ${name} was left by a crash: it is not damaged, and ${counted} charges count`, async () => {
      const { dir, log } = await fiveCharges();
      alter(join(dir, log), change);
      const [found, ...more] = inspectLedger(dir);
      assert.deepEqual([found?.file, found?.unreadable, more.length], [log, 0, 0]);
      assert.ok(found!.tornBytes > 0);
      assert.equal(usedBy(dir, 'account:a'), counted);
    });
  }

  for (const [name, change] of [
    ['zeroed', (bytes: Buffer) => void bytes.fill(0)],
    ['emptied', () => Buffer.alloc(0)],
    ['cut at the end of a row', (bytes: Buffer) => bytes.subarray(0, bytes.length - 24)],
    ['with a flipped bit in a row', (bytes: Buffer) => flip(bytes, bytes.length - 20)],
    ['with a flipped bit in the names of its logs', (bytes: Buffer) => flip(bytes, 25)],
    ['with another length of its names', (bytes: Buffer) => void bytes.writeUInt32LE(2, 8)],
  ] as const) {
    test(`totals ${name} are found and refused`, async () => {
      const dir = folder();
      const ledger = open(shared(dir));
      for (const id of ['account:a', 'account:b', 'account:c'] as const) take(ledger, id, 9);
      await ledger.close();
      tidyLedger(dir, DAY, () => false);
      const file = `totals-${DAY}.bin`;
      assert.deepEqual(inspectLedger(dir), []);
      alter(join(dir, file), change);
      const [found] = inspectLedger(dir);
      assert.ok(found !== undefined && found.file === file && found.unreadable > 0);
      assert.throws(() => shared(dir), /totals-20522\.bin is damaged/);
    });
  }

  test('folding a damaged log counts its readable part, keeps the file and says so', async () => {
    const { dir, log } = await fiveCharges();
    alter(join(dir, log), (bytes) => void bytes.fill(0, 24, 48));
    assert.deepEqual(
      tidyLedger(dir, DAY, () => false),
      [{ file: log, readable: 4, unreadable: 1 }],
    );
    assert.equal(readdirSync(dir).includes(`${log}.damaged`), true);
    assert.equal(usedBy(dir, 'account:a'), 4);
  });

  test('a seed that is zeroed or cut is refused', async () => {
    const { dir } = await fiveCharges();
    writeFileSync(join(dir, 'seed'), Buffer.alloc(8));
    assert.equal(ledgerState(dir).seed?.fault?.text, 'holds eight equal bytes');
    assert.throws(() => shared(dir), /seed holds eight equal bytes/);
    writeFileSync(join(dir, 'seed'), Buffer.alloc(3));
    assert.throws(() => shared(dir), /seed should hold 8 bytes and holds 3/);
  });
});
