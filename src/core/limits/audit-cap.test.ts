import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditCap } from './audit-cap.ts';

test('a change that takes access away is counted apart from all else a holder does', () => {
  assert.deepEqual(auditCap('user:acc_1', 'key.create'), { most: 200, counts: 'others' });
  for (const action of ['key.revoke', 'account.password', 'factor.remove', 'factor.recovery-used'])
    assert.deepEqual(auditCap('user:acc_1', action), { most: 500, counts: 'endings' }, action);
});

test('operators have one wide cap, and commands on the machine have none', () => {
  for (const action of ['account.set', 'key.revoke'])
    assert.deepEqual(auditCap('operator:acc_1', action), { most: 5000, counts: 'all' });
  for (const actor of ['cli', 'system']) assert.equal(auditCap(actor, 'key.create'), undefined);
});
