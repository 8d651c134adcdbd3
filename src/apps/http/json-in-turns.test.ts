import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonInTurns } from './json-in-turns.ts';

test('what is written is what JSON.stringify writes', async () => {
  const document = fc.oneof(
    fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined))),
    fc.array(fc.oneof(fc.jsonValue(), fc.constant(undefined))),
  );
  await fc.assert(
    fc.asyncProperty(document, async (value) => assert.equal(await jsonInTurns(value), JSON.stringify(value))),
    { seed: 20_261_122 },
  );
});

test('other work has its turns while a large document is written', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `key_${n}`, used: n }));
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const text = await jsonInTurns({ usage: { rows } });
  done = true;
  assert.equal(text, JSON.stringify({ usage: { rows } }));
  // 600 KB in parts of 32 KiB.
  assert.ok(turns >= 15, `${turns} turns`);
});
