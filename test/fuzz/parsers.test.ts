/**
 * For any bytes, every parser reads or refuses in its own way: no other error, no hang, no memory beyond a
 * multiple of the input, the same for the same bytes.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { countWork } from '../support/fuzz/count-work.ts';
import { fuzzParser } from '../support/fuzz/fuzz-parser.ts';
import { describeFault, fuzzParsers } from '../support/fuzz/fuzz-parsers.ts';
import { PARSER_TARGETS } from '../support/fuzz/parser-targets.ts';

const SEED = 20_261_122;
/** The same in every run; CI draws many more from a new seed (bench/fuzz.ts). */
const CASES = 20;
/** Cases of a target whose work is counted. */
const COUNTED_CASES = 1;

test('sound inputs are read, kept ones and drawn ones are read or refused, by every parser', async () => {
  const results = await fuzzParsers(SEED, CASES);
  assert.deepEqual(results.flatMap(({ faults }) => faults).map(describeFault), []);
  assert.equal(results.length, PARSER_TARGETS.length);
  // Inputs that are all refused at the door would try nothing.
  for (const { target, read } of results) assert.ok(read > 0, target);
  const refused = results.filter((result) => result.refused > 0);
  assert.ok(refused.length >= 10, `${refused.length} parsers were given an input to refuse`);
});

test('the work of every reading is bounded by the length of its input', async () => {
  const results = await fuzzParsers(SEED + 1, COUNTED_CASES, { countWork: true });
  assert.deepEqual(results.flatMap(({ faults }) => faults).map(describeFault), []);
  assert.equal(results.length, PARSER_TARGETS.length);
});

/** Every byte next to every other one. */
function pairsIn(input: Buffer): number {
  let pairs = 0;
  for (const one of input) for (const other of input) if (one === other) pairs++;
  return pairs;
}

test('a reading whose work grows with the square of its input is found', async () => {
  const work = countWork();
  try {
    const { faults } = await fuzzParser(
      { name: 'squared', seeds: [Buffer.alloc(1000)], read: (input) => pairsIn(input) },
      { seed: SEED, cases: 0, work },
    );
    assert.match(faults[0]?.what ?? '', /blocks of code ran for an input of 1000/);
  } finally {
    work.stop();
  }
});

test('every kept input belongs to a parser', () => {
  const names = new Set(PARSER_TARGETS.map(({ name }) => name));
  for (const folder of readdirSync(resolve(import.meta.dirname, 'corpus'))) assert.ok(names.has(folder), folder);
});
