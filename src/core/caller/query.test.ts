import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasKeyInQuery, queryFields, queryValue } from './query.ts';

const KEY = 'pk_live_AbCdEfGhIjKlMnOpQrStUvWx';

test('a key in the query is seen under each of its names and under any name', () => {
  for (const name of [
    'key',
    'api_key',
    'apikey',
    'api-key',
    'x-api-key',
    'token',
    'access_token',
    'X-API-Key',
    'API_KEY',
    '%6Bey',
    'api%5Fkey',
    'key%5B%5D',
    'key[]',
    '+key',
  ])
    for (const value of ['=abc', '=', '']) assert.equal(hasKeyInQuery(`a=1&${name}${value}`), true, `${name}${value}`);
  for (const query of [
    `q=${KEY}`,
    `at=${KEY}`,
    `${KEY}`,
    `x=Bearer%20${KEY}`,
    `x=%70k_live_AbCdEfGhIjKlMnOp`,
    `${KEY}=1`,
  ])
    assert.equal(hasKeyInQuery(query), true, query);
});

test('a value that is not a key passes', () => {
  for (const query of [
    '',
    'at=2026-01-01T00:00:00Z',
    'keyboard=1',
    'monkey=2',
    'my_key=3',
    'q=pk_',
    'q=spk_AbCdEfGhIjKlMnOpQrStUvWx',
    'tokens=1',
    '&&',
    '=x',
  ])
    assert.equal(hasKeyInQuery(query), false, query);
});

test('broken escapes stand as they came and never throw', () => {
  assert.deepEqual(queryFields('a=%&%ff=%zz&b=1+2'), [
    ['a', '%'],
    ['%ff', '%zz'],
    ['b', '1 2'],
  ]);
  assert.equal(queryValue('x=1&x=2', 'x'), '1');
  assert.equal(queryValue('x', 'x'), '');
  assert.equal(queryValue('y=1', 'x'), undefined);
});
