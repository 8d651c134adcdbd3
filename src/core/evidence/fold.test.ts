import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RISK_TYPES } from '../../contract/risk.ts';
import { DAY_MS, unixMs } from '../units.ts';
import type { Observation } from './capture.ts';
import { foldObservations } from './fold.ts';
import { alignDays, countDays, DAYS_MASK } from './observed-days.ts';

const NOON = Date.UTC(2026, 5, 15, 12);
const row = (changes: Partial<Observation> = {}): Observation => ({
  riskType: 'proxy',
  family: 'a',
  capturedAt: unixMs(NOON),
  days: 1,
  prefixBits: 32,
  pools: [],
  ...changes,
});
const daysAgo = (days: number) => unixMs(NOON - days * DAY_MS);

test('the newest capture wins and day masks are united on its date', () => {
  const folded = foldObservations([row({ capturedAt: daysAgo(3), days: 0b11, family: 'b' }), row({ days: 0b1 })]);
  assert.deepEqual(folded, [row({ days: 0b11001 })]);
});

test('a day 13 dates back still counts, one 14 back does not', () => {
  assert.equal(foldObservations([row({ capturedAt: daysAgo(13) }), row()])[0]?.days, (1 << 13) | 1);
  assert.equal(foldObservations([row({ capturedAt: daysAgo(14) }), row()])[0]?.days, 1);
});

test('pools, Tor and the most specific prefix count while a day of their row is inside the mask', () => {
  const tor = { pools: ['tor'], sharedBy: 'tor', prefixBits: 32 } as const;
  const recent = foldObservations([row({ ...tor, capturedAt: daysAgo(13) }), row({ pools: ['z', 'b'].sort(), prefixBits: 24 })]);
  assert.deepEqual([recent[0]?.pools, recent[0]?.sharedBy, recent[0]?.prefixBits], [['b', 'tor', 'z'], 'tor', 32]);
  const past = foldObservations([row({ ...tor, capturedAt: daysAgo(14) }), row({ prefixBits: 24 })]);
  assert.deepEqual([past[0]?.pools, 'sharedBy' in past[0]!, past[0]?.prefixBits], [[], false, 24]);
});

test('osint stays apart by family, and a family that feeds proxy or vpn does not count as osint, however old', () => {
  const osint = (family: string) => row({ riskType: 'osint', family });
  assert.deepEqual(
    foldObservations([osint('b'), osint('a')]).map(({ family }) => family),
    ['a', 'b'],
  );
  const folded = foldObservations([osint('a'), osint('b'), row({ riskType: 'vpn', family: 'a', capturedAt: daysAgo(400) })]);
  assert.deepEqual(
    folded.map(({ riskType, family }) => [riskType, family]),
    [
      ['vpn', 'a'],
      ['osint', 'b'],
    ],
  );
  assert.deepEqual(foldObservations([osint('a'), row({ riskType: 'hijacked_proxy', family: 'a' })]).length, 2);
});

const rows: fc.Arbitrary<Observation[]> = fc.array(
  fc.record({
    riskType: fc.constantFrom(...RISK_TYPES),
    family: fc.constantFrom('a', 'b', 'c'),
    capturedAt: fc.integer({ min: 0, max: 40 * 24 }).map((hours) => unixMs(NOON - hours * 3_600_000)),
    days: fc.integer({ min: 0, max: DAYS_MASK }).map((mask) => mask | 1),
    prefixBits: fc.constantFrom(24, 32),
    pools: fc.constantFrom<readonly string[]>([], ['p'], ['q']),
  }),
  { maxLength: 14 },
);

test('the order of rows does not matter, and what is folded already stays as it is', () => {
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
  for (let mask = 0; mask <= DAYS_MASK; mask++) assert.equal(countDays(mask), mask.toString(2).replaceAll('0', '').length);
});
