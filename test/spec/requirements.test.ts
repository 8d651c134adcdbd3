import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { GATED, REQUIREMENTS } from './requirements.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Ids in every `covers(…)` call of the test sources. */
const cited = (): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const file of globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'], { cwd: ROOT }))
    for (const call of readFileSync(resolve(ROOT, file), 'utf8').matchAll(/\bcovers\(([^)]*)\)/g))
      for (const id of call[1]!.matchAll(/'([^']+)'/g)) ids.add(id[1]!);
  return ids;
};

test('requirement ids are unique', () => {
  const ids = REQUIREMENTS.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
  );
});

test('every requirement of a gated area has a test that cites it', () => {
  const known = cited();
  assert.deepEqual(
    REQUIREMENTS.filter(({ area, id }) => GATED.includes(area) && !known.has(id)).map(({ id, text }) => `${id}: ${text}`),
    [],
  );
});

test('tests cite only requirements that exist', () => {
  const ids = new Set(REQUIREMENTS.map(({ id }) => id));
  assert.deepEqual(
    [...cited()].filter((id) => !ids.has(id)),
    [],
  );
});
