import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPENINGS } from './read-opening.fixture.ts';
import { readOpening } from './read-opening.ts';

describe('a browser that another site drives is not taken for another client:', () => {
  for (const [name, bytes, opening] of OPENINGS)
    test(name, () => {
      assert.equal(readOpening(bytes), opening);
      // Pieces are read until the answer is known, and it equals that of the whole.
      let first: ReturnType<typeof readOpening> = 'more';
      for (let length = 1; first === 'more' && length <= bytes.length; length++)
        first = readOpening(bytes.slice(0, length));
      assert.equal(first, opening);
    });
});
