// `npm test`: installs missing packages, then types, lint and the part `quick` of test/parts.json. `npm run test:all`: every part, or those that are named.
// Arguments: test files or folders, `--changed` for those that a change can touch, options of the test runner (--test-name-pattern=…).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import './require-node.mjs';

const { ensureInstalled, root, runtime } = await import('./runtime.mjs');
const { PART_NAMES, changedTests, partOf, testFiles } = await import('./choose-tests.mjs');
await ensureInstalled({ forDevelopment: true });
const node = runtime();
/** What a run leaves to the next one. */
const KEPT = join(root, 'node_modules', '.cache', 'pulse-tests');
const folder = makeFolder();
const results = process.env.PULSE_TEST_RESULTS ?? folder;
const env = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
  NODE_ENV: 'test',
  // Each service that a test starts is a process of its own: a module is compiled once, for this run and the next ones. Node compares it with its file.
  NODE_COMPILE_CACHE: KEPT,
  TMPDIR: folder,
  PULSE_TEST_RESULTS: results,
};
const given = process.argv.slice(2);
const isOption = (argument) => argument.startsWith('-');
const options = given.filter((argument) => isOption(argument) && !['--all', '--changed'].includes(argument));
const named = given.filter((argument) => !isOption(argument));
let good = true;

if (given.includes('--all')) await runParts(named.length === 0 ? PART_NAMES : named);
else if (given.includes('--changed')) await runFiles('tests of the change', changedTests());
else if (named.length > 0) await runFiles('tests', named.flatMap(filesIn));
else await runParts(['quick']);
process.exitCode = good ? 0 : 1;

/** The parts one after the other. With `quick` go types and lint; where it is there, requirements are checked: those of the interface, of a whole run all. */
async function runParts(parts) {
  const filesOf = (part) => testFiles().filter((file) => partOf(file) === part);
  for (const part of parts) if (!PART_NAMES.includes(part)) end(`${part} is not a part: ${PART_NAMES.join(', ')}`);
  const checks = parts.includes('quick') && runChecks();
  for (const part of parts) await runFiles(part, filesOf(part));
  await checks;
  const rest = PART_NAMES.filter((part) => !parts.includes(part));
  const asked = rest.length === 0 ? [] : ['--interface'];
  if (checks) await run('requirements', [join('test', 'spec', 'check-coverage.ts'), results, ...asked]);
  const count = (some) => some.map((part) => `${part} (${filesOf(part).length} files)`).join(', ');
  const besides = rest.length === 0 ? '' : ` \`npm run test:all\` runs besides: ${count(rest)}.`;
  process.stdout.write(`\n${good ? 'Passed' : 'Failed'}: ${checks ? 'types, lint, ' : ''}${count(parts)}.${besides}\n`);
}

/** @param name a test file, or a folder of them */
function filesIn(name) {
  const path = relative(root, resolve(name)).replaceAll('\\', '/');
  const found = testFiles().filter((file) => file === path || file.startsWith(`${path}/`));
  return found.length > 0 ? found : end(`${name} is not a test file, and holds none`);
}

/** Types and lint, one after the other, while the tests run. */
async function runChecks() {
  // Without threads of its own the compiler takes 40 % less of the processors that the tests keep busy, and a quarter of the rest without collecting memory.
  const go = { GOGC: 'off', GOMEMLIMIT: '1500MiB' };
  // A file is checked again when it, or one that it imports, changed since the last run.
  for (const project of ['.', 'console', 'clients/typescript']) {
    const since = ['--incremental', '--tsBuildInfoFile', join(KEPT, `${project.replaceAll(/\W/g, '-')}.tsbuildinfo`)];
    const tsc = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', project, '--noEmit', '--singleThreaded'];
    await run(`types of ${project}`, [...tsc, ...since], { quiet: true, variables: go });
  }
  await run('lint and format', [join('node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '.'], {
    quiet: true,
  });
}

async function runFiles(title, files) {
  if (files.some((file) => partOf(file) !== 'quick')) await run('site', [join('scripts', 'build-console.mjs')]);
  // Services and commands take longest, so they begin first.
  const folders = [...new Set(files.map(dirname))].sort((a, b) => b.startsWith('test/') - a.startsWith('test/'));
  const groups = folders.map((one) => files.filter((file) => dirname(file) === one));
  env.PULSE_TEST_QUEUE = fs.mkdtempSync(join(folder, 'queue-'));
  fs.writeFileSync(join(env.PULSE_TEST_QUEUE, 'folders.json'), JSON.stringify(groups));
  // Every processor is at work: threads that compile or collect memory next to the tests only take it from others. Without them the files of src take a fifth less of it.
  const saturated = ['--single-threaded', '--min-semi-space-size=16', '--initial-old-space-size=256'];
  // Files wait for something at times: one process more than there are processors keeps these at work to 97 %.
  const processes = Math.min(groups.length, availableParallelism() + 1);
  // Where tests are chosen by name each file has its process: node:test asks before a suite has loaded its tests.
  const entries = options.length > 0 ? files : Array.from({ length: processes }, (_, index) => entry(index));
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/spec/note-skips.mjs',
    `--test-reporter-destination=${join(results, `skips-${title}.ndjson`)}`,
  ];
  const bounds = ['--test-timeout=300000', `--test-concurrency=${processes}`];
  await run(title, [...saturated, '--test', ...reporters, ...bounds, ...options, ...entries]);
}

/** node:test runs a file once, however often it is named. */
function entry(index) {
  const file = join(env.PULSE_TEST_QUEUE, `process-${index}.mjs`);
  fs.writeFileSync(file, `await import(${JSON.stringify(join(root, 'scripts', 'take-test-files.mjs'))});\n`);
  return file;
}

/** Runs a step and waits for it. @param quiet its output is shown when it has ended @param variables more of its environment */
async function run(title, args, { quiet = false, variables = {} } = {}) {
  if (!quiet) process.stdout.write(`\n— ${title}\n`);
  const started = Date.now();
  const stdio = ['ignore', ...Array(2).fill(quiet ? 'pipe' : 'inherit')];
  const child = spawn(node, args, { cwd: root, stdio, env: { ...env, ...variables } });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
  const [status, signal] = await once(child, 'close');
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${quiet ? `\n— ${title}\n${Buffer.concat(said)}` : ''}  ${seconds} s\n`);
  if (status === 0) return;
  good = false;
  process.stderr.write(`pulse: ${title} failed${signal ? ` (${signal})` : ''}\n`);
}

function end(fault) {
  process.stderr.write(`pulse: ${fault}\n`);
  process.exit(1);
}

/** The folder in which a run keeps everything that it writes: in memory where there is room, several times the most that a whole run holds at once. It goes with this process. */
function makeFolder() {
  const memory = '/dev/shm';
  const space = fs.existsSync(memory) ? fs.statfsSync(memory) : { bavail: 0, bsize: 0 };
  const room = Math.min(space.bavail * space.bsize, process.availableMemory?.() ?? freemem());
  const parent = room >= 6 * 1024 ** 3 ? memory : tmpdir();
  const prefix = 'pulse-test-of-';
  // What killed runs left.
  for (const name of fs.readdirSync(parent))
    if (
      name.startsWith(prefix) &&
      fs.existsSync('/proc/self') &&
      !fs.existsSync(join('/proc', name.slice(prefix.length)))
    )
      fs.rmSync(join(parent, name), { recursive: true, force: true });
  const made = join(parent, prefix + process.pid);
  fs.mkdirSync(made);
  // PostgreSQL runs as a user of its own and needs its folder in here.
  fs.chmodSync(made, 0o1777);
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}
