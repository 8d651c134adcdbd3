import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Policy } from '../../clients/typescript/src/decide.ts';
import type { PulseIPRisk } from '../../clients/typescript/src/openapi.generated.ts';

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

test('active evidence is judged by its score, bounds inclusive', () => {
  assert.deepEqual(
    [1, 29, 30, 69, 70, 100].map((score) => action(active(score))),
    ['allow', 'allow', 'challenge', 'challenge', 'deny', 'deny'],
  );
  assert.deepEqual(
    [49, 50, 100].map((score) => action(active(score), { challengeFrom: 50, denyFrom: 101 })),
    ['allow', 'challenge', 'challenge'],
  );
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

test('an address that many share by its network is challenged in place of being denied, unless the policy says otherwise', () => {
  const on = (usage_type: string, more: Partial<Judged> = {}): Judged =>
    active(90, { ip: '192.0.2.5', network: { usage_type }, ...more });
  const usages = ['IDC', 'DYN', 'QQQ', 'GTW', 'EDU', 'GOV', 'WLA', 'CDN', 'ANY', 'MOB', 'SAT'];
  const spared = usages.filter((usage) => action(on(usage)) === 'challenge');
  assert.deepEqual(spared, ['GTW', 'EDU', 'GOV', 'WLA', 'CDN', 'ANY', 'MOB', 'SAT']);
  for (const usage of usages)
    assert.equal(action(on(usage, { ip: '2001:db8::5' })), 'deny', `few share an IPv6 address: ${usage}`);
  assert.equal(action(on('MOB'), { spareShared: false }), 'deny');
  assert.equal(action(on('MOB', { risk: { score: 5, level: 'low' } })), 'allow');
});

test('a tier that evidence raised spares nothing, so that the professional document denies as the basic one does; Tor and relays are T3 by themselves', () => {
  const tiers = ['T0', 'T1', 'T2', 'T3'] as const satisfies readonly PulseIPRisk['share_tier'][];
  for (const usage_type of ['IDC', 'DYN', 'COM'])
    assert.deepEqual(
      tiers.map((share_tier) => action(active(70, { network: { usage_type }, share_tier }))),
      ['deny', 'deny', 'deny', 'challenge'],
      usage_type,
    );
  // A phone with its own IPv6 address: T3 because proxy evidence lifts the bound on IPv6.
  assert.equal(action(active(90, { ip: '2001:db8::5', network: { usage_type: 'MOB' }, share_tier: 'T3' })), 'deny');
  assert.equal(
    action(active(90, { ip: '2001:db8::5', network: { usage_type: 'IDC' }, share_tier: 'T3' })),
    'challenge',
  );
});

test('the reason names the deciding fact', () => {
  assert.match(decide(none).reason, /never seen: no information$/);
  assert.match(decide({ ...none, degraded: true }).reason, /a source is missing/);
  assert.match(decide(active(90, { share_tier: 'T3' })).reason, /score 90; many share the address \(T3\)/);
  assert.equal(
    decide({ ...none, risk: { ...none.risk, signals: ['hosting'] } }, { signals: { hosting: 'deny' } }).reason,
    'signal hosting',
  );
});
