import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainPath } from './plain-path.ts';

test('letters, digits and other unreserved characters become plain, in the path alone', () => {
  assert.equal(plainPath('/%6dcp'), '/mcp');
  assert.equal(plainPath('/%6Fauth/%61uthorize/x?next=%6d'), '/oauth/authorize/x?next=%6d');
  assert.equal(plainPath('/v1/ip/%31.2%2e3.4'), '/v1/ip/1.2.3.4');
  assert.equal(plainPath('/a#%6d'), '/a#%6d');
});

test('a character with another meaning when plain stays as it came', () => {
  for (const path of '/a%2Fb /a%3fb /a%23b /v1/ip/2001%3Adb8%3a%3A1 /%E4%BD%A0 /%00 /%20 /plain?x=%6d'.split(' '))
    assert.equal(plainPath(path), path);
});

test('nothing is decoded twice', () => {
  assert.equal(plainPath('/%256d'), '/%256d');
  assert.equal(plainPath('/%%36%64'), '/%%36%64');
  assert.equal(plainPath('/%6d%'), '/%6d%');
  assert.equal(plainPath('/%6d%zz'), '/%6d%zz');
});
