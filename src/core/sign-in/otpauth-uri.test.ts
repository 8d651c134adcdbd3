import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase32, otpauthUri } from './match-totp.ts';

test('base 32 gives the values of RFC 4648, section 10, without padding', () => {
  const cases = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
  for (const [text, expected] of Object.entries(cases)) assert.equal(encodeBase32(Buffer.from(text)), expected);
  assert.equal(encodeBase32(Buffer.alloc(20, 255)), '7'.repeat(32));
});

test('issuer and address are escaped, so that neither ends the label', () => {
  const uri = otpauthUri(Buffer.from('foobar'), 'Pulse ip.example:8443', 'a+b&secret=x@example.com');
  assert.equal(
    uri,
    'otpauth://totp/Pulse%20ip.example%3A8443:a%2Bb%26secret%3Dx%40example.com?secret=MZXW6YTBOI&issuer=Pulse%20ip.example%3A8443',
  );
  assert.equal(new URL(uri).searchParams.get('secret'), 'MZXW6YTBOI');
});
