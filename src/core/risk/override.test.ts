import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import { explain } from './explain.ts';
import { knownGoodCapOf, type Protection, withOverrides } from './known-good.ts';
import { type Override, overridesOf } from './override.ts';
import { SCORE_PARAMETERS as P } from './parameters.ts';
import { type Verdict, verdict } from './verdict.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12));
const NETWORK = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };
const GOOD = { id: 'x', what: 'x', source: 'x', seen: '2026-08-22' };
const PROTECTION: Protection = { knownGood: () => GOOD, isOwn: (source) => source === 'override' };

const seen = (riskType: RiskType, ageMs: number): Observation => ({
  ...{ riskType, source: 's', family: 's', days: 1, prefixBits: 32, pools: [] },
  capturedAt: unixMs(NOW - ageMs),
});
const override = (prefix: string, more: Partial<Override> = {}): Override => ({
  ...{ id: prefix, prefix, from: unixMs(NOW - DAY_MS), until: unixMs(NOW + DAY_MS), reason: 'r' },
  ...more,
});
const judge = (overrides: readonly Override[], rows: readonly Observation[] = [], at: UnixMs = NOW): Verdict => {
  const address = parseAnyAddress('45.9.8.7')!;
  return verdict(rows, NETWORK, 4, at, P, knownGoodCapOf(withOverrides(PROTECTION, overridesOf(overrides)), address));
};

test('an allowed address scores 1 while evidence is active; rows and state stay, and where nothing is active nothing changes', () => {
  const rows = [seen('proxy', HOUR_MS), seen('vpn', HOUR_MS)];
  const allowed = judge([override('45.9.8.0/24')], rows);
  const plain = judge([], rows);
  assert.deepEqual([allowed.score, allowed.level, allowed.state], [1, 'low', 'active']);
  assert.deepEqual([allowed.evidence, allowed.signals], [plain.evidence, plain.signals]);
  assert.deepEqual([judge([override('45.9.8.0/24')]).state, judge([override('45.9.8.0/24')]).score], ['none', 0]);
  const old = [seen('proxy', 40 * DAY_MS)];
  assert.deepEqual([judge([override('45.9.8.0/24')], old).state, judge([], old).state], ['stale', 'stale']);
});

test('a denied address counts as captured by own collection at this very instant, whatever lists say of it, and on each day since', () => {
  const denied = judge([override('45.9.0.0/16', { deny: 'proxy', from: unixMs(NOW - 3 * DAY_MS) })]);
  assert.deepEqual([denied.score, denied.level, denied.state, denied.signals], [92, 'high', 'active', ['proxy']]);
  const [row] = denied.evidence;
  assert.deepEqual([row?.riskType, row?.ageMs, row?.freshness, row?.obsDays], ['proxy', 0, 'within_2h', 4]);
});

test('an override counts from its first instant until before its last', () => {
  const one = override('45.9.8.7/32', { deny: 'vpn' });
  const states = [NOW - DAY_MS - 1, NOW - DAY_MS, NOW + DAY_MS - 1, NOW + DAY_MS].map(
    (at) => judge([one], [], unixMs(at)).state,
  );
  assert.deepEqual(states, ['none', 'active', 'active', 'none']);
});

test('the longest prefix in force counts, and of the same prefix the newest', () => {
  const wide = override('45.9.0.0/16', { deny: 'proxy' });
  const near = override('45.9.8.0/24');
  const newer = override('45.9.8.0/24', { deny: 'vpn', from: unixMs(NOW - HOUR_MS) });
  const ended = override('45.9.8.7/32', { deny: 'osint', until: unixMs(NOW - 1) });
  assert.equal(judge([wide, near, ended]).override, near);
  assert.equal(judge([wide, newer, near]).override, newer);
  assert.equal(judge([near, newer, wide]).override, newer);
});

test('the score of a denied address falls when the override ends', () => {
  const one = override('45.9.8.7/32', { deny: 'vpn' });
  const shield = knownGoodCapOf(withOverrides(PROTECTION, overridesOf([one])), parseAnyAddress('45.9.8.7')!);
  const { rows, zeroAt, below30At } = explain([], NETWORK, 4, NOW, P, shield);
  assert.deepEqual([rows.length, rows[0]?.family], [1, 'override']);
  assert.deepEqual([zeroAt, below30At], [one.until, one.until]);
});
