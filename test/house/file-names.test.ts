/** A file is named after its main export, in kebab case: the tree shows the name that an import asks for. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/** Files that are named otherwise, and why. */
const EXCEPTIONS: readonly (readonly [files: RegExp, reason: string])[] = [
  [/-(?:worker|process)\.ts$/, 'the entry of a thread or process: it exports nothing, or the types of its messages'],
  [/^src\/cli\/(?:sensor-)?main\.ts$|^console\/src\/main\.tsx$/, 'the entry of the process, of the page'],
  [/^src\/cli\/commands\//, 'named after the subcommand; each exports `register`'],
  [/\/database\/migrations\//, 'numbered in the order they are applied; an index lists them'],
  [/\/history\/(?:sqlite|postgres)\//, 'both technologies have the same file names, one for each question'],
  [/\/(redis|intake)\/scripts\.ts$/, 'the Lua scripts that Redis runs'],
  [/\/redis\/redis-server\.ts$/, 'what is said of a server: its name, its faults, its address'],
  [/\/answer\/reply-headers\.ts$/, 'lines and fields of the same headers, for the two lanes'],
  [/\/oauth\/authorization-server\.ts$/, 'what we take from the library, in one place'],
  [/^console\/src\/locale-path\.ts$/, 'both directions of one mapping'],
  [/\/phone\/dictionary\.ts$/, 'the tables of one published dictionary'],
  [/\/risk\/decay\.ts$/, 'the factors of one formula'],
  [/\/core\/units\.ts$/, 'tagged numbers'],
  [/\/feeds\/feeds-page\.ts$/, 'named after docs/feeds.md, which it completes'],
  [/\/csv\/column-names\.ts$/, 'names of columns by their meaning, in one place'],
  [
    /\/evidence\/evidence-row\.ts$|\/ranges\/range-cells\.ts$/,
    'a layout of bytes: its constants, how it is written and read',
  ],
  [/\/options\/option-values\.ts$/, 'how the values of options are read'],
  [/\/threads\/thread-messages\.ts$/, 'the messages of both directions'],
  [/\/service\/(?:feeds\/feed-|sign-in\/sign-in-|intake\/intake-)?ports\.ts$/, 'what services need from outside'],
  [/\/service\/lookup\/lookup-pulse\.ts$/, 'next to lookup-ip and lookup-phone'],
  [/\/service\/phone\/phone-meta\.ts$/, 'the documents of the endpoints under this name'],
];

const plain = (name: string): string => name.replace(/[-_.]/g, '').toLowerCase();

/** Names of the exports of a source, values and types. */
const exportsOf = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /^export\s+(?:default\s+)?(?:abstract\s+|async\s+)*(?:function\*?|class|const|let|interface|type)\s+([\w$]+)/gm,
    ),
  ].map(([, name]) => plain(name!));

/**
 * Returns whether the file has the name of an export. Its folder's name may be left out of it, and the `is`, `use` or
 * `of` of a predicate, a hook, a question. A noun may also name a family: two exports that begin or end with
 * it, or with a plural one of its members.
 */
function isNamedAfterExport(file: string, names: readonly string[]): boolean {
  const stem = plain(basename(file).replace(/(?:\.generated)?\.tsx?$/, ''));
  const folders = dirname(file).split('/').map(plain);
  const same = (name: string): boolean =>
    name === stem || name === `${stem}of` || (/^(?:is|use)/.test(name) && name.replace(/^(?:is|use)/, '') === stem);
  if (names.some((name) => same(name) || folders.some((folder) => same(name.replace(folder, ''))))) return true;
  const members = (noun: string): number => names.filter((name) => name.startsWith(noun) || name.endsWith(noun)).length;
  return members(stem) > 1 || (stem.endsWith('s') && Math.max(members(stem), members(stem.slice(0, -1))) > 0);
}

const FILES = ['src', 'console/src'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).filter(
    (file) => !/\.(?:test|contract|fixture|d)\.tsx?$/.test(file),
  ),
);
const misnamed = FILES.filter((file) => !isNamedAfterExport(file, exportsOf(readFileSync(join(ROOT, file), 'utf8'))));

test('every file is named after one of its exports, or stands in the list above with its reason', () => {
  assert.ok(FILES.length > 400, String(FILES.length));
  const unexpected = misnamed.filter((file) => !EXCEPTIONS.some(([files]) => files.test(file)));
  assert.deepEqual(unexpected, []);
});

test('an exception stands in the list only while a file needs it', () => {
  assert.deepEqual(
    EXCEPTIONS.filter(([files]) => !misnamed.some((file) => files.test(file))).map(([files]) => files.source),
    [],
  );
});

describe('a name is compared with the exports', () => {
  const cases: readonly (readonly [file: string, exports: string, named: boolean])[] = [
    ['a/fold-observations.ts', 'export function foldObservations() {}', true],
    ['a/fold.ts', 'export function foldObservations() {}', false],
    ['a/sqlite/history.ts', 'export class SqliteHistory {}', true],
    ['a/same-site.ts', 'export const isSameSite = 1', true],
    ['a/level.ts', 'export function levelOf() {}', true],
    ['a/password.ts', 'export function hashPassword() {}\nexport function verifyPassword() {}', true],
    ['a/password.ts', 'export function hashPassword() {}', false],
    ['a/families.ts', 'export const ASSISTANT_GROUPS = 1', false],
    ['a/segments.ts', 'export function readSegments() {}', true],
  ];
  for (const [file, text, named] of cases)
    test(`${file}: ${text.replace('\n', ' ')}`, () => assert.equal(isNamedAfterExport(file, exportsOf(text)), named));
});
