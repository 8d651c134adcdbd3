import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentKey } from './sent-key.ts';

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
  [undefined, 'Basic cGtfYg==', 'none'],
  [undefined, 'Bearer', 'none'],
  [undefined, 'Bearerpk_a', 'none'],
  ['pk_a,pk_b', undefined, 'pk_a,pk_b'],
];
for (const [apiKey, authorization, expected] of cases) {
  test(`X-API-Key ${JSON.stringify(apiKey)} and Authorization ${JSON.stringify(authorization)} say ${expected}`, () => {
    const sent = sentKey(apiKey, authorization);
    assert.equal(sent.status === 'sent' ? sent.secret : sent.status, expected);
  });
}
