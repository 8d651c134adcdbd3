/**
 * Every endpoint that takes a body, every field of it, with values chosen to break code that trusts their type: never a fault of ours, always the endpoint's own
 * error body. The endpoints are those the server itself registers, so that a new one cannot be left out.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { SqlBeaconStore } from '../../src/adapters/beacons/sql-beacon-store.ts';
import { SqlCollectionStore } from '../../src/adapters/collection/sql-collection-store.ts';
import { HistoryThread } from '../../src/adapters/evidence/history-thread.ts';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { senderNameFault } from '../../src/adapters/feeds/sender-name-fault.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { HttpPlugin } from '../../src/apps/http/create-app.ts';
import { evidenceRoute } from '../../src/apps/http/routes/evidence/evidence-route.ts';
import { phoneRoutes } from '../../src/apps/http/routes/phone/phone-routes.ts';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { loadConfig } from '../../src/config.ts';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { httpPlugins } from '../../src/main/app/http-plugins.ts';
import { openSite } from '../../src/main/app/open-site.ts';
import { createAccount } from '../../src/service/accounts/create-account.ts';
import { createKey } from '../../src/service/accounts/create-key.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { hostileJson } from '../support/hostile-json.ts';
import { PASSWORD, type PluginOptions, startMcpService, type TestService } from '../support/mcp-service.ts';
import { OAuthClient } from '../support/oauth-client.ts';

const SEED = 20_261_122;
const RUNS_A_FIELD = 4;
/** Far above any answer: only a request that hangs meets it. */
const HANG_MS = 60_000;

let service: TestService;
let parts: PluginOptions;
let intake: HistoryThread;
const routes = new Set(
  ROUTES.flatMap(([method, path, , file]) =>
    file === 'http/fast-lane.ts' && method === 'POST' ? [`${method} ${path}`] : [],
  ),
);

const TAKES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Writes down routes of the other groups. */
const listRoutes: HttpPlugin = (app) => {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.unlisted === true) return;
    for (const one of [method].flat()) if (TAKES_BODY.has(one)) routes.add(`${one} ${url}`);
  });
};

const phone = {
  libraries: {
    lookup: async (digits: readonly string[]) => ({
      dataVersion: { cn: '1', sg: '1' },
      findings: digits.map(() => []),
    }),
    state: async () => [],
    close: async () => {},
  },
  segments: { version: 'none', records: 0, facts: () => undefined },
};

before(async () => {
  service = await startMcpService({
    plugins(given) {
      parts = given;
      const config = loadConfig({ PULSE_DATA_DIR: given.dataDir, PULSE_SECRET: 'x'.repeat(40) }, 1);
      intake = new HistoryThread(config);
      const site = openSite({
        config,
        faults: () => new Map(),
        baseUrl: given.baseUrl,
        clock: systemClock,
        accounts: given.accounts,
        hasher: given.keys.hasher,
        beacons: new SqlBeaconStore(given.records),
        collection: new SqlCollectionStore(given.records),
        phone,
        history: undefined,
        view: given.view,
        feedNotes: () => undefined,
        leftOut: () => undefined,
        refreshFeed: () => {},
        acceptReading: (feed, digest) => intake.acceptReading(feed, digest),
      });
      return [
        listRoutes,
        ...httpPlugins(config),
        phoneRoutes(phone),
        evidenceRoute({
          accept: (body, request) => intake.accept(body, request),
          heartbeat: (heartbeat) => intake.heartbeat(heartbeat),
          senderNameFault,
        }),
        ...site,
      ];
    },
  });
});
after(async () => {
  await service.close();
  await intake.close();
});

interface Caller {
  readonly id: string;
  readonly email: string;
  readonly headers: Record<string, string>;
}

/** A body of an endpoint when it is good, and where and how it is sent. */
interface Shape {
  readonly form: 'json' | 'lines' | 'urlencoded';
  readonly answer: 'api' | 'oauth' | 'page' | 'mcp';
  readonly bodies: (caller: Caller) => readonly object[];
  readonly as?: (email: string) => Promise<Caller>;
  /** Statuses of the body as it stands, which show that it was read and judged; those of success when left out. */
  readonly good?: readonly number[];
  /** The path of a request, where the route has parameters or needs a query. */
  readonly path?: (caller: Caller) => string | Promise<string>;
}

const stranger = async (email: string): Promise<Caller> => ({ id: '', email, headers: {} });

async function operator(email: string): Promise<Caller> {
  const by = { actor: 'cli', at: service.now() } as const;
  const wish = { email, password: PASSWORD, plan: 'enterprise', phone: true, dpa: true, operator: true };
  return { id: (await createAccount(service.accounts, wish, by)).id, email, headers: {} };
}

async function keyOwner(email: string): Promise<Caller> {
  const caller = await operator(email);
  const { secret } = await createKey(
    service.accounts,
    parts.keys.hasher,
    { accountId: caller.id, name: 'test', phone: true },
    { actor: 'cli', at: service.now() },
  );
  return { ...caller, headers: { authorization: `Bearer ${secret}` } };
}

async function signedIn(email: string): Promise<Caller> {
  const caller = await operator(email);
  const response = await send(
    'POST',
    '/console/api/session/sign-in',
    'application/json',
    JSON.stringify({ email, password: PASSWORD }),
  );
  assert.equal(response.status, 200, response.text);
  const { csrf } = JSON.parse(response.text) as { readonly csrf: string };
  return { ...caller, headers: { cookie: response.headers.getSetCookie()[0]!.split(';')[0]!, 'x-csrf-token': csrf } };
}

/** A browser that stands before the page where an app asks for consent. */
const atConsent = (prefix: '' | '/en') => async (email: string): Promise<Caller> => {
  const caller = await operator(email);
  const browser = new BrowserJar(service.baseUrl);
  const client = new OAuthClient(service.baseUrl, { prefix });
  await client.register();
  const page = await browser.go(client.authorizeUrl());
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  assert.ok(action !== '' && csrf !== '', page.text);
  return { ...caller, id: `${csrf} ${action}`, headers: { cookie: browser.cookieFor(action), origin: service.baseUrl } };
}; // biome-ignore format: one caller

const json = (
  body: object | ((caller: Caller) => object),
  as: Shape['as'] = stranger,
  path?: Shape['path'],
): Shape => ({
  form: 'json',
  answer: 'api',
  bodies: (caller) => [typeof body === 'function' ? body(caller) : body],
  as,
  ...(path === undefined ? {} : { path }),
});

/** An app that is registered: the client's id stands for the caller's. */
async function app(email: string): Promise<Caller> {
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  return { id: client.clientId, email, headers: {} };
}

const oauth = (body: object, good: readonly number[]): Shape => ({
  form: 'urlencoded',
  answer: 'oauth',
  as: app,
  good,
  bodies: ({ id }) => [{ client_id: id, resource: `${service.baseUrl}/mcp/account`, ...body }],
});

const register: Shape = {
  form: 'json',
  answer: 'oauth',
  bodies: () => [
    {
      client_name: 'App',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
      scope: 'ip:lookup',
      client_uri: 'https://app.example/',
      software_id: 'app',
      software_version: '1',
    },
  ],
};

const token = oauth(
  {
    grant_type: 'authorization_code',
    code: 'x'.repeat(43),
    redirect_uri: 'http://127.0.0.1:3999/callback',
    code_verifier: 'v'.repeat(43),
    refresh_token: 'r'.repeat(43),
    scope: 'ip:lookup',
  },
  [400],
);
const revoke = oauth({ token: 'x'.repeat(43), token_type_hint: 'refresh_token' }, [200]);

const consent = (prefix: '' | '/en'): Shape => ({
  form: 'urlencoded',
  answer: 'page',
  good: [401],
  as: atConsent(prefix),
  bodies: ({ id, email }) => [{ csrf: id.split(' ')[0], action: 'sign-in', email, password: 'not the password' }],
  path: ({ id }) => id.split(' ')[1]!,
});

const message = (method: string, params?: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
});
const call = message('tools/call', {
  name: 'ip_risk_lookup',
  arguments: { ip: '8.8.8.8' },
  _meta: { progressToken: 1 },
});
const mcp: Shape = {
  form: 'json',
  answer: 'mcp',
  good: [200, 202, 400, 404],
  bodies: () => [
    call,
    message('tools/call', { name: 'ip_risk_batch', arguments: { ips: ['8.8.8.8', 'x'] } }),
    message('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'test', version: '1' },
    }),
    message('tools/list', { cursor: 'x' }),
    message('server/discover', {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      },
    }),
    message('subscriptions/listen', { notifications: {} }),
    message('ping'),
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
    { jsonrpc: '2.0', id: 1, result: {} },
    message('toString', { constructor: 1 }),
  ],
};
/** The same methods behind other doors: the call alone is tried there. */
const mcpAccount: Shape = { ...mcp, good: [200], bodies: () => [call], as: keyOwner };

const secretLink = { token: 't'.repeat(43), password: PASSWORD, language: 'en' };

const SHAPES: Readonly<Record<string, Shape>> = {
  'POST /v1/ip/batch': json({ ips: ['8.8.8.8', 'x'] }, keyOwner),
  'POST /pulse/v1/ip/batch': json({ ips: ['8.8.8.8', 'x'], at: '2026-11-20T00:00:00Z' }, keyOwner),
  'POST /v1/phone/lookup': json({ number: '+8613800138000' }, keyOwner),
  'POST /v1/phone/batch': json({ numbers: ['+8613800138000', 'x'] }, keyOwner),
  'POST /v1/evidence': {
    form: 'lines',
    answer: 'api',
    as: keyOwner,
    bodies: () => [{ ip: '8.8.8.8', risk_type: 'proxy', captured_at: '2026-11-20T00:00:00Z', pool: 'vendor' }],
    path: () => '/v1/evidence?source=sensor',
  },
  'POST /console/api/keys': json(
    { name: 'key', per_day: 10, expires_at: '2030-01-01T00:00:00Z', phone: true },
    signedIn,
  ),
  'POST /console/api/ip/batch': json({ ips: ['8.8.8.8', 'x'] }, signedIn),
  'POST /console/api/phone/lookup': json({ number: '+8613800138000' }, signedIn),
  'POST /console/api/phone/batch': json({ numbers: ['+8613800138000'] }, signedIn),
  'POST /console/api/operator/beacons': json(
    { risk_type: 'vpn', pool: 'brand', expires_at: '2030-01-01T00:00:00Z' },
    signedIn,
  ),
  'POST /console/api/operator/feeds/:id/refresh': json(
    {},
    signedIn,
    () => `/console/api/operator/feeds/${CATALOGUE[0]!.id}/refresh`,
  ),
  'PATCH /console/api/operator/feeds/:id': json(
    { off: false },
    signedIn,
    () => `/console/api/operator/feeds/${CATALOGUE[0]!.id}`,
  ),
  'POST /console/api/operator/feeds/:id/accept': {
    ...json({ digest: 'A'.repeat(43) }, signedIn, () => `/console/api/operator/feeds/${CATALOGUE[0]!.id}/accept`),
    good: [404],
  },
  'PATCH /console/api/operator/accounts/:id': json(
    { plan: 'free', dpa: true, phone: false, verified: true },
    signedIn,
    async () => {
      const { id } = await operator(`${randomUUID()}@example.com`);
      return `/console/api/operator/accounts/${id}`;
    },
  ),
  'POST /console/api/session/sign-in': json(({ email }) => ({ email, password: PASSWORD, language: 'en' }), operator),
  'POST /console/api/session/sign-out': json({}, signedIn),
  'POST /console/api/session/sign-up': json(() => ({
    email: `${randomUUID()}@example.com`,
    password: PASSWORD,
    language: 'en',
  })),
  'POST /console/api/session/verify': { ...json(secretLink), good: [400] },
  'POST /console/api/session/operator': {
    ...json({ token: 'A'.repeat(43), email: 'op@example.com', password: PASSWORD }),
    good: [400],
  },
  'POST /console/api/session/forgot': json(({ email }) => ({ email, language: 'en' }), operator),
  'POST /console/api/session/reset': { ...json(secretLink), good: [400] },
  'POST /console/api/session/factor': {
    ...json({ step: 'A'.repeat(43), code: '123456', passkey: { id: 'A', response: {} } }),
    good: [400],
  },
  'POST /console/api/session/confirm': { ...json({ password: 'not the password' }, signedIn), good: [401] },
  'POST /console/api/session/factors/totp': json({}, signedIn),
  'POST /console/api/session/factors/totp/confirm': {
    ...json({ step: 'A'.repeat(43), code: '123456' }, signedIn),
    good: [400],
  },
  // Passkeys need a host name, and this server has an IP address.
  'POST /console/api/session/factors/passkeys/options': { ...json({}, signedIn), good: [400] },
  'POST /console/api/session/factors/passkeys': {
    ...json({ step: 'A'.repeat(43), name: 'x', response: { id: 'A', response: {} } }, signedIn),
    good: [400],
  },
  'POST /console/api/session/factors/recovery-codes': { ...json({}, signedIn), good: [400] },
  'PATCH /console/api/session/factors/id/:id': {
    ...json({ name: 'x' }, signedIn, () => '/console/api/session/factors/id/fac_1'),
    good: [404],
  },
  'POST /console/api/session/password': {
    ...json({ current: 'not the password', next: 'another good password', language: 'en' }, signedIn),
    good: [401],
  },
  'POST /console/api/account/delete': { ...json({ password: 'not the password' }, signedIn), good: [401] },
  'POST /mcp': mcp,
  'POST /mcp/account': mcpAccount,
  'POST /en/mcp/account': mcpAccount,
  'POST /oauth/register': register,
  'POST /en/oauth/register': register,
  'POST /oauth/token': token,
  'POST /en/oauth/token': token,
  'POST /oauth/revoke': revoke,
  'POST /en/oauth/revoke': revoke,
  'POST /console/oauth/:uid': consent(''),
  'POST /en/console/oauth/:uid': consent('/en'),
};

const MEDIA_TYPES = {
  json: 'application/json',
  lines: 'application/x-ndjson',
  urlencoded: 'application/x-www-form-urlencoded',
} as const;

test('the server registers no endpoint with a body that is not tried here', async () => {
  await send('POST', '/mcp', 'application/json', '{}');
  assert.deepEqual([...routes].sort(), Object.keys(SHAPES).sort());
});

for (const [index, [route, shape]] of Object.entries(SHAPES).entries())
  test(`${route}: for any content of a field or the body, the answer is one of its own`, async () => {
    const caller = await (shape.as ?? stranger)(`hostile-${index}@example.com`);
    const path = (await shape.path?.(caller)) ?? route.split(' ')[1]!;
    let asked = 0;
    const ask = async (body: string | Uint8Array, type: string = MEDIA_TYPES[shape.form]): Promise<Answer> => {
      // Emptying the limiter takes longer than most answers; ten attempts are let through.
      if (asked++ % 8 === 0) service.forgetAttempts();
      const answer = await send(route.split(' ')[0]!, path, type, body, caller.headers);
      judge(answer, shape.answer, typeof body === 'string' ? body.slice(0, 300) : Buffer.from(body).toString('hex'));
      return answer;
    };
    for (const body of shape.bodies(caller)) {
      // Else every try would be stopped at the door.
      const { status, text } = await ask(written(body, shape.form));
      assert.ok((shape.good ?? [200, 201, 202, 204]).includes(status), `${status} ${text}`);
      for (const place of placesIn(body))
        await fc.assert(
          fc.asyncProperty(hostileJson, async (value) => {
            const answer = await ask(written(changed(body, place, value), shape.form));
            // One row does not cost those around it.
            if (shape.form === 'lines')
              assert.ok((JSON.parse(answer.text) as { readonly accepted: number }).accepted >= 2, answer.text);
          }),
          { seed: SEED + index, numRuns: RUNS_A_FIELD, examples: [[{ toString: 1, valueOf: 1, toJSON: 1 }]] },
        );
    }
    for (const body of rawBodies(shape.bodies(caller)[0]!)) await ask(body);
    for (const type of ['', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '__proto__'])
      await ask('{"number":1}', type);
    assert.deepEqual(service.faults, []);
  });

/** Bodies that no object is the source of. */
function rawBodies(good: object): readonly (string | Uint8Array)[] {
  const field = Object.keys(good)[0] ?? 'x';
  const deep = '['.repeat(20_000);
  return [
    '', ' ', 'null', '[]', '{}', '{', '"x"', '-0', '1e999', 'NaN', 'true', '\ufeff{}', '{"a":1}{"a":2}', '\u0000', deep, `${deep}${']'.repeat(20_000)}`,
    `{"${field}":1,"${field}":"2","${field}":{}}`, `{"${field}":${deep}${']'.repeat(20_000)}}`, `{"__proto__":{"${field}":"x"}}`, `{"constructor":{"prototype":{"${field}":1}}}`,
    `{"${field}":-0}`, `{"${field}":1e999}`, `{"${field}":${'9'.repeat(5000)}}`, `{"${field}":"\\ud800"}`, 'ip,risk_type\n8.8.8.8,toString\n', '8.8.8.8\n__proto__\n',
    `${field}=%ED%A0%80&${field}=%&=&&${field}[toString]=1&__proto__=1`, Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  ]; // biome-ignore format: a list
}

type Place = readonly string[];

/** Every field of a body, at any depth, and a field it does not have. */
function placesIn(value: unknown, at: Place = []): readonly Place[] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) => placesIn(member, [...at, key]))
      : [];
  return at.length === 0 ? [...inside, ['not_a_field']] : [at, ...inside];
}

function changed(value: unknown, [key, ...rest]: Place, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.map((member, index) => (String(index) === key ? changed(member, rest, to) : member));
  return { ...(value as object), [key]: changed((value as Readonly<Record<string, unknown>>)[key], rest, to) };
}

const GOOD_LINE = '{"ip":"45.1.1.1","risk_type":"proxy"}';

function written(body: unknown, form: Shape['form']): string {
  if (form === 'json') return JSON.stringify(body);
  if (form === 'lines') return `${GOOD_LINE}\n${JSON.stringify(body)}\n${GOOD_LINE}\n`;
  return new URLSearchParams(
    Object.entries(body as object).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(
  method: string,
  path: string,
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(type === '' ? {} : { 'content-type': type }),
      ...headers,
    },
    body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(HANG_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function judge({ status, headers, text }: Answer, kind: Shape['answer'], sent: string): void {
  const about = `${status} ${text.slice(0, 300)} to ${sent}`;
  assert.ok(status >= 200 && status < 500, about);
  assert.notEqual(headers.get('x-request-id'), null, about);
  if (text === '') {
    assert.ok(status < 400 || kind === 'oauth', about);
    return;
  }
  if (kind === 'page' && /^text\/html/.test(headers.get('content-type') ?? '')) {
    assert.match(text, /^<!doctype html>/i);
    return;
  }
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (kind === 'oauth' && typeof body['error'] === 'string') assert.match(body['error'], /^[a-z_]+$/, about);
  else if (kind === 'mcp' && body['jsonrpc'] !== undefined) judgeRpc(body, about);
  else if (status >= 400) judgeProblem(status, body, about);
}

function judgeProblem(status: number, body: Readonly<Record<string, unknown>>, about: string): void {
  const { code, message } = body['error'] as { readonly code: ErrorCode; readonly message: unknown };
  assert.ok(Object.hasOwn(ERRORS, code), about);
  assert.equal(ERRORS[code].status, status, about);
  assert.equal(typeof message, 'string', about);
}

function judgeRpc(body: Readonly<Record<string, unknown>>, about: string): void {
  assert.equal(body['jsonrpc'], '2.0', about);
  const error = body['error'] as { readonly code: unknown; readonly message: unknown } | undefined;
  if (error === undefined) assert.equal(typeof body['result'], 'object', about);
  else {
    assert.ok(Number.isInteger(error.code) && error.code !== -32_603, about);
    assert.equal(typeof error.message, 'string', about);
  }
}
