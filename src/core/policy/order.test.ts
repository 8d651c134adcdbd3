import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { listedActions, passesFilter } from '../export/export-record.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { unixMs } from '../units.ts';
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

test('one rule: score, then Tor, then the crowd of the network; a tier that evidence raised is not a crowd', () => {
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
  assert.deepEqual(found('scan 45 on MOB'), { action: 'allow', by: 'crowd' });
  assert.deepEqual(found('vpn 65 on IDC with {"signals":{"vpn":"deny"}}'), {
    ...{ action: 'deny', by: 'signal', signal: 'vpn' },
  });
});

test('what is allowed by name comes before everything else', () => {
  const tor = verdictOf(ORDER_CASES.find(({ name }) => name === 'tor and proxy 97 on IDC')!);
  const by = (id: string): string =>
    orderOf(policyOf({ tor: 'deny' }), {
      ...tor,
      override: { id, prefix: '45.9.8.7', from: NOON, until: NOON, reason: 'ours' },
    }).by;
  assert.deepEqual([by('ovr_1'), by('allow-list')], ['override', 'allow_list']);
});

test('a list and a bouncer hold what the order denies, with what it challenges if asked', () => {
  const isListed = (found: Verdict, isWide: boolean): boolean =>
    passesFilter(found, { minScore: 70, states: ['active'], actions: listedActions(isWide) });
  for (const one of ORDER_CASES.filter(({ policy }) => Object.keys(policy).length === 0)) {
    const found = verdictOf(one);
    assert.equal(isListed(found, false), one.action === 'deny', one.name);
    assert.equal(isListed(found, true), one.action !== 'allow' && found.score >= 70, one.name);
  }
});
