import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { unixMs } from '../units.ts';
import type { ApiKey } from './caller.ts';
import { formatKey, isKeyText, KEY_RANDOM_BYTES, keyFault, keyPrefix } from './sent-key.ts';

const random = fc.uint8Array({ minLength: KEY_RANDOM_BYTES, maxLength: KEY_RANDOM_BYTES });
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('every 160 bits give another key of one length, and the key is recognised', () => {
  fc.assert(
    fc.property(random, random, (a, b) => {
      const key = formatKey(a);
      assert.match(key, /^pk_[0-9A-Za-z]{33}$/);
      assert.ok(isKeyText(key));
      assert.equal(key === formatKey(b), Buffer.compare(a, b) === 0);
    }),
  );
});

test('a key is not the token of a beacon, nor the token a key', () => {
  const bytes = new Uint8Array(KEY_RANDOM_BYTES).fill(7);
  const [key, token] = [formatKey(bytes), formatKey(bytes, 'pb_')];
  assert.match(token, /^pb_[0-9A-Za-z]{33}$/);
  assert.deepEqual(
    [isKeyText(key), isKeyText(token), isKeyText(key, 'pb_'), isKeyText(token, 'pb_')],
    [true, false, false, true],
  );
  assert.equal(isKeyText(`pb_${key.slice(3)}`, 'pb_'), false, 'the checksum covers the mark');
});

test('the smallest and the largest value keep their leading digits', () => {
  assert.equal(formatKey(new Uint8Array(KEY_RANDOM_BYTES)).slice(0, 30), `pk_${'0'.repeat(27)}`);
  assert.ok(isKeyText(formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(255))));
});

test('the checksum is the CRC-32 of zlib over everything before it', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const key = formatKey(bytes);
      const value = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      assert.equal(value, crc32(key.slice(0, -6)));
    }),
  );
});

test('one wrong digit anywhere, or two neighbours swapped, is refused', () => {
  fc.assert(
    fc.property(random, fc.integer({ min: 3, max: 35 }), fc.constantFrom(...DIGITS), (bytes, at, digit) => {
      const key = formatKey(bytes);
      const wrong = key.slice(0, at) + digit + key.slice(at + 1);
      assert.equal(isKeyText(wrong), wrong === key);
      const swapped = at === 35 ? key : key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
      assert.equal(isKeyText(swapped), swapped === key);
    }),
  );
});

test('anything that is not exactly a key is refused', () => {
  const key = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7));
  for (const text of [
    '',
    'pk_',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    key.toUpperCase(),
    `sk_${key.slice(3)}`,
    key.replace(/.$/, '-'),
    `${key.slice(0, 20)}é${key.slice(21)}`,
  ])
    assert.equal(isKeyText(text), false, JSON.stringify(text));
});

test('too few random bytes are refused', () => {
  assert.throws(() => formatKey(new Uint8Array(19)), RangeError);
});

test('the shown prefix gives away six digits', () => {
  assert.equal(keyPrefix(formatKey(new Uint8Array(KEY_RANDOM_BYTES))), 'pk_000000');
});

const KEY: ApiKey = {
  id: 'key_1',
  accountId: 'acc_1',
  name: '',
  prefix: 'pk_000000',
  phone: true,
  createdAt: unixMs(0),
};

test('a key expires at its very millisecond', () => {
  const expiring = { ...KEY, expiresAt: unixMs(1000) };
  assert.equal(keyFault(expiring, unixMs(999)), undefined);
  assert.equal(keyFault(expiring, unixMs(1000)), 'expired');
});

test('a revoked key is refused whatever the clock of the revoking machine said', () => {
  assert.equal(keyFault({ ...KEY, revokedAt: unixMs(1000) }, unixMs(999)), 'revoked');
});

test('a key both revoked and expired says revoked; one without dates has no fault', () => {
  assert.equal(keyFault({ ...KEY, expiresAt: unixMs(1), revokedAt: unixMs(2) }, unixMs(3)), 'revoked');
  assert.equal(keyFault(KEY, unixMs(Number.MAX_SAFE_INTEGER)), undefined);
});
