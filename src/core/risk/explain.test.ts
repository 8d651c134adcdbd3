import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../units.ts';
import { explain } from './explain.ts';
import { SCORE_PARAMETERS as P } from './parameters.ts';
import { verdict } from './verdict.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12));
const NETWORK = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };

const seen: fc.Arbitrary<Observation> = fc.record({
  riskType: fc.constantFrom(...RISK_TYPES),
  source: fc.constantFrom('ipsum', 'cins', 'x', 'avastel-proxies'),
  family: fc.constantFrom('a', 'b'),
  capturedAt: fc.integer({ min: -DAY_MS, max: 35 * DAY_MS }).map((age) => unixMs(NOW - age)),
  days: fc.integer({ min: 0, max: 0x3fff }).map((mask) => mask | 1),
  prefixBits: fc.constantFrom(32, 64),
  pools: fc.constant([]),
});
const folded = fc.array(seen, { maxLength: 9 });

test('a fresh one-day proxy is high for 20 hours and gone after 14 days', () => {
  const row: Observation = {
    riskType: 'proxy',
    source: 'a',
    family: 'a',
    capturedAt: NOW,
    days: 1,
    prefixBits: 32,
    pools: [],
  };
  const explained = explain([row], NETWORK, 4, NOW, P);
  assert.equal(Math.round((explained.below70At! - NOW) / HOUR_MS), 20);
  assert.equal(explained.zeroAt, NOW + 14 * DAY_MS);
  assert.equal(explained.rows[0]?.halfAt, NOW + 3.5 * DAY_MS);
  assert.deepEqual(
    [explained.rows[0]?.observedDays, explained.rows[0]?.windowMs, explained.rows[0]?.strength],
    [1, 14 * DAY_MS, 0.92],
  );
});

test('half of the strength of a claimed network is half of its maximum, and a claim does not prolong that of a sighting', () => {
  const row = (source: string, prefixBits: number): Observation => ({
    ...{ riskType: 'proxy', source, family: source, capturedAt: NOW, days: 1, prefixBits, pools: [] },
  });
  const claim = row('avastel-proxies', 24);
  const [alone] = explain([claim], NETWORK, 4, NOW, P).rows;
  assert.deepEqual([alone?.strength, alone?.strengthMax], [0.29, 0.29]);
  const at = alone!.halfAt;
  const [half] = explain([claim], NETWORK, 4, at, P).rows;
  assert.ok(Math.abs(half!.strength - 0.145) < 1e-6);
  const sighting = { ...row('x', 32), capturedAt: unixMs(NOW - HOUR_MS) };
  const [both] = explain([claim, sighting], NETWORK, 4, NOW, P).rows;
  assert.deepEqual([both?.family, both?.strengthMax, both?.halfAt], ['x', 1, NOW - HOUR_MS + 3.5 * DAY_MS]);
});

test('the instants are exact to the millisecond: the score is still there one before and below from then on', () => {
  fc.assert(
    fc.property(folded, (rows) => {
      const { below70At, below30At, zeroAt, verdict: now } = explain(rows, NETWORK, 4, NOW, P);
      const past = rows.filter(({ capturedAt }) => capturedAt <= NOW);
      const scoreAt = (at: number): number => verdict(past, NETWORK, 4, unixMs(at), P).score;
      for (const [bound, at] of [
        [70, below70At],
        [30, below30At],
        [1, zeroAt],
      ] as const) {
        assert.equal(at === undefined, now.score < bound);
        if (at === undefined) continue;
        assert.ok(scoreAt(at - 1) >= bound && scoreAt(at) < bound);
        for (let step = 0; step < 50; step++)
          assert.ok(scoreAt(Math.floor(NOW + ((at - 1 - NOW) * step) / 50)) >= bound);
      }
    }),
  );
});

test('the strength of every row is base, weight and the share its age left, at most its source’s maximum, and the score is made of them', () => {
  fc.assert(
    fc.property(folded, (rows) => {
      const explained = explain(rows, NETWORK, 4, NOW, P);
      for (const { base, weight, strengthMax, ageMs, windowMs, delta, strength } of explained.rows) {
        const left = ageMs < windowMs ? base * weight * (1 - (ageMs / windowMs) ** (1 / delta)) : 0;
        assert.ok(Math.abs(strength - Math.min(strengthMax, left)) < 1e-12);
      }
      let safe = 1;
      for (const { riskType, strength } of explained.rows) if (riskType !== 'osint') safe *= 1 - strength;
      let osint = 1;
      for (const { riskType, strength } of explained.rows) if (riskType === 'osint') osint *= 1 - strength;
      const score = 100 * (1 - safe * (1 - Math.min(P.osintCap, 1 - osint)));
      if (explained.verdict.state === 'active')
        assert.ok(Math.abs(explained.verdict.score - Math.max(1, score)) <= 0.5 + 1e-9);
      else assert.equal(score, 0);
    }),
  );
});
