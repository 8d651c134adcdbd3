// Which test files a run takes.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './runtime.mjs';

const PARTS = JSON.parse(readFileSync(join(root, 'test', 'parts.json'), 'utf8'));
export const PART_NAMES = Object.keys(PARTS);

/** Every test file, relative to the root. Packages that `npm run test:clients` installs bring tests of their own. */
export const testFiles = () =>
  ['console/src', 'src', 'test']
    .flatMap((top) =>
      readdirSync(join(root, top), { recursive: true }).map((name) => `${top}/${name.replaceAll('\\', '/')}`),
    )
    .filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .sort();

/** The part whose list has the file, or the nearest of its folders. */
export function partOf(file) {
  const near = (part) => Math.max(...PARTS[part].map((entry) => (file.startsWith(entry) ? entry.length : 0)));
  return PART_NAMES.reduce((best, part) => (near(part) > near(best) ? part : best));
}

/**
 * The files that a change can touch: those whose imports, or the files that they and these name, lead to a file that differs from the main branch or is not committed. The
 * rules of test/house read the whole repository.
 */
export function changedTests() {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
  };
  const [base] = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main') ?? ['HEAD'];
  const changed = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')].flat();
  if (changed.includes(undefined)) throw new Error('--changed needs git and its repository');
  const ALL = /^(package(-lock)?\.json|tsconfig\.json|scripts\/(take-)?tests?(-files)?\.mjs)$/;
  const touched = changed.some((file) => ALL.test(file)) ? () => true : (file) => changed.includes(file);
  return testFiles().filter((file) => file.startsWith('test/house/') || leadsTo(file, touched));
}

/** True when a file, one that it names, or one that these name, is `wanted`. */
export function leadsTo(start, wanted) {
  const seen = new Set([start]);
  for (const file of seen) {
    if (wanted(file)) return true;
    for (const next of namedIn(file)) seen.add(next);
  }
  return false;
}

/** A text that may be the path of a file, from the file itself or from the root: a test starts the server by `src/cli/main.ts`. */
const PATHS = /['"`]([\w@./-]+\.\w+)['"`]/g;
const named = new Map();
function namedIn(file) {
  if (!named.has(file)) named.set(file, /\.(tsx?|mjs|js)$/.test(file) ? [...pathsIn(file)] : []);
  return named.get(file);
}

function* pathsIn(file) {
  for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(PATHS))
    for (const from of path.startsWith('.') ? [dirname(file)] : [dirname(file), '.']) {
      const found = normalize(join(from, path)).replaceAll('\\', '/');
      if (found.startsWith('..') || found.startsWith('node_modules') || !existsSync(join(root, found))) continue;
      if (statSync(join(root, found)).isFile()) yield found;
    }
}
