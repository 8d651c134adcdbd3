import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';

const SRC = resolve(import.meta.dirname, '../../src');

/**
 * Rings that each ring may import besides itself; tables below `data` are values, which all may import. `contract` imports nothing of the others; only the two
 * roots, `main` and the command line, see adapters and apps together.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  core: ['contract'],
  engine: ['core', 'contract'],
  service: ['engine', 'core', 'contract'],
  adapters: ['service', 'engine', 'core', 'contract', 'config'],
  apps: ['service', 'engine', 'core', 'contract', 'config'],
  main: ['adapters', 'apps', 'service', 'engine', 'core', 'contract', 'config'],
  cli: ['main', 'adapters', 'apps', 'service', 'engine', 'core', 'contract', 'config'],
  config: ['core', '..'], // package.json, for the version
};

const ringOf = (file: string): string => {
  const parts = relative(SRC, file).split(sep);
  return parts[0] === 'config.ts' ? 'config' : (parts[0] ?? '');
};

const sources = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter(
    (entry) =>
      entry.isFile() &&
      entry.name.endsWith('.ts') &&
      !entry.name.endsWith('.test.ts') &&
      !entry.name.endsWith('.contract.ts'),
  )
  .map((entry) => join(entry.parentPath, entry.name));

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(/(?:^|\n)\s*(?:import|export)[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)/g),
  ].map((match) => match[1] ?? match[2] ?? '');

test('imports point inwards: contract ← core ← engine ← service ← adapters and apps ← main ← command line', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    const ring = ringOf(file);
    for (const target of importsOf(file).filter((path) => path.startsWith('.') && !path.includes('/data/'))) {
      const to = ringOf(resolve(dirname(file), target));
      if (to !== ring && !(MAY_IMPORT[ring] ?? []).includes(to))
        wrong.push(`${relative(SRC, file)} (${ring}) imports ${target} (${to})`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** Adapters of one need are folders side by side: a shared part of two belongs in the folder above. */
test('technologies of one need never import each other', () => {
  const TECHNOLOGIES = ['sqlite', 'postgres', 'memory', 'redis', 'files'];
  const wrong: string[] = [];
  for (const file of sources) {
    const own = TECHNOLOGIES.find((name) => file.split(sep).includes(name));
    if (own === undefined || ringOf(file) !== 'adapters') continue;
    for (const target of importsOf(file).filter((path) => path.startsWith('.'))) {
      const to = relative(SRC, resolve(dirname(file), target)).split(sep);
      if (to.some((name) => name !== own && TECHNOLOGIES.includes(name)))
        wrong.push(`${relative(SRC, file)} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('contract has one package, for the schemas of its documents', () => {
  assert.deepEqual(
    sources
      .filter((file) => ringOf(file) === 'contract')
      .flatMap((file) => importsOf(file).map((path) => [relative(SRC, file), path]))
      .filter(([, path]) => !path!.startsWith('./') && !path!.includes('/data/')),
    [['contract/documents.ts', 'typebox']],
  );
});

test('contract and core read no clock, no environment, no randomness, and import no Node module', () => {
  const wrong: string[] = [];
  for (const file of sources.filter((path) => ['contract', 'core'].includes(ringOf(path)))) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
    for (const forbidden of [
      /\bDate\.now\b/,
      /\bnew Date\(\)/,
      /\bprocess\./,
      /\bMath\.random\b/,
      /from 'node:/,
      /\basync\b/,
    ]) {
      if (forbidden.test(text)) wrong.push(`${relative(SRC, file)}: ${forbidden.source}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('only config.ts reads the environment', () => {
  const readers = sources
    .filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')))
    .map((file) => relative(SRC, file));
  assert.deepEqual(
    readers.filter(
      (file) => file !== 'config.ts' && !file.startsWith(join('main', '')) && !file.startsWith(join('cli', '')),
    ),
    [],
  );
});
