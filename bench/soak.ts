/**
 * Resident memory of the whole service under a long, seeded mix of every kind of request: look-ups of random addresses, `at`, keys, bad input, unknown paths,
 * site, console sign-in failures, OAuth, MCP, phone numbers, and connections that break off. Judges the slope after a warm-up; status 1 when it is too steep.
 *
 *   node bench/soak.ts [--requests 1000000] [--every 100000] [--connections 32] [--warm-up 0.4] [--allowed 4] [--seed 1] [--data-dir DIR]
 *
 * `--allowed` is MiB of growth for each 100,000 requests, by least squares over everything after the warm-up's share of the requests. Every request comes
 * from a random client behind a trusted proxy, so that tables of clients fill as they would in public. Linux only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVE_FLAGS } from '../scripts/runtime.mjs';
import { createKey, pulseJson } from '../test/support/cli.ts';
import { randomBelow } from '../test/support/random.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { cpuMicros, freePort, ROOT, residentMiB, scratch, stopAll } from './peers/http-load.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    every: { type: 'string', default: '100000' },
    connections: { type: 'string', default: '32' },
    'warm-up': { type: 'string', default: '0.4' },
    allowed: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    'data-dir': { type: 'string' },
  },
});
const REQUESTS = Number(values.requests);
const EVERY = Number(values.every);
const UNLIMITED = '1000000000';
/** Requests that a connection sends at once, and reads the answers of together. */
const PIPELINED = 16;
/** A connection is given up after so many requests, so that connections come and go too. */
const REQUESTS_A_CONNECTION = 800;
const SILENT_MS = 60_000;
const WORKERS = 2;

const below = randomBelow(Number(values.seed));
const word = (): number => below(0x1_0000) * 0x1_0000 + below(0x1_0000);
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
const v4 = (): string => [1 + below(223), below(256), below(256), below(256)].join('.');
const v6 = (): string =>
  `2${below(0x1000).toString(16).padStart(3, '0')}:${[word(), word()]
    .map((half) => half.toString(16))
    .join('::')
    .replace(/([0-9a-f]{1,4})([0-9a-f]{4})/g, '$1:$2')}`;
const random = (length: number): string => Array.from({ length }, () => below(36).toString(36)).join('');

interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

let key = '';
const JSON_BODY = 'Content-Type: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const MCP = [JSON_BODY, 'Accept: application/json, text/event-stream', 'MCP-Protocol-Version: 2025-06-18'];
const call = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: below(1000), method, params });
const withKey = (): readonly string[] => [`X-API-Key: ${key}`];
const post = (target: string, headers: readonly string[], body: string): Sent => ({
  method: 'POST',
  target,
  headers,
  body,
});

/** Kinds of requests by their share in a thousand. */
const KINDS: Readonly<Record<string, readonly [number, () => Sent]>> = {
  v4: [330, () => ({ target: `/v1/ip/${v4()}` })],
  v6: [140, () => ({ target: `/v1/ip/${v6()}` })],
  pulse: [110, () => ({ target: `/pulse/v1/ip/${v4()}`, headers: withKey() })],
  at: [
    40,
    () => ({
      target: `/pulse/v1/ip/${v4()}?at=${new Date(Date.now() - below(3_600_000)).toISOString()}`,
      headers: withKey(),
    }),
  ],
  badAddress: [
    50,
    () => ({ target: `/v1/ip/${pick(['x', '256.1.1.1', '10.0.0.1', '%31.2.3.4', '1.2.3', '::g', random(40)])}` }),
  ],
  badKey: [
    20,
    () => ({ target: `/pulse/v1/ip/${v4()}`, headers: [`X-API-Key: ${pick(['', 'pk_', 'pk_live_'])}${random(40)}`] }),
  ],
  keyInQuery: [5, () => ({ target: `/v1/ip/${v4()}?api_key=${random(20)}` })],
  unknown: [
    60,
    () => ({
      method: pick(['GET', 'POST', 'PUT', 'DELETE']),
      target: `/${random(1 + below(60))}/${random(8)}?${random(10)}`,
    }),
  ],
  wrongMethod: [
    20,
    () => ({
      method: pick(['PUT', 'DELETE', 'PATCH']),
      target: pick(['/mcp', '/v1/me', '/v1/ip/8.8.8.8', '/oauth/token']),
    }),
  ],
  me: [20, () => ({ target: '/v1/me', headers: withKey() })],
  site: [30, () => ({ target: pick(['/', '/en', '/docs/mcp', '/en/console', `/ip/${v4()}`, '/status']) })],
  files: [
    20,
    () => ({ target: pick(['/favicon.svg', '/robots.txt', '/openapi.json', '/llms.txt', '/server.json', '/healthz']) }),
  ],
  mcp: [40, () => post('/mcp', MCP, call('tools/call', { name: 'ip_risk_lookup', arguments: { ip: v4() } }))],
  mcpOther: [
    20,
    () => post('/mcp', MCP, pick([call('tools/list', {}), call('ping', {}), call(random(8), {}), '{', '[]'])),
  ],
  mcpAccount: [10, () => post('/mcp/account', [...MCP, `Authorization: Bearer ${random(43)}`], call('tools/list', {}))],
  phone: [
    15,
    () =>
      post(
        '/v1/phone/lookup',
        [JSON_BODY, ...withKey()],
        JSON.stringify({ number: `+861${3 + below(7)}${String(word() % 1e9).padStart(9, '0')}` }),
      ),
  ],
  phoneBad: [
    5,
    () => post('/v1/phone/batch', [JSON_BODY, ...withKey()], pick(['{', '{"numbers":[]}', '{"numbers":"x"}', ''])),
  ],
  evidenceBad: [5, () => post('/v1/evidence', [JSON_BODY, ...withKey()], `{"rows":[{"ip":"${random(5)}"}]}`)],
  authorize: [15, () => ({ target: `/oauth/authorize?client_id=${random(20)}&response_type=code&state=${random(8)}` })],
  authorizePage: [5, () => ({ target: `/console/oauth/${random(20)}` })],
  register: [
    2,
    () =>
      post(
        '/oauth/register',
        [JSON_BODY],
        JSON.stringify({ client_name: random(8), redirect_uris: ['http://127.0.0.1:3999/callback'] }),
      ),
  ],
  token: [
    15,
    () => post('/oauth/token', [FORM], `grant_type=authorization_code&code=${random(43)}&client_id=${random(20)}`),
  ],
  wellKnown: [
    10,
    () => ({
      target: pick(['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp/account']),
    }),
  ],
  signIn: [
    2,
    () =>
      post(
        '/console/api/session/sign-in',
        [JSON_BODY, 'Sec-Fetch-Site: same-origin'],
        `{"email":"${random(8)}@example.com","password":"${random(12)}"}`,
      ),
  ],
  session: [10, () => ({ target: '/console/api/session', headers: [`Cookie: pulse_session=${random(43)}`] })],
  head: [10, () => ({ method: 'HEAD', target: `/v1/ip/${v4()}` })],
};
const DRAWN = Object.values(KINDS).flatMap(([share, make]) => Array.from({ length: share }, () => make));

function bytesOf({ method = 'GET', target, headers = [], body }: Sent): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return `${[`${method} ${target} HTTP/1.1`, 'Host: pulse.test', `X-Forwarded-For: ${v4()}`, ...headers, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Takes whole answers off the front of what was read. @returns how many there were, and what is left */
function takeAnswers(text: string, heads: readonly boolean[]): { readonly answers: number; readonly rest: string } {
  let at = 0;
  let answers = 0;
  for (;;) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = text.slice(at, end);
    const empty = heads[answers] === true || /^HTTP\/1\.1 (204|304)/.test(head);
    const length = empty ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (!empty && /\r\ntransfer-encoding: chunked/i.test(head)) {
      const last = text.indexOf('\r\n0\r\n\r\n', end);
      if (last < 0) break;
      at = last + 7;
    } else {
      if (text.length < end + 4 + length) break;
      at = end + 4 + length;
    }
    answers += 1;
  }
  return { answers, rest: text.slice(at) };
}

let sent = 0;
let broken = 0;

/** One connection with its share of pipelined requests, until it has had enough or is closed. */
function converse(port: number): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ host: '127.0.0.1', port });
    // One character a byte, so that lengths can be counted.
    socket.setEncoding('latin1');
    socket.setTimeout(SILENT_MS, () =>
      failed(new Error(`no answer within ${SILENT_MS / 1000} s; last read: ${text.slice(0, 400)}`)),
    );
    let waiting: boolean[] = [];
    let left = REQUESTS_A_CONNECTION;
    let text = '';
    const next = (): void => {
      if (left <= 0 || sent >= REQUESTS) return void socket.end();
      const batch = Array.from({ length: Math.min(PIPELINED, left) }, () => pick(DRAWN)());
      left -= batch.length;
      sent += batch.length;
      waiting = batch.map(({ method }) => method === 'HEAD');
      socket.write(batch.map(bytesOf).join(''), 'latin1');
    };
    socket.on('connect', next);
    socket.on('data', (part: string) => {
      const { answers, rest } = takeAnswers(text + part, waiting);
      text = rest;
      waiting = waiting.slice(answers);
      if (waiting.length === 0) next();
    });
    socket.on('error', () => {
      broken += 1;
    });
    socket.on('close', () => done());
  });
}

const BODY_CUT =
  'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"';

/** Breaks off in one of several ways: in a head, in a body, before the answer is read, by end or reset. */
function breakOff(port: number): Promise<void> {
  return new Promise((done) => {
    const socket: Socket = connect({ host: '127.0.0.1', port });
    const bytes = pick([
      `GET /v1/ip/${v4()} HT`,
      BODY_CUT,
      BODY_CUT.replace('/mcp', '/oauth/token'),
      bytesOf(pick(DRAWN)()),
      'FOO / HTTP/1.1\r\n\r\n',
      random(100),
    ]);
    const reset = below(2) === 0;
    socket.on('error', () => {});
    socket.on('close', () => done());
    socket.on('connect', () => socket.write(bytes, () => (reset ? socket.resetAndDestroy() : socket.destroy())));
    sent += 1;
  });
}

async function connectionLoop(port: number): Promise<void> {
  while (sent < REQUESTS) {
    await converse(port);
    for (let i = 0; i < REQUESTS_A_CONNECTION / 100; i++) await breakOff(port);
  }
}

interface Sample {
  readonly requests: number;
  readonly rss: number;
  readonly threads: readonly string[];
}

const MIB = 2 ** 20;

/** Resident memory, and what each HTTP thread says of its own. */
async function sample(metricsPort: number, child: ChildProcess): Promise<Sample> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const of = (thread: number, kind: string): string => {
    const found = new RegExp(`pulse_thread_memory_bytes{thread="${thread}",kind="${kind}"} (\\S+)`).exec(text);
    return found === null ? '?' : (Number(found[1]) / MIB).toFixed(0);
  };
  const threads = Array.from({ length: WORKERS }, (_, thread) =>
    ['heap_used', 'heap_total', 'external', 'array_buffers'].map((kind) => of(thread, kind)).join(' / '),
  );
  return { requests: sent, rss: residentMiB(child.pid!), threads };
}

/** MiB for each 100,000 requests, by least squares. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number): number => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [x, y] = [mean(({ requests }) => requests), mean(({ rss }) => rss)];
  const sum = (of: (one: Sample) => number): number => samples.reduce((total, one) => total + of(one), 0);
  return (
    (sum(({ requests, rss }) => (requests - x) * (rss - y)) / sum(({ requests }) => (requests - x) ** 2)) * 100_000
  );
}

async function startService(
  dataDir: string,
): Promise<{ readonly child: ChildProcess; readonly port: number; readonly metricsPort: number }> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_METRICS: `127.0.0.1:${metricsPort}`,
    PULSE_WORKERS: String(WORKERS),
    PULSE_FEEDS: 'off',
    PULSE_LOG: 'error',
    PULSE_PHONE: 'on',
    PULSE_TRUSTED_PROXIES: '127.0.0.1/32',
    PULSE_ANON_PER_DAY: UNLIMITED,
    PULSE_ANON_PER_MIN: UNLIMITED,
  };
  const child = spawn(process.execPath, [...SERVE_FLAGS, join(ROOT, 'src/cli/main.ts'), 'serve'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const base = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + 90_000;
  for (;;) {
    const health = await fetch(`${base}/healthz`).catch(() => undefined);
    if (health?.status === 200) return { child, port, metricsPort };
    if (performance.now() > deadline || child.exitCode !== null) throw new Error('the service did not become ready');
    await new Promise((done) => setTimeout(done, 50));
  }
}

const dataDir = values['data-dir'] ?? join(scratch, 'data');
if (values['data-dir'] === undefined) writeSyntheticGeo(dataDir);
const made = createKey(dataDir, `soak-${process.pid}`, ['--plan', 'enterprise', '--dpa', '--phone']);
pulseJson(dataDir, [
  'account',
  'set',
  made.accountId,
  '--per-min',
  UNLIMITED,
  '--per-day',
  UNLIMITED,
  '--phone-per-min',
  UNLIMITED,
  '--phone-per-day',
  UNLIMITED,
]);
key = made.key;

const { child, port, metricsPort } = await startService(dataDir);
try {
  const samples: Sample[] = [await sample(metricsPort, child)];
  const begun = performance.now();
  const cpuBefore = cpuMicros(child.pid!);
  let finished = false;
  const loops = Promise.all(Array.from({ length: Number(values.connections) }, () => connectionLoop(port))).finally(
    () => {
      finished = true;
    },
  );
  loops.catch(() => {});
  while (!finished) {
    await new Promise((done) => setTimeout(done, 50));
    if (sent < samples.length * EVERY || finished) continue;
    const one = await sample(metricsPort, child);
    samples.push(one);
    process.stderr.write(`${one.requests} requests, ${one.rss} MiB, ${one.threads.join(' | ')}\n`);
  }
  await loops;
  const micros = (cpuMicros(child.pid!) - cpuBefore) / sent;
  const seconds = (performance.now() - begun) / 1000;
  const judged = samples.filter(({ requests }) => requests >= REQUESTS * Number(values['warm-up']));
  const steep = slope(judged);
  const head = [
    'requests',
    'RSS MiB',
    ...Array.from(
      { length: WORKERS },
      (_, thread) => `thread ${thread}: heap used / total / external / array buffers, MiB`,
    ),
  ];
  table(
    head,
    samples.map(({ requests, rss, threads }) => [requests.toLocaleString('en'), String(rss), ...threads]),
  );
  process.stdout.write(
    `${sent.toLocaleString('en')} requests in ${seconds.toFixed(0)} s, ${micros.toFixed(0)} µs of processor time each, ${broken} connections with an error; after the first ${Math.round(Number(values['warm-up']) * 100)} %: ${steep.toFixed(2)} MiB for each 100,000 requests (allowed ${values.allowed}).\n`,
  );
  if (steep > Number(values.allowed)) process.exitCode = 1;
} finally {
  child.kill('SIGTERM');
  if (child.exitCode === null) await new Promise((done) => child.once('exit', done));
  await stopAll();
}
