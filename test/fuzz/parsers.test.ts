/** For any bytes, every parser reads or refuses in its own way: no other error, no hang, no memory beyond a multiple of the input, the same for the same bytes. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { describeFault, fuzzParsers } from '../support/fuzz/fuzz-parsers.ts';
import { PARSER_TARGETS } from '../support/fuzz/parser-targets.ts';

const RUN = 20_261_122;
const CASES = 250;

test('sound inputs are read, kept ones and drawn ones are read or refused, by every parser', async () => {
  const results = await fuzzParsers(RUN, CASES);
  assert.deepEqual(results.flatMap(({ faults }) => faults).map(describeFault), []);
  assert.equal(results.length, PARSER_TARGETS.length);
  // Inputs that are all refused at the door would try nothing.
  for (const { target, read } of results) assert.ok(read > 0, target);
});

test('every kept input belongs to a parser', () => {
  const names = new Set(PARSER_TARGETS.map(({ name }) => name));
  for (const folder of readdirSync(resolve(import.meta.dirname, 'corpus'))) assert.ok(names.has(folder), folder);
});
