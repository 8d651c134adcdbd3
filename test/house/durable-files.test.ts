import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/** Calls of node:fs that give a file its content or its name. */
const PLACING = /\b(?:writeFile|rename|link|copyFile)(?:Sync)?\b/;

/** Files that do it themselves, and why their content survives a crash or may be lost. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/adapters/system/write-durably.ts': 'the one durable write',
  'src/adapters/counters/memory/inspect-ledger.ts': 'gives a damaged file a second name',
  'src/adapters/counters/memory/day-totals.ts': 'puts a damaged log aside',
  'src/adapters/log-files/open-output.ts':
    'a file that the user names, written as a stream, synced and renamed when it is whole',
  'src/adapters/data-folder/accept-loss.ts': 'puts lost parts of a data folder aside',
  'src/adapters/data-folder/open-demo-folder.ts': 'empty marker files of a demonstration',
};

test('files of the data folder are written by the one durable write; every other file that places one has its reason', () => {
  const placing = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(?:test|fixture|contract)\.ts$/.test(file))
    .filter((file) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          /import (?:\w+, )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g,
        ),
      ].some(([, names]) => PLACING.test(names!)),
    );
  assert.deepEqual(placing.toSorted(), Object.keys(ALLOWED).toSorted());
});
