import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Folders whose files must not import each other in a circle. A type from a file of the same folder closes none: it
 * loads nothing, and without this a type would need a file of its own wherever two neighbours name each other.
 */
const FOLDERS = ['src', 'console/src', 'clients/typescript/src'];

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\s(type\b)?[^'";]*?from\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/g,
    ),
  ]
    .map(([, type, named, lazy]) => ({ isType: type !== undefined, target: join(dirname(file), (named ?? lazy)!) }))
    .filter(({ isType, target }) => !isType || dirname(target) !== dirname(file))
    .map(({ target }) => target);

/** Circles of imports, each as the files it goes through. */
function circles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

test('no circle of imports', () => {
  assert.deepEqual(
    circles(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
    ['b → c → b'],
  );
  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }));
  assert.ok(files.length > 100, String(files.length));
  assert.deepEqual(circles(new Map(files.map((file) => [file, importsOf(file)]))), []);
});
