/**
 * A comment that gives a document as its reason is worth something only while the document is there:
 * decisions by section and point, parts of the interface, files, tests.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Numbers of the sections ("4") and of their points ("4.9") in docs/decisions.md. */
function decisionNumbers(text: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    section = /^## (\d+)\. /.exec(line)?.[1] ?? section;
    const point = /^(\d+)\. /.exec(line)?.[1];
    if (section !== '') numbers.add(point === undefined ? section : `${section}.${point}`);
  }
  return numbers;
}

const DECISIONS = decisionNumbers(read('docs/decisions.md'));
const INTERFACE = read('docs/interface.md').toLowerCase();

/** Missing things that a text cites, one sentence each. */
function danglingReferences(text: string): readonly string[] {
  const decisions = [...text.matchAll(/\bdecisions (\d+(?:\.\d+)?)/g)].filter(([, number]) => !DECISIONS.has(number!));
  const parts = [
    ...text.matchAll(/\binterface, (?:"([^"\n]+)"|((?:[A-Z]|general rule)[A-Za-z/{} -]*[A-Za-z}]))/g),
  ].filter(([, quoted, plain]) =>
    (quoted ?? plain)!.split(' and ').some((part) => !INTERFACE.includes(part.trim().toLowerCase())),
  );
  const files = [
    ...text.matchAll(
      /(?<![\w/.-])(docs\/(?:zh-CN\/)?[\w-]+\.md|test\/[\w/-]+\.test\.ts|(?:[A-Z]+\/)?(?:ARCHITECTURE|CHANGELOG|CONTRIBUTING|README|SECURITY|NOTICE)\.md)\b/g,
    ),
  ].filter(([, file]) => !existsSync(join(ROOT, file!)));
  return [...decisions, ...parts, ...files].map(([reference]) => reference);
}

test('no source cites a decision, a part of the interface or a document or a test that is not there', () => {
  const sources = ['src', 'test', 'console', 'scripts', 'bench'].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,mjs,css}`, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }),
  );
  assert.ok(sources.length > 500, String(sources.length));
  const wrong = sources
    .filter((file) => !file.endsWith('references.test.ts'))
    .flatMap((file) => danglingReferences(read(file)).map((found) => `${file}: ${found}`));
  assert.deepEqual(wrong, []);
});

test('documents link only to files that are there', () => {
  const documents = globSync(['docs/**/*.md', '*.md'], { cwd: ROOT });
  const wrong = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .filter(([, to]) => !existsSync(resolve(ROOT, file, '..', to!)))
      .map(([, to]) => `${file}: ${to}`),
  );
  assert.deepEqual(wrong, []);
});

describe('a dangling reference is found', () => {
  for (const text of [
    'decisions 4.99',
    'decisions 77',
    '(interface, "Nowhere")',
    'interface, Nowhere 3',
    'see docs/nowhere.md',
    'test/http/nowhere.test.ts',
  ])
    test(text, () => assert.equal(danglingReferences(text).length, 1));
  for (const text of [
    'decisions 4.9',
    'decisions 8',
    'interface, "Errors"',
    'interface, Authentication and Errors',
    'see docs/errors.md',
    'test/http/lookup.test.ts',
  ])
    test(`${text} is there`, () => assert.deepEqual(danglingReferences(text), []));
});
