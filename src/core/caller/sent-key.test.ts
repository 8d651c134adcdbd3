import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKeyElsewhere, sentKey } from './sent-key.ts';

const cases: readonly (readonly [apiKey: string | undefined, authorization: string | undefined, expected: string])[] = [
  [undefined, undefined, 'none'],
  ['', '', 'none'],
  ['pk_a', undefined, 'pk_a'],
  [' pk_a ', undefined, 'pk_a'],
  [undefined, 'Bearer pk_a', 'pk_a'],
  [undefined, 'bearer   pk_a', 'pk_a'],
  ['pk_a', 'Bearer pk_a', 'pk_a'],
  ['pk_a', 'Bearer pk_b', 'differs'],
  ['pk_a', 'Basic cGtfYg==', 'pk_a'],
  [undefined, 'Bearer', 'none'],
  ...['pk_a', 'Token pk_a', 'Bearerpk_a', 'Bearer: pk_a', 'Bearer "pk_a"', 'Bearer Bearer pk_a', 'ApiKey key=pk_a'].map(
    (authorization) => [undefined, authorization, 'misplaced'] as const,
  ),
  ...['pk_b', 'pk_b:', 'user:pk_b'].map((pair) => [undefined, `Basic ${btoa(pair)}`, 'misplaced'] as const),
  ...['Bearer pk_a', '"pk_a"', '<pk_a>'].map((apiKey) => [apiKey, undefined, 'misplaced'] as const),
  [undefined, `Basic ${btoa('user:password')}`, 'none'],
  [undefined, 'Basic pk', 'none'],
  [undefined, 'Bearer ab-pk_cd_pk_e', 'ab-pk_cd_pk_e'],
  ['pk_a,pk_b', undefined, 'pk_a,pk_b'],
];
for (const [apiKey, authorization, expected] of cases) {
  test(`X-API-Key ${JSON.stringify(apiKey)} and Authorization ${JSON.stringify(authorization)} say ${expected}`, () => {
    const sent = sentKey(apiKey, authorization);
    assert.equal(sent.status === 'sent' ? sent.secret : sent.status, expected);
  });
}

test('a header that is not for keys is seen to be one; a cookie is not', () => {
  for (const name of ['key', 'api-key', 'x-auth-token']) assert.ok(isKeyElsewhere({ accept: '*/*', [name]: 'pk_a' }));
  assert.ok(!isKeyElsewhere({ cookie: 'pk_a=1', accept: '*/*', referer: 'https://site.example/pk_a' }));
});
