import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { HOUR_MS, MINUTE_MS, unixMs } from '../units.ts';
import { RequestedPaths } from './requested-paths.ts';

const START = Date.UTC(2026, 10, 25);
const minute = (count: number) => unixMs(START + count * MINUTE_MS);

test('an attack stands in one row: its path, addresses, statuses and time, among requests of a whole day', () => {
  covers('SUMMARY-RISKY-PATHS');
  const paths = new RequestedPaths();
  for (let i = 0; i < 1440; i++) paths.note({ path: '/', status: '200' }, minute(i), i % 50);
  for (let i = 0; i < 24; i++) paths.note({ path: '/login', status: '401' }, minute(60 * i), 1000);
  for (let i = 0; i < 3000; i++)
    paths.note({ path: '/login', status: i % 30 === 0 ? '200' : '401' }, minute(790 + i / 100), i % 600);
  const { rows, others, error } = paths.document(1)!;
  assert.deepEqual(rows, [
    {
      value: '/login',
      lines: 3024,
      addresses: 601,
      statuses: [
        { value: '401', lines: 2924 },
        { value: '200', lines: 100 },
      ],
      first: '2026-11-25T00:00:00.000Z',
      last: '2026-11-25T23:00:00.000Z',
      busiest: { from: '2026-11-25T13:10:00.000Z', to: '2026-11-25T13:40:00.000Z' },
    },
  ]);
  assert.deepEqual([others, error], [{ values: 1, lines: 1440 }, 0]);
});

test('requests without a path or a time are counted, and unknown facts are left out', () => {
  const paths = new RequestedPaths();
  assert.equal(paths.document(9), undefined);
  paths.note({ status: 'Failed' }, undefined, 1);
  assert.deepEqual(paths.document(9)!.rows, [{ lines: 1, addresses: 1, statuses: [{ value: 'Failed', lines: 1 }] }]);
});

test('of more paths than are kept the frequent ones stay, and no count is further off than it says', () => {
  const paths = new RequestedPaths({ pathsMax: 100 });
  const real = new Map<string, number>();
  const note = (path: string, i: number): void => {
    real.set(path, (real.get(path) ?? 0) + 1);
    paths.note({ path, status: '404' }, minute(i), i);
  };
  for (let i = 0; i < 20_000; i++) {
    note(`/scan/${i}`, i);
    if (i > 5000 && i % 4 === 0) note('/api/login', i);
  }
  const { rows, others, forgotten_lines: forgotten = 0, error } = paths.document(10)!;
  assert.equal(rows[0]!.value, '/api/login');
  for (const { value, lines, addresses } of rows) {
    const most = real.get(value!)!;
    assert.ok(lines <= most && most <= lines + error, `${value}: ${lines} of ${most}, error ${error}`);
    assert.ok(addresses! <= most && most <= addresses! + error, `${value}: ${addresses} addresses`);
  }
  assert.ok(error > 0 && error <= (2 * 23_750) / 100, String(error));
  const all = rows.reduce((sum, { lines }) => sum + lines, others!.lines + forgotten);
  assert.equal(
    all,
    [...real.values()].reduce((sum, lines) => sum + lines, 0),
    'every line is in one of the numbers',
  );
});

test('addresses that are too many to keep apart are left out, and others are not', () => {
  const paths = new RequestedPaths({ pairsMax: 100 });
  for (let i = 0; i < 150; i++) paths.note({ path: '/many' }, undefined, i);
  for (let i = 0; i < 50; i++) paths.note({ path: '/few' }, undefined, i);
  const [many, few] = paths.document(9)!.rows;
  assert.deepEqual([many!.addresses, few!.addresses], [undefined, 50]);
});

test('a log of months has its busiest time to the hour, and one of years to the day', () => {
  for (const [days, unitMs] of [
    [10, HOUR_MS],
    [300, 24 * HOUR_MS],
  ] as const) {
    const paths = new RequestedPaths();
    for (let hour = 0; hour < 24 * days; hour++) paths.note({ path: '/' }, minute(60 * hour), 1);
    for (let i = 0; i < 100_000; i++) paths.note({ path: '/' }, minute(1440 + i / 5000), 1);
    const { from, to } = paths.document(1)!.rows[0]!.busiest!;
    assert.equal(Date.parse(from) % unitMs, 0);
    assert.ok(Date.parse(from) <= minute(1440) && Date.parse(to) >= minute(1460));
    assert.ok(Date.parse(to) - Date.parse(from) <= 2 * unitMs, `${from} ${to}`);
  }
});
