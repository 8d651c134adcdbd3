import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyBytes, copyFields, copyLine } from './copy-line.ts';

test('every text comes back as it was, in one line', () => {
  const texts = ['', 'plain', '\\N', '\\', 'a\tb\nc\rd', '\\x41', '\b\f\v', '“引号” 😀\u2028', 'ends with \\'];
  const line = copyLine(texts);
  assert.equal(line.indexOf('\n'), line.length - 1);
  assert.deepEqual(copyFields(line.slice(0, -1)), texts);
});

test('null is not the text that stands for it, and bytes, numbers and flags are those of PostgreSQL', () => {
  assert.equal(
    copyLine([null, '\\N', 42, -1, true, false, Uint8Array.of(0, 255)]),
    '\\N\t\\\\N\t42\t-1\tt\tf\t\\\\x00ff\n',
  );
  assert.deepEqual(copyFields('\\N\t\\\\N'), [null, '\\N']);
  assert.deepEqual([...copyBytes(copyFields('\\\\x00ff')[0]!)], [0, 255]);
});

test('what PostgreSQL escapes and we do not is read too', () => {
  assert.deepEqual(copyFields('a\\bb\\vc\\fd'), ['a\bb\vc\fd']);
});

test('a text that PostgreSQL cannot hold is refused', () => {
  assert.throws(() => copyLine(['a\0b']), RangeError);
});
