import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Policy } from '../../clients/typescript/src/decide.ts';
import type { PulseIPRisk } from '../../clients/typescript/src/openapi.generated.ts';

type Judged = Parameters<typeof decide>[0];
const active = (score: number, more: Partial<Judged> = {}): Judged => ({ evidence_state: 'active', risk: { score, level: 'low' }, ...more });
const none: Judged = { evidence_state: 'none', risk: { score: 0, level: 'none' } };
const stale: Judged = { evidence_state: 'stale', risk: { score: 0, level: 'none' } };
const action = (verdict: Judged, policy?: Policy): string => decide(verdict, policy).action;

test('a score of 0 is never allowed: what was not seen is unknown, and so is what has expired unless the policy says otherwise', () => {
  assert.equal(action(none), 'unknown');
  assert.equal(action(stale), 'unknown');
  assert.equal(action(stale, { stale: 'challenge' }), 'challenge');
  assert.equal(action(none, { stale: 'allow' }), 'unknown');
  // A state that a later service may have says nothing that is known here.
  assert.equal(action({ ...active(90), evidence_state: 'disputed' as 'none' }), 'unknown');
});

test('active evidence is judged by its score, bounds inclusive', () => {
  assert.deepEqual([1, 29, 30, 69, 70, 100].map((score) => action(active(score))), ['allow', 'allow', 'challenge', 'challenge', 'deny', 'deny']); // biome-ignore format: short
  assert.deepEqual([49, 50, 100].map((score) => action(active(score), { challengeFrom: 50, denyFrom: 101 })), ['allow', 'challenge', 'challenge']); // biome-ignore format: short
  for (const policy of [{ challengeFrom: 0 }, { challengeFrom: 80 }, { challengeFrom: Number.NaN }, { denyFrom: 10 }])
    assert.throws(() => decide(none, policy), TypeError, JSON.stringify(policy));
});

test('a signal counts where the policy names it, with or without evidence, and never makes an answer milder', () => {
  const hosting = (verdict: Judged): Judged => ({ ...verdict, risk: { ...verdict.risk, signals: ['hosting', 'vpn'] } });
  assert.equal(action(hosting(none)), 'unknown');
  assert.equal(action(hosting(none), { signals: { hosting: 'challenge' } }), 'challenge');
  assert.equal(action(hosting(none), { signals: { hosting: 'challenge', vpn: 'deny' } }), 'deny');
  assert.equal(action(hosting(active(90)), { signals: { hosting: 'challenge' } }), 'deny');
  assert.equal(action(hosting(active(5)), { signals: { mobile: 'deny' } }), 'allow');
});

test('an address that many share is challenged in place of being denied, unless the policy says otherwise', () => {
  const tiers = ['T0', 'T1', 'T2', 'T3'] as const satisfies readonly PulseIPRisk['share_tier'][];
  assert.deepEqual(tiers.map((share_tier) => action(active(90, { share_tier }))), ['deny', 'deny', 'challenge', 'challenge']); // biome-ignore format: short
  assert.equal(action(active(90, { share_tier: 'T3' }), { spareShared: false }), 'deny');
  assert.equal(action(active(5, { share_tier: 'T3' })), 'allow');
});

test('the reason names what decided', () => {
  assert.match(decide(none).reason, /never seen: no information$/);
  assert.match(decide({ ...none, degraded: true }).reason, /a source is missing/);
  assert.match(decide(active(90, { share_tier: 'T2' })).reason, /score 90; many share the address \(T2\)/);
  assert.equal(decide({ ...none, risk: { ...none.risk, signals: ['hosting'] } }, { signals: { hosting: 'deny' } }).reason, 'signal hosting');
});
