import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRfc3339 } from './parse-rfc3339.ts';

const iso = (text: string): string | undefined => {
  const at = parseRfc3339(text);
  return at === undefined ? undefined : new Date(at).toISOString();
};

test('date-times are normalised to UTC milliseconds', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2026-08-01T00:00:00Z', '2026-08-01T00:00:00.000Z'],
    ['2026-08-01t00:00:00z', '2026-08-01T00:00:00.000Z'],
    ['2026-08-01T08:00:00+08:00', '2026-08-01T00:00:00.000Z'],
    ['2026-07-31T19:30:00-04:30', '2026-08-01T00:00:00.000Z'],
    ['2026-08-01T00:00:00-00:00', '2026-08-01T00:00:00.000Z'],
    ['2026-08-01T00:00:00.1Z', '2026-08-01T00:00:00.100Z'],
    ['2026-08-01T00:00:00.123Z', '2026-08-01T00:00:00.123Z'],
    ['2026-08-01T00:00:00.1239999999999Z', '2026-08-01T00:00:00.123Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T23:59:60.000Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T07:59:60.5+08:00', '2016-12-31T23:59:59.999Z'],
  ];
  for (const [text, expected] of cases) assert.equal(iso(text), expected, text);
});

test('whatever is not exactly a date-time of RFC 3339 is refused', () => {
  const texts = [
    '',
    'now',
    '2026-08-01',
    '2026-08-01T00:00Z',
    '2026-08-01T00:00:00',
    '2026-08-01 00:00:00Z',
    '2026-08-01T08:00:00 08:00',
    '2026-08-01T08:00:00+0800',
    '2026-08-01T08:00:00+08',
    '2026-08-01T00:00:00.Z',
    '2026-08-01T00:00:00,5Z',
    '2026-8-1T00:00:00Z',
    '+2026-08-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-08-32T00:00:00Z',
    '2026-08-00T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-08-01T24:00:00Z',
    '2026-08-01T00:60:00Z',
    '2026-08-01T00:00:61Z',
    '2026-08-01T00:00:60Z',
    '2026-08-31T22:59:60Z',
    '2026-08-01T00:00:00+24:00',
    '2026-08-01T00:00:00+00:60',
    ' 2026-08-01T00:00:00Z',
    '2026-08-01T00:00:00Z\n',
    '2026-08-01T00:00:00Z0',
    '20260801T000000Z',
    '2026-02-29T00:00:00.000Z',
    '2026-08-01T24:00:00.000Z',
    '2026-08-01T00:00:60.000Z',
    '2026-08-01T00:00:00.00aZ',
    '2026-08-01 00:00:00.000Z',
    '1754006400',
    '２０２６-08-01T00:00:00Z',
    '2026-08-01T00:00:00−08:00',
  ];
  for (const text of texts) assert.equal(parseRfc3339(text), undefined, JSON.stringify(text));
});

test('every instant that toISOString can write is read back', () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date('0000-01-01T00:00:00Z'),
        max: new Date('9999-12-31T23:59:59.999Z'),
        noInvalidDate: true,
      }),
      (date) =>
        parseRfc3339(date.toISOString()) === date.getTime() &&
        parseRfc3339(`${date.toISOString().slice(0, 19)}Z`) === Math.floor(date.getTime() / 1000) * 1000,
    ),
  );
});
