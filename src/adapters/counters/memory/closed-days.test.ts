import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { ClosedDays } from './closed-days.ts';
import { type Total, writeTotals } from './day-totals.ts';
import { totalsName } from './ledger-files.ts';
import { checkTotals, SLICE_ROWS } from './verify-totals.ts';

const DAY = 20_522;
const dir = testFolder('closed-days');

/** Rows of counters, some of which hash to the same cell, and one whose hash is 0. */
const rowsOf = (count: number): readonly Total[] =>
  Array.from({ length: count }, (_, row) => ({
    h1: row < 50 ? Math.min(row, 1) : Math.imul(row, 0x85ebca77),
    h2: row === 0 ? 0 : Math.imul(row, 0x9e3779b1),
    pool: 2,
    used: row,
    refunded: row % 7,
  }));

test('every counter of a day is found, no other one is, and lookups are answered while the file is read', async () => {
  const rows = rowsOf(3 * SLICE_ROWS);
  writeTotals(dir, DAY, [], rows);
  let turns = 0;
  let reading = true;
  const turn = (): void => {
    turns++;
    if (reading) setImmediate(turn);
  };
  setImmediate(turn);
  const days = new ClosedDays(dir);
  const day = await days.open(DAY);
  reading = false;
  for (const { h1, h2, used, refunded } of rows) assert.deepEqual(day.find(h1, h2), { used, refunded });
  assert.equal(day.find(5, 1), undefined);
  assert.ok(turns >= 6, `${turns} turns of the event loop: the rows are checked in three slices and filed in three`);
  assert.equal(await days.open(DAY), day, 'it is read once');
});

test('a check pauses after every slice of rows', () => {
  writeTotals(dir, DAY + 1, [], rowsOf(2 * SLICE_ROWS + 1));
  const check = checkTotals(readFileSync(join(dir, totalsName(DAY + 1))), DAY + 1);
  let pauses = 0;
  for (let step = check.next(); step.done !== true; step = check.next()) pauses++;
  assert.equal(pauses, 2);
});

test('questions at the same time share one reading, a changed file is read again, and a day without a file has no counters', async () => {
  const days = new ClosedDays(dir);
  writeTotals(dir, DAY, [], rowsOf(3));
  const [first, second] = await Promise.all([days.open(DAY), days.open(DAY)]);
  assert.equal(first, second);
  writeTotals(dir, DAY, [], [{ h1: 1, h2: 2, pool: 2, used: 9, refunded: 0 }]);
  assert.deepEqual((await days.open(DAY)).find(1, 2), { used: 9, refunded: 0 });
  assert.equal((await days.open(DAY + 5)).find(1, 2), undefined);
});

test('a damaged file is refused at each question, and its repair is seen', async () => {
  const days = new ClosedDays(dir);
  writeFileSync(join(dir, totalsName(DAY)), 'not totals');
  for (let n = 0; n < 2; n++) await assert.rejects(days.open(DAY), /is damaged at byte 0/);
  writeTotals(dir, DAY, [], rowsOf(2));
  assert.equal((await days.open(DAY)).find(1, Math.imul(1, 0x9e3779b1))?.used, 1);
});
