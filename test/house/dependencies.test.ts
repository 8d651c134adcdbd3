import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies' | 'optionalDependencies',
  Record<string, string>
>;
const declared = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies });

test('docs/dependencies.md argues every dependency, and names none that is gone', () => {
  const rows = readFileSync(resolve(root, 'docs/dependencies.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const argued = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  assert.deepEqual(argued.toSorted(), declared.map(([name]) => name).toSorted());
});

test('every dependency is pinned to one exact version', () => {
  assert.deepEqual(
    declared.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
    [],
  );
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
  assert.deepEqual(
    entries.filter(([, entry]) => entry.resolved?.startsWith('http')).map(([path]) => path),
    [],
  );
});
