import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import { packTexts } from '../../test/support/compile-geo.ts';
import { buildImage, Image } from './image.ts';
import { encodeRecordTexts, type PackedTexts, packedText, RecordTexts, TextPacker } from './record-texts.ts';

const textsOf = (block: PackedTexts, ids: ArrayLike<number>) => Array.from(ids, (id) => packedText(block, id));

const opened = (records: readonly string[]): RecordTexts =>
  new RecordTexts(
    new Image(buildImage('geo', encodeRecordTexts('PL', packTexts(['', ...records]))).buffer, 'geo'),
    'PL',
  );

function parses(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return text.startsWith('{') && text !== '{}' && typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

test('verifying takes the texts that JSON.parse takes as an object, and no others: sound ones and every kind of small damage', () => {
  const value = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.constantFrom('é', 'a"b', '\\', '\u0001'),
  );
  const sound = fc
    .dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 3 })
    .map((object) => JSON.stringify(object));
  const pieces = fc.constantFrom(
    '"',
    '{',
    '}',
    ',',
    ':',
    '0',
    '1',
    '-',
    '.',
    'e',
    ' ',
    '\\',
    'é',
    '\n',
    '\u007f',
    '01',
    '"a":1',
    '[]',
  );
  const damaged = fc.tuple(sound, fc.nat(), fc.nat({ max: 3 }), pieces).map(([text, at, cut, piece]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + piece + text.slice(from + cut);
  });
  fc.assert(
    fc.property(fc.oneof(sound, damaged), (text) => {
      fc.pre(text !== '');
      assert.equal(opened([text]).faults().length === 0, parses(text), text);
    }),
    { numRuns: 1000 },
  );
  for (const text of [
    '{"a":1}',
    '{"a":-0.5,"b":"c"}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":-}',
    '{"a":"b}',
    '{"a":1},',
    '{"a":1',
    '{"a"}',
    '{,}',
    '{"a":1,}',
  ])
    assert.equal(opened([text, '{"z":1}']).faults().length === 0, parses(text), text);
});

test('a packer gives equal texts one number, goes on after a block it did not make, and leaves that block alone', () => {
  const texts = fc.array(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 5 }).map((text) => JSON.stringify(text)),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(texts, texts, (first, second) => {
      const pack = (packer: TextPacker, text: string): number => {
        packer.text(text);
        return packer.end();
      };
      const one = new TextPacker();
      const ids = first.map((text) => pack(one, text));
      const block = one.finish();
      const before = ids.map((id) => packedText(block, id));
      const other = packTexts(['', ...new Set(second)]);
      const both = TextPacker.continuing(block);
      const moved = Array.from({ length: other.offsets.length - 1 }, (_, id) => both.addFrom(other, id));
      const joined = both.finish();
      assert.deepEqual(before, first);
      assert.deepEqual(textsOf(block, ids), first);
      assert.deepEqual(textsOf(joined, ids), first);
      assert.deepEqual(textsOf(joined, moved), ['', ...new Set(second)]);
      assert.equal(joined.offsets.length - 1, new Set(['', ...first, ...second]).size);
      const read = new RecordTexts(new Image(buildImage('geo', encodeRecordTexts('PL', joined)).buffer, 'geo'), 'PL');
      for (let id = 0; id < read.count; id++) assert.equal(read.read(id), packedText(joined, id));
    }),
  );
});
