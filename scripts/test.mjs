// `npm test`: install what is missing, then type check, lint, and every *.test.ts. Arguments are passed to the test runner (files, --test-name-pattern …).
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureInstalled, root, runtime } from './runtime.mjs';

ensureInstalled({ forDevelopment: true });
const node = runtime();
/** Every test file and every service it starts is a process of its own: each module is compiled once for the whole run, and the folder goes when it ends. */
const compiled = fs.mkdtempSync(join(tmpdir(), 'pulse-test-code-'));
process.on('exit', () => fs.rmSync(compiled, { recursive: true, force: true }));
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}`, NODE_ENV: 'test', NODE_COMPILE_CACHE: compiled };
const run = (title, args) => {
  process.stdout.write(`\n— ${title}\n`);
  const started = Date.now();
  const { status, signal } = spawnSync(node, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) {
    process.stderr.write(`pulse: ${title} failed${signal ? ` (${signal})` : ''}\n`);
    process.exit(status ?? 1);
  }
  process.stdout.write(`  ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
};

const given = process.argv.slice(2);
if (given.length === 0) {
  run('types', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']);
  run('types of the site', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'console']);
  run('lint and format', [join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '.']);
}
run('site', [join('scripts', 'build-console.mjs')]);
const named = given.filter((argument) => !argument.startsWith('-'));
const files = named.length > 0 ? named : globList(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts']);
const runner = ['--test', '--test-concurrency=2', '--test-timeout=300000'];
if (given.length > 0) run('tests', [...runner, ...given.filter((argument) => argument.startsWith('-')), ...files]);
else runWhole();

/** Every test, then the requirements: each must be cited by a test that passed. A run of single files cannot say that. */
function runWhole() {
  const results = fs.mkdtempSync(join(tmpdir(), 'pulse-test-results-'));
  process.on('exit', () => fs.rmSync(results, { recursive: true, force: true }));
  env.PULSE_TEST_RESULTS = results;
  const spec = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const skips = ['--test-reporter=./test/spec/note-skips.mjs', `--test-reporter-destination=${join(results, 'skips.ndjson')}`];
  run('tests', [...runner, ...spec, ...skips, ...files]);
  run('requirements', [join('test', 'spec', 'check-coverage.ts'), results]);
}

/** fs.globSync came with Node 22; this script may run on 20, so the pinned runtime lists the files. */
function globList(patterns) {
  if (fs.globSync !== undefined) return fs.globSync(patterns, { cwd: root }).sort();
  const code = `process.stdout.write(JSON.stringify(require('fs').globSync(${JSON.stringify(patterns)}).sort()))`;
  return JSON.parse(spawnSync(node, ['-e', code], { cwd: root, encoding: 'utf8' }).stdout);
}
