import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, ApiKey } from '../core/caller/caller.ts';
import { quotaDayIn } from '../core/quota/day.ts';
import type { QuotaId } from '../core/quota/quota.ts';
import { type UnixMs, unixMs } from '../core/units.ts';
import { describeUsage } from './usage.ts';

const account = { id: 'acc', plan: 'free', perMin: 10, perDay: 100, overagePct: 0, phoneEnabled: true, phonePerDay: 50 } as Account;
const keys = ['one', 'two'].map((id) => ({ id, accountId: 'acc' }) as ApiKey);
const NOW = unixMs(Date.UTC(2026, 2, 30, 12));

/** A ledger in which every counter used, on a day, as many units as the day of the month says; key two used nothing. */
function countingLedger() {
  const asked: QuotaId[][] = [];
  return {
    asked,
    usageOf(ids: readonly QuotaId[], instants: readonly UnixMs[]) {
      asked.push([...ids]);
      return instants.map((at) => ids.map((id) => ({ used: id.endsWith('two') ? 0 : Number(dateIn(at).slice(8)), refunded: 0, resetsAt: unixMs(NOW + 1) })));
    },
  };
}

const dateIn = (at: number): string => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(at);
const ask = (ledger: ReturnType<typeof countingLedger>, phone: boolean) =>
  describeUsage(ledger, { account, keys, now: NOW, quotaDay: quotaDayIn('Europe/Berlin'), quotaTz: 'Europe/Berlin', phone });

test('30 days of all counters are one question, and each day shows what was used on it, through a change of clocks', async () => {
  const ledger = countingLedger();
  const { days, me } = await ask(ledger, true);
  assert.deepEqual(ledger.asked, [['account:acc', 'key:acc/one', 'key:acc/two', 'phone:acc']]);
  assert.deepEqual([days.length, days[0]?.day, days.at(-1)?.day], [30, '2026-03-01', '2026-03-30']);
  for (const { day, used, keys: byKey, phone } of days) {
    const ofDay = Number(day.slice(8));
    assert.deepEqual([used, byKey, phone], [ofDay, { one: ofDay }, ofDay], day);
  }
  assert.deepEqual([me.used_today, me.remaining, me.capabilities?.phone?.used_today], [30, 70, 30]);
});

test('where phone look-ups are not answered no day has a number of them', async () => {
  const { days, me } = await ask(countingLedger(), false);
  assert.equal(
    days.some((day) => 'phone' in day),
    false,
  );
  assert.deepEqual(me.capabilities, {});
});
