import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../units.ts';
import { type AccountRecord, effectiveAccount, type Plan } from './caller.ts';

const PLAN: Plan = {
  name: 'enterprise',
  perMin: 6000,
  perDay: 2_000_000,
  overagePct: 10,
  dataTier: 'professional',
  phoneEligible: true,
  phonePerMin: 10_000,
  phonePerDay: 100_000,
};
const RECORD: AccountRecord = {
  id: 'acc_1',
  email: 'a@example.com',
  plan: 'enterprise',
  overrides: {},
  dpa: false,
  phone: true,
  operator: false,
  disabled: false,
  createdAt: unixMs(1),
};

test('without overrides an account has the limits of its plan', () => {
  const account = effectiveAccount(RECORD, PLAN);
  assert.deepEqual(
    [account.perMin, account.perDay, account.overagePct, account.phonePerMin, account.phonePerDay],
    [6000, 2_000_000, 10, 10_000, 100_000],
  );
  assert.equal('historyDays' in account, false);
});

test('an override of zero is an override, not an absence', () => {
  const account = effectiveAccount(
    { ...RECORD, overrides: { perMin: 0, perDay: 0, overagePct: 0, phonePerMin: 0, phonePerDay: 0 } },
    PLAN,
  );
  assert.deepEqual(
    [account.perMin, account.perDay, account.overagePct, account.phonePerMin, account.phonePerDay],
    [0, 0, 0, 0, 0],
  );
});

test('a plan that cannot hold the phone capability takes it away, switch and overrides or not', () => {
  const account = effectiveAccount({ ...RECORD, overrides: { phonePerDay: 5 } }, { ...PLAN, phoneEligible: false });
  assert.deepEqual(
    [account.phoneEligible, account.phoneEnabled, account.phonePerMin, account.phonePerDay],
    [false, false, 0, 0],
  );
});

test('an eligible account has the capability only when it is switched on', () => {
  assert.equal(effectiveAccount({ ...RECORD, phone: false }, PLAN).phoneEnabled, false);
  assert.equal(effectiveAccount(RECORD, PLAN).phoneEnabled, true);
});
