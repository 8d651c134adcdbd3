import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type Policy } from '../../clients/typescript/src/decide.ts';
import {
  NETWORKS,
  networkOf,
  ORDER_CASES,
  type OrderCase,
  observationsOf,
} from '../../src/core/policy/order-cases.fixture.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { verdict } from '../../src/core/risk/verdict.ts';
import { unixMs } from '../../src/core/units.ts';

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

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));

function documentOf(one: OrderCase, isProfessional: boolean): Judged {
  const { family } = NETWORKS[one.network];
  const { usageType } = networkOf(one);
  const found = verdict(observationsOf(one, NOON), networkOf(one), family, NOON, SCORE_PARAMETERS);
  return {
    ip: family === 4 ? '192.0.2.5' : '2001:db8::5',
    evidence_state: found.state,
    risk: { score: found.score, level: found.level, signals: found.signals },
    ...(usageType !== undefined && { network: { usage_type: usageType } }),
    ...(isProfessional && {
      share_tier: found.shareTier,
      evidence: found.evidence.map(({ riskType, freshness, obsDays }) => ({
        ...{ risk_type: riskType, freshness, obs_days: obsDays },
      })),
    }),
  };
}

const bound = (given: unknown): number =>
  ({ low: 1, medium: 30, high: 70, never: 101 })[given as 'low'] ?? (given as number);

function policyOf({ policy }: OrderCase): Policy {
  const { deny, challenge, ...rest } = policy as { deny?: unknown; challenge?: unknown };
  return {
    ...rest,
    ...(deny !== undefined && { denyFrom: bound(deny) }),
    ...(challenge !== undefined && { challengeFrom: bound(challenge) }),
  };
}

/** Without active evidence the client says `unknown` where the service lets the request go on. */
const actionOn = (one: OrderCase, isProfessional: boolean): string =>
  action(documentOf(one, isProfessional), policyOf(one)).replace('unknown', 'allow');

test('a professional document leads to the order of the service, but for a Tor exit on the network of a carrier', () => {
  const told = ({ evidence, network }: OrderCase): boolean => !(evidence.startsWith('tor') && /MOB|SAT/.test(network));
  for (const one of ORDER_CASES.filter(told)) assert.equal(actionOn(one, true), one.action, one.name);
});

test('a basic document tells neither Tor nor relays: score and crowd decide', () => {
  const told = ({ evidence, network }: OrderCase): boolean =>
    !evidence.startsWith('tor') && !network.startsWith('relay');
  for (const one of ORDER_CASES.filter(told)) assert.equal(actionOn(one, false), one.action, one.name);
  const tor = ORDER_CASES.find(({ name }) => name === 'tor and proxy 97 on IDC')!;
  assert.deepEqual([actionOn(tor, false), actionOn(tor, true)], ['deny', 'challenge']);
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
