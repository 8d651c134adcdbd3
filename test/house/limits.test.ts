/**
 * How much of this project there may be: one number per package in limits.json. A number only falls; CONTRIBUTING.md says
 * when it may rise. Where `../shared/limits.json` lies beside the checkout, no number is above the one there.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMON_LIMITS = join(ROOT, '..', 'shared', 'limits.json');

interface Limits {
  readonly tokens: Readonly<Record<string, number>>;
  readonly 'words of docs': number;
  readonly 'comments per 1000 lines of src': number;
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

const isTest = (file: string): boolean => /^test\/|\.(test|contract)\.tsx?$/.test(file);
const isData = (file: string): boolean => /\.(fixture|generated)\.tsx?$|\.d\.ts$/.test(file);
const filesOf = (...globs: readonly string[]): readonly string[] =>
  globSync(globs, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isData(file));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function total(files: readonly string[]): { tokens: number; blocks: number; lines: number } {
  const sum = { tokens: 0, blocks: 0, lines: 0 };
  for (const { tokens, blocks, lines } of files.map((file) => measure(read(file)))) {
    sum.tokens += tokens;
    sum.blocks += blocks;
    sum.lines += lines;
  }
  return sum;
}

function measureAll(): Limits {
  const all = filesOf('{src,console,bench,scripts,test}/**/*.{ts,tsx,mts,mjs}');
  const code = (...folders: readonly string[]) =>
    total(all.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)) && !isTest(file)));
  const src = code('src');
  return {
    tokens: {
      src: src.tokens,
      console: code('console').tokens,
      'bench and scripts': code('bench', 'scripts').tokens,
      tests: total(all.filter(isTest)).tokens,
    },
    'words of docs': filesOf('*.md', 'docs/**/*.md').flatMap((file) => read(file).match(/\S+/g) ?? []).length,
    'comments per 1000 lines of src': Math.ceil((1000 * src.blocks) / src.lines),
  };
}

/** Names and numbers of a file of limits, flat. */
const numbersOf = (limits: Limits): readonly (readonly [string, number])[] =>
  Object.entries({ ...limits, ...limits.tokens }).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );

test('tokens and comments are counted as they stand', () => {
  assert.deepEqual(
    measure("// One\n// block\nconst a = '/* text */'; // another\n\n/** A third. */\nlet b = /x\\/y/u;\n"),
    { tokens: 10, blocks: 3, lines: 2 },
  );
});

const limits = JSON.parse(read('test/house/limits.json')) as Limits;

test('each package keeps its limit', () => {
  const bounds = new Map(numbersOf(limits));
  const measured = numbersOf(measureAll());
  assert.deepEqual([...bounds.keys()].sort(), measured.map(([name]) => name).sort());
  assert.deepEqual(
    measured.filter(([name, size]) => size > bounds.get(name)!).map(([name, size]) => `${name}: ${size}`),
    [],
  );
});

test('no limit is above the common one', { skip: existsSync(COMMON_LIMITS) ? false : 'no shared limits here' }, () => {
  const common = new Map(numbersOf(JSON.parse(readFileSync(COMMON_LIMITS, 'utf8')) as Limits));
  assert.deepEqual(
    numbersOf(limits).filter(([name, bound]) => bound > common.get(name)!),
    [],
  );
});

if (process.argv.includes('--print')) process.stdout.write(`${JSON.stringify(measureAll(), null, 2)}\n`);
