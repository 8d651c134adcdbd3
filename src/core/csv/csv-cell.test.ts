import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvCell } from './csv-cell.ts';
import { splitRow } from './split-row.ts';

test('text that a spreadsheet would take for a formula is preceded by an apostrophe, a number is not', () => {
  const cells = ['=1+1', '+cmd', '-cmd', '@x', '\tx', '-33.8', '+86135', '-', 'a=b', ''].map((cell) => csvCell(cell));
  assert.deepEqual(cells, ["'=1+1", "'+cmd", "'-cmd", "'@x", "'\tx", '-33.8', '+86135', "'-", 'a=b', '']);
});

test('full-width signs and line ends begin a formula too', () => {
  const cells = ['＝1+1', '＋1', '－1', '＠SUM(1)', '\n=1', '\r\n=1'].map((cell) => csvCell(cell));
  assert.deepEqual(cells, ["'＝1+1", "'＋1", "'－1", "'＠SUM(1)", '"\'\n=1"', '"\'\r\n=1"']);
});

test('what a terminal would obey is spelled out, and the lines of a cell stay', () => {
  assert.equal(csvCell('a\u001b[2J\u009b1m\u202e'), 'a\\u001b[2J\\u009b1m\\u202e');
  assert.equal(csvCell('a\tb\nc'), '"a\tb\nc"');
});

test('cells are read back as they were, apart from the apostrophe', () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', '"', ',', ';', ' ', 'é'), maxLength: 6 })
    .filter((text) => text.trim() === text);
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), fc.constantFrom(',', ';'), (cells, separator) => {
      assert.deepEqual(splitRow(cells.map((text) => csvCell(text, separator)).join(separator), separator), cells);
    }),
  );
});
