import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../../core/ip/format-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { DecisionTable } from '../../core/lists/decision-table.ts';
import { unixMs } from '../../core/units.ts';
import { decisionsWithin } from './decisions-of.ts';

test('keys with other bounds are cut from one list: the riskiest ones, ranges whole or address by address', () => {
  const all = new DecisionTable();
  for (const [prefix, score] of [
    ['1.1.1.0/30', 90],
    ['2.2.2.2', 70],
    ['3.3.3.3', 80],
    ['4.4.4.0/24', 75],
  ] as const)
    all.add({ prefix: parsePrefix(prefix)!, score, type: 'ban', riskType: 'proxy', until: unixMs(1) });
  const within = (max: number, single = false): readonly string[] =>
    [...decisionsWithin(all, { minScore: 70, max, single })].map(({ prefix }) => formatPrefix(prefix));
  assert.deepEqual(within(1), ['1.1.1.0/30']);
  assert.deepEqual(within(3), ['1.1.1.0/30', '3.3.3.3/32', '4.4.4.0/24']);
  assert.deepEqual(within(5, true), [0, 1, 2, 3].map((last) => `1.1.1.${last}/32`).concat('3.3.3.3/32'));
  assert.equal(all.length, 4);
});
