import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { leadsTo, partOf, testFiles } from '../../scripts/choose-tests.mjs';

const parts = JSON.parse(readFileSync(new URL('../parts.json', import.meta.url), 'utf8')) as Record<string, string[]>;
const entries = Object.values(parts).flat();

test('every test file belongs to one part: the longest line that its path begins with, which stands once', () => {
  assert.equal(new Set(entries).size, entries.length);
  for (const file of testFiles())
    assert.ok(
      entries.some((entry) => file.startsWith(entry)),
      file,
    );
  for (const entry of entries)
    assert.ok(
      testFiles().some((file) => file.startsWith(entry)),
      entry,
    );
});

test('parts start what they say: `quick` no program of others, and only `stores` and `world` databases', () => {
  const STARTS = [
    ['quick', /^test\/support\/install\.ts$/],
    ['service', /^test\/support\/(postgres|redis|chromium|container-engine)\.ts$/],
    ['browser', /^test\/support\/(postgres|redis|container-engine)\.ts$/],
  ] as const;
  const unexpected = STARTS.flatMap(([part, programs]) =>
    testFiles()
      // Rules of the house read the files that they name.
      .filter((file) => partOf(file) === part && !file.startsWith('test/house/'))
      .filter((file) => leadsTo(file, (named) => programs.test(named))),
  );
  assert.deepEqual(unexpected, []);
});
