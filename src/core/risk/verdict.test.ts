import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../test/spec/covers.ts';
import { RISK_TYPES, type RiskType, SIGNALS } from '../../contract/risk.ts';
import { countDays } from '../evidence/fold-observations.ts';
import type { Observation } from '../evidence/observation.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import { baseOf, windowOf } from './decay.ts';
import { explain } from './explain.ts';
import { SCORE_PARAMETERS as P } from './parameters.ts';
import { type NetworkSignals, shareTier } from './share-tier.ts';
import { freshnessOf, levelOf, type Verdict, verdict } from './verdict.ts';
import { daysOf } from './weigh.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12));
const NETWORK: NetworkSignals = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };

const seen = (riskType: RiskType, ageMs = 0, changes: Partial<Observation> = {}): Observation => ({
  riskType,
  source: riskType,
  family: riskType,
  capturedAt: unixMs(NOW - ageMs),
  days: 1,
  prefixBits: 64,
  pools: [],
  ...changes,
});
const judge = (
  rows: readonly Observation[],
  network: Partial<NetworkSignals> = {},
  at: UnixMs = NOW,
  family: 4 | 6 = 4,
): Verdict => verdict(rows, { ...NETWORK, ...network }, family, at, P);
const score = (...rows: readonly Observation[]): number => judge(rows).score;

test('data/score-parameters.json is the table the code scores with', () => {
  const file = JSON.parse(readFileSync(new URL('../../../data/score-parameters.json', import.meta.url), 'utf8'));
  assert.equal(file.version, P.version);
  assert.equal(file.osint_cap, P.osintCap);
  const weights = (table: typeof P.ipv6RangeWeights) =>
    table.map(({ minBits, weight }) => ({ min_bits: minBits, weight }));
  assert.deepEqual(file.ipv6_range_weights, weights(P.ipv6RangeWeights));
  assert.deepEqual(file.prefix_weights, { ipv4: weights(P.prefixWeights[4]), ipv6: weights(P.prefixWeights[6]) });
  assert.deepEqual(file.aggregates, P.aggregates);
  assert.deepEqual([file.claiming, file.claim_max], [P.claiming, P.claimMax]);
  assert.deepEqual([file.neighbourhoods, file.gateways], [P.neighbourhoods, P.gateways]);
  assert.ok(P.neighbourhoods.every((source) => P.claiming.includes(source)));
  assert.equal(file.known_good_max, P.knownGoodMax);
  const types = Object.fromEntries(
    RISK_TYPES.map((type) => [type, P.types[type]]).map(([type, row]) => [
      type,
      rowOf(row as (typeof P.types)['proxy']),
    ]),
  );
  assert.deepEqual(file.types, types);
});
const rowOf = ({ base, windowMs, delta, persistence }: (typeof P.types)['proxy']) => ({
  base,
  window_h: windowMs / HOUR_MS,
  delta,
  persistence,
});

test('a single fresh row scores its base, and the published curve holds at round ages', () => {
  const fresh = RISK_TYPES.map((type) => score(seen(type)));
  assert.deepEqual(fresh, [92, 65, 85, 95, 35, 80, 28, 45, 80, 40]);
  const ages = [2, 4, 12, 24, 72, 168].map((hours) => hours * HOUR_MS);
  const curve = {
    proxy: [85, 82, 75, 67, 49, 27],
    hijacked_proxy: [85, 80, 70, 59, 33, 0],
    dialup_pool: [68, 60, 43, 25, 0, 0],
    vpn: [65, 65, 65, 65, 64, 61],
    cloud_phone: [80, 79, 77, 74, 63, 40],
  };
  for (const [type, scores] of Object.entries(curve)) {
    const scored = ages.map((age) => score(seen(type as RiskType, age)));
    assert.deepEqual(scored, scores, type);
  }
});

test('rows combine by noisy-OR and observed days at the capture lengthen the window', () => {
  const lists = ['x', 'y', 'z'].map((family) => seen('osint', 24 * HOUR_MS, { family }));
  assert.equal(score(seen('proxy', 6 * HOUR_MS), ...lists), 92);
  assert.equal(score(seen('vpn', 72 * HOUR_MS), seen('honeypot_scan', 10 * HOUR_MS)), 78);
  assert.deepEqual(
    [1, 4, 7, 14].map((days) => score(seen('proxy', 7 * DAY_MS, { days: (1 << days) - 1 }))),
    [27, 33, 38, 46],
  );
});

test('n fresh osint families count 1 − 0.72^n, at most 0.90, in one row with the newest capture', () => {
  const fresh = (n: number) => Array.from({ length: n }, (_, i) => seen('osint', 0, { family: `f${i}` }));
  const found = [1, 2, 3, 6, 7, 8, 20].map((n) => score(...fresh(n)));
  assert.deepEqual(found, [28, 48, 63, 86, 90, 90, 90]);
  const { evidence } = judge([
    seen('osint', DAY_MS, { family: 'old', days: 0b11 }),
    seen('osint', HOUR_MS, { family: 'new' }),
  ]);
  assert.deepEqual([evidence.length, evidence[0]?.ageMs, evidence[0]?.obsDays], [1, HOUR_MS, 3]);
});

test('one osint listing is never medium, and newer captures of the same family count once', () => {
  assert.deepEqual([score(seen('osint')), judge([seen('osint')]).level], [28, 'low']);
  const family = 'one';
  assert.equal(score(seen('osint', 0, { family, source: 'a' }), seen('osint', HOUR_MS, { family, source: 'b' })), 28);
});

test('a source that claims networks is never more than low alone, also with several of its prefixes; a sighting of the address counts in full', () => {
  const claims = [24, 20, 16].map((prefixBits) => seen('vpn', 0, { source: 'x4bnet-vpn-4', prefixBits }));
  assert.deepEqual([score(...claims), judge(claims).level, judge(claims).signals], [29, 'low', ['vpn']]);
  assert.equal(score(seen('proxy', 0, { source: 'avastel-proxies', prefixBits: 24 })), 29);
  assert.equal(score(...claims, seen('vpn', DAY_MS, { source: 'x4bnet-mullvad', prefixBits: 31 })), 65);
  assert.equal(score(...claims, seen('osint')), 49);
});

test('one capture of a proxy at a gateway or in content delivery is low, two witnesses or days count in full, and explain names the cap', () => {
  const one = seen('proxy', 4 * DAY_MS);
  const scores = (rows: readonly Observation[]) =>
    ['CDN', 'GTW', 'IDC', undefined].map((usageType) => judge(rows, { usageType }).score);
  assert.deepEqual(scores([one]), [29, 29, 43, 43]);
  assert.deepEqual(scores([one, { ...one, prefixBits: 24 }]), [29, 29, 43, 43]);
  assert.deepEqual(scores([one, { ...one, source: 'b' }]), [43, 43, 43, 43]);
  assert.deepEqual(scores([{ ...one, days: 0b11 }]), [45, 45, 45, 45]);
  assert.deepEqual(scores([one, seen('osint')])[0], 49);
  const [row] = explain([one], { ...NETWORK, usageType: 'GTW' }, 4, NOW, P).rows;
  assert.deepEqual([row?.atGateway, row?.strengthMax, row?.strength], [true, 0.29, 0.29]);
});

test('a Tor exit counts no osint of any family while its own lists name it, and everything else in full', () => {
  const exit = (ageMs: number) => seen('vpn', ageMs, { source: 'tor-nodes', family: 'tor-project', sharedBy: 'tor' });
  const listed = ['f1', 'f2', 'f3', 'f4'].map((family) => seen('osint', 0, { family, source: family }));
  assert.deepEqual([score(exit(0), ...listed), judge([exit(0), ...listed]).level], [65, 'medium']);
  assert.equal(score(exit(30 * DAY_MS), ...listed), score(...listed), 'no exit any more');
  assert.equal(score(exit(0), seen('honeypot_credential'), ...listed), 93);
  const relay = seen('vpn', 0, { source: 'other', family: 'other', sharedBy: 'relay' });
  assert.equal(score(relay, listed[0]!), 75, 'the rule is that of Tor alone');
});

test('a neighbourhood of proxies counts where nothing else is active, so that it never makes more than low', () => {
  const near = (ageMs = 0) => seen('proxy', ageMs, { source: 'avastel-neighbours', family: 'avastel', prefixBits: 24 });
  assert.deepEqual([score(near()), judge([near()]).level, judge([near()]).state], [29, 'low', 'active']);
  assert.equal(score(near(), near(DAY_MS)), 29);
  for (const other of [
    seen('osint'),
    seen('vpn', 0, { source: 'x4bnet-vpn-4', prefixBits: 16 }),
    seen('honeypot_scan', HOUR_MS),
    seen('proxy', DAY_MS, { source: 'avastel-1day', family: 'avastel' }),
  ])
    assert.deepEqual(judge([near(), other]), judge([other]), other.source);
  assert.equal(score(near(), seen('osint', 31 * DAY_MS)), 29, 'the other one has expired');
});

test('a neighbourhood of proxies fires no signal, because nobody saw the address itself in proxy supply', () => {
  covers('NEIGHBOUR-SIGNAL');
  const near = seen('proxy', 0, { source: 'avastel-neighbours', family: 'avastel', prefixBits: 24 });
  const itself = (ageMs: number) => seen('proxy', ageMs, { source: 'avastel-1day', family: 'avastel' });
  assert.deepEqual([judge([near]).signals, judge([near]).evidence.map(({ riskType }) => riskType)], [[], ['proxy']]);
  assert.deepEqual(judge([near, itself(DAY_MS)]).signals, ['proxy']);
  assert.deepEqual(judge([near, itself(29 * DAY_MS)]).signals, [], 'its own sighting has expired');
});

test('a family with an active proxy or vpn capture does not also count as osint; once that has expired, its osint capture counts again', () => {
  assert.equal(score(seen('vpn', 0, { family: 'same' }), seen('osint', 0, { family: 'same' })), 65);
  assert.equal(score(seen('vpn', 0, { family: 'one' }), seen('osint', 0, { family: 'other' })), 75);
  const expired = judge([seen('vpn', 30 * DAY_MS, { family: 'same' }), seen('osint', 15 * DAY_MS, { family: 'same' })]);
  assert.deepEqual([expired.score, expired.signals, expired.evidence.length], [14, ['osint'], 2]);
  const active = judge([
    seen('vpn', 30 * DAY_MS - 1, { family: 'same' }),
    seen('osint', 15 * DAY_MS, { family: 'same' }),
  ]);
  assert.deepEqual([active.score, active.signals, active.evidence.length], [1, ['vpn'], 1]);
  assert.equal(score(seen('hijacked_proxy', 0, { family: 'same' }), seen('osint', 0, { family: 'same' })), 96);
});

test('a source may have the name of a member that every object has', () => {
  const own = seen('proxy', 0, { source: 'constructor', family: 'own' });
  assert.equal(score(own, seen('vpn', 0)), score({ ...own, source: 'sensor' }, seen('vpn', 0)));
});

test('a source that contains others counts only while none of those has an active capture', () => {
  const of = (source: string, ageMs = 0) => seen('osint', ageMs, { source, family: source });
  assert.equal(score(of('ipsum'), of('cins', DAY_MS)), score(of('cins', DAY_MS)));
  assert.equal(score(of('ipsum'), of('cins', 30 * DAY_MS)), 28, 'the capture of the member has expired');
  assert.equal(score(of('ipsum'), of('unrelated')), 48);
  assert.equal(
    score(of('ipsum'), seen('vpn', 0, { source: 'tor-bulk-exits', family: 'tor-project' })),
    65,
    'whatever the type of the member',
  );
  const all = seen('osint', 0, { source: 'blocklist-de', family: 'blocklist-de' });
  assert.equal(score(all, seen('honeypot_credential', 0, { source: 'blocklist-de-ssh', family: 'blocklist-de' })), 80);
});

test('a captured prefix weighs less the wider it is, in both address families', () => {
  const of = (family: 4 | 6) => (prefixBits: number) =>
    judge([seen('proxy', 0, { prefixBits })], {}, NOW, family).score;
  assert.deepEqual([32, 25, 24, 23, 20, 19, 8].map(of(4)), [92, 92, 74, 46, 46, 23, 23]);
  assert.deepEqual([128, 64, 63, 56, 55, 48, 47, 32].map(of(6)), [92, 92, 74, 74, 46, 46, 23, 23]);
});

test('the strongest prefix counts: a newer wide capture never weakens an older narrow one', () => {
  const narrow = seen('proxy', 11 * HOUR_MS, { prefixBits: 32 });
  const wide = seen('proxy', 0, { prefixBits: 16, source: 'wide' });
  const { score: both, evidence } = judge([narrow, wide]);
  assert.deepEqual([both, evidence.length, evidence[0]?.ageMs], [score(narrow), 1, 0]);
  assert.equal(
    score(seen('osint', DAY_MS, { family: 'f' }), seen('osint', 0, { family: 'f', prefixBits: 16 })),
    27,
    'within a family of osint as well',
  );
  assert.equal(
    score(seen('ipv6_range', DAY_MS, { prefixBits: 64 }), seen('ipv6_range', 0, { prefixBits: 40 })),
    score(seen('ipv6_range', DAY_MS, { prefixBits: 64 })),
  );
});

test('observed days are those of all captures of the type, whatever their prefix', () => {
  const narrow = seen('proxy', 7 * DAY_MS, { days: 1 });
  const wide = seen('proxy', 7 * DAY_MS, { days: (1 << 14) - 1, prefixBits: 16, source: 'wide' });
  assert.equal(score(narrow, wide), 46);
});

test('rows of one type unite: newest capture, days and the pools seen in the 14 dates before it', () => {
  const rows = [
    seen('proxy', 3 * DAY_MS, { days: 0b11, pools: ['old'] }),
    seen('proxy', 0, { source: 'b', pools: ['new'] }),
  ];
  assert.deepEqual([judge(rows).pools, judge(rows).evidence[0]?.obsDays], [['new', 'old'], 3]);
  const tor = { pools: ['tor'], sharedBy: 'tor' } as const;
  assert.deepEqual(
    [
      judge([seen('vpn', 13 * DAY_MS, tor), seen('vpn')]).pools,
      judge([seen('vpn', 13 * DAY_MS, tor), seen('vpn')]).shareTier,
    ],
    [['tor'], 'T3'],
  );
  assert.deepEqual(
    [
      judge([seen('vpn', 14 * DAY_MS, tor), seen('vpn')]).pools,
      judge([seen('vpn', 14 * DAY_MS, tor), seen('vpn')]).shareTier,
    ],
    [[], 'T2'],
  );
});

test('ipv6_range is weighed by the length of the captured prefix', () => {
  covers('EV-TYPE');
  const of = (prefixBits: number) => score(seen('ipv6_range', 0, { prefixBits }));
  assert.deepEqual([128, 64, 63, 56, 55, 48, 47, 32].map(of), [40, 40, 24, 24, 14, 14, 4, 4]);
});

test('a row is 1 just before its window ends and 0 at its end, and evidence then is stale', () => {
  covers('GEN-STATE STATE-STALE');
  for (const type of RISK_TYPES) {
    for (const days of [1, 14]) {
      const window = windowOf(P.types[type], days);
      const row = seen(type, 0, { days: (1 << days) - 1 });
      const before = judge([row], {}, unixMs(NOW + Math.ceil(window) - 1));
      assert.deepEqual([before.state, before.score, before.level], ['active', 1, 'low'], `${type} ${days}`);
      const after = judge([row], {}, unixMs(NOW + Math.ceil(window)));
      assert.deepEqual(
        [after.state, after.score, after.level, after.signals],
        ['stale', 0, 'none', []],
        `${type} ${days}`,
      );
      assert.equal(after.evidence[0]?.freshness, 'older');
    }
  }
});

test('captures after the instant do not exist', () => {
  assert.equal(judge([seen('proxy', -1)]).state, 'none');
  assert.equal(judge([seen('proxy', 0)]).state, 'active');
  assert.equal(judge([seen('osint', -1), seen('vpn', 0)]).score, 65);
});

test('levels and freshness change exactly at their bounds', () => {
  covers('EV-FRESHNESS');
  assert.deepEqual([0, 1, 29, 30, 69, 70, 100].map(levelOf), 'none low low medium medium high high'.split(' '));
  const hours = (h: number, ms = 0) => freshnessOf(h * HOUR_MS + ms);
  assert.deepEqual(
    [hours(0), hours(2), hours(2, 1), hours(4), hours(4, 1), hours(12), hours(12, 1)],
    ['within_2h', 'within_2h', 'within_4h', 'within_4h', 'within_12h', 'within_12h', 'older'],
  );
});

test('signals are sorted, hosting, mobile and crawler leave the score and the state alone, and collected types have no signal', () => {
  covers('SIG-NONE');
  const flags = { hosting: true, mobile: true, crawler: true };
  const none = judge([], flags);
  assert.deepEqual([none.state, none.score, none.signals], ['none', 0, ['crawler', 'hosting', 'mobile']]);
  const all = judge(
    RISK_TYPES.map((type) => seen(type)),
    flags,
  );
  assert.deepEqual(all.signals, [...SIGNALS].sort());
  assert.deepEqual(judge([seen('honeypot_scan'), seen('honeypot_credential'), seen('ipv6_range')]).signals, []);
  assert.equal(judge([seen('proxy')], flags).score, 92);
});

test('evidence is strongest first, then newest, one row a type', () => {
  const { evidence } = judge([
    seen('vpn', 40 * DAY_MS),
    seen('honeypot_scan', 20 * DAY_MS),
    seen('cloud_service'),
    seen('proxy', HOUR_MS),
  ]);
  const riskTypes = evidence.map((row) => row.riskType);
  assert.deepEqual(riskTypes, ['proxy', 'cloud_service', 'honeypot_scan', 'vpn']);
});

test('published private-relay ranges are never vpn evidence and are shared by many', () => {
  const relay = judge([seen('vpn')], { relay: true });
  assert.deepEqual([relay.state, relay.evidence, relay.shareTier], ['none', [], 'T3']);
  assert.equal(judge([seen('vpn'), seen('osint', 0, { family: 'z' })], { relay: true }).score, 28);
});

test('pools come from active evidence, once each and sorted', () => {
  const rows = [
    seen('vpn', 0, { pools: ['b', 'c'] }),
    seen('proxy', 0, { pools: ['a', 'b'] }),
    seen('dialup_pool', 5 * DAY_MS, { pools: ['z'] }),
  ];
  assert.deepEqual(judge(rows).pools, ['a', 'b', 'c']);
});

test('the sharing tier starts from the usage type and is raised by active evidence', () => {
  covers('EV-TIER EV-TIER-RAISED');
  const tier = (usageType: string | undefined, active: readonly RiskType[] = [], isTor = false, family: 4 | 6 = 4) =>
    shareTier({ family, usageType, active, sharedBy: isTor ? 'tor' : undefined });
  const base: Record<string, string> = {
    T0: 'IDC DDT DNS IXP NET BOGON AUR RNU UND',
    T1: 'DYN COM ORG USE',
    T2: 'GTW EDU GOV WLA CDN ANY',
    T3: 'MOB SAT',
  };
  for (const [expected, codes] of Object.entries(base))
    for (const code of codes.split(' ')) assert.equal(tier(code), expected, code);
  assert.deepEqual([tier(undefined), tier('XYZ')], ['T1', 'T1']);
  for (const type of ['vpn', 'proxy', 'dialup_pool', 'cloud_phone', 'cloud_service'] as const)
    assert.deepEqual([tier('IDC', [type]), tier('MOB', [type])], ['T2', 'T3']);
  const found = ['IDC', 'DYN', 'EDU', 'SAT'].map((code) => tier(code, ['hijacked_proxy']));
  assert.deepEqual(found, ['T1', 'T2', 'T2', 'T3']);
  assert.deepEqual(
    ['IDC', 'DYN'].map((code) => tier(code, ['osint', 'honeypot_scan', 'honeypot_credential', 'ipv6_range'])),
    ['T0', 'T1'],
  );
  assert.deepEqual([tier('IDC', [], true), tier('DYN', [], true, 6)], ['T3', 'T3']);
  assert.deepEqual(
    [
      tier('MOB', [], false, 6),
      tier('MOB', ['proxy'], false, 6),
      tier('MOB', ['osint'], false, 6),
      tier('IDC', [], false, 6),
    ],
    ['T1', 'T3', 'T1', 'T0'],
  );
  assert.equal(judge([seen('vpn', 0, { sharedBy: 'tor' })]).shareTier, 'T3');
  assert.equal(judge([seen('vpn', 31 * DAY_MS, { sharedBy: 'tor' })]).shareTier, 'T1', 'expired evidence');
});

const observation: fc.Arbitrary<Observation> = fc.record({
  riskType: fc.constantFrom(...RISK_TYPES),
  source: fc.constantFrom('s', 't'),
  family: fc.constantFrom('a', 'b', 'c', 'd'),
  capturedAt: fc.integer({ min: 0, max: 40 * DAY_MS }).map((age) => unixMs(NOW - age)),
  days: fc.integer({ min: 0, max: 0x3fff }).map((mask) => mask | 1),
  prefixBits: fc.constantFrom(32, 48, 56, 64),
  pools: fc.constant([]),
});
/**
 * Sources that contain no others, and no family that is both exit and osint, so that an expiry never makes
 * another capture count.
 */
const observations = fc
  .array(observation, { maxLength: 13 })
  .map((rows) => rows.map((row) => (row.riskType === 'osint' ? row : { ...row, family: row.riskType })));

test('the score is within 0..100, agrees with the state, and never rises with age', () => {
  fc.assert(
    fc.property(observations, fc.integer({ min: 0, max: 60 * DAY_MS }), (rows, later) => {
      const now = judge(rows);
      const then = judge(rows, {}, unixMs(NOW + later));
      assert.ok(then.score <= now.score);
      for (const { state, score: value, level, evidence } of [now, then]) {
        assert.ok(Number.isInteger(value) && value >= 0 && value <= 100);
        assert.equal(state === 'active', value > 0);
        assert.equal(state === 'none', evidence.length === 0);
        assert.equal(level, levelOf(value));
      }
    }),
  );
});

test('a row more, or a newer capture, with as many observed days never lowers the score', () => {
  /** Observed days of a kind as of its newest capture; a newer capture may drop the first of them. */
  const dayCount = (rows: readonly Observation[], kind: string): number => {
    const ofKind = rows.filter(({ riskType }) => riskType === kind);
    return ofKind.length === 0 ? 0 : countDays(daysOf(ofKind));
  };
  fc.assert(
    fc.property(observations, fc.nat(), fc.integer({ min: 0, max: 40 * DAY_MS }), (rows, pick, newer) => {
      if (rows.length === 0) return;
      const index = pick % rows.length;
      const row = rows[index]!;
      const refreshed = { ...row, capturedAt: unixMs(Math.min(NOW, row.capturedAt + newer)) };
      const steps = [rows.filter((_, i) => i !== index), rows, rows.with(index, refreshed)];
      const [fewer, same, later] = steps.map((step) => ({
        score: judge(step).score,
        days: dayCount(step, row.riskType),
      }));
      if (fewer!.days <= same!.days) assert.ok(same!.score >= fewer!.score);
      if (same!.days <= later!.days) assert.ok(later!.score >= same!.score);
    }),
  );
});

test('the order of observations does not matter, to the last bit', () => {
  fc.assert(
    fc.property(observations, fc.func(fc.integer()), (rows, rank) =>
      assert.deepEqual(judge([...rows].sort((a, b) => rank(a) - rank(b))), judge(rows)),
    ),
  );
});

test('the shapes with a shortcut are the general power', () => {
  for (const type of RISK_TYPES) {
    const table = P.types[type];
    for (const part of [0.001, 0.1, 0.37, 0.5, 0.9, 0.999]) {
      const window = windowOf(table, 1);
      const expected = Math.max(1, Math.round(100 * baseOf(P, type, 4, 64) * (1 - part ** (1 / table.delta))));
      assert.equal(score(seen(type, part * window)), expected, `${type} ${part}`);
    }
  }
});
