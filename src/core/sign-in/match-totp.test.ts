import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type HmacSha1, hotp, matchTotp } from './match-totp.ts';

const hmac: HmacSha1 = (key, message) => createHmac('sha1', key).update(message).digest();
const SECRET = Buffer.from('12345678901234567890');

test('HOTP gives the values of RFC 4226, appendix D', () => {
  const expected = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
  const found = expected.map((_, counter) => hotp(hmac, SECRET, counter));
  assert.deepEqual(found, expected);
});

// RFC 6238, appendix B, rows of SHA-1. They have eight digits, of which an authenticator shows the last six.
const VECTORS = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const;

for (const [seconds, code] of VECTORS)
  test(`TOTP gives the value of RFC 6238 at ${seconds} s`, () => {
    const step = Math.floor(seconds / 30);
    assert.equal(hotp(hmac, SECRET, step, 8), code);
    const ask = (at: number, typed = code.slice(2)) => matchTotp({ hmac, secret: SECRET, code: typed, at });
    assert.equal(ask(seconds * 1000), step);
    assert.equal(ask(seconds * 1000, `${code.slice(2, 5)} ${code.slice(5)}`), step, 'as authenticators show it');
    assert.equal(ask((step * 30 - 30) * 1000), step, 'one step early');
    assert.equal(ask((step * 30 + 60) * 1000 - 1), step, 'one step late');
    assert.equal(ask((step * 30 - 30) * 1000 - 1), undefined, 'two steps early');
    assert.equal(ask((step * 30 + 60) * 1000), undefined, 'two steps late');
  });

test('a text other than six digits matches nothing', () => {
  for (const typed of ['', '28708', '0287082', '28708٢', '-87082', '287082\u0000', 'NaN'])
    assert.equal(matchTotp({ hmac, secret: SECRET, code: typed, at: 59_000 }), undefined, JSON.stringify(typed));
});
