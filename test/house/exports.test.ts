/**
 * A value that is never imported is not an export: it would be read, kept and renamed for no caller. Types
 * are free: they name the parameters and answers of exports.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const FILES = ['src', 'console', 'test', 'bench', 'scripts'].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }),
);
const isTest = (file: string): boolean => /^test\/|^bench\/|\.(test|contract|fixture)\.ts$/.test(file);

/** Files and the names they import from the file at `target`; `*` where the whole module is taken. */
const imported = new Map<string, Map<string, string[]>>();
function note(from: string, path: string, names: readonly string[]): void {
  if (!path.startsWith('.')) return;
  const target = relative(ROOT, resolve(ROOT, dirname(from), path));
  const uses = imported.get(target) ?? new Map<string, string[]>();
  imported.set(target, uses);
  for (const name of names) uses.set(name, [...(uses.get(name) ?? []), from]);
}
for (const file of FILES) {
  const text = read(file);
  for (const [, what, path] of text.matchAll(/^(?:import|export)\s+(?:type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gm)) {
    const names = [
      ...(/\{([^}]*)\}/.exec(what!)?.[1] ?? '').matchAll(/(?:type\s+)?([\w$]+)(?:\s+as\s+[\w$]+)?\s*(?:,|$)/g),
    ].map(([, name]) => name!);
    note(file, path!, what!.includes('*') ? ['*'] : names);
  }
  for (const [, path] of text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)) note(file, path!, ['*']);
}

const exported = FILES.filter((file) => file.startsWith('src/') && !isTest(file) && !file.endsWith('.d.ts')).flatMap(
  (file) =>
    [...read(file).matchAll(/^export\s+(?:abstract\s+|async\s+)*(?:function\*?|class|const|let)\s+([\w$]+)/gm)].map(
      ([, name]) => ({
        file,
        name: name!,
        by: [...(imported.get(file)?.get(name!) ?? []), ...(imported.get(file)?.get('*') ?? [])],
      }),
    ),
);

test('every exported value is imported somewhere', () => {
  assert.ok(exported.length > 500, String(exported.length));
  const unexpected = exported.filter(({ by }) => by.length === 0).map(({ file, name }) => `${file} ${name}`);
  assert.deepEqual(unexpected, []);
});

/** Values that only tests elsewhere import, and why they are exported all the same. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  AUDIT_DAYS: 'the bound and one millisecond more',
  CLOUD_REGIONS: 'each region of the table is looked up in the gazetteer',
  horizonOf: 'tests of the past ask where full detail begins',
  metricNames: 'alert rules and the dashboard are held to them',
  PHONE_FEEDS: 'tests read the rows of the catalogue',
  withFault: 'tests follow the faults that jobs publish',
  syntheticNumber: 'tests and benchmarks ask for the numbers that were generated',
};

test('a value that only tests import is exported for a test of its subject, or stands in the list above', () => {
  const subject = (file: string): string => dirname(file).split('/').slice(0, 3).join('/');
  const far = exported.filter(
    ({ file, by }) => by.length > 0 && by.every(isTest) && !by.some((from) => subject(from) === subject(file)),
  );
  assert.deepEqual(far.map(({ name }) => name).toSorted(), Object.keys(FOR_TESTS).toSorted());
});
