// `npm test`: install what is missing, then type check, lint, and every *.test.ts. Arguments are passed to the test runner (files, --test-name-pattern …).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import './require-node.mjs';
import { makeTestFolder } from './make-test-folder.mjs';

const { ensureInstalled, root, runtime } = await import('./runtime.mjs');
await ensureInstalled({ forDevelopment: true });
const node = runtime();
const folder = makeTestFolder();
/** Every test file and every service it starts is a process of its own: each module is compiled once for the whole run. */
const compiled = join(folder, 'code');
const env = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
  NODE_ENV: 'test',
  NODE_COMPILE_CACHE: compiled,
  TMPDIR: folder,
};
/** Runs a step and waits for it. */
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

/** What takes longest begins first, so that at the end no processor waits for one long file. Those with a browser are apart. */
const LONGEST = [
  'test/site/flows.test.ts',
  'test/many-nodes/roles.test.ts',
  'test/evidence/end-to-end.test.ts',
  'test/site/pages.test.ts',
  'test/data/data-folder.test.ts',
  'test/http/hostile-bodies.test.ts',
  'test/site/second-factors.test.ts',
  'test/starter/starter.test.ts',
  'test/mcp/limits.test.ts',
  'test/many-nodes/frozen-stores.test.ts',
  'test/many-nodes/two-nodes.test.ts',
  'test/data/real-data.test.ts',
  'test/evidence/restored-store.test.ts',
  'test/evidence/demo-service.test.ts',
  'test/fuzz/requests.test.ts',
  'src/adapters/history/postgres/history.test.ts',
  'test/command-line/export.test.ts',
  'test/command-line/summarize.test.ts',
  'test/bulk/enrich.test.ts',
  'test/clients/clients.test.ts',
  'src/engine/evidence/live-evidence.test.ts',
];

const given = process.argv.slice(2);
const named = given.filter((argument) => !argument.startsWith('-'));
const site = () => run('site', [join('scripts', 'build-console.mjs')]);
const runner = ['--import', './scripts/end-test-file.mjs', '--test', '--test-timeout=300000'];
if (given.length === 0) await runWhole();
else {
  site();
  const files = named.length > 0 ? named : testFiles();
  run('tests', [...runner, '--test-concurrency=2', ...given.filter((argument) => argument.startsWith('-')), ...files]);
}

/** Types, lint and every test, then the requirements: each must be cited by a test that passed. A run of single files cannot say that. */
async function runWhole() {
  const results = join(folder, 'results');
  fs.mkdirSync(results);
  env.PULSE_TEST_RESULTS = results;
  const reporters = (skips) => [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=./test/spec/note-skips.mjs', `--test-reporter-destination=${join(results, skips)}`],
  ];
  const files = testFiles();
  // Core is pure: its files cannot disturb each other in one process, and a process for each takes longer than its tests.
  const isCore = (file) => file.startsWith(join('src', 'core'));
  const core = startAlongside([
    ...runner,
    '--test-isolation=none',
    ...reporters('skips-core.ndjson'),
    ...files.filter(isCore),
  ]);
  run('types', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', '.']);
  run('types of the site', [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'console']);
  run('lint and format', [join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '.']);
  site();
  await core.finish('tests of core');
  run('tests', [
    join('scripts', 'run-test-files.mjs'),
    join(results, 'skips.ndjson'),
    ...longestFirst(files.filter((file) => !isCore(file))),
  ]);
  run('requirements', [join('test', 'spec', 'check-coverage.ts'), results]);
}

/** Starts a step of one thread that runs while those after it run; `finish` waits for it and writes what it said. */
function startAlongside(args) {
  const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const ended = once(child, 'close');
  process.on('exit', () => child.kill());
  return {
    async finish(title) {
      const [status, signal] = await ended;
      process.stdout.write(`\n— ${title}\n${Buffer.concat(said)}`);
      if (status === 0) return;
      process.stderr.write(`pulse: ${title} failed${signal ? ` (${signal})` : ''}\n`);
      process.exit(status ?? 1);
    },
  };
}

/** The others begin in the order of their names. */
function longestFirst(files) {
  const isLong = (file) => LONGEST.includes(file.replaceAll('\\', '/'));
  const rank = (file) => LONGEST.indexOf(file.replaceAll('\\', '/'));
  return [...files.filter(isLong).sort((a, b) => rank(a) - rank(b)), ...files.filter((file) => !isLong(file))];
}

function testFiles() {
  return globList(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts']);
}

/** fs.globSync came with Node 22; this script may run on 20, so the pinned runtime lists the files. */
function globList(patterns) {
  if (fs.globSync !== undefined) return fs.globSync(patterns, { cwd: root }).sort();
  const code = `process.stdout.write(JSON.stringify(require('fs').globSync(${JSON.stringify(patterns)}).sort()))`;
  return JSON.parse(spawnSync(node, ['-e', code], { cwd: root, encoding: 'utf8' }).stdout);
}
