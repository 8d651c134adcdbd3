/** The TypeScript client as it is published: packed by npm, unpacked, and asked to talk to a real server and its sandbox. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import type * as ExpressEntry from '../../clients/typescript/src/express.ts';
import type * as FastifyEntry from '../../clients/typescript/src/fastify.ts';
import type * as HonoEntry from '../../clients/typescript/src/hono.ts';
import type * as Index from '../../clients/typescript/src/index.ts';
import type * as NextEntry from '../../clients/typescript/src/next.ts';
import { CLIENT_TYPES, clientTypes } from '../../scripts/client-types.ts';
import type { SandboxTable } from '../../src/contract/sandbox.ts';
import { createKey } from '../support/cli.ts';
import { compileAgainst, type PackedClient, packClient } from '../support/packed-client.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = join(ROOT, 'clients/typescript');
let packed: PackedClient;
let server: ServeProcess;
let key: string;
let Pulse: typeof Index.Pulse;
let PulseError: typeof Index.PulseError;
before(async () => {
  packed = packClient();
  ({ Pulse, PulseError } = await packed.load<typeof Index>('index'));
  server = await serveProcess({ env: { PULSE_WORKERS: '1' } });
  ({ key } = createKey(server.dataDir, 'client', ['--plan', 'enterprise', '--dpa']));
});
after(async () => {
  packed?.dispose();
  await server?.dispose();
});
const sandbox = (more: Partial<Index.PulseOptions> = {}): Index.Pulse =>
  new Pulse({ baseUrl: `${server.base}/sandbox/`, retries: 0, timeoutMs: 20_000, ...more });
const real = (more: Partial<Index.PulseOptions> = {}): Index.Pulse => new Pulse({ baseUrl: server.base, timeoutMs: 20_000, ...more });

/** The error a call must end with. */
async function failure(call: Promise<unknown>): Promise<Index.PulseError> {
  const error = await call.then(() => assert.fail('it has a result'), (reason: unknown) => reason); // biome-ignore format: short
  assert.ok(error instanceof PulseError, String(error));
  return error;
}

describe('the package', () => {
  test('holds compiled code, types, licence and manual, and nothing else', () => {
    const modules = ['decide', 'express', 'fastify', 'guard', 'hono', 'index', 'next', 'openapi.generated', 'pulse', 'pulse-error', 'transport'];
    const expected = ['LICENSE', 'README.md', 'package.json', ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])];
    assert.deepEqual([...packed.files].sort(), expected.sort());
    assert.equal(readFileSync(join(PACKAGE, 'LICENSE'), 'utf8'), readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  });

  test('has no dependency, and every entry point has a file of code and one of types', () => {
    const manifest = JSON.parse(readFileSync(join(packed.folder, 'node_modules/pulse-client/package.json'), 'utf8')) as Record<string, unknown> & {
      exports: Record<string, string | { types: string; default: string }>;
    };
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(manifest[kind], undefined);
    assert.equal(manifest['license'], 'Apache-2.0');
    for (const target of Object.values(manifest.exports))
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) assert.ok(packed.files.includes(file.slice(2)), file);
  });

  test('its code names no module but its own, and nothing that only Node has', () => {
    for (const file of packed.files.filter((path) => path.endsWith('.js'))) {
      const text = readFileSync(join(packed.folder, 'node_modules/pulse-client', file), 'utf8');
      const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name!);
      assert.deepEqual(imports.filter((name) => !/^\.\/[\w.-]+\.js$/.test(name)), [], file); // biome-ignore format: short
      assert.doesNotMatch(text, /\b(?:process|Buffer|require|__dirname)\b/, file);
    }
  });

  test('its types are those of openapi.json as it is now', () => {
    assert.equal(readFileSync(CLIENT_TYPES, 'utf8'), clientTypes(), 'run node scripts/client-types.ts');
  });

  test('a strict program without the types of Node compiles against it', () => {
    const file = join(packed.folder, 'consumer.mts');
    writeFileSync(file, CONSUMER);
    assert.equal(compileAgainst(packed, file), '');
  });

  test('runs on every Node here that is 20 or newer, under its own name', () => {
    const file = join(packed.folder, 'smoke.mjs');
    writeFileSync(file, `import { Pulse, decide } from 'pulse-client';\nimport 'pulse-client/express'; import 'pulse-client/fastify'; import 'pulse-client/hono'; import 'pulse-client/next';\nconst verdict = await new Pulse({ baseUrl: process.argv[2], timeoutMs: 20000 }).ip('192.0.2.5');\nconsole.log(decide(verdict).action, verdict.risk.score);\n`); // biome-ignore format: a program
    const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path));
    for (const node of nodes) {
      const version = Number(/\d+/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout)?.[0]);
      if (version < 20) continue;
      const { stdout, stderr } = spawnSync(node, [file, `${server.base}/sandbox`], { encoding: 'utf8', cwd: packed.folder });
      assert.equal(stdout, 'deny 90\n', `${node}: ${stderr}`);
    }
  });
});

const CONSUMER = `
import { decide, type IPRisk, Pulse, PulseError, type Policy } from 'pulse-client';
import { outcomeOf, pulseGuard } from 'pulse-client/next';
const pulse = new Pulse({ baseUrl: 'https://pulse.example.com', key: undefined, timeoutMs: 500 });
const policy: Policy = { denyFrom: 80, signals: { hosting: 'challenge' } };
const verdict: IPRisk = await pulse.ip('192.0.2.1', { signal: AbortSignal.timeout(100) });
const { action, reason } = decide(verdict, policy);
for await (const item of pulse.pulseBatches(['192.0.2.1'], { at: new Date() })) if ('error' in item) console.log(item.error.code, item.ip); else console.log(item.evidence[0]?.risk_type);
try { await pulse.phone('+8613800138000'); } catch (error) { if (error instanceof PulseError && error.code === 'quota_exceeded') console.log(error.retryAfter); }
const guard = pulseGuard({ pulse, failure: 'open', clientAddress: (request) => request.headers.get('x-real-ip') ?? undefined });
export const middleware = async (request: Request): Promise<Response | undefined> => (await guard(request)) ?? (outcomeOf(request)?.action === 'challenge' ? new Response(action + reason) : undefined);
// @ts-expect-error unknown and challenge are actions too
const allowed: 'allow' | 'deny' = action;
// @ts-expect-error failure has no default
pulseGuard({ pulse, clientAddress: () => allowed });
`;

describe('calls', () => {
  test('every address of the sandbox gives its verdict, or its refusal as an error with code, status and retryAfter', async () => {
    const table = (await (await fetch(`${server.base}/sandbox`)).json()) as SandboxTable;
    for (const row of table.addresses) {
      for (const path of row.paths) {
        const call = path.includes('/pulse/') ? sandbox().pulseIp(row.ip) : sandbox().ip(row.ip);
        if (!('code' in row)) {
          const { risk, evidence_state } = await call;
          assert.deepEqual([risk.score, evidence_state], [row.score, row.evidence_state], row.ip);
          continue;
        }
        const { code, status, retryAfter, body, requestId } = await failure(call);
        assert.deepEqual([code, status, body?.code], [row.code, row.status, row.code], row.ip);
        assert.equal(retryAfter !== undefined, status === 429 || status === 503, row.ip);
        assert.match(requestId ?? '', /^\w+-\w+$/);
      }
    }
    assert.ok(table.addresses.length > 50);
  });

  test('at is a Date or a text with any offset', async () => {
    const at = new Date('2026-11-01T12:00:00Z');
    assert.equal((await sandbox().pulseIp('192.0.2.5', { at })).computed_at, at.toISOString());
    assert.equal((await sandbox().pulseIp('192.0.2.5', { at: '2026-11-01T20:00:00+08:00' })).computed_at, at.toISOString());
  });

  test('the key goes into its header, and an address cannot lead to another path', async () => {
    assert.equal((await real({ key }).me()).plan, 'enterprise');
    assert.deepEqual((await real({ key }).pulseIp('8.8.8.8')).evidence, []);
    assert.equal((await failure(real({ key: 'pk_wrong' }).ip('8.8.8.8'))).code, 'invalid_key');
    for (const ip of ['../me', 'x?at=1', '8.8.8.8#', ''])
      assert.match((await failure(real({ key }).ip(ip))).code, /^(?:invalid_ip|not_found|bad_request)$/, ip);
  });

  test('options that cannot be meant are refused at once', () => {
    for (const baseUrl of ['pulse.example.com', 'ftp://pulse.example.com', 'https://user:pass@pulse.example.com', 'https://pulse.example.com/?key=x'])
      assert.throws(() => new Pulse({ baseUrl }), TypeError, baseUrl);
    for (const more of [{ timeoutMs: 0 }, { retries: -1 }, { retries: 1.5 }, { batchSize: 1001 }])
      assert.throws(() => sandbox(more), TypeError, JSON.stringify(more));
  });
});

describe('batches', () => {
  test('any number of addresses is split, and the items come back in order', async () => {
    const ips = Array.from({ length: 2300 }, (_, i) => (i % 700 === 3 ? `no address ${i}` : `8.8.${i >> 8}.${i & 255}`));
    const items = await real({ key }).batch(ips);
    assert.deepEqual(items.map(({ ip }) => ip), ips); // biome-ignore format: short
    const codes = items.map((item) => ('error' in item ? item.error.code : undefined));
    assert.deepEqual(codes.flatMap((code, i) => (code === 'invalid_ip' ? [i] : [])), [3, 703, 1403, 2103]); // biome-ignore format: short
    assert.ok(codes.includes(undefined), 'some have a verdict');
    assert.deepEqual(await real({ key }).batch([]), []);
  });

  test('with evidence, from addresses that come one by one, in requests of a chosen size', async () => {
    const sizes: number[] = [];
    const counting: typeof fetch = (url, init) => {
      sizes.push((JSON.parse(String(init!.body)) as { ips: string[] }).ips.length);
      return fetch(url, init);
    };
    async function* addresses() {
      for (const ip of ['8.8.8.8', '1.2.3.4', '10.0.0.1', '8.8.8.9', 'x']) yield ip;
    }
    const items = await real({ key, batchSize: 2, fetch: counting }).pulseBatch(addresses());
    assert.deepEqual(items.map((item) => ('error' in item ? item.error.code : item.evidence.length)), [0, 0, 'reserved_ip', 0, 'invalid_ip']); // biome-ignore format: short
    assert.deepEqual(sizes, [2, 2, 1]);
  });

  test('a refused batch is an error, and so is an answer that lost a line', async () => {
    const refused = await failure(real().batch(Array.from({ length: 61 }, () => '8.8.8.8')));
    assert.deepEqual([refused.code, refused.status], ['batch_over_rate_limit', 429]);
    const half = answering(() => new Response('{"ip":"8.8.8.8"}\n'));
    assert.equal((await failure(half.pulse.batch(['8.8.8.8', '8.8.8.9']))).code, 'invalid_answer');
  });
});

/** A client whose answers come from a function, with how often it was asked. */
function answering(answer: (attempt: number, init: RequestInit) => Response | Promise<Response>, more: Partial<Index.PulseOptions> = {}) {
  const asked: RequestInit[] = [];
  const pulse = new Pulse({ baseUrl: 'https://pulse.example.com', fetch: async (_url, init) => await answer(asked.push(init!), init!), ...more });
  return { pulse, asked };
}
const refusal = (status: number, code: string, retryAfter?: number): Response =>
  new Response(JSON.stringify({ error: { code, message: 'x' } }), { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } });
const good = (): Response => new Response('{"ip":"8.8.8.8"}');
const turns = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

describe('attempts', () => {
  test('Retry-After is waited for, to the second', async (t: TestContext) => {
    t.mock.timers.enable();
    const { pulse, asked } = answering((attempt) => (attempt === 1 ? refusal(429, 'rate_limited', 3) : good()), { timeoutMs: 10_000 });
    const call = pulse.ip('8.8.8.8');
    await turns();
    t.mock.timers.tick(2999);
    await turns();
    assert.equal(asked.length, 1);
    t.mock.timers.tick(1);
    assert.equal((await call).ip, '8.8.8.8');
    assert.equal(asked.length, 2);
  });

  test('a wait that the time for the call cannot hold is not begun', async () => {
    const { pulse, asked } = answering(() => refusal(429, 'rate_limited', 3), { timeoutMs: 2500 });
    const error = await failure(pulse.ip('8.8.8.8'));
    assert.deepEqual([error.code, error.retryAfter, asked.length], ['rate_limited', 3, 1]);
  });

  test('what passes by itself is asked again as often as allowed, and nothing else is', async (t: TestContext) => {
    t.mock.timers.enable();
    const count = async (answer: () => Response, call: (pulse: Index.Pulse) => Promise<unknown>): Promise<number> => {
      const { pulse, asked } = answering(answer, { retries: 3, timeoutMs: 1_000_000 });
      const ended = failure(call(pulse));
      for (let i = 0; i < 20; i++) {
        await turns();
        t.mock.timers.tick(10_000);
      }
      await ended;
      return asked.length;
    };
    const broken = (): Response => {
      throw new TypeError('connection refused');
    };
    const single = (pulse: Index.Pulse) => pulse.ip('8.8.8.8');
    const batch = (pulse: Index.Pulse) => pulse.batch(['8.8.8.8'], { timeoutMs: 1_000_000 });
    assert.equal(await count(() => refusal(503, 'not_ready', 2), single), 4);
    assert.equal(await count(() => new Response('<html>', { status: 502 }), single), 4);
    assert.equal(await count(broken, single), 4);
    assert.equal(await count(() => refusal(429, 'rate_limited', 2), batch), 4);
    // Whether it was charged is not known.
    assert.equal(await count(broken, batch), 1);
    for (const code of ['quota_exceeded', 'quota_exceeded_anon', 'batch_over_rate_limit'])
      assert.equal(await count(() => refusal(429, code, 1), single), 1, code);
    for (const [status, code] of [[400, 'invalid_ip'], [401, 'invalid_key'], [404, 'not_found'], [500, 'internal_error']] as const)
      assert.equal(await count(() => refusal(status, code), single), 1, code); // biome-ignore format: short
  });

  test('the time for the call ends it, also while the body is being read', async () => {
    const silent = answering((_, init) => new Promise((_resolve, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason))), {
      timeoutMs: 20,
    });
    assert.equal((await failure(silent.pulse.ip('8.8.8.8'))).code, 'timeout');
    const endless = await endlessServer();
    after(() => endless.close());
    assert.equal((await failure(new Pulse({ baseUrl: endless.base, timeoutMs: 200 }).ip('8.8.8.8'))).code, 'timeout');
  });

  test("the caller's signal ends the call with its own reason, before it, during it and during a wait", async () => {
    const controller = new AbortController();
    const waiting = answering(() => refusal(429, 'rate_limited', 50), { timeoutMs: 100_000 });
    const call = waiting.pulse.ip('8.8.8.8', { signal: controller.signal });
    await turns();
    controller.abort(new Error('the visitor left'));
    await assert.rejects(call, /the visitor left/);
    await assert.rejects(waiting.pulse.ip('8.8.8.8', { signal: controller.signal }), /the visitor left/);
    assert.equal(waiting.asked.length, 1);
  });

  test('no answer is cached, no redirect is followed, and what is not of Pulse is an error', async () => {
    const { pulse, asked } = answering(() => new Response('<html>it works</html>'));
    assert.equal((await failure(pulse.ip('8.8.8.8'))).code, 'invalid_answer');
    assert.deepEqual([asked[0]!.cache, asked[0]!.redirect], ['no-store', 'error']);
    assert.equal((await failure(new Pulse({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).ip('8.8.8.8'))).code, 'network');
  });
});

/** A server that sends the beginning of an answer and nothing more. */
async function endlessServer(): Promise<{ readonly base: string; close(): void }> {
  const { createServer } = await import('node:http');
  const http = createServer((_request, response) => void response.writeHead(200).write('{"ip":'));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

/** The header in which the tests' own proxy names the client. */
const HEADER = 'x-test-client';
type Failure = Index.GuardOptions['failure'];
type Ask = (ip: string | undefined) => Promise<{ readonly status: number; readonly text: string }>;

/** Each framework with its middleware, and a route behind it that answers with the action of the outcome. */
const FRAMEWORKS: Readonly<Record<string, (t: TestContext, guard: Index.GuardOptions) => Promise<Ask>>> = {
  async express(t, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof ExpressEntry>('express');
    const app = express();
    app.use(pulseGuard({ ...guard, clientAddress: (request: express.Request) => request.get(HEADER) }));
    app.get('/', (request, response) => void response.send(outcomeOf(request)?.action));
    const listening = app.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    t.after(() => listening.close());
    const base = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    return async (ip) => {
      const response = await fetch(base, { headers: { ...(ip !== undefined && { [HEADER]: ip }), connection: 'close' } });
      return { status: response.status, text: await response.text() };
    };
  },
  async fastify(t, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof FastifyEntry>('fastify');
    const app = fastify();
    t.after(() => app.close());
    await app.register(pulseGuard, { ...guard, clientAddress: (request) => request.headers[HEADER] as string | undefined });
    app.get('/', (request) => outcomeOf(request)?.action);
    return async (ip) => {
      const { statusCode, body } = await app.inject({ url: '/', headers: ip === undefined ? {} : { [HEADER]: ip } });
      return { status: statusCode, text: body };
    };
  },
  async hono(_t, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof HonoEntry>('hono');
    const app = new Hono();
    app.use(pulseGuard({ ...guard, clientAddress: (context) => context.req.header(HEADER) }));
    app.get('/', (context) => context.text(String(outcomeOf(context)?.action)));
    return async (ip) => {
      const response = await app.request('/', { headers: ip === undefined ? {} : { [HEADER]: ip } });
      return { status: response.status, text: await response.text() };
    };
  },
  async next(_t, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof NextEntry>('next');
    const check = pulseGuard({ ...guard, clientAddress: (request) => request.headers.get(HEADER) ?? undefined });
    return async (ip) => {
      const request = new Request('https://app.example.com/', { headers: ip === undefined ? {} : { [HEADER]: ip } });
      const response = (await check(request)) ?? new Response(outcomeOf(request)?.action);
      return { status: response.status, text: await response.text() };
    };
  },
};

for (const [name, build] of Object.entries(FRAMEWORKS)) {
  describe(`middleware for ${name}`, () => {
    const asking = (t: TestContext, failureIs: Failure, more: Partial<Index.GuardOptions> = {}): Promise<Ask> =>
      build(t, { pulse: sandbox(), failure: failureIs, timeoutMs: 20_000, ...more });

    test('denies by active evidence, and hands on what is allowed, challenged or unknown', async (t) => {
      const ask = await asking(t, 'closed');
      assert.deepEqual(await ask('192.0.2.5'), { status: 403, text: '{"error":"forbidden"}' });
      for (const [ip, action] of [['192.0.2.3', 'allow'], ['192.0.2.4', 'challenge'], ['192.0.2.1', 'unknown'], ['192.0.2.2', 'unknown'], ['203.0.113.1', 'unknown'], ['10.0.0.1', 'unknown']])
        assert.deepEqual(await ask(ip), { status: 200, text: action }, `${ip}`); // biome-ignore format: short
    });

    test('lets requests through or refuses them where there is no verdict, as `failure` says', async (t) => {
      const seen: Index.Outcome[] = [];
      const open = await asking(t, 'open', { onOutcome: (outcome) => void seen.push(outcome) });
      const closed = await asking(t, 'closed');
      for (const ip of ['203.0.113.9', '203.0.113.5', 'no address', undefined]) {
        assert.deepEqual(await open(ip), { status: 200, text: 'unknown' }, `${ip}`);
        assert.deepEqual(await closed(ip), { status: 503, text: '{"error":"unavailable"}' }, `${ip}`);
      }
      assert.deepEqual(seen.map(({ reason }) => reason.replace(/.*: /, '')), ['not_ready', 'quota_exceeded_anon', 'invalid_ip', 'clientAddress gave no address.']); // biome-ignore format: short
    });

    test('follows the policy, and spares shared addresses with the professional document', async (t) => {
      const strict = await asking(t, 'closed', { policy: { challengeFrom: 1, denyFrom: 1 } });
      assert.equal((await strict('192.0.2.3')).status, 403);
      const spared = await asking(t, 'closed', { professional: true });
      assert.deepEqual(await spared('192.0.2.5'), { status: 200, text: 'challenge' });
      assert.equal((await spared('198.51.100.9')).status, 403);
    });

    test('is not built without failure and clientAddress', async (t) => {
      await assert.rejects(asking(t, undefined as unknown as Failure), TypeError);
      await assert.rejects(asking(t, 'open', { policy: { denyFrom: 0 } }), TypeError);
    });
  });
}
