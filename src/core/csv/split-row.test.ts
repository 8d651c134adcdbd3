import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { splitRow } from './split-row.ts';

const CASES: readonly (readonly [line: string, cells: readonly string[], separator?: string])[] = [
  ['a,b,c', ['a', 'b', 'c']],
  [' a , b ', ['a', 'b']],
  ['', ['']],
  [',', ['', '']],
  ['a,', ['a', '']],
  ['"a,b",c', ['a,b', 'c']],
  ['"a ""b""",c', ['a "b"', 'c']],
  [' "a" , "b" ', ['a', 'b']],
  ['"",x', ['', 'x']],
  ['"x",""', ['x', '']],
  ['5" disk,O"B', ['5" disk', 'O"B']],
  ['a;"b;c"', ['a', 'b;c'], ';'],
  ['a\t\t"b\tc"', ['a', '', 'b\tc'], '\t'],
  ['"open,still open', ['open,still open']],
  ['"a"b,c', ['ab', 'c']],
];
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
