/**
 * The recipes of CONTRIBUTING.md, walked with something that exists: it is in the files that the recipe
 * names, and in no others.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** The published interface and its settlement name existing parts; accuracy.md reports on one day. */
const NOT_TOUCHED = ['docs/interface.md', 'docs/decisions.md', 'docs/accuracy.md'];
const FILES = globSync(
  ['data/texts/*.json', '{src,clients}/**/*.ts', 'scripts/*.ts', 'console/src/**/*.{ts,tsx}', 'docs/**/*.md'],
  {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist', '**/*.test.ts', ...NOT_TOUCHED],
  },
).filter((file) => !read(file).startsWith('// Made by scripts/'));

interface Recipe {
  readonly heading: string;
  readonly filesMax: number;
  /** Held by files of the recipe alone. */
  readonly marks: RegExp;
  /** Held by each of them, where that is more. */
  readonly word?: RegExp;
}

const RECIPES: readonly Recipe[] = [
  { heading: 'Add a field to GET /v1/ip', filesMax: 10, marks: /admin_?code/i },
  {
    heading: 'Add a console page',
    filesMax: 6,
    marks: /'\/console\/profile',|\bProfilePage\b|profile-page/,
    word: /profile/i,
  },
  { heading: 'Add a log format', filesMax: 2, marks: /\bFreeSWITCH\b/ },
  {
    heading: 'Add a route',
    filesMax: 10,
    marks: /\bbeaconRoute\b|'\/v1\/beacon'|\bBeaconExit\b|beacon-route/,
    word: /beacon|\bexits?\b/i,
  },
  { heading: 'Add a risk type', filesMax: 9, marks: /\bcloud_phone\b/ },
  { heading: 'Add a command', filesMax: 7, marks: /\bmyip\b/, word: /myip|addresses of this machine/ },
  { heading: 'Add a feed', filesMax: 1, marks: /\bcircl-osint\b/ },
];

for (const { heading, filesMax, marks, word = marks } of RECIPES)
  test(`${heading}: at most ${filesMax} files, and these`, () => {
    const section = read('CONTRIBUTING.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, file, what]) => ({
      file: file!,
      sometimes: what!.startsWith('if '),
    }));
    const always = rows.filter(({ sometimes }) => !sometimes).map(({ file }) => file);
    assert.ok(always.length > 0 && always.length <= filesMax, String(always.length));
    const unexpected = rows.map(({ file }) => file).filter((file) => !existsSync(join(ROOT, file)));
    assert.deepEqual(unexpected, []);
    assert.deepEqual(
      always.filter((file) => !word.test(read(file))),
      [],
      'files of the recipe without it',
    );
    assert.deepEqual(
      FILES.filter((file) => marks.test(read(file)) && !rows.some((row) => row.file === file)),
      [],
      'files that the recipe leaves out',
    );
  });
