import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scanTime } from './parse-csv.ts';
import { readTime } from './read-time.ts';

const scan = (text: string): number => {
  const bytes = new TextEncoder().encode(`x,${text},y`);
  return scanTime(bytes, 2, bytes.length - 2);
};

const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
const spelled = fc
  .tuple(
    fc.integer({ min: 1900, max: 2200 }),
    two(13),
    two(32),
    fc.constantFrom('T', ' ', '_'),
    two(25),
    two(61),
    two(61),
    fc.constantFrom('Z', '', 'z', '+02:00', '.5Z'),
  )
  .map(
    ([year, month, day, between, hour, minute, second, zone]) =>
      `${year}-${month}-${day}${between}${hour}:${minute}:${second}${zone}`,
  );

test('times read out of bytes are the times read out of text, for every spelling and every slip', () => {
  const texts = fc.oneof(
    spelled,
    fc.integer({ min: 0, max: 2 ** 42 }).map(String),
    fc.string({ maxLength: 24, unit: fc.constantFrom(...'0123456789-:TZ .') }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      assert.ok(Object.is(scan(text.trim()), readTime(text.trim()) ?? Number.NaN), text);
    }),
    { numRuns: 20_000 },
  );
});

test('leap days, month ends and midnights', () => {
  for (const text of [
    '2024-02-29T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2000-02-29 23:59:59',
    '2026-04-31T00:00:00Z',
    '2026-12-31T24:00:00Z',
    '1970-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2026-08-22T16:00:60Z',
  ])
    assert.ok(Object.is(scan(text), readTime(text) ?? Number.NaN), text);
});
