import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import Schema from 'typebox/schema';

const DATA = resolve(import.meta.dirname, '../../data');
const read = (name: string): unknown => JSON.parse(readFileSync(join(DATA, name), 'utf8'));

test('every row of the catalogue is as its schema says, and a row that is not is found', () => {
  const check = Schema.Compile(read('feeds.schema.json') as object);
  const { feeds } = read('feeds.json') as { feeds: readonly Record<string, unknown>[] };
  const wrong = feeds.filter((feed) => !check.Check({ feeds: [feed] })).map(({ id }) => id);
  assert.deepEqual(wrong, []);
  for (const change of [
    { cadenceMin: 0 },
    { mode: 'stream' },
    { bounds: {} },
    { colour: 'red' },
    { effect: { kind: 'risk', riskType: 'spam' } },
  ])
    assert.equal(check.Check({ feeds: [{ ...feeds[0], ...change }] }), false, JSON.stringify(change));
});

test('ids are given once', () => {
  const { feeds } = read('feeds.json') as { feeds: readonly { id: string }[] };
  assert.equal(new Set(feeds.map(({ id }) => id.toLowerCase())).size, feeds.length);
});
