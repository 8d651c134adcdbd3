import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IPRisk } from '../../contract/documents.ts';
import { orderOf } from '../policy/order.ts';
import { NETWORKS, networkOf, ORDER_CASES, type OrderCase, observationsOf } from '../policy/order-cases.fixture.ts';
import type { Policy } from '../policy/policy.ts';
import { readPolicy } from '../policy/read-policy.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { HOUR_MS, unixMs } from '../units.ts';
import { reasonOf, sayOrder } from './say-order.ts';
import { wordsEn } from './words-en.ts';
import { wordsZh } from './words-zh.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));

function policyOf(document: object): Policy {
  const read = readPolicy(document);
  return typeof read === 'string' ? assert.fail(read) : read;
}

const verdictOf = (one: OrderCase, age: number): Verdict =>
  verdict(
    observationsOf(one, NOON),
    networkOf(one),
    NETWORKS[one.network].family,
    unixMs(NOON + age),
    SCORE_PARAMETERS,
  );

/** Makes the document that the reader of the working has, by default an hour after its evidence. */
function said(one: OrderCase, words = wordsEn, { isKnown = true, age = HOUR_MS } = {}) {
  const network = networkOf(one);
  const { family } = NETWORKS[one.network];
  const found = verdictOf(one, age);
  const document = {
    ...{ ip: family === 4 ? '203.0.113.9' : '2001:db8::9', evidence_state: found.state, meta: {} },
    ...{ risk: { score: found.score, signals: found.signals }, network: { usage_type: network.usageType } },
  } as unknown as IPRisk;
  const rows = found.evidence.map(({ riskType, ageMs }) => ({ risk_type: riskType, age_ms: ageMs })) as never[];
  const known = { rows: isKnown ? rows : [], ...(found.sharedBy !== undefined && { shared_by: found.sharedBy }) };
  return { ...sayOrder(document, known, words, policyOf(one.policy)), score: found.score };
}
const of = (name: string): OrderCase => ORDER_CASES.find((one) => one.name === name) ?? assert.fail(name);

test('a sentence begins with the order of the rule, in both languages, whoever reads it', () => {
  for (const one of ORDER_CASES)
    for (const isKnown of [true, false]) {
      const english = said(one, wordsEn, { isKnown, age: 0 });
      const chinese = said(one, wordsZh, { isKnown, age: 0 });
      assert.deepEqual([english.action, chinese.action], [one.action, one.action], one.name);
      assert.equal(english.sentence.split(': ')[0]!.toLowerCase(), one.action, english.sentence);
      const action = { allow: '放行', challenge: '验证', deny: '拒绝' }[one.action];
      assert.equal(chinese.sentence.split('：')[0], action, chinese.sentence);
      assert.doesNotMatch(english.sentence + chinese.sentence, /[{}]|undefined|\.\.|。。/);
    }
});

test('a sentence says what decided', () => {
  const proxy = said(of('proxy 92 on IDC'));
  assert.equal(proxy.sentence, `Deny: proxy seen 1 h ago, ${proxy.score}. Its network is not shared by many.`);
  const chinese = said(of('proxy 92 on IDC'), wordsZh).sentence;
  assert.equal(chinese, `拒绝：代理（1 小时前）、${proxy.score}。其网络不是多人共用的线路。`);
  for (const [name, sentence] of [
    ['none on IDC', 'Allow: never seen.'],
    ['expired on IDC', 'Allow: evidence expired.'],
    ['tor 65 on IDC', 'Challenge: a Tor exit.'],
    ['vpn 65 on IDC with {"signals":{"vpn":"deny"}}', 'Deny: the policy names its signal VPN.'],
  ] as const)
    assert.equal(said(of(name)).sentence, sentence, name);
  const crowd = /^Challenge: proxy seen 1 h ago, \d+\. The policy spares its network \(T2: shared by tens to hundreds/;
  assert.match(said(of('proxy 92 on EDU')).sentence, crowd);
  assert.match(said(of('proxy 92 on DYN'), wordsEn, { isKnown: false }).sentence, /^Deny: proxy, \d+\. Its network/);
});

test('what the operator or the policy allows by name says so', () => {
  const say = (policy: object, meta: object = {}) => {
    const document = { ip: '203.0.113.9', risk: { score: 1 }, evidence_state: 'active', meta };
    return sayOrder(document as never, { rows: [], shared_by: 'tor' }, wordsEn, policyOf(policy)).sentence;
  };
  assert.equal(say({ tor: 'deny' }, { override: true }), 'Allow: allowed by the operator.');
  assert.equal(say({ tor: 'deny' }), 'Deny: a Tor exit.');
  assert.equal(say({ tor: 'deny', allow: ['203.0.113.0/24'] }), 'Allow: on an allow list.');
});

test('a header says in printable ASCII what decided, as exactly as its reader may know it', () => {
  const reason = (one: OrderCase, detail?: 'freshness' | 'types'): string =>
    reasonOf(orderOf(policyOf(one.policy), verdictOf(one, HOUR_MS)), verdictOf(one, HOUR_MS), detail);
  for (const one of ORDER_CASES) assert.match(reason(one), /^[ -~]+$/, one.name);
  const proxy = of('proxy 92 on IDC');
  assert.equal(reason(proxy), 'proxy, 1 hour ago, on 1 of 14 days');
  assert.equal(reason(proxy, 'freshness'), 'proxy, within 2 hours, on 1 of 14 days');
  assert.equal(reason(proxy, 'types'), 'proxy');
  assert.equal(reason(of('credential 80 on IDC'), 'types'), 'active evidence');
  assert.match(reason(of('proxy 92 on EDU'), 'types'), /^proxy; the policy spares its network \(T2: /);
  assert.equal(reason(of('tor 65 on IDC'), 'types'), 'vpn; a Tor exit');
  assert.equal(reason(of('vpn 65 on IDC with {"signals":{"vpn":"deny"}}')), 'the policy names its signal VPN');
});
