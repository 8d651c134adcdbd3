import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, printableText } from './printable.ts';

test('a character that a terminal would obey is spelled out, and the rest stays', () => {
  assert.equal(printable('a\u001b[2Jb\u009b1m\nkey_1\u202e'), 'a\\u001b[2Jb\\u009b1m\\u000akey_1\\u202e');
  assert.equal(printable('\u{e0041}\u2028'), '\\udb40\\udc41\\u2028');
  assert.equal(printable('登录 🔑 …'), '登录 🔑 …');
});

test('text of several lines keeps tabs and line ends, and nothing else that a terminal obeys', () => {
  assert.equal(printableText('a\tb\r\nc\rd\ne\u0085\u001b'), 'a\tb\r\nc\\u000dd\ne\\u0085\\u001b');
});

test('JSON text means the same afterwards', () => {
  const value = { name: '\u001b]52;c;x\u0007\u009b\u202e\u{e0041}\u2029', plain: 'é' };
  const written = printable(JSON.stringify(value));
  assert.doesNotMatch(written, /[\p{C}\u2028\u2029]/u);
  assert.deepEqual(JSON.parse(written), value);
});
