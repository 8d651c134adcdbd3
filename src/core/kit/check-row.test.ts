import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { checkRow, type RowSchema } from './check-row.ts';

const SCHEMA = {
  name: ['text', 'bad_name'],
  age: ['scalar', 'bad_age'],
  on: ['flag', 'bad_on'],
  tags: ['list', 'bad_tags'],
  more: ['record', 'bad_more'],
} as const satisfies RowSchema;

test('fields of their kind are given back, a number as text where a scalar is allowed, null as absent', () => {
  assert.deepEqual(checkRow({ name: 'a', age: 7, on: false, tags: [1], more: { x: 1 }, other: {} }, SCHEMA), {
    name: 'a',
    age: '7',
    on: false,
    tags: [1],
    more: { x: 1 },
  });
  assert.deepEqual(checkRow({ name: null }, SCHEMA), {
    name: undefined,
    age: undefined,
    on: undefined,
    tags: undefined,
    more: undefined,
  });
});

test('the first field of another kind gives its fault; a value that is not an object gives none', () => {
  assert.equal(checkRow({ name: 'a', age: {}, on: 1 }, SCHEMA), 'bad_age');
  assert.equal(checkRow({ tags: { length: 1 } }, SCHEMA), 'bad_tags');
  assert.equal(checkRow({ more: [] }, SCHEMA), 'bad_more');
  for (const value of [undefined, null, 1, 'x', [], true]) assert.equal(checkRow(value, SCHEMA), undefined);
});

test('inherited members are not fields, and a foreign toString is never called', () => {
  const schema = { toString: ['text', 'bad'], constructor: ['text', 'bad'] } as const satisfies RowSchema;
  assert.deepEqual(checkRow({}, schema), { toString: undefined, constructor: undefined });
  fc.assert(
    fc.property(hostileJson, (value) => {
      for (const field of Object.keys(SCHEMA)) checkRow({ [field]: value }, SCHEMA);
    }),
  );
});
