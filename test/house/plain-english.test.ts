/** Plain English: phrases that read as translated are refused in code, tests, texts and documents, each with the form to write instead. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

interface Phrase {
  readonly refused: RegExp;
  /** The plain form. */
  readonly write: string;
  /** A sentence that is refused, and one that is not. */
  readonly wrong: string;
  readonly right: string;
}

// biome-ignore format: one row a phrase
const PHRASES: readonly Phrase[] = [
  { refused: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b)[a-z]+/i, write: 'is not a …', wrong: 'a page is no list', right: 'there is no list; it is no longer a list' },
  { refused: /(?<!\bthere )\b(?:is|are|was|were) none\b(?! of\b)/i, write: 'is not one', wrong: 'a list that is none', right: 'there is none' },
  { refused: /\banew\b/i, write: 'again', wrong: 'it is built anew', right: 'it is built again' },
  { refused: /\bwho(?:m|so)?ever\b/i, write: 'the caller, the publisher, regardless of who', wrong: 'whoever asks', right: 'a caller who asks' },
  // A name between quotes or in an address is data: the system user `nobody`, nobody@example.com.
  { refused: /(?<!['`=])\b(?:nobody|everybody|somebody)\b(?!@)/i, write: 'no caller, every caller, another program', wrong: 'nobody knows', right: "the user 'nobody', nobody@example.com" },
  { refused: /\b(?:has|have|had) (?:its|their|his) say\b/i, write: 'decides', wrong: 'the ledger has its say', right: 'the ledger decides' },
  { refused: /\bin the midst\b/i, write: 'in the middle, during', wrong: 'killed in the midst of a write', right: 'killed during a write' },
  { refused: /\b(?:goes|go|went) again\b/i, write: 'is deleted', wrong: 'the file goes again', right: 'the file is deleted' },
  { refused: /\btold\b(?! (?:to|apart)\b)/i, write: 'reported, answered, refused', wrong: 'the fault is told', right: 'they cannot be told apart' },
  { refused: /\btells\b/i, write: 'reports, returns, says', wrong: 'the name tells the content', right: 'the name identifies the content' },
  { refused: /\bbeside\b/i, write: 'next to, with, besides', wrong: 'the file beside it', right: 'the file next to it' },
  { refused: /\b(?:go|goes|went) before\b/i, write: 'takes precedence over, is checked before', wrong: 'the key goes before the claim', right: 'the key takes precedence over the claim' },
  { refused: /\b(?:is|are) said\b/i, write: 'is reported, is shown', wrong: 'missing evidence is said', right: 'missing evidence is reported' },
  { refused: /(?:^|[.:;*/] )Whatever\b/, write: 'a noun as the subject', wrong: 'Whatever fails is logged', right: 'A failure is logged, whatever its cause' },
  { refused: /\b(?:seldom|whence|whereby|thereof|therein|thereby|hereby|wherefrom|amidst)\b/i, write: 'rarely; a plain clause', wrong: 'it is seldom late', right: 'it is rarely late' },
];

/** Files that keep such a phrase, and why. */
const EXEMPT: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'states the rule and quotes the phrases',
  'test/house/plain-english.test.ts': 'this table',
};

const FILES = [
  ...['src', 'console', 'test', 'bench', 'scripts', 'bin', 'deploy'].flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,mjs,css,md,sh,yml,yaml}`, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }),
  ),
  ...globSync(['docs/**/*.md', '*.md'], { cwd: ROOT }),
];

/** Lines of a text with a refused phrase, each with the plain form. */
const refusedLines = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) =>
    PHRASES.flatMap(({ refused, write }) => {
      const found = refused.exec(line)?.[0];
      return found === undefined ? [] : [`${index + 1}: "${found}" (write: ${write})`];
    }),
  );

test('code, tests, texts and documents are in plain English', () => {
  assert.ok(FILES.length > 600, String(FILES.length));
  const wrong = FILES.filter((file) => EXEMPT[file] === undefined).flatMap((file) =>
    refusedLines(readFileSync(join(ROOT, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  assert.deepEqual(wrong, []);
});

test('a file is exempt only while it has such a phrase', () => {
  for (const file of Object.keys(EXEMPT))
    assert.ok(refusedLines(readFileSync(join(ROOT, file), 'utf8')).length > 0, file);
});

describe('a phrase is refused, its plain form is not', () => {
  for (const { wrong, right } of PHRASES)
    test(wrong, () => {
      assert.equal(refusedLines(wrong).length, 1);
      assert.deepEqual(refusedLines(right), []);
    });
});
