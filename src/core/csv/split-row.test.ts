import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CASES } from './split-row.fixture.ts';
import { splitRow } from './split-row.ts';

describe('a row is split at its separators, and quotes hold them', () => {
  for (const [line, cells, separator] of CASES)
    test(JSON.stringify(line), () => assert.deepEqual(splitRow(line, separator), cells));
});

test('a row of any cells, written with RFC 4180 quotes, is read as those cells', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', ';', '中', '#') });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
      const line = cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
      assert.deepEqual(splitRow(line), cells);
    }),
  );
});

test('only the cells that are wanted are read', () => {
  assert.deepEqual(splitRow('a,"b,c",d', ',', 2), ['a', 'b,c']);
  assert.deepEqual(splitRow('a,b', ',', 0), []);
});
