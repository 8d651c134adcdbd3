import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../units.ts';
import { loadInterval } from './load-interval.ts';

const MINUTE = 60_000;
const from = Date.parse('2026-11-20T00:00:00Z');
const cadence = (...minutes: number[]) => loadInterval(minutes.map((minute) => unixMs(from + minute * MINUTE)));

test('fewer than three loads show no cadence, and loads of one minute count once', () => {
  assert.deepEqual([cadence(), cadence(0), cadence(0, 1440)], [undefined, undefined, undefined]);
  assert.equal(cadence(0, 0.2, 0.9, 1440), undefined);
});

test('the cadence is the median interval, so that one outage or one repeated load does not change it', () => {
  assert.equal(cadence(0, 1440, 2880), 'P1D');
  assert.equal(cadence(0, 1440, 2880, 2890, 4320, 20_000), 'P1D');
  assert.equal(cadence(2880, 0, 1440), 'P1D');
});

test('it is an ISO 8601 duration, to the minute below a day and to the hour above', () => {
  assert.deepEqual(
    [
      cadence(0, 1, 2),
      cadence(0, 5, 10),
      cadence(0, 60, 120),
      cadence(0, 95, 190),
      cadence(0, 1439, 2878),
      cadence(0, 10_080, 20_160),
    ],
    ['PT1M', 'PT5M', 'PT1H', 'PT1H35M', 'PT23H59M', 'P7D'],
  );
  assert.deepEqual([cadence(0, 1442, 2884), cadence(0, 1500, 3000), cadence(0, 10, 30)], ['P1D', 'P1DT1H', 'PT15M']);
});
