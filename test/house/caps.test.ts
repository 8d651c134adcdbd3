/**
 * Caps of one client, account or installation are data, and the manual says the same: name by name, figure by
 * figure, in both directions.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ACCOUNT_CAPS } from '../../src/core/limits/account-caps.ts';
import { ACCOUNT_LIMITS, COST_LIMITS, LIMITS, type Limit, SERVICE_CAPS } from '../../src/core/limits/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/units.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Rows of the table below the first header cell given: the name in the first cell, and another cell. */
function tableOf(page: string, header: string, cell: number): readonly (readonly [name: string, text: string])[] {
  const lines = readFileSync(resolve(ROOT, page), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(header));
  assert.ok(at >= 0, `${page}: ${header}`);
  const end = lines.indexOf('', at);
  return lines.slice(at + 2, end).map((line) => {
    const cells = line.split(' | ').map((text) => text.replace(/^\| | \|$/g, ''));
    return [/^`(\w+)`$/.exec(cells[0]!)?.[1] ?? cells[0]!, cells[cell]!];
  });
}

const WINDOWS: ReadonlyMap<number, string> = new Map([
  [MINUTE_MS, 'a minute'],
  [15 * MINUTE_MS, 'in 15 minutes'],
  [HOUR_MS, 'an hour'],
  [DAY_MS, 'a day'],
]);
const figure = (count: number): string => count.toLocaleString('en-US');
const rate = ({ most, windowMs, perNode }: Limit): string =>
  `${figure(most)} ${WINDOWS.get(windowMs)}${perNode === true ? ' and node' : ''}`;

test('docs/accounts.md holds the caps of one account', () => {
  assert.deepEqual(
    tableOf('docs/accounts.md', '| cap | of | at most |', 2),
    Object.entries(ACCOUNT_CAPS).map(([name, most]) => [name, figure(most)]),
  );
});

test('docs/quotas.md holds the limits beyond the class, and the caps of the installation', () => {
  assert.deepEqual(
    tableOf('docs/quotas.md', '| limit | of | at most |', 2),
    Object.entries(LIMITS).map(([name, limit]) => [name, rate(limit)]),
  );
  assert.deepEqual(
    tableOf('docs/quotas.md', '| cap | of | at most |', 2),
    Object.entries(SERVICE_CAPS).map(([name, most]) => [name, figure(most)]),
  );
});

test('docs/quotas.md holds the bounds of a client and an account in each class', () => {
  assert.deepEqual(
    tableOf('docs/quotas.md', '| class | for | one client', 2).map(([name, text]) => [name, ...text.split(', and ')]),
    Object.entries(COST_LIMITS).map(([name, limit]) => {
      const account = ACCOUNT_LIMITS[name as keyof typeof COST_LIMITS];
      if (account === undefined) return [name, rate(limit)];
      const same = account.windowMs === limit.windowMs && account.windowMs !== MINUTE_MS;
      return [name, rate(limit), `${same ? figure(account.most) : rate(account)} an account`];
    }),
  );
});
