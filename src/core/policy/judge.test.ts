import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import type { NetworkSignals } from '../risk/share-tier.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { HOUR_MS, unixMs } from '../units.ts';
import { judge } from './judge.ts';
import type { Policy } from './policy.ts';
import { readPolicy } from './read-policy.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const ADDRESS = parseAnyAddress('45.9.8.7')!;
const PLAIN: NetworkSignals = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };
const seen = (riskType: RiskType, ageMs: number, days = 1): Observation => ({
  ...{ riskType, source: 'own', family: 'own', capturedAt: unixMs(NOON - ageMs), days, prefixBits: 32, pools: [] },
});
const verdictOf = (observations: readonly Observation[], network: Partial<NetworkSignals> = {}): Verdict =>
  verdict(observations, { ...PLAIN, ...network }, 4, NOON, SCORE_PARAMETERS);

const TRIED = verdictOf([seen('honeypot_credential', 55 * 60_000, 0b1111111)]);
const PROXY = verdictOf([seen('proxy', 3 * HOUR_MS)]);
const CARRIER = verdictOf([seen('honeypot_credential', 0)], { usageType: 'MOB' });
const CRAWLER = verdictOf([], { crawler: true });

function policy(document: object = {}): Policy {
  const read = readPolicy(document);
  if (typeof read === 'string') assert.fail(read);
  return read;
}

describe('a policy', () => {
  test('says in words what decided: evidence, its age, and what changed the order', () => {
    const reason = (given: Verdict, document: object = {}): string => judge(policy(document), given, ADDRESS).reason;
    assert.equal(reason(TRIED), 'honeypot credential, 55 minutes ago, on 7 of 14 days');
    assert.match(reason(CARRIER), /, 0 minutes ago, on 1 of 14 days; its network puts many behind one address \(T3\)$/);
    assert.equal(reason(CRAWLER, { signals: { crawler: 'allow' } }), 'allowed as crawler');
    assert.equal(reason(CRAWLER, { signals: { crawler: 'deny' } }), 'signal crawler');
  });

  test('allows what its list holds, of either family', () => {
    const list = policy({ allow: ['45.9.8.0/24', '2001:db8::/32'] });
    assert.equal(judge(list, TRIED, ADDRESS).action, 'allow');
    assert.equal(judge(list, TRIED, parseAnyAddress('45.9.9.7')!).action, 'deny');
    assert.equal(judge(list, TRIED, parseAnyAddress('2001:db8::1')!).action, 'allow');
  });

  test('gives the reason as exactly as the caller may know it', () => {
    const reason = (detail: 'freshness' | 'types'): string => judge(policy(), PROXY, ADDRESS, detail).reason;
    assert.equal(reason('freshness'), 'proxy, within 4 hours, on 1 of 14 days');
    assert.equal(reason('types'), 'proxy');
    assert.equal(judge(policy(), TRIED, ADDRESS, 'types').reason, 'active evidence');
  });

  test('refuses what it does not understand, and says which field', () => {
    for (const [document, fault] of [
      [[], 'JSON object'],
      [{ dney: 'high' }, 'no field "dney"'],
      [{ deny: 'none' }, 'deny is a level'],
      [{ challenge: 101 }, 'challenge is a level'],
      [{ challenge: 30.5 }, 'challenge is a level'],
      [{ tiers: { T4: 'deny' } }, 'tiers gives'],
      [{ tiers: { T1: 'block' } }, 'tiers gives'],
      [{ signals: { honeypot_scan: 'deny' } }, 'signals gives'],
      [{ allow: ['45.9.8.7', 'x'] }, 'allow holds "x"'],
      [{ allow: Array.from({ length: 1001 }, () => '1.1.1.1') }, 'at most 1000'],
      [{ tor: 'block' }, 'tor is one of'],
      [{ observe: 'yes' }, 'observe is'],
      [{ fail: 'shut' }, 'fail is'],
    ] as const) {
      const read = readPolicy(document);
      assert.ok(typeof read === 'string' && read.includes(fault), `${JSON.stringify(document)}: ${String(read)}`);
    }
  });
});
