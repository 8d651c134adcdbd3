import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { overridesOf } from '../risk/override.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { DAY_MS, unixMs } from '../units.ts';
import { judge } from './judge.ts';
import { type Order, orderOf } from './order.ts';
import { NETWORKS, networkOf, ORDER_CASES, type OrderCase, observationsOf } from './order-cases.fixture.ts';
import type { Policy } from './policy.ts';
import { readPolicy } from './read-policy.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));

function policyOf(document: object): Policy {
  const read = readPolicy(document);
  if (typeof read === 'string') assert.fail(read);
  return read;
}
const verdictOf = (one: OrderCase): Verdict =>
  verdict(observationsOf(one, NOON), networkOf(one), NETWORKS[one.network].family, NOON, SCORE_PARAMETERS);

test('one rule: score, then Tor, then the crowd of the network; a tier that evidence raised is no crowd', () => {
  covers('POLICY-JUDGE');
  for (const one of ORDER_CASES)
    assert.equal(orderOf(policyOf(one.policy), verdictOf(one)).action, one.action, one.name);
});

test('the order says what decided', () => {
  const found = (name: string): Order => {
    const one = ORDER_CASES.find((each) => each.name === name)!;
    return orderOf(policyOf(one.policy), verdictOf(one));
  };
  assert.deepEqual(found('proxy 92 on IDC'), { action: 'deny', by: 'score' });
  assert.deepEqual(found('proxy 92 on EDU'), { action: 'challenge', by: 'crowd' });
  assert.deepEqual(found('scan 45 on EDU'), { action: 'challenge', by: 'score' });
  assert.deepEqual(found('scan 45 on MOB'), { action: 'allow', by: 'crowd' });
  assert.deepEqual(found('tor and proxy 97 on MOB'), { action: 'challenge', by: 'tor' });
  assert.deepEqual(found('vpn 65 on IDC with {"signals":{"vpn":"deny"}}'), {
    ...{ action: 'deny', by: 'signal', signal: 'vpn' },
  });
});

test('what is allowed by name comes before everything else', () => {
  const address = parseAnyAddress('45.9.8.7')!;
  const tor = ORDER_CASES.find(({ name }) => name === 'tor and proxy 97 on IDC')!;
  const by = (id: string, document: object = {}): Order => {
    const override = { id, prefix: '45.9.8.7', from: NOON, until: unixMs(NOON + DAY_MS), reason: 'ours' };
    const held = overridesOf([override])!;
    const cap = {
      override: () => held.find(address, NOON),
      knownGood: () => undefined,
      isOwn: () => false,
    };
    const found = verdict(observationsOf(tor, NOON), networkOf(tor), 4, NOON, SCORE_PARAMETERS, cap);
    const { action, by: decider } = judge(policyOf({ challenge: 'low', ...document }), found, address);
    return { action, by: decider };
  };
  assert.deepEqual(by('ovr_1'), { action: 'allow', by: 'override' });
  assert.deepEqual(by('allow-list'), { action: 'allow', by: 'allow_list' });
  const { action, by: decider } = judge(policyOf({ allow: ['45.9.8.0/24'], tor: 'deny' }), verdictOf(tor), address);
  assert.deepEqual([action, decider], ['allow', 'allow_list']);
});
