import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, unixMs } from '../units.ts';
import { isCurrentDay, minuteNumber, quotaDayBefore, quotaDayIn } from './quota.ts';

const ZONES = [
  'Asia/Shanghai',
  'UTC',
  'America/New_York',
  'Europe/London',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Pacific/Kiritimati',
];
const FROM = Date.UTC(2005, 0, 1);
const TO = Date.UTC(2035, 0, 1);

const localDate = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at);

describe('quota day', () => {
  test('every instant lies in its day, days follow each other without gap or overlap, and numbers never step back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer({ min: FROM, max: TO }), (zone, at) => {
        const dayOf = quotaDayIn(zone);
        const day = dayOf(unixMs(at));
        assert.ok(day.startsAt <= at && at < day.resetsAt);
        const next = quotaDayIn(zone)(day.resetsAt);
        assert.equal(next.startsAt, day.resetsAt);
        assert.ok(next.number > day.number);
        assert.deepEqual(quotaDayIn(zone)(unixMs(day.resetsAt - 1)), day);
        assert.deepEqual(quotaDayBefore(dayOf, next), day);
      }),
      { numRuns: 150 },
    );
  });

  test('the day begins with the first instant of its local date', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer({ min: FROM, max: TO }), (zone, at) => {
        const { number, startsAt } = quotaDayIn(zone)(unixMs(at));
        assert.equal(localDate(zone, startsAt), new Date(number * DAY_MS).toISOString().slice(0, 10));
        assert.ok(localDate(zone, startsAt - 1) < localDate(zone, startsAt));
      }),
      { numRuns: 150 },
    );
  });

  const lengths: readonly (readonly [zone: string, noonUtc: string, hours: number])[] = [
    ['Asia/Shanghai', '2026-03-29', 24],
    ['Europe/London', '2026-03-29', 23],
    ['Europe/London', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['Australia/Lord_Howe', '2026-10-03', 23.5],
    ['Asia/Beirut', '2026-03-29', 23],
    ['America/St_Johns', '2010-11-07', 25],
  ];
  for (const [zone, date, hours] of lengths) {
    test(`${zone} has ${hours} hours around ${date}`, () => {
      const dayOf = quotaDayIn(zone);
      const days = [-1, 0, 1].map((shift) => dayOf(unixMs(Date.parse(`${date}T12:00:00Z`) + shift * DAY_MS)));
      assert.ok(
        days.some(({ startsAt, resetsAt }) => resetsAt - startsAt === hours * HOUR_MS),
        JSON.stringify(days),
      );
    });
  }

  test('a date that a zone skipped has no day', () => {
    const dayOf = quotaDayIn('Pacific/Apia');
    const before = dayOf(unixMs(Date.parse('2011-12-30T09:59:59Z')));
    assert.equal(dayOf(before.resetsAt).number - before.number, 2);
  });

  test('an unknown zone is refused', () => assert.throws(() => quotaDayIn('Mars/Olympus'), RangeError));
});

test('minutes change on the full minute, before 1970 too', () => {
  const found = [-60_001, -60_000, -1, 0, 59_999, 60_000].map((at) => minuteNumber(unixMs(at)));
  assert.deepEqual(found, [-2, -1, -1, 0, 0, 1]);
});

test('a day that was begun stays in force while the clock is up to two days behind it; a clock that was further ahead was wrong', () => {
  const ahead = [0, 1, 2, 3, 3653, -1].map((days) => isCurrentDay(20_000 + days, 20_000));
  assert.deepEqual(ahead, [true, true, true, false, false, false]);
});
