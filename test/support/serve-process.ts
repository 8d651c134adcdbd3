import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadSecret } from '../../src/adapters/data-folder/deployment-secret.ts';
import { openRecordsFile } from '../../src/adapters/database/migrations/index.ts';
import { sqlitePath } from '../../src/adapters/database/open-sqlite.ts';
import { openPhoneWriter } from '../../src/adapters/phone-db/open-phone.ts';
import { PHONE_LIBRARIES } from '../../src/contract/phone.ts';
import { unixMs } from '../../src/core/units.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { pulseEnvironment } from './pulse-environment.ts';
import { writeSyntheticGeo } from './synthetic-geo.ts';
import { testFolder } from './test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/**
 * Loaded with `--import`, this lets `moveClock` move the clock; TEST_CLOCK_SHIFT_MS says how far ahead it
 * starts.
 */
export const MOVABLE_CLOCK = pathToFileURL(join(import.meta.dirname, 'movable-clock.mjs')).href;

/**
 * A service of a test lives for seconds. It starts with a fifth less processor time where memory is collected
 * later and the slowest compiler is left out. Paths of modules are taken as they are, because nothing in
 * node_modules is a link.
 */
const SHORT_LIVED = [
  '--initial-old-space-size=64',
  '--no-opt',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
  `--import=${pathToFileURL(join(import.meta.dirname, 'keep-code.mjs')).href}`,
];

export interface ServeProcess {
  readonly base: string;
  readonly port: number;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** It is the port of the metrics listener, unless PULSE_METRICS was set. */
  readonly metricsPort: number;
  /** Waits for the listener and scrapes it once. */
  metrics(): Promise<string>;
  output(): string;
  stop(): Promise<number | null>;
  /** Time of the server's clock, Unix milliseconds. */
  now(): number;
  /**
   * Moves the clock of all threads forward, or back where negative. The server must have been started with
   * `clockAt`.
   */
  moveClock(byMs: number): Promise<void>;
  kill(): Promise<void>;
  /** Kills and deletes the data folder: an orderly stop takes half a second. */
  dispose(): Promise<void>;
}

export interface ServeProcessOptions {
  /**
   * They come on top of the ordinary settings of a test: one lookup thread, neither feeds nor phone numbers.
   */
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  /**
   * `false` leaves the geo image out, so that the server prepares the installed data. 'withheld' leaves the
   * data out too, and the server answers not_ready until it is killed.
   */
  readonly geo?: false | 'withheld';
  /**
   * 'shipped': with PULSE_PHONE the service fills its libraries with the 93,000 shipped numbers, which takes
   * two seconds of processor time; otherwise they are empty.
   */
  readonly phones?: 'shipped';
  readonly args?: readonly string[];
  /** The server's clock stands at this moment when it starts (Unix milliseconds), and `moveClock` moves it. */
  readonly clockAt?: number | 'now';
  readonly publicHost?: string;
  readonly waitMs?: number;
}

/**
 * Starts `pulse serve` as its users do, on a free port, over a data folder with the small synthetic world,
 * and waits until it answers.
 */
export async function serveProcess(options: ServeProcessOptions = {}): Promise<ServeProcess> {
  if (options.dataDir !== undefined) return serveOver(options.dataDir, options);
  const dataDir = mkdtempSync(join(tmpdir(), 'pulse-serve-'));
  try {
    if (options.geo === 'withheld') withholdGeo(dataDir);
    else if (options.geo !== false) {
      writeSyntheticGeo(dataDir);
      if (options.env?.['PULSE_DATABASE_URL'] === undefined)
        copyFileSync(await emptyRecords(), join(dataDir, 'pulse.db'));
    }
    if (options.env?.['PULSE_PHONE'] === 'on' && options.phones !== 'shipped')
      await emptyLibraries(dataDir, options.env);
    return await serveOver(dataDir, options);
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

let records: Promise<string> | undefined;

/**
 * `pulse.db` without accounts: where it is there, a first start need not load the query builder that makes
 * the tables.
 */
function emptyRecords(): Promise<string> {
  records ??= (async () => {
    const path = sqlitePath({ dataDir: testFolder('records') });
    openRecordsFile(path).close();
    return path;
  })();
  return records;
}

async function emptyLibraries(dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const config = { dataDir, databaseUrl: env['PULSE_DATABASE_URL'], secret: env['PULSE_SECRET'], phone: true };
  const writer = openPhoneWriter(config, loadSecret(config));
  try {
    for (const library of PHONE_LIBRARIES)
      if ((await writer.held(library)) === undefined)
        await writer.replace(library, noChanges(), { dataVersion: '20260101', at: unixMs(Date.now()), shipped: true });
  } finally {
    await writer.close();
  }
}

async function* noChanges(): AsyncGenerator<readonly []> {}

/** A network list that is a pipe: the thread that prepares the data waits for its first byte. */
function withholdGeo(dataDir: string): void {
  mkdirSync(join(dataDir, 'network'));
  execFileSync('mkfifo', [join(dataDir, 'network', 'withheld.json')]);
}

async function serveOver(dataDir: string, options: ServeProcessOptions): Promise<ServeProcess> {
  const port = Number(options.env?.['PULSE_PORT'] ?? (await freePort()));
  const metricsPort = await freePort();
  let shiftMs = typeof options.clockAt === 'number' ? options.clockAt - Date.now() : 0;
  const env = {
    ...pulseEnvironment,
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_WORKERS: '1',
    PULSE_FEEDS: 'off',
    PULSE_PHONE: 'off',
    PULSE_LOG: 'warn',
    PULSE_METRICS: `127.0.0.1:${metricsPort}`,
    ...(options.clockAt !== undefined && {
      NODE_OPTIONS: `--import=${MOVABLE_CLOCK}`,
      TEST_CLOCK_SHIFT_MS: String(shiftMs),
    }),
    ...(options.publicHost !== undefined && { PULSE_BASE_URL: `http://${options.publicHost}:${port}` }),
    ...options.env,
  };
  const command = [join(ROOT, 'src/cli/main.ts'), 'serve', ...(options.args ?? [])];
  const child = spawn(process.execPath, [...SHORT_LIVED, ...command], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  const exited = once(child, 'exit');
  // Another process on this port may never answer.
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  const base = `http://127.0.0.1:${port}`;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let last = '';
  const answers = async (): Promise<boolean> => {
    if (hasEnded()) return true;
    const [health, others] = await Promise.all(
      ['/readyz', '/robots.txt'].map((path) => fetch(base + path, { signal: ended.signal }).catch(() => undefined)),
    );
    last = health === undefined ? 'no answer' : `${health.status} ${await health.text()}`;
    // Lookup threads answer the first request; the thread for everything else may still be starting.
    return (
      health !== undefined && (options.geo !== undefined || (health.status === 200 && (others?.status ?? 503) !== 503))
    );
  };
  // At its level of logging a service that still starts says nothing.
  const hint = (): string => `GET ${base}/readyz: ${last}\nthe service wrote: ${output || 'nothing'}`;
  await eventually(answers, { withinMs: options.waitMs ?? 180_000, everyMs: 50, hint }).catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  // GET /readyz speaks of lookups; the other requests wait for the thread that starts after those of lookups.
  await fetch(`${base}/robots.txt`, { signal: ended.signal }).catch(() => undefined);
  if (hasEnded())
    throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}: ${output || 'without a word'}`);
  return {
    base,
    port,
    dataDir,
    child,
    metricsPort,
    metrics: async () => {
      const scraped = await eventually(() => fetch(`http://127.0.0.1:${metricsPort}/metrics`), { hint: () => output });
      return await scraped.text();
    },
    output: () => output,
    now: () => Date.now() + shiftMs,
    moveClock: async (byMs) => {
      if (options.clockAt === undefined) throw new Error('this server was started without clockAt');
      const moved = once(child, 'message');
      child.send({ moveClockMs: byMs });
      ({ clockShiftMs: shiftMs } = ((await moved) as [{ clockShiftMs: number }])[0]);
    },
    stop: () => stop('SIGTERM'),
    kill: async () => void (await stop('SIGKILL')),
    dispose: async () => {
      await stop('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
