import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HalfSipHash } from './half-sip-hash.ts';

/** Key 00 01 … 07 and the bytes 00 01 … of 0, 4 and 8 bytes, from vectors.h of the reference implementation (hsip64). */
test('the hash gives the vectors of the reference implementation, and hashes as many words as it is told', () => {
  const hash = new HalfSipHash(0x03020100, 0x07060504);
  const bytes = Buffer.alloc(8);
  const of = (words: readonly number[], length?: number): string => {
    hash.update(words, length);
    bytes.writeInt32LE(hash.h1, 0);
    bytes.writeInt32LE(hash.h2, 4);
    return bytes.toString('hex');
  };
  assert.equal(of([]), '218d1f59b9b83cc8');
  assert.equal(of([0x03020100]), 'd5e78a175be52ea1');
  assert.equal(of([0x03020100, 0x07060504]), 'edfee820bce4858c');
  assert.equal(of([0x03020100, 7], 1), of([0x03020100]));
});
