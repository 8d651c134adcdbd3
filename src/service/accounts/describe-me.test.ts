import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import { unixMs } from '../../core/units.ts';
import { describeMe, type MeInput } from './describe-me.ts';

const RESET = unixMs(Date.UTC(2026, 10, 21, 16));
const ACCOUNT: Account = {
  id: 'acc_1',
  email: 'a@example.com',
  plan: 'enterprise',
  perMin: 60,
  perDay: 100,
  overagePct: 10,
  dataTier: 'professional',
  dpa: false,
  phoneEligible: true,
  phoneEnabled: true,
  phonePerMin: 10,
  phonePerDay: 50,
  operator: false,
  disabled: false,
  createdAt: unixMs(0),
};
const KEY: ApiKey = {
  id: 'key_1',
  accountId: 'acc_1',
  name: 'n',
  prefix: 'pk_abcdef',
  phone: true,
  createdAt: unixMs(Date.UTC(2026, 0, 2)),
};
const day = (used: number, refunded = 0) => ({ dayNumber: 20_778, used, refunded, resetsAt: RESET });
const me = (question: Partial<MeInput> = {}) =>
  describeMe({
    account: ACCOUNT,
    key: KEY,
    used: day(0),
    keyUsed: undefined,
    phoneUsed: undefined,
    quotaTz: 'Asia/Shanghai',
    ...question,
  });

test('a key gets its plan, its limits, the day and itself, with zeros where nothing was used, and no other field', () => {
  covers('ME-KEYS');
  assert.deepEqual(me(), {
    tier: 'key',
    quota_scope: 'account',
    plan: 'enterprise',
    per_min: 60,
    per_day: 100,
    overage_pct: 10,
    quota_day_tz: 'Asia/Shanghai',
    used_today: 0,
    remaining: 100,
    over_today: 0,
    reset_unix: RESET / 1000,
    key_prefix: 'pk_abcdef',
    created_at: '2026-01-02T00:00:00.000Z',
    capabilities: {},
  });
});

for (const [used, remaining, over] of [
  [99, 1, 0],
  [100, 0, 0],
  [101, 0, 1],
  [110, 0, 10],
] as const)
  test(`${used} of 100 used: ${remaining} remain and ${over} are over`, () => {
    const body = me({ used: day(used) });
    assert.deepEqual([body.used_today, body.remaining, body.over_today], [used, remaining, over]);
  });

test('the cap of a key is shown, and the rest of the day follows it only where it is tighter', () => {
  const capped = { ...KEY, perDay: 10 };
  const tight = me({ key: capped, used: day(50), keyUsed: day(4) });
  assert.deepEqual([tight.key_per_day, tight.used_today, tight.remaining], [10, 50, 6]);
  assert.equal(me({ key: capped, used: day(98), keyUsed: day(4) }).remaining, 2);
  assert.equal(me({ key: { ...KEY, perDay: 0 }, keyUsed: day(0) }).remaining, 0);
});

test('the phone capability shows its own counter in phone numbers', () => {
  assert.deepEqual(me({ phoneUsed: day(45, 3) }).capabilities, {
    phone: { used_today: 45, refunded_today: 3, remaining: 5 },
  });
  assert.equal(me({ phoneUsed: day(60) }).capabilities?.phone?.remaining, 0);
});

test('a signed-in visitor is a user and has no key fields', () => {
  const body = me({ key: undefined });
  assert.equal(body.tier, 'user');
  for (const name of ['key_prefix', 'created_at', 'key_per_day', 'sales_contact'])
    assert.equal(name in body, false, name);
});

test('a sales contact is named when the deployment has one', () => {
  assert.equal(me({ salesContact: 'mailto:sales@example.com' }).sales_contact, 'mailto:sales@example.com');
});
