import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, unixMs, utcDay } from '../units.ts';
import { type Captures, uniteCaptures, uniteDays } from './fold-observations.ts';

const NOON = Date.UTC(2026, 5, 15, 12);
const HOURS = fc.array(fc.integer({ min: 0, max: 40 * 24 }), { minLength: 1, maxLength: 20 });
const one = (hours: number): Captures => ({ capturedAt: unixMs(NOON - hours * 3_600_000), days: 1 });

test('captures united in any order are the newest one and the 14 dates up to it that had one', () => {
  fc.assert(
    fc.property(HOURS, fc.func(fc.integer()), (hours, rank) => {
      const capturedAt = unixMs(NOON - Math.min(...hours) * 3_600_000);
      const dates = new Set(
        hours.map((ago) => utcDay(capturedAt) - utcDay(unixMs(NOON - ago * 3_600_000))).filter((back) => back < 14),
      );
      const expected = { capturedAt, days: [...dates].reduce((mask, back) => mask | (1 << back), 0) };
      const shuffled = [...hours].sort((a, b) => rank(a) - rank(b)).map(one);
      assert.deepEqual(
        shuffled.reduce<Captures | undefined>((all, next) => uniteCaptures(all, next), undefined),
        expected,
      );
      const half = shuffled.length >> 1;
      const parts = [shuffled.slice(0, half), shuffled.slice(half)].map((part) =>
        part.reduce<Captures | undefined>(uniteCaptures, undefined),
      );
      assert.deepEqual(uniteCaptures(parts[0], parts[1]), expected);
    }),
  );
});

test('a date 13 days before the newer capture stays in the mask, one 14 days before does not', () => {
  const back = (days: number): number => uniteDays(NOON - days * DAY_MS, 1, NOON, 1);
  assert.deepEqual([back(0), back(13), back(14)], [1, (1 << 13) | 1, 1]);
});
