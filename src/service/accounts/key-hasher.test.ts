import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyHasher } from './password.ts';

const ascii = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
  minLength: 0,
  maxLength: 128,
});

test('the hash of a key is HMAC-SHA256 for every secret and key', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), ascii, ascii, (secret, key, other) => {
      const hasher = keyHasher(secret);
      hasher.hash(other);
      assert.equal(hasher.hash(key), createHmac('sha256', secret).update(key).digest('base64url'));
    }),
  );
});

test('another secret gives another hash', () => {
  assert.notEqual(keyHasher(Buffer.alloc(32, 1)).hash('pk_x'), keyHasher(Buffer.alloc(32, 2)).hash('pk_x'));
});

test('an empty or over-long secret, and an over-long text, are refused', () => {
  assert.throws(() => keyHasher(new Uint8Array(0)), RangeError);
  assert.throws(() => keyHasher(new Uint8Array(65)), RangeError);
  assert.throws(() => keyHasher(new Uint8Array(32)).hash('x'.repeat(129)), RangeError);
});
