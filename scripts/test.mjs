// `npm test`: install missing packages, then type check, lint, and every *.test.ts. Arguments: test files, options of the test runner (--test-name-pattern=…),
// `--changed` for the test files that a change can touch, `--times` to keep the times of a whole run in test/times.json.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import './require-node.mjs';
import { makeTestFolder } from './make-test-folder.mjs';

const { ensureInstalled, root, runtime } = await import('./runtime.mjs');
await ensureInstalled({ forDevelopment: true });
const node = runtime();
const folder = makeTestFolder();
/** What a run leaves to the next one. */
const KEPT = join(root, 'node_modules', '.cache', 'pulse-tests');
const env = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
  NODE_ENV: 'test',
  // Each service that a test starts is a process of its own: a module is compiled once, for this run and the next ones. Node compares it with its file.
  NODE_COMPILE_CACHE: KEPT,
  TMPDIR: folder,
};
/** Runs a step and waits for it. @param quiet its output is shown when it has ended, and a failure is left to the caller @param variables more of its environment */
async function run(title, args, quiet = false, variables = {}) {
  if (!quiet) process.stdout.write(`\n— ${title}\n`);
  const started = Date.now();
  const child = spawn(node, args, {
    cwd: root,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    env: { ...env, ...variables },
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
  const [status, signal] = await once(child, 'close');
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(quiet ? `\n— ${title}\n${Buffer.concat(said)}  ${seconds} s\n` : `  ${seconds} s\n`);
  if (status === 0) return true;
  process.stderr.write(`pulse: ${title} failed${signal ? ` (${signal})` : ''}\n`);
  if (!quiet) process.exit(status ?? 1);
  return false;
}

const TIMES = join(root, 'test', 'times.json');
const given = process.argv.slice(2);
const takes = (option) => given.includes(option) && given.splice(given.indexOf(option), 1).length > 0;
const changed = takes('--changed');
const keepTimes = takes('--times');
const options = given.filter((argument) => argument.startsWith('-'));
const named = given.filter((argument) => !argument.startsWith('-'));

const whole = !changed && given.length === 0;
// Half of the machine is free while the site is built.
const checks = whole && runChecks();
await run('site', [join('scripts', 'build-console.mjs')]);
if (whole) await runWhole();
else if (changed) await runFiles((await import('./changed-tests.mjs')).changedTests(root, testFiles()));
else await runFiles(named.length === 0 ? testFiles() : named.flatMap(filesIn));

/** @param name a test file, or a folder of them */
function filesIn(name) {
  const path = relative(root, resolve(name));
  const found = testFiles().filter((file) => file === path || file.startsWith(join(path, sep)));
  if (found.length > 0) return found;
  process.stderr.write(`pulse: ${name} is not a test file, and holds none\n`);
  process.exit(1);
}

/** Every test, with the checks that are under way, then the requirements: each must be cited by a test that passed. A run of single files cannot say that. */
async function runWhole() {
  env.PULSE_TEST_RESULTS ??= folder;
  await runFiles(testFiles());
  if (!(await checks)) process.exit(1);
  await run('requirements', [join('test', 'spec', 'check-coverage.ts'), env.PULSE_TEST_RESULTS]);
  if (keepTimes) writeTimes();
}

/** Types and lint, one after the other, while the site is built and the tests run. */
async function runChecks() {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  // Without threads of its own the compiler takes 40 % less of the processors that the tests keep busy, and a quarter of the rest without collecting memory.
  const alone = '--singleThreaded';
  const go = { GOGC: 'off', GOMEMLIMIT: '1500MiB' };
  // A file is checked again when it, or one that it imports, changed since the last run.
  const since = (name) => ['--incremental', '--tsBuildInfoFile', join(KEPT, `${name}.tsbuildinfo`)];
  const types = await run('types', [tsc, '-p', '.', alone, ...since('root')], true, go);
  const site = await run('types of the site', [tsc, '-p', 'console', alone, ...since('console')], true, go);
  const lint = await run(
    'lint and format',
    [join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '.'],
    true,
  );
  return types && site && lint;
}

/** The files that take longest begin first, so that at the end no processor waits for one long file. */
async function runFiles(files) {
  const times = JSON.parse(fs.readFileSync(TIMES, 'utf8'));
  const seconds = (file) => times[file.replaceAll('\\', '/')] ?? 0;
  const ordered = files.toSorted((a, b) => seconds(b) - seconds(a));
  await run('tests', [join('scripts', 'run-test-files.mjs'), folder, ...options, ...ordered]);
}

/** Keeps the times of files that take longer than a second. */
function writeTimes() {
  const times = JSON.parse(fs.readFileSync(join(folder, 'times.json'), 'utf8'));
  const long = times.filter(([, seconds]) => seconds >= 1).sort((a, b) => b[1] - a[1]);
  const lines = long.map(
    ([file, seconds]) => `  ${JSON.stringify(file.replaceAll('\\', '/'))}: ${Math.round(seconds)}`,
  );
  fs.writeFileSync(TIMES, `{\n${lines.join(',\n')}\n}\n`);
}

function testFiles() {
  const files = globList(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts']);
  // Packages that `npm run test:clients` installs bring tests of their own.
  return files.filter((file) => !file.includes('node_modules'));
}

/** fs.globSync came with Node 22; this script may run on 20, so the pinned runtime lists the files. */
function globList(patterns) {
  if (fs.globSync !== undefined) return fs.globSync(patterns, { cwd: root }).sort();
  const code = `process.stdout.write(JSON.stringify(require('fs').globSync(${JSON.stringify(patterns)}).sort()))`;
  return JSON.parse(spawnSync(node, ['-e', code], { cwd: root, encoding: 'utf8' }).stdout);
}
