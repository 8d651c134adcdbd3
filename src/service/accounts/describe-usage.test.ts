import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import type { QuotaId } from '../../core/quota/quota.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { describeUsage } from './describe-usage.ts';

const account = {
  id: 'acc',
  plan: 'free',
  perMin: 10,
  perDay: 100,
  overagePct: 0,
  phoneEnabled: true,
  phonePerMin: 20,
  phonePerDay: 50,
} as Account;
const keys = ['one', 'two'].map((id) => ({ id, accountId: 'acc' }) as ApiKey);
const IN_FORCE = Date.UTC(2026, 2, 30) / DAY_MS;
/** The day before the one in force, because the clock was put back. */
const NOW = unixMs(Date.UTC(2026, 2, 29, 12));

/**
 * A ledger whose counters each used as many units on a day as its day of the month, except those of key two.
 * The day in force is 30 March.
 */
function countingLedger() {
  const asked: QuotaId[][] = [];
  return {
    asked,
    usageOf(ids: readonly QuotaId[], _at: UnixMs, days: number) {
      asked.push([...ids]);
      return Array.from({ length: days }, (_, index) => {
        const dayNumber = IN_FORCE - days + 1 + index;
        const ofMonth = new Date(dayNumber * DAY_MS).getUTCDate();
        return ids.map((id) => ({
          dayNumber,
          used: id.endsWith('two') ? 0 : ofMonth,
          refunded: 0,
          resetsAt: unixMs(NOW + 1),
        }));
      });
    },
  };
}

const ask = (ledger: ReturnType<typeof countingLedger>, phone: boolean) =>
  describeUsage(ledger, { account, keys, now: NOW, quotaTz: 'Europe/Berlin', phone });

test('30 days of all counters are one question, and each day, up to the one in force, shows the use of that day', async () => {
  const ledger = countingLedger();
  const { days, me, phone_per_min } = await ask(ledger, true);
  assert.deepEqual(ledger.asked, [['account:acc', 'key:acc/one', 'key:acc/two', 'phone:acc']]);
  assert.deepEqual([days.length, days[0]?.day, days.at(-1)?.day], [30, '2026-03-01', '2026-03-30']);
  for (const { day, used, keys: byKey, phone } of days) {
    const ofDay = Number(day.slice(8));
    assert.deepEqual([used, byKey, phone], [ofDay, { one: ofDay }, ofDay], day);
  }
  assert.deepEqual([me.used_today, me.remaining, me.capabilities?.phone?.used_today, phone_per_min], [30, 70, 30, 20]);
});

test('where phone lookups are not answered no day has a number of them', async () => {
  const { days, me } = await ask(countingLedger(), false);
  assert.equal(
    days.some((day) => 'phone' in day),
    false,
  );
  assert.deepEqual(me.capabilities, {});
});
