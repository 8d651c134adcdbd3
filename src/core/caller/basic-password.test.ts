import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicPassword } from './sent-key.ts';

const basic = (text: string): string => `Basic ${btoa(text)}`;

test('the password is what follows the first colon, whatever the user name and the case of the scheme', () => {
  assert.equal(basicPassword(basic('123:pk_a')), 'pk_a');
  assert.equal(basicPassword(basic(':pk_a')), 'pk_a');
  assert.equal(basicPassword(` basic  ${btoa('u:a:b')}`), 'a:b');
});

test('without a Basic header, or with a broken one, there is no password', () => {
  for (const header of [undefined, '', 'Bearer pk_a', 'Basic', 'Basic ???', 'Basic YQ==x'])
    assert.equal(basicPassword(header), '');
  assert.equal(basicPassword('Basic A'), '', 'a length that no text has');
});
