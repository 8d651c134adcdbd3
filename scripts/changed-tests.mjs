// The test files that a change can touch: those whose imports, or the files that they and these name, lead to a file that differs from the main branch or is not committed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** A text that may be the path of a file, from the file itself or from the root: a test starts the server by `src/cli/main.ts`. */
const PATHS = /['"`]([\w@./-]+\.\w+)['"`]/g;
/** Base of every test. */
const ALL = /^(package(-lock)?\.json|tsconfig\.json|scripts\/(test|run-test-files|take-test-files|follow-tests)\.mjs)$/;
/** The rules of test/house read the whole repository. */
const ALWAYS = /^test\/house\//;

/** @param files all test files, relative to the root */
export function changedTests(root, files) {
  const changed = changedFiles(root);
  if ([...changed].some((file) => ALL.test(file))) return files;
  const named = new Map();
  const namesOf = (file) => {
    if (!named.has(file)) named.set(file, pathsIn(root, file));
    return named.get(file);
  };
  return files.filter((file) => ALWAYS.test(file) || leadsTo(file, changed, namesOf));
}

function changedFiles(root) {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
  };
  const [base] = git('merge-base', 'HEAD', 'main') ?? git('merge-base', 'HEAD', 'origin/main') ?? ['HEAD'];
  const lists = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  if (lists.includes(undefined)) throw new Error('--changed needs git and its repository');
  return new Set(lists.flat());
}

function leadsTo(start, changed, namesOf) {
  const seen = new Set([start]);
  for (const file of seen) {
    if (changed.has(file)) return true;
    for (const next of namesOf(file)) seen.add(next);
  }
  return false;
}

function pathsIn(root, file) {
  if (!/\.(tsx?|mjs|js)$/.test(file)) return [];
  const paths = [];
  for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(PATHS))
    for (const from of path.startsWith('.') ? [dirname(file)] : [dirname(file), '.']) {
      const found = normalize(join(from, path));
      const full = join(root, found);
      if (!found.startsWith('..') && !found.startsWith('node_modules') && existsSync(full) && statSync(full).isFile())
        paths.push(relative('.', found));
    }
  return paths;
}
