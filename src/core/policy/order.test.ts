import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { unixMs } from '../units.ts';
import { addressOrder, orderOf } from './order.ts';
import {
  NETWORKS,
  networkOf,
  ORDER_CASES,
  type OrderCase,
  observationsOf,
  REFUSED_POLICIES,
} from './order-cases.fixture.ts';
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

test('what is allowed by name comes before everything else', () => {
  const tor = verdictOf(ORDER_CASES.find(({ name }) => name === 'tor and proxy 97 on IDC')!);
  const by = (id: string): string =>
    orderOf(policyOf({ tor: 'deny' }), {
      ...tor,
      override: { id, prefix: '45.9.8.7', from: NOON, until: NOON, reason: 'ours' },
    }).by;
  assert.deepEqual([by('ovr_1'), by('allow-list')], ['override', 'allow_list']);
  const list = policyOf({ allow: ['45.9.8.0/24', '2001:db8::/32'] });
  const at = (ip: string): string => addressOrder(list, tor, parseAnyAddress(ip)!).by;
  assert.deepEqual(['45.9.8.7', '45.9.9.7', '2001:db8::1'].map(at), ['allow_list', 'tor', 'allow_list']);
});

test('a policy refuses what it does not understand, and says which field', () => {
  for (const [document, fault] of REFUSED_POLICIES) {
    const read = readPolicy(document);
    assert.ok(typeof read === 'string' && read.includes(fault), `${JSON.stringify(document)}: ${String(read)}`);
  }
});
