import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sshClientTrait } from './read-opening.ts';
import { wireNumber } from './trap.ts';

const LISTS = [
  'curve25519-sha256',
  'ssh-ed25519',
  'aes128-ctr',
  'aes128-ctr',
  'hmac-sha2-256',
  'hmac-sha2-256',
  'none',
  'none',
];
const begin = (ident: string, cookie: string, lists = LISTS): string =>
  `${ident}\r\n${wireNumber(500, 4)}\x06\x14${cookie.repeat(16)}${lists.map((list) => wireNumber(list.length, 4) + list).join('')}\0\0`;

test('the trait is identification and algorithms, without the cookie that differs each time', () => {
  const trait = sshClientTrait(begin('SSH-2.0-libssh2_1.9', 'c'));
  assert.equal(trait, `SSH-2.0-libssh2_1.9 ${LISTS.join(';')}`);
  assert.equal(sshClientTrait(begin('SSH-2.0-libssh2_1.9', 'd')), trait);
});

test('there is none before the packet is there, and of bytes that are not SSH', () => {
  const whole = begin('SSH-2.0-x', 'c');
  for (let end = 0; end < whole.length - 2; end++)
    assert.equal(sshClientTrait(whole.slice(0, end)), undefined, String(end));
  for (const text of ['GET / HTTP/1.1\r\n\r\n', `SSH-2.0-x\r\n${'\xff'.repeat(100)}`])
    assert.equal(sshClientTrait(text), undefined);
});
