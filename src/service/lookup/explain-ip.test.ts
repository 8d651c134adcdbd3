import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { Explanation } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { LookupView } from '../ports.ts';
import { explainIp } from './explain-ip.ts';
import { ExplainLookup } from './explain-lookup.ts';

const AT = unixMs(Date.UTC(2026, 7, 22, 12, 34, 56, 789));
const address = parseAnyAddress('203.0.114.9')!;
const seen = (riskType: RiskType, ageMs: number, more: Partial<Observation> = {}): Observation => ({
  ...{ riskType, source: `${riskType}-list`, family: `${riskType}-list`, capturedAt: unixMs(AT - ageMs) },
  ...{ days: 1, prefixBits: 32, pools: [], ...more },
});
const viewOf = (usageType: string, more: Partial<LookupView> = {}): LookupView => ({
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: false,
  protection: undefined,
  geoJson: () => undefined,
  network: () => ({
    ...{ json: undefined, usageType, asn: 64500 },
    ...{ hosting: false, mobile: false, crawler: false, relay: false },
  }),
  observations: () => [],
  ...more,
});
interface Asked {
  readonly at?: UnixMs;
  readonly dpa?: boolean;
  readonly operator?: boolean;
  readonly view?: LookupView;
}
const explained = (
  observations: readonly Observation[],
  { at = AT, dpa = true, operator = false, view = viewOf('DYN') }: Asked = {},
): Explanation => explainIp({ view, address, account: { dpa, operator }, at, observations });

/** The score that a reader computes from the document alone. */
function recomputed({ rows, caps }: Explanation): number {
  const strengths = rows.map((row) => {
    const part = row.age_ms! / row.window_ms;
    const left = part >= 1 ? 0 : 1 - part ** (1 / row.delta);
    assert.ok(Math.abs(left - row.remaining) < 1e-12);
    return [row.risk_type, Math.min(row.strength_max, row.base * row.weight * left)] as const;
  });
  const joint = (of: readonly (readonly [string, number])[]) => 1 - of.reduce((safe, [, one]) => safe * (1 - one), 1);
  const osintMax = caps.some(({ by }) => by === 'osint') ? SCORE_PARAMETERS.osintCap : 1;
  const isOsint = ([type]: readonly [string, number]): boolean => type === 'osint';
  const osint = Math.min(osintMax, joint(strengths.filter(isOsint)));
  const all = joint([...strengths.filter((one) => !isOsint(one)), ['osint', osint]]);
  const max = Math.min(100, ...caps.filter(({ by }) => by !== 'osint').map((cap) => cap.max));
  return all === 0 ? 0 : Math.min(max, Math.max(1, Math.round(100 * all)));
}

const families = Array.from({ length: 9 }, (_, i) => seen('osint', i * HOUR_MS, { family: `f${i}`, source: `f${i}` }));
const CASES: Readonly<Record<string, readonly Observation[]>> = {
  nothing: [],
  'one row': [seen('proxy', 6 * HOUR_MS + 1234)],
  'several days and widths': [
    seen('proxy', 2 * DAY_MS, { days: 0b1011 }),
    seen('proxy', HOUR_MS, { prefixBits: 20, source: 'wide' }),
    seen('vpn', 3 * DAY_MS, { prefixBits: 24 }),
  ],
  'a claim of a network': [seen('vpn', DAY_MS, { source: 'x4bnet-vpn-4' })],
  'more lists than count': families,
  'expired rows beside active ones': [seen('dialup_pool', 9 * DAY_MS), seen('honeypot_scan', DAY_MS)],
  'expired alone': [seen('dialup_pool', 90 * DAY_MS)],
};

for (const [name, observations] of Object.entries(CASES))
  test(`the score follows from the rows of its explanation: ${name}`, () => {
    covers('EXPLAIN');
    const document = explained(observations);
    const own = verdict(observations, viewOf('DYN').network(address), 4, AT, SCORE_PARAMETERS);
    assert.deepEqual(
      [document.score, document.level, document.evidence_state, document.share_tier.tier],
      [own.score, own.level, own.state, own.shareTier],
    );
    assert.equal(recomputed(document), own.score);
  });

test('each level is left at the first instant at which the verdict is below it', () => {
  const observations = [seen('proxy', 6 * HOUR_MS), ...families.slice(0, 2)];
  const { leaves } = explained(observations);
  assert.deepEqual(
    leaves.map(({ level }) => level),
    ['high', 'medium', 'low'],
  );
  for (const [i, { at }] of leaves.entries()) {
    const scoreAt = (instant: number) => explained(observations, { at: unixMs(instant) }).score;
    const below = [70, 30, 1][i]!;
    assert.ok(scoreAt(Date.parse(at)) < below && scoreAt(Date.parse(at) - 1) >= below, at);
  }
});

test('without an agreement captures of one hour have one explanation, but for the score itself', () => {
  const hour = Math.floor(AT / HOUR_MS) * HOUR_MS;
  for (const hoursAgo of [1, 30, 200]) {
    const shown = [0, 1, 17 * MINUTE_MS + 11, HOUR_MS - 1].map((after) => {
      const capturedAt = unixMs(hour - hoursAgo * HOUR_MS + after);
      const { score: _score, ...rest } = explained([seen('proxy', 0, { capturedAt })], { dpa: false });
      return rest;
    });
    for (const one of shown) assert.deepEqual(one, shown[0]);
    assert.equal(shown[0]!.professional_degraded, 'dpa_required');
    const text = JSON.stringify(shown[0]!.rows);
    assert.ok(!/captured_at|age_ms|expires_at/.test(text), text);
  }
});

test('the tier names its base and what raised it; an override and its reason are for operators, its end for everybody', () => {
  const vpn = [seen('vpn', HOUR_MS)];
  assert.deepEqual(explained(vpn).share_tier, { tier: 'T2', base: 'T1', raised_by: ['vpn'] });
  assert.deepEqual(explained(vpn, { view: viewOf('MOB') }).share_tier, { tier: 'T3', base: 'T3', raised_by: [] });
  const exit = explained([seen('vpn', HOUR_MS, { sharedBy: 'tor' })]);
  assert.deepEqual([exit.share_tier, exit.shared_by], [{ tier: 'T3', base: 'T1', raised_by: ['tor'] }, 'tor']);
  const held = { id: 'ovr_1', prefix: '203.0.114.0/24', reason: 'case 7', from: AT, until: unixMs(AT + DAY_MS) };
  const view = viewOf('DYN', {
    protection: { knownGood: () => undefined, isOwn: () => false, override: () => held },
  });
  const [shown, full] = [explained(vpn, { view }), explained(vpn, { view, operator: true })];
  assert.deepEqual([shown.score, shown.caps], [1, [{ by: 'override', max: 1 }]]);
  assert.deepEqual(
    [shown.overridden?.allow, shown.overridden?.reason, shown.overridden?.id],
    [true, undefined, undefined],
  );
  assert.deepEqual([full.overridden?.reason, full.rows[0]?.seen_by], ['case 7', ['vpn-list']]);
  assert.equal(shown.rows[0]?.seen_by, undefined);
});

test('a neighbourhood of proxies is named', async () => {
  const near = seen('proxy', HOUR_MS, { source: 'avastel-neighbours', family: 'avastel', prefixBits: 24 });
  const view = viewOf('DYN', { observations: () => [near] });
  const lookup = new ExplainLookup(undefined, () => undefined);
  const asked = { view, address, account: { id: 'a', dpa: true }, now: AT, moment: undefined };
  const { document } = await lookup.explain(asked);
  assert.deepEqual([document.score, document.level], [29, 'low']);
  assert.match(document.derived![0]!.reason, /^Residential pool neighbourhood: /);
  const shown = await lookup.explain({ ...asked, account: { ...asked.account, operator: true } });
  assert.match(shown.document.derived![0]!.reason, /^residential pool neighbourhood: avastel-neighbours/);
  assert.equal(document.derived![0]!.prefix, '203.0.114.0/24');
  const listed = seen('proxy', HOUR_MS, { source: 'avastel-1day', family: 'avastel' });
  const other = await lookup.explain({ ...asked, view: viewOf('DYN', { observations: () => [listed] }) });
  assert.equal(other.document.derived, undefined);
});
