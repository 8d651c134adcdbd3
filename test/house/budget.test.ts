/**
 * Every subject of the code has a budget of tokens and of comments, and exported names use listed words.
 * Numbers fall freely; raising one, or adding a word, needs a line with its reason in docs/decisions.md
 * ("Budgets"). `node test/house/budget.test.ts --write` sets every number and the word list to what is there.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const BUDGET_FILE = join(ROOT, 'test/house/budget.json');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

interface Budget {
  readonly files: readonly string[];
  readonly tokens: number;
  /** Comment blocks per 1,000 lines of code. */
  readonly comments: number;
}
interface Budgets {
  readonly subjects: Record<string, Budget>;
  /** Words of exported names, split at capitals. */
  readonly words: readonly string[];
}

const TOKEN =
  /(?<comment>(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/))|(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`)|(?<regex>(?<=[(,=:[!&|?{};>\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*)|(?<word>[\p{L}_$#@][\p{L}\p{N}_$]*)|(?<number>\d[\w.]*)|(?<operator>[=!<>]=+|=>|\*\*|\?\?=?|\?\.|&&|\|\||\.\.\.|[^\s\w])/gu;

/** Tokens, comment blocks (adjoining line comments are one) and lines of code of one file. */
function measure(source: string): { tokens: number; blocks: number; lines: number } {
  let tokens = 0;
  let blocks = 0;
  let lastCommentLine = -2;
  const lines = new Set<number>();
  let line = 0;
  let at = 0;
  for (const match of source.matchAll(TOKEN)) {
    for (; at < match.index; at++) if (source[at] === '\n') line++;
    const height = match[0].split('\n').length - 1;
    if (match.groups?.['comment'] !== undefined) {
      const isLine = match[0].startsWith('//');
      if (!isLine || line !== lastCommentLine + 1) blocks++;
      lastCommentLine = isLine ? line : -2;
      continue;
    }
    tokens++;
    lastCommentLine = -2;
    for (let covered = line; covered <= line + height; covered++) lines.add(covered);
  }
  return { tokens, blocks, lines: lines.size };
}

const isCounted = (file: string): boolean => !/\.(test|contract|fixture|generated)\.tsx?$|\.d\.ts$/.test(file);
const filesOf = (globs: readonly string[]): readonly string[] =>
  globs
    .flatMap((glob) => globSync(glob, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }))
    .filter(isCounted)
    .sort();

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/IPv(?=[46])/g, 'Ipv')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_$]+/)
    .map((word) => word.toLowerCase())
    .filter((word) => /^[a-z]{2,}/.test(word));

function measureAll({ subjects }: Budgets): Budgets {
  const words = new Set<string>();
  const measured = Object.entries(subjects).map(([subject, { files }]): [string, Budget] => {
    const total = { tokens: 0, blocks: 0, lines: 0 };
    for (const file of filesOf(files)) {
      const source = read(file);
      const { tokens, blocks, lines } = measure(source);
      total.tokens += tokens;
      total.blocks += blocks;
      total.lines += lines;
      for (const [, name] of source.matchAll(
        /^export\s+(?:abstract\s+|async\s+)*(?:function\*?|class|const|let|interface|type)\s+([\w$]+)/gm,
      ))
        for (const word of wordsOf(name!)) words.add(word);
    }
    return [subject, { files, tokens: total.tokens, comments: Math.ceil((1000 * total.blocks) / total.lines) }];
  });
  return { subjects: Object.fromEntries(measured), words: [...words].sort() };
}

const budgets = JSON.parse(readFileSync(BUDGET_FILE, 'utf8')) as Budgets;
const found = measureAll(budgets);

if (process.argv.includes('--write')) writeFileSync(BUDGET_FILE, `${JSON.stringify(found, null, 1)}\n`);

test('tokens and comments are counted as they stand', () => {
  assert.deepEqual(
    measure("// One\n// block\nconst a = '/* text */'; // another\n\n/** A third. */\nlet b = /x\\/y/u;\n"),
    {
      tokens: 10,
      blocks: 3,
      lines: 2,
    },
  );
  assert.deepEqual(wordsOf('parseIPv6Range'), ['parse', 'ipv6', 'range']);
});

test('every source file belongs to one subject', () => {
  const owners = new Map<string, string[]>();
  for (const [subject, { files }] of Object.entries(budgets.subjects))
    for (const file of filesOf(files)) owners.set(file, [...(owners.get(file) ?? []), subject]);
  assert.deepEqual(
    filesOf(['src/**/*.ts', 'console/**/*.{ts,tsx}', 'bench/**/*.ts', 'test/support/**/*.ts']).filter(
      (file) => owners.get(file)?.length !== 1,
    ),
    [],
  );
});

for (const [subject, { tokens, comments }] of Object.entries(budgets.subjects))
  test(`${subject} keeps its budget of tokens and comments`, () => {
    const now = found.subjects[subject]!;
    assert.ok(now.tokens <= tokens, `${now.tokens} tokens, budget ${tokens}`);
    assert.ok(now.comments <= comments, `${now.comments} comments per 1,000 lines of code, budget ${comments}`);
  });

test('exported names use listed words, and every listed word is used', () => {
  const without = (words: readonly string[], others: readonly string[]): readonly string[] =>
    words.filter((word) => !others.includes(word));
  assert.deepEqual(without(found.words, budgets.words), [], 'words that are not listed');
  assert.deepEqual(without(budgets.words, found.words), [], 'listed words that no exported name uses');
});
