import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeSyntheticGeo } from './synthetic-geo.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface ServeProcess {
  readonly base: string;
  readonly port: number;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Everything written to standard output and standard error so far. */
  output(): string;
  /** Stops with SIGTERM and waits. @returns exit status */
  stop(): Promise<number | null>;
  /** Kills at once and waits. */
  kill(): Promise<void>;
  /** Stops and deletes the data folder. */
  dispose(): Promise<void>;
}

export interface ServeProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of an earlier server; a new one otherwise. */
  readonly dataDir?: string;
  /** False: no geo image, so that the server answers not_ready. */
  readonly geo?: boolean;
  /** Further arguments of `pulse serve`. */
  readonly args?: readonly string[];
  /** How long to wait for the first answer, milliseconds; 30 s when left out. */
  readonly waitMs?: number;
}

/** Starts `pulse serve` as its users do, on a free port, over a data folder with the small synthetic world, and waits until it answers. */
export async function serveProcess(options: ServeProcessOptions = {}): Promise<ServeProcess> {
  if (options.dataDir !== undefined) return serveOver(options.dataDir, options);
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-serve-'));
  try {
    if (options.geo !== false) writeSyntheticGeo(dataDir);
    return await serveOver(dataDir, options);
  } catch (error) {
    // Whoever asked never learns of the folder.
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

async function serveOver(dataDir: string, options: ServeProcessOptions): Promise<ServeProcess> {
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'] ?? '',
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_WORKERS: '2',
    PULSE_FEEDS: 'off',
    PULSE_PHONE: 'off',
    PULSE_LOG: 'warn',
    ...options.env,
  };
  const child = spawn(process.execPath, [join(ROOT, 'src/apps/cli/main.ts'), 'serve', ...(options.args ?? [])], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit');
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  const base = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${output}`);
    const health = await fetch(`${base}/healthz`).catch(() => undefined);
    if (health !== undefined && (health.status === 200 || options.geo === false)) break;
    if (performance.now() > deadline) {
      await stop('SIGKILL');
      throw new Error(`the server did not answer in time:\n${output}`);
    }
    await new Promise((done) => setTimeout(done, 25));
  }
  return {
    base,
    port,
    dataDir,
    child,
    output: () => output,
    stop: () => stop('SIGTERM'),
    kill: async () => void (await stop('SIGKILL')),
    dispose: async () => {
      await stop('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A TCP port nobody listens on now. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
