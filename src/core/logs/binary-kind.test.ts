import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryKind } from './plain-text.ts';

const kindOf = (text: string): string | undefined => binaryKind(Buffer.from(text, 'latin1'));

test('a file without lines of text is recognised by its first bytes', () => {
  const heads = [
    'PAR1\x15\x04',
    'PK\x03\x04\x14',
    'PK\x05\x06\0',
    '\xfd7zXZ\0\0',
    '7z\xbc\xaf\x27\x1c',
    'BZh91AY&SY',
    '\x28\xb5\x2f\xfd',
  ];
  assert.deepEqual(heads.map(kindOf), ['Parquet', 'ZIP', 'ZIP', 'xz', '7z', 'bzip2', 'zstd']);
});

test('lines of text are not, however short, and neither is gzip, which every reader unpacks', () => {
  const texts = ['', 'P', 'PK', 'BZh', 'BZh9 1.2.3.4', '7z', '1.2.3.4\n', 'ip,x\n', '\x1f\x8b\x08'];
  assert.deepEqual([...new Set(texts.map(kindOf))], [undefined]);
});
