import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import type { NetworkSignals } from '../risk/network-signals.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { type Verdict, verdict } from '../risk/verdict.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../units.ts';
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
const CLEAN = verdictOf([]);

function policy(document: object = {}): Policy {
  const read = readPolicy(document);
  if (typeof read === 'string') assert.fail(read);
  return read;
}
const actionOf = (document: object, given: Verdict): string => judge(policy(document), given, ADDRESS).action;

describe('a policy', () => {
  test('denies high scores, challenges medium ones and spares shared addresses unless it says otherwise', () => {
    covers('POLICY-JUDGE');
    assert.deepEqual(judge(policy(), TRIED, ADDRESS), {
      action: 'deny',
      reason: 'honeypot credential, 55 minutes ago, on 7 of 14 days',
    });
    assert.deepEqual(judge(policy(), PROXY, ADDRESS), {
      action: 'challenge',
      reason: 'proxy, 3 hours ago, on 1 of 14 days; sharing tier T2',
    });
    assert.deepEqual(judge(policy(), CARRIER, ADDRESS), {
      action: 'allow',
      reason: 'honeypot credential, 0 minutes ago, on 1 of 14 days; sharing tier T3',
    });
    assert.deepEqual(judge(policy(), CLEAN, ADDRESS), { action: 'allow', reason: 'no evidence' });
  });

  test('takes levels and scores as bounds, and never rules an action out', () => {
    assert.equal(actionOf({ deny: TRIED.score, challenge: 'never' }, TRIED), 'deny');
    assert.equal(actionOf({ deny: TRIED.score + 1, challenge: 'never' }, TRIED), 'allow');
    assert.equal(actionOf({ deny: 'never' }, TRIED), 'challenge');
  });

  test('raises by a signal up to what the tier allows, and lets a signal end the question', () => {
    const aged = verdictOf([seen('vpn', 29 * DAY_MS)]);
    assert.equal(actionOf({ challenge: 'never' }, aged), 'allow');
    assert.equal(actionOf({ challenge: 'never', signals: { vpn: 'deny' } }, aged), 'challenge');
    assert.equal(actionOf({ signals: { vpn: 'deny' }, tiers: { T2: 'deny' } }, aged), 'deny');
    const crawler = verdictOf([seen('honeypot_credential', 0)], { crawler: true });
    assert.deepEqual(judge(policy({ signals: { crawler: 'allow' } }), crawler, ADDRESS), {
      action: 'allow',
      reason: 'allowed as crawler',
    });
  });

  test('allows what its list holds, of either family', () => {
    const list = policy({ allow: ['45.9.8.0/24', '2001:db8::/32'] });
    assert.equal(judge(list, TRIED, ADDRESS).action, 'allow');
    assert.equal(judge(list, TRIED, parseAnyAddress('45.9.9.7')!).action, 'deny');
    assert.equal(judge(list, TRIED, parseAnyAddress('2001:db8::1')!).action, 'allow');
  });

  test('gives the reason as exactly as the caller may know it', () => {
    const reason = (detail: 'freshness' | 'types'): string => judge(policy(), PROXY, ADDRESS, detail).reason;
    assert.equal(reason('freshness'), 'proxy, within 4 hours, on 1 of 14 days; sharing tier T2');
    assert.equal(reason('types'), 'proxy; sharing tier T2');
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
      [{ observe: 'yes' }, 'observe is'],
      [{ fail: 'shut' }, 'fail is'],
    ] as const) {
      const read = readPolicy(document);
      assert.ok(typeof read === 'string' && read.includes(fault), `${JSON.stringify(document)}: ${String(read)}`);
    }
  });
});
