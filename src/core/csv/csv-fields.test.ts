import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CsvFields } from './csv-fields.ts';
import { splitRow } from './split-row.ts';

const linesOf = (text: string, separator = ','): string[][] => {
  const bytes = new TextEncoder().encode(text);
  const fields = new CsvFields(separator);
  const lines: string[][] = [];
  for (let at = 0; at < bytes.length; ) {
    at = fields.read(bytes, at);
    lines.push(Array.from({ length: fields.count }, (_, column) => fields.text(column)));
  }
  return lines;
};

test('fields read out of bytes are the fields of the split row, quotes and other letters included', () => {
  const line = fc.array(
    fc.string({ maxLength: 8, unit: fc.constantFrom('a', '1', '.', ' ', '"', '""', 'é', '中', '#') }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom(',', ';', '\t'), (rows, separator) => {
      const texts = rows.map((row) => row.join(separator));
      const expected = texts.map((text) =>
        text.trim() === '' || text.startsWith('#') ? [] : splitRow(text, separator),
      );
      assert.deepEqual(
        linesOf(texts.join('\n'), separator).slice(0, rows.length),
        expected.slice(0, linesOf(texts.join('\n'), separator).length),
      );
    }),
    { numRuns: 2000 },
  );
});

test('a line end may be CR LF or missing, and columns past the last are empty', () => {
  assert.deepEqual(linesOf('a,b\r\n\r\n"c,d",e'), [['a', 'b'], [], ['c,d', 'e']]);
  const fields = new CsvFields(',');
  fields.read(new TextEncoder().encode('a,b'), 0);
  assert.deepEqual([fields.text(1), fields.text(2), fields.text(-1), fields.text(1000)], ['b', '', '', '']);
});

test('a line of more fields than can be asked for keeps the first of them', () => {
  const [line] = linesOf(Array.from({ length: 200 }, (_, i) => `f${i}`).join(','));
  assert.deepEqual([line?.length, line?.[0], line?.[63]], [64, 'f0', 'f63']);
});
