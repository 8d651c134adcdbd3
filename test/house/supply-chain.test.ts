import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Entry {
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path]) => path !== '');
const production = entries.filter(([, entry]) => entry.dev !== true && entry.devOptional !== true);
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

interface Licences {
  readonly allowed: readonly string[];
  readonly exceptions: Readonly<Record<string, { readonly licence: string; readonly because: string }>>;
}
const { allowed, exceptions } = JSON.parse(read('test/house/allowed-licences.json')) as Licences;

/** Packages whose licence is neither allowed nor the one their exception names. */
const refused = (all: readonly (readonly [string, Entry])[]): readonly string[] =>
  all
    .map(([path, { license = 'none' }]) => [nameOf(path), license] as const)
    .filter(([name, licence]) => !allowed.includes(licence) && exceptions[name]?.licence !== licence)
    .map(([name, licence]) => `${name}: ${licence}`);

test('every production package is under a licence of allowed-licences.json, and no exception is left over', () => {
  assert.ok(production.length > 100);
  assert.deepEqual(refused(production), []);
  const names = new Set(production.map(([path]) => nameOf(path)));
  const unexpected = Object.keys(exceptions).filter((name) => !names.has(name));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(refused([['node_modules/a', { license: 'AGPL-3.0' }]]), ['a: AGPL-3.0']);
});

test('the licence that the lockfile names is the one that the installed package declares', () => {
  const installed = production.filter(([path]) => existsSync(join(ROOT, path, 'package.json')));
  assert.ok(installed.length > 100);
  const declared = (path: string) => (JSON.parse(read(`${path}/package.json`)) as { license?: unknown }).license;
  const paths = installed.filter(([path, { license }]) => declared(path) !== license).map(([path]) => path);
  assert.deepEqual(paths, []);
});

/** Packages with a script for their installation, and why they do without it. */
const NOT_RUN: Readonly<Record<string, string>> = {
  ssh2: 'compiles a faster cipher; without it ssh2 uses that of Node',
  'cpu-features': 'compiled to choose between ciphers of ssh2; without it ssh2 has a fixed order',
};

test('no package needs a script that npm runs when it installs, and npm is set to run none', () => {
  assert.deepEqual(
    entries
      .filter(([, entry]) => entry.hasInstallScript === true)
      .map(([path]) => nameOf(path))
      .toSorted(),
    Object.keys(NOT_RUN).toSorted(),
  );
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m);
});
