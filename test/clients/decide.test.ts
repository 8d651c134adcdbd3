import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Policy } from '../../clients/typescript/src/decide.ts';

type Judged = Parameters<typeof decide>[0];
const active = (score: number, more: Partial<Judged> = {}): Judged => ({
  evidence_state: 'active',
  risk: { score, level: 'low' },
  ...more,
});
const none: Judged = { evidence_state: 'none', risk: { score: 0, level: 'none' } };
const stale: Judged = { evidence_state: 'stale', risk: { score: 0, level: 'none' } };
const action = (verdict: Judged, policy?: Policy): string => decide(verdict, policy).action;

test('a score of 0 is never allowed: an unseen address is unknown, and so is expired evidence unless the policy says otherwise', () => {
  assert.equal(action(none), 'unknown');
  assert.equal(action(stale), 'unknown');
  assert.equal(action(stale, { stale: 'challenge' }), 'challenge');
  assert.equal(action(none, { stale: 'allow' }), 'unknown');
  // A state that a later service may have says nothing that is known here.
  assert.equal(action({ ...active(90), evidence_state: 'disputed' as 'none' }), 'unknown');
});

test('bounds that cannot be meant are refused', () => {
  for (const policy of [{ challengeFrom: 0 }, { challengeFrom: Number.NaN }, { denyFrom: 0 }])
    assert.throws(() => decide(none, policy), TypeError, JSON.stringify(policy));
});

test('the reason names the deciding fact', () => {
  assert.match(decide(none).reason, /never seen: no information$/);
  assert.match(decide({ ...none, degraded: true }).reason, /a source is missing/);
  assert.match(
    decide(active(90, { share_tier: 'T3' })).reason,
    /score 90; many share the address by its network \(T3\)/,
  );
  const hosting: Judged = { ...none, risk: { ...none.risk, signals: ['hosting'] } };
  assert.deepEqual(decide(hosting, { signals: { hosting: 'deny' } }), { action: 'deny', reason: 'signal hosting' });
  const allowed = active(1, { meta: { override: true } });
  assert.deepEqual(decide(allowed, { challengeFrom: 1 }), { action: 'allow', reason: 'on an allow list' });
});
