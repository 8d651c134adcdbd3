import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;
const declared = Object.entries({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
});

test('docs/dependencies.md argues every dependency, and names none that is gone', () => {
  const rows = readFileSync(resolve(root, 'docs/dependencies.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const argued = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  assert.deepEqual(argued.toSorted(), declared.map(([name]) => name).toSorted());
});

/** Texts of the files that may use a dependency; comments are left out, since naming a package is not using it. */
const textOf = (patterns: readonly string[]): string =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules', '**/dist'] }))
    .map((file) => readFileSync(resolve(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*/gm, ''))
    .join('\n');
/** Returns whether a text imports or resolves the package or a file of it. */
const uses = (text: string, name: string): boolean => text.includes(`'${name}'`) || text.includes(`'${name}/`);

/**
 * Development dependencies that no file imports, and the packages that need them. Types of other packages are
 * read by the compiler alone.
 */
const NOT_IMPORTED: Readonly<Record<string, string>> = {
  '@biomejs/biome': 'npm test and npm run format run its command',
  '@modelcontextprotocol/conformance': 'test/mcp runs its command',
  '@redocly/cli': 'test/http/openapi.test.ts runs its command',
  postcss: 'peer of vite and of postcss-preset-mantine',
  typescript: 'npm test runs its command',
};

test('production code imports every production dependency, and development code every other one', () => {
  const production = textOf(['src/**/!(*.test|*.contract|*.fixture).ts']);
  assert.ok(uses(production, 'fastify') && !uses(production, 'fast-check'), 'tests are not production code');
  const unexpected = Object.keys(manifest.dependencies).filter((name) => !uses(production, name));
  assert.deepEqual(unexpected, []);
  const development = textOf(['src/**/*.ts', 'test/**/*.ts', 'console/**/*.{ts,tsx,mjs,js,css}', 'scripts/*.{ts,mjs}']);
  const unused = Object.keys(manifest.devDependencies).filter(
    (name) => !name.startsWith('@types/') && !uses(development, name),
  );
  assert.deepEqual(
    unused.filter((name) => !(name in NOT_IMPORTED)),
    [],
  );
});

test('every dependency is pinned to one exact version', () => {
  const unexpected = declared.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  assert.deepEqual(unexpected, []);
});

test('the lockfile carries an integrity hash for every package and no address of a registry', () => {
  const lock = JSON.parse(readFileSync(resolve(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
  };
  const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
  assert.ok(entries.length > 100);
  assert.deepEqual(
    entries.filter(([, entry]) => entry.integrity === undefined && entry.link !== true).map(([path]) => path),
    [],
  );
  const paths = entries.filter(([, entry]) => entry.resolved?.startsWith('http')).map(([path]) => path);
  assert.deepEqual(paths, []);
});
