import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RISK_TYPES } from '../../contract/risk.ts';
import { DAY_MS, unixMs } from '../units.ts';
import { alignDays, countDays, DAYS_MASK, foldObservations } from './fold-observations.ts';
import type { Observation } from './observation.ts';

const NOON = Date.UTC(2026, 5, 15, 12);
const row = (changes: Partial<Observation> = {}): Observation => ({
  riskType: 'proxy',
  source: 'a',
  family: 'a',
  capturedAt: unixMs(NOON),
  days: 1,
  prefixBits: 32,
  pools: [],
  ...changes,
});
const daysAgo = (days: number) => unixMs(NOON - days * DAY_MS);

test('the newest capture wins and day masks are united on its date', () => {
  const folded = foldObservations([row({ capturedAt: daysAgo(3), days: 0b11 }), row({ days: 0b1 })]);
  assert.deepEqual(folded, [row({ days: 0b11001 })]);
});

test('a day 13 dates back still counts, one 14 back does not', () => {
  assert.equal(foldObservations([row({ capturedAt: daysAgo(13) }), row()])[0]?.days, (1 << 13) | 1);
  assert.equal(foldObservations([row({ capturedAt: daysAgo(14) }), row()])[0]?.days, 1);
});

test('rows that differ in type, source, prefix length or pool stays apart', () => {
  const apart = [row(), row({ riskType: 'vpn' }), row({ source: 'b' }), row({ prefixBits: 24 }), row({ pools: ['p'] })];
  const folded = foldObservations([...apart, ...apart]);
  assert.equal(folded.length, apart.length);
  for (const one of apart) assert.ok(folded.some((other) => JSON.stringify(other) === JSON.stringify(one)));
});

const rows: fc.Arbitrary<Observation[]> = fc.array(
  fc.record({
    riskType: fc.constantFrom(...RISK_TYPES),
    source: fc.constantFrom('a', 'b', 'c'),
    family: fc.constant('f'),
    capturedAt: fc.integer({ min: 0, max: 40 * 24 }).map((hours) => unixMs(NOON - hours * 3_600_000)),
    days: fc.integer({ min: 0, max: DAYS_MASK }).map((mask) => mask | 1),
    prefixBits: fc.constantFrom(24, 32),
    pools: fc.constantFrom<readonly string[]>([], ['p'], ['q']),
  }),
  { maxLength: 14 },
);

test('the order of rows does not matter, and folded rows stay as they are', () => {
  fc.assert(
    fc.property(rows, fc.func(fc.integer()), (all, rank) => {
      const folded = foldObservations(all);
      const shuffled = [...all].sort((a, b) => rank(a) - rank(b));
      assert.deepEqual(foldObservations(shuffled), folded);
      assert.deepEqual(foldObservations([...folded]), folded);
    }),
  );
});

test('observed days at an instant count back 14 UTC dates, 0 to 14', () => {
  const end = Date.UTC(2026, 5, 15, 23, 59, 59, 999);
  assert.equal(countDays(alignDays(DAYS_MASK, unixMs(NOON), unixMs(end))), 14);
  assert.equal(countDays(alignDays(DAYS_MASK, unixMs(NOON), unixMs(end + 1))), 13);
  assert.equal(countDays(alignDays(1, unixMs(NOON), unixMs(end + 13 * DAY_MS))), 1);
  assert.equal(countDays(alignDays(1, unixMs(NOON), unixMs(end + 13 * DAY_MS + 1))), 0);
  assert.equal(alignDays(1, unixMs(NOON), unixMs(NOON)), 1);
  for (let mask = 0; mask <= DAYS_MASK; mask++)
    assert.equal(countDays(mask), mask.toString(2).replaceAll('0', '').length);
});
