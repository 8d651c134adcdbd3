import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNewPassword, hashPassword, verifyPassword } from './password.ts';

test('a password is found again, another one is not, and two hashes of one password differ', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse battery'), hashPassword('correct horse battery')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await verifyPassword('correct horse battery', one), true);
  assert.equal(await verifyPassword('correct horse batterx', one), false);
  assert.equal(await verifyPassword('', one), false);
});

test('one password typed on two keyboards is one password', async () => {
  const composed = await hashPassword('Zürich-am-See');
  assert.equal(await verifyPassword('Zu\u0308rich-am-See', composed), true);
});

test('no account, no password and a damaged hash are all refused', async () => {
  for (const stored of [
    undefined,
    null,
    '',
    'x',
    '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=1$AA$AA',
  ])
    assert.equal(await verifyPassword('correct horse battery', stored), false);
});

test('more hashes at once than may run all finish', async () => {
  const stored = await hashPassword('correct horse battery');
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => verifyPassword(at % 2 === 0 ? 'correct horse battery' : 'wrong', stored)),
  );
  assert.deepEqual(answers, [true, false, true, false, true, false]);
});

test('new passwords: boundaries of length, and the shapes every attacker tries first', () => {
  const email = 'someone@example.com';
  assert.equal(checkNewPassword('abcdefghi', email), 'too_short');
  assert.equal(checkNewPassword('abcdefghij', email), undefined);
  assert.equal(checkNewPassword('ab cd'.repeat(51), email), undefined);
  assert.equal(checkNewPassword('abcd'.repeat(64), email), undefined);
  assert.equal(checkNewPassword(`${'abcd'.repeat(64)}e`, email), 'too_long');
  for (const plain of [
    'aaaaaaaaaa',
    'ababababab',
    'password123',
    'Password2026!',
    'qwertyuiop',
    '1234567890',
    'someone@example.com',
    'SOMEONE@example.com',
    'changeme2026',
  ])
    assert.equal(checkNewPassword(plain, email), 'too_plain', plain);
  for (const fine of ['correct horse', '密码足够长了吗好的就这样', 'mypasswordisthis', 'zx81-spectrum'])
    assert.equal(checkNewPassword(fine, email), undefined, fine);
});
