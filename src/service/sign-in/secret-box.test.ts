import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretBox } from './secret-box.ts';

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const SECRET = Buffer.from('a shared secret.....');

test('a sealed text opens in its row, and nowhere else', () => {
  const box = new SecretBox([key(1)]);
  const sealed = box.seal(SECRET, 'acc_1');
  assert.deepEqual(Buffer.from(box.open(sealed, 'acc_1')), SECRET);
  assert.throws(() => box.open(sealed, 'acc_2'));
  assert.notEqual(box.seal(SECRET, 'acc_1'), sealed);
  assert.ok(!sealed.includes(SECRET.toString('base64url').slice(0, 8)));
});

test('a changed byte or a cut text does not open', () => {
  const box = new SecretBox([key(1)]);
  const [version, name, body] = box.seal(SECRET, 'a').split('.');
  const bytes = Buffer.from(body!, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.throws(() => box.open([version, name, changed.toString('base64url')].join('.'), 'a'), `byte ${at}`);
  }
  for (const text of ['', 'v1', `v1.${name}.`, `v1.${name}.AAAA`, `v2.${name}.${body}`])
    assert.throws(() => box.open(text, 'a'), text);
});

test('an earlier key still opens and no longer seals; a key that is gone is named as the reason', () => {
  const old = new SecretBox([key(1)]).seal(SECRET, 'a');
  const both = new SecretBox([key(2), key(1)]);
  assert.deepEqual(Buffer.from(both.open(old, 'a')), SECRET);
  assert.throws(() => new SecretBox([key(1)]).open(both.seal(SECRET, 'a'), 'a'), /another PULSE_SECRET/);
});
