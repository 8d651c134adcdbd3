/**
 * A real Redis for tests on a free loopback port; its append-only file makes it remember across `stop` and
 * `start`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.ts';
import { install } from './install.ts';

export interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
  /** @param empty forgets everything */
  start(empty?: boolean): Promise<void>;
  /** Freezes the process: it keeps its connections and answers nothing until `resume`. */
  freeze(): void;
  resume(): void;
  dispose(): Promise<void>;
}

/**
 * Starts a server (Redis or Valkey) with further settings, or returns the reason why none can be had here,
 * for `t.skip`.
 */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer | { readonly skip: string }> {
  const binary = findBinary() ?? install('redis-server', findBinary);
  if (binary === undefined) return { skip: 'Redis is not installed and cannot be installed here' };
  const dir = mkdtempSync(join(tmpdir(), 'pulse-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const killHard = (): void => {
    child?.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true, maxRetries: 20 });
  };
  process.on('exit', killHard);
  const start = async (empty = false): Promise<void> => {
    if (empty) rmSync(join(dir, 'appendonlydir'), { recursive: true, force: true });
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      '--appendonly',
      'yes',
      '--appendfsync',
      'no',
      ...more,
    ];
    child = spawn(binary, settings, { stdio: 'ignore', cwd: dir });
    // A shared server must not keep the process alive.
    child.unref();
    for (let attempt = 0; !(await answers(port)); attempt += 1) {
      if (child.exitCode !== null || attempt > 200) throw new Error('Redis did not start');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    running.ref();
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await gone;
  };
  const dispose = async (): Promise<void> => {
    await stop();
    process.off('exit', killHard);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    dispose,
  };
}

function findBinary(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin', '/usr/local/bin'].filter(
    (folder) => folder !== '',
  );
  const candidates = ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => existsSync(path));
}

/** While the file is loading, the answer to PING is an error. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const done = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1000, () => done(false));
    socket.on('data', (chunk) => done(chunk.toString().startsWith('+PONG')));
    socket.on('error', () => done(false));
  });
}
