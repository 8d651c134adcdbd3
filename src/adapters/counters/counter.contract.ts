/** The suite that every ledger passes; each technology runs it against the real server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { lookupAllowances } from '../../core/quota/allowances.ts';
import type { Allowance, ChargeResult, DayUsage, QuotaId } from '../../core/quota/quota.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { Ledger } from '../../service/ports.ts';

export interface CounterFixture {
  /**
   * Opens another ledger over the fixture's counters, as another thread or node would. The quota zone is
   * Asia/Shanghai.
   */
  open(): Ledger | Promise<Ledger>;
  /**
   * Runs the service's upkeep for past days, if the adapter needs any. All ledgers with charges must be
   * closed.
   */
  tidy?(today: number): void;
  close(): void | Promise<void>;
}

/** 2026-03-10T12:00:00Z is 20:00 in Shanghai; the quota day ends at 16:00Z. */
const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const DAY = 20_522;
const SHANGHAI_MIDNIGHT = unixMs(Date.UTC(2026, 2, 10, 16));

export function counterContract(name: string, open: () => CounterFixture | Promise<CounterFixture>): void {
  describe(name, () => {
    let fixture: CounterFixture;
    let ledger: Ledger;
    let count = 0;
    const fresh = (pool = 'account'): QuotaId => `${pool}:contract-${++count}` as QuotaId;
    const allow = (id: QuotaId, limit: number, hardLimit = limit): Allowance => ({ id, limit, hardLimit });
    const charge = async (
      day: readonly Allowance[],
      options: { units?: number; minuteUnits?: number; at?: UnixMs; minute?: readonly Allowance[]; on?: Ledger } = {},
    ): Promise<ChargeResult> =>
      (options.on ?? ledger).charge({
        at: options.at ?? NOON,
        units: options.units ?? 1,
        ...(options.minuteUnits !== undefined && { minuteUnits: options.minuteUnits }),
        minute: options.minute ?? [],
        day,
      });
    const used = async (id: QuotaId, at: UnixMs = NOON): Promise<number> => (await ledger.usage(id, at)).used;
    const assertUsage = async (
      id: QuotaId,
      used: number,
      refunded: number,
      day: Partial<DayUsage> & { at?: UnixMs } = {},
    ) => {
      const { at = NOON, ...expected } = { dayNumber: DAY, resetsAt: SHANGHAI_MIDNIGHT, used, refunded, ...day };
      assert.deepEqual(await ledger.usage(id, at), expected);
    };
    /** Declares a test with counters of its own, since a day that it begins stays begun. */
    const daysTest = (title: string, body: (own: CounterFixture) => Promise<void>): void =>
      void test(title, async () => {
        const own = await open();
        const outer = ledger;
        ledger = await own.open();
        try {
          await body(own);
        } finally {
          await ledger.close();
          await own.close();
          ledger = outer;
        }
      });

    before(async () => {
      fixture = await open();
      ledger = await fixture.open();
    });
    after(async () => {
      await ledger.close();
      await fixture.close();
    });

    test('exactly as many units pass as the limit says', async () => {
      const id = fresh();
      for (let left = 2; left >= 0; left--) {
        const result = await charge([allow(id, 3)]);
        assert.deepEqual([result.ok, result.day], [true, { limit: 3, remaining: left, resetsAt: SHANGHAI_MIDNIGHT }]);
      }
      const refused = await charge([allow(id, 3)]);
      assert.ok(!refused.ok);
      assert.deepEqual([refused.window, refused.refusedBy, refused.day?.remaining], ['day', id, 0]);
      assert.equal(await used(id), 3);
    });

    test('a limit of 0 lets nothing pass', async () => {
      assert.equal((await charge([allow(fresh(), 0)])).ok, false);
      const id = fresh();
      assert.equal((await charge([], { minute: [allow(id, 0)] })).ok, false);
    });

    test('n units are taken whole or not at all', async () => {
      const id = fresh('phone');
      assert.equal((await charge([allow(id, 10)], { units: 7 })).ok, true);
      assert.equal((await charge([allow(id, 10)], { units: 4 })).ok, false);
      assert.equal(await used(id), 7);
      assert.equal((await charge([allow(id, 10)], { units: 3 })).ok, true);
      assert.equal(await used(id), 10);
    });

    test('of several day counters all are charged or none is, and the one that refuses is named', async () => {
      const [key, account] = [fresh('key'), fresh()];
      assert.equal((await charge([allow(key, 5), allow(account, 2)])).ok, true);
      assert.equal((await charge([allow(key, 5), allow(account, 2)])).ok, true);
      const refused = await charge([allow(key, 5), allow(account, 2)]);
      assert.ok(!refused.ok);
      assert.equal(refused.refusedBy, account);
      assert.deepEqual([await used(key), await used(account)], [2, 2]);
      const capped = await charge([allow(key, 2), allow(account, 9)]);
      assert.ok(!capped.ok);
      assert.equal(capped.refusedBy, key);
      assert.equal(await used(account), 2);
    });

    test('the binding counter is the one with the least left', async () => {
      const [key, account] = [fresh('key'), fresh()];
      const first = await charge([allow(key, 10), allow(account, 4)]);
      assert.deepEqual([first.day?.limit, first.day?.remaining], [4, 3]);
      const second = await charge([allow(key, 3), allow(account, 40)]);
      assert.deepEqual([second.day?.limit, second.day?.remaining], [3, 1]);
    });

    test('overage runs past the limit to the hard limit while nothing remains', async () => {
      const id = fresh();
      const results: boolean[] = [];
      for (let i = 0; i < 13; i++) {
        const result = await charge([allow(id, 10, 11)]);
        results.push(result.ok);
        assert.equal(result.day?.remaining, Math.max(0, 9 - i));
      }
      assert.deepEqual(results.slice(9), [true, true, false, false]);
      assert.equal(await used(id), 11);
    });

    test('a request over the minute is refused and costs nothing of the day', async () => {
      const id = fresh('ip');
      const minute = [allow(id, 2)];
      assert.equal((await charge([allow(id, 9)], { minute })).minute?.remaining, 1);
      assert.equal((await charge([allow(id, 9)], { minute })).ok, true);
      const refused = await charge([allow(id, 9)], { minute });
      assert.ok(!refused.ok);
      assert.deepEqual(
        [refused.window, refused.day, refused.minute],
        ['minute', undefined, { limit: 2, remaining: 0, resetsAt: unixMs(NOON + MINUTE_MS) }],
      );
      assert.equal(await used(id), 2);
    });

    test('the minute may count other units than the day, and refuses by its own', async () => {
      const [id, key] = [fresh('ip'), fresh('key')];
      const minute = [allow(key, 40), allow(id, 10)];
      const first = await charge([allow(id, 9)], { units: 3, minuteUnits: 7, minute });
      assert.deepEqual([first.ok, first.minute?.remaining, first.day?.remaining], [true, 3, 6]);
      const refused = await charge([allow(id, 9)], { units: 1, minuteUnits: 4, minute });
      assert.ok(!refused.ok);
      assert.deepEqual([refused.window, refused.refusedBy, refused.minute?.remaining], ['minute', id, 3]);
      const free = await charge([allow(id, 9)], { units: 0, minuteUnits: 3, minute });
      assert.deepEqual([free.ok, free.minute?.remaining, free.day?.remaining], [true, 0, 6]);
      const { minute: left, day } = await ledger.windows({ minute: [allow(key, 40)], day: [allow(id, 9)] }, NOON);
      assert.deepEqual([left?.remaining, day?.remaining], [30, 6]);
      assert.equal(await used(id), 3);
    });

    test('the minute counts requests that the day refuses, and requests that ask for no day', async () => {
      const id = fresh('ip');
      const minute = [allow(id, 3)];
      assert.equal((await charge([allow(id, 0)], { minute })).ok, false);
      const alone = await charge([], { minute });
      assert.ok(alone.ok);
      assert.deepEqual([alone.minute?.remaining, alone.day, alone.receipt.ids], [1, undefined, []]);
      assert.equal(await used(id), 0);
    });

    test('a new clock minute starts at its first millisecond, not one before', async () => {
      const id = fresh('ip');
      const minute = [allow(id, 1)];
      const last = unixMs(NOON + MINUTE_MS - 1);
      assert.equal((await charge([], { minute, at: last })).ok, true);
      assert.equal((await charge([], { minute, at: last })).ok, false);
      assert.equal((await charge([], { minute, at: unixMs(NOON + MINUTE_MS) })).ok, true);
    });

    daysTest('a new quota day starts at midnight of its zone, not one millisecond before', async () => {
      const id = fresh();
      const last = unixMs(SHANGHAI_MIDNIGHT - 1);
      assert.equal((await charge([allow(id, 1)], { at: last })).ok, true);
      assert.equal((await charge([allow(id, 1)], { at: last })).ok, false);
      const next = await charge([allow(id, 1)], { at: SHANGHAI_MIDNIGHT });
      assert.ok(next.ok);
      assert.equal(next.day?.resetsAt, SHANGHAI_MIDNIGHT + DAY_MS);
    });

    test('a refund gives the units back and is counted', async () => {
      const id = fresh('phone');
      const taken = await charge([allow(id, 5)], { units: 5 });
      assert.ok(taken.ok);
      await ledger.refund(taken.receipt, NOON);
      await assertUsage(id, 0, 5);
      assert.equal((await charge([allow(id, 5)], { units: 5 })).ok, true);
    });

    test('a part of a charge can be given back, once', async () => {
      const [key, account] = [fresh('key'), fresh()];
      const taken = await charge([allow(key, 9), allow(account, 9)], { units: 9 });
      assert.ok(taken.ok);
      await ledger.refund(taken.receipt, NOON, 4);
      for (const id of [key, account]) await assertUsage(id, 5, 4);
      assert.equal((await charge([allow(key, 9), allow(account, 9)], { units: 5 })).ok, false);
      assert.equal((await charge([allow(key, 9), allow(account, 9)], { units: 4 })).ok, true);
    });

    test('giving back nothing of a charge leaves it as it is', async () => {
      const id = fresh();
      const taken = await charge([allow(id, 3)], { units: 3 });
      assert.ok(taken.ok);
      await ledger.refund(taken.receipt, NOON, 0);
      await assertUsage(id, 3, 0);
    });

    daysTest('a refund after midnight leaves the new day alone', async () => {
      const id = fresh();
      const taken = await charge([allow(id, 5)]);
      assert.ok(taken.ok);
      await charge([allow(id, 5)], { at: SHANGHAI_MIDNIGHT });
      await ledger.refund(taken.receipt, SHANGHAI_MIDNIGHT);
      assert.deepEqual(
        [await used(id, SHANGHAI_MIDNIGHT), (await ledger.usage(id, SHANGHAI_MIDNIGHT)).refunded],
        [1, 0],
      );
    });

    for (const ahead of [1, 2])
      daysTest(
        `a clock ${ahead} days ahead that goes back: the later day stays in force until the clock reaches it, and is not begun again`,
        async () => {
          const [id, other] = [fresh(), fresh()];
          const later = unixMs(NOON + ahead * DAY_MS);
          const laterReset = unixMs(SHANGHAI_MIDNIGHT + ahead * DAY_MS);
          assert.equal((await charge([allow(id, 9), allow(other, 9)], { units: 5 })).ok, true);
          assert.equal((await charge([allow(id, 9)], { units: 7, at: later })).ok, true);
          const back = await charge([allow(id, 9)]);
          assert.ok(back.ok);
          assert.deepEqual(
            [back.day, back.receipt.dayNumber],
            [{ limit: 9, remaining: 1, resetsAt: laterReset }, DAY + ahead],
          );
          assert.equal((await charge([allow(id, 9)], { units: 2 })).ok, false);
          await assertUsage(id, 8, 0, { dayNumber: DAY + ahead, resetsAt: laterReset });
          await ledger.refund(back.receipt, NOON);
          for (const at of [NOON, SHANGHAI_MIDNIGHT, later, unixMs(laterReset - 1)]) {
            await assertUsage(id, 7, 1, { at, dayNumber: DAY + ahead, resetsAt: laterReset });
            assert.equal((await charge([allow(id, 9)], { units: 3, at })).ok, false);
          }
          await assertUsage(id, 0, 0, {
            at: laterReset,
            dayNumber: DAY + ahead + 1,
            resetsAt: unixMs(laterReset + DAY_MS),
          });
        },
      );

    for (const ahead of [3, 30, 3653])
      daysTest(`a clock ${ahead} days ahead was wrong: when it goes back, its day goes on from its use`, async () => {
        const [id, idle, late] = [fresh(), fresh(), fresh()];
        const taken = await charge([allow(id, 9)], { units: 5 });
        assert.ok(taken.ok);
        await ledger.refund(taken.receipt, NOON);
        for (const one of [id, idle]) assert.equal((await charge([allow(one, 9)], { units: 6 })).ok, true);
        const wild = unixMs(NOON + ahead * DAY_MS);
        for (const one of [id, late]) assert.equal((await charge([allow(one, 9)], { units: 9, at: wild })).ok, true);
        for (let i = 0; i < 2; i++) {
          for (const one of [id, idle]) assert.equal((await ledger.usage(one, NOON)).used, 6 + i);
          assert.equal((await ledger.usage(late, NOON)).used, i);
          for (const one of [id, idle, late]) {
            const back = await charge([allow(one, 9)]);
            assert.ok(back.ok);
            assert.deepEqual([back.day?.resetsAt, back.receipt.dayNumber], [SHANGHAI_MIDNIGHT, DAY]);
          }
          assert.equal((await charge([allow(id, 9)], { at: unixMs(wild + DAY_MS) })).ok, true);
        }
        await assertUsage(id, 8, 5);
      });

    daysTest('counters of one owner are in one day: its key and its account go back together', async () => {
      const account = fresh();
      const key: QuotaId = `key:${account.slice(8)}/k`;
      await charge([allow(account, 9)], { units: 4, at: SHANGHAI_MIDNIGHT });
      await charge([allow(key, 5), allow(account, 9)]);
      assert.deepEqual(
        [await ledger.usage(key, NOON), await ledger.usage(account, NOON)].map(({ dayNumber, used }) => [
          dayNumber,
          used,
        ]),
        [
          [DAY + 1, 1],
          [DAY + 1, 5],
        ],
      );
    });

    daysTest('a look begins no day', async () => {
      const id = fresh();
      await charge([allow(id, 9)], { units: 5 });
      assert.equal(await used(id, SHANGHAI_MIDNIGHT), 0);
      assert.equal(await used(id), 5);
    });

    for (const back of [MINUTE_MS, 2 * MINUTE_MS, 60 * MINUTE_MS])
      test(`a minute used up under a clock that then goes back ${back / MINUTE_MS} minutes refuses for no longer than until the next one ends`, async () => {
        const id = fresh('ip');
        const minute = [allow(id, 1)];
        assert.equal((await charge([], { minute })).ok, true);
        const answers: boolean[] = [];
        for (let later = 0; later < 3; later++)
          answers.push((await charge([], { minute, at: unixMs(NOON - back + later * MINUTE_MS) })).ok);
        assert.ok(answers.includes(true));
      });

    test('ids that differ in pool or in one character have counters of their own', async () => {
      const id: QuotaId = `${fresh()}-end`;
      await charge([allow(id, 5)]);
      for (const other of [`key${id.slice(7)}`, `${id}x`, id.slice(0, -1)] as QuotaId[])
        assert.equal(await used(other), 0, other);
    });

    test('two ledgers over the same counters together never let more than the limit pass', async () => {
      const others = [ledger, await fixture.open(), await fixture.open()];
      const [key, account] = [fresh('key'), fresh()];
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, i) => charge([allow(key, 200), allow(account, 100)], { on: others[i % 3]! })),
      );
      assert.equal(answers.filter(({ ok }) => ok).length, 100);
      assert.deepEqual([await used(key), await used(account)], [100, 100]);
      for (const other of others.slice(1)) await other.close();
    });

    daysTest(
      'counters of one owner over many days are read in one pass, up to the day in force, also when the clock has gone back from it',
      async (own) => {
        const account = fresh();
        const owner = account.slice('account:'.length);
        const ids: QuotaId[] = [account, `key:${owner}/a`, `phone:${owner}`, `key:${owner}/unused`];
        const writer = await own.open();
        for (const shift of [-3, -1, 0, 1])
          for (const [n, id] of ids.slice(0, 3).entries())
            await charge([allow(id, 100)], {
              at: unixMs(NOON + shift * DAY_MS),
              units: 40 + shift * 10 + n,
              on: writer,
            });
        await writer.flushed();
        await writer.close();
        own.tidy?.(DAY + 1);
        const expected = [-3, -2, -1, 0, 1].map((shift) =>
          ids.map((_, n) => ({
            dayNumber: DAY + shift,
            used: shift === -2 || n === 3 ? 0 : 40 + shift * 10 + n,
            refunded: 0,
            resetsAt: unixMs(SHANGHAI_MIDNIGHT + shift * DAY_MS),
          })),
        );
        for (const at of [unixMs(NOON + DAY_MS), NOON, unixMs(NOON - DAY_MS)]) {
          assert.deepEqual(await ledger.usageOf(ids, at, 5), expected);
          for (const [n, id] of ids.entries()) assert.deepEqual(await ledger.usage(id, at), expected.at(-1)![n]);
        }
        assert.deepEqual(
          (await ledger.usageOf(ids, unixMs(NOON + 3 * DAY_MS), 7)).map((row) => row[0]?.used),
          [10, 0, 30, 40, 50, 0, 0],
        );
        assert.deepEqual(await ledger.usageOf([], NOON, 2), [[], []]);
      },
    );

    daysTest('the use of many owners is read in one pass, each by the day in force for the owner', async (own) => {
      const owners = [fresh(), fresh(), fresh()];
      const writer = await own.open();
      for (const [n, id] of owners.entries())
        await charge([allow(id, 100)], { at: unixMs(NOON + (n % 2) * DAY_MS), units: n + 1, on: writer });
      await writer.flushed();
      await writer.close();
      const alone = await Promise.all(owners.map((id) => ledger.usage(id, NOON)));
      assert.deepEqual([alone[1]?.dayNumber, alone[1]?.used], [DAY + 1, 2]);
      assert.deepEqual(await ledger.usageOf(owners, NOON, 1), [alone]);
      assert.deepEqual(await ledger.usageOf(owners.toReversed(), NOON, 1), [alone.toReversed()]);
    });

    test('clients of one IPv6 /48 share sixteen times the allowance of a /64, exactly, by minute and day', async () => {
      covers('LIM-IPV6');
      const limits = { anonPerMin: 5, anonPerDay: 3, assistantPerMin: 1, assistantPerDay: 1 };
      const site = `2a00:${(++count).toString(16)}:1`;
      const ask = (subnet: number, at: UnixMs, on: Ledger): Promise<ChargeResult> => {
        const client = `${site}:${subnet.toString(16)}::/64`;
        const { minute, day } = lookupAllowances({ kind: 'anonymous', client }, limits);
        return charge(day, { minute, at, on });
      };
      const other = await fixture.open();
      const answers = await Promise.all(
        Array.from({ length: 160 }, (_, i) => ask(i >> 2, unixMs(NOON + (i % 4) * MINUTE_MS), i % 2 ? ledger : other)),
      );
      const passed = answers.filter(({ ok }) => ok).length;
      assert.equal(passed, 48);
      assert.equal(await used(`ip:${site}::/48`), 48);
      const narrow = await Promise.all(Array.from({ length: 40 }, (_, i) => used(`ip:${site}:${i.toString(16)}::/64`)));
      assert.ok(narrow.every((count) => count <= 3));
      assert.equal(
        narrow.reduce((sum, count) => sum + count, 0),
        48,
      );
      const refused = await ask(999, unixMs(NOON + 9 * MINUTE_MS), ledger);
      assert.ok(!refused.ok && refused.window === 'day' && refused.refusedBy === `ip:${site}::/48`);
      assert.equal((await charge([], { minute: [allow(`ip:${site.replace(/1$/, '2')}::/48`, 1)] })).ok, true);
      await other.close();
    });

    test('a lookup of an IPv6 client that is given back is given back to its /64 and its /48', async () => {
      const limits = { anonPerMin: 5, anonPerDay: 3, assistantPerMin: 1, assistantPerDay: 1 };
      const client = `2a00:${(++count).toString(16)}:1:2::/64`;
      const { minute, day } = lookupAllowances({ kind: 'anonymous', client }, limits);
      const taken = await charge(day, { minute });
      assert.ok(taken.ok);
      assert.deepEqual([taken.day?.limit, taken.minute?.limit], [3, 5], 'the headers speak of the /64 while it binds');
      await ledger.refund(taken.receipt, NOON);
      assert.deepEqual(await Promise.all(day.map(({ id }) => used(id))), [0, 0]);
    });

    test('usage is zero before the first charge', async () => {
      await assertUsage(fresh(), 0, 0);
    });
  });
}
