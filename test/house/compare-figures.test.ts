import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costsOf, worseFigures } from '../../bench/peers/compare-figures.ts';

const run = (perSecond: number, ms: number, rss: number): string =>
  `about\n\n| server | mode | requests/s | p99 ms | RSS MiB | ÷ hello |\n|---|---|---|---|---|---|\n| pulse | key | ${perSecond.toLocaleString('en')} | ${ms} | ${rss} | 0.85 |\n`;
const pair = (before: string, now: string) => ({ before, now });

test('speed and memory are read from the tables; ratios, which have no unit, are not', () => {
  assert.deepEqual(
    [...costsOf(run(2000, 3, 400))],
    [
      ['pulse, key, requests/s', 1 / 2000],
      ['pulse, key, p99 ms', 3],
      ['pulse, key, RSS MiB', 400],
    ],
  );
});

test('a unit may stand in the cell, behind one figure or several, next to another', () => {
  const printed =
    '| what | SQLite | PostgreSQL |\n|---|---|---|\n| at, p50 / p99 | 0.1 / 0.6 ms | 2 ms |\n| import | 2.5 M/s (4.00 s) | 1,200 MB |\n| image, a row | 9.1 bytes | 1.9 |\n';
  assert.deepEqual(
    [...costsOf(printed)],
    [
      ['at, p50 / p99, SQLite ms 1', 0.1],
      ['at, p50 / p99, SQLite ms 2', 0.6],
      ['at, p50 / p99, PostgreSQL ms', 2],
      ['import, SQLite M/s', 1 / 2.5],
      ['import, SQLite s', 4],
      ['import, PostgreSQL MB', 1200],
      ['image, a row, SQLite bytes', 9.1],
    ],
  );
});

test('a figure fails when it is worse in every pair and by more than 5 % in the median, whichever way it points', () => {
  const slower = Array.from({ length: 5 }, (_, i) => pair(run(2000 + i, 3, 400), run(1800 + i, 3, 424)));
  const shown = worseFigures(slower).map(({ figure, ratio }) => [figure, ratio.toFixed(2)]);
  assert.deepEqual(shown, [
    ['pulse, key, requests/s', '1.11'],
    ['pulse, key, RSS MiB', '1.06'],
  ]);
  const better = slower.map(({ before, now }) => pair(now, before));
  assert.deepEqual(worseFigures(better), []);
  const noisy = slower.with(2, pair(run(1800, 3, 424), run(2000, 3, 400)));
  assert.deepEqual(worseFigures(noisy), [], 'better once: noise');
  const little = slower.map(() => pair(run(2000, 3, 400), run(1950, 3.1, 410)));
  assert.deepEqual(worseFigures(little), []);
});
