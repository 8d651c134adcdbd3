import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grown } from './grown.ts';

test('an array grows to twice its room or to the requested size, keeps its kind and content, and leaves the old one alone', () => {
  for (const from of [
    Uint8Array.of(1, 2, 3),
    Uint16Array.of(1, 2, 3),
    Uint32Array.of(1, 2, 3),
    Float64Array.of(1, 2, 3),
  ]) {
    const to = grown(from);
    assert.equal(to.constructor, from.constructor);
    assert.deepEqual([...to], [1, 2, 3, 0, 0, 0]);
    to[0] = 9;
    assert.equal(from[0], 1);
    assert.equal(grown(from, 5).length, 6);
    assert.equal(grown(from, 50).length, 50);
  }
  assert.equal(grown(new Uint32Array(0), 1).length, 1, 'an empty array can grow');
});
