import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { worded } from '../texts/said.ts';
import { secretFault } from './secret-lines.ts';

test('random secrets in the usual encodings are taken', () => {
  for (let i = 0; i < 2000; i++)
    for (const [bytes, encoding] of [
      [32, 'base64url'],
      [32, 'base64'],
      [16, 'hex'],
    ] as const)
      assert.equal(secretFault(randomBytes(bytes).toString(encoding)), undefined);
  assert.equal(secretFault('correct horse battery staple and some more'), undefined);
});

test('zeros, equal characters, repeated pieces, short texts and bytes that are not text are refused, and never repeated in the answer', () => {
  const wrong = [
    '\0'.repeat(44),
    'x'.repeat(44),
    '01'.repeat(22),
    'abcdefghijk'.repeat(4),
    'short',
    '',
    `${'q7Zr'.repeat(7)}\n${'k'.repeat(9)}`,
    `${'\uFFFD'.repeat(3)}${'abcdefgh1234'.repeat(3)}z`,
  ];
  for (const text of wrong) {
    const fault = secretFault(text);
    assert.ok(fault !== undefined, JSON.stringify(text));
    assert.equal(text !== '' && worded(fault).includes(text), false);
  }
});
