import { execFileSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { CATALOGUE } from '../../../src/adapters/feeds/catalogue.ts';
import { ROUTES } from '../../../src/apps/http/routes.ts';
import { ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import { spellKey } from '../../../src/core/caller/key-text.ts';
import { unixMs } from '../../../src/core/units.ts';
import { type Accounts, openAccounts } from '../../../src/main/accounts/open-accounts.ts';
import { createAccount } from '../../../src/service/create-account.ts';
import { createKey } from '../../../src/service/create-key.ts';
import { revokeKey } from '../../../src/service/revoke-key.ts';
import { setAccount } from '../../../src/service/set-account.ts';
import { BrowserJar } from '../browser-jar.ts';
import { eventually } from '../eventually.ts';
import { hostileJson } from '../hostile-json.ts';
import { PASSWORD } from '../mcp-service.ts';
import { OAuthClient, REDIRECT } from '../oauth-client.ts';
import { randomBelow } from '../random.ts';
import { type ServeProcess, serveProcess } from '../serve-process.ts';
import { mutate } from './mutate.ts';

export interface RequestRun {
  readonly seed: number;
  readonly requests: number;
  readonly parallel: number;
}

export interface RequestResult {
  readonly statuses: ReadonlyMap<number, number>;
  /** Method and path of each route of the table, with the answers it gave behind its door: below 400, and where something is changed also refusals of what was sent. */
  readonly answered: ReadonlyMap<string, number>;
  /** Resident memory of the server, MiB, at equal distances over the run. */
  readonly memoryMb: readonly number[];
  readonly faults: readonly string[];
}

const FAULTS_MAX = 20;
const HANG_MS = 30_000;
const SAMPLES = 12;
const EMAIL = 'fuzz@example.com';
const OPERATOR = 'operator@example.com';
const MOST = { perMin: 10_000_000, perDay: 100_000_000, phonePerMin: 10_000_000, phonePerDay: 100_000_000 };

/**
 * Draws requests over the whole route table and sends them to a server of its own: methods, parameters, queries, headers, bodies and cookies, sound and
 * broken, as callers of every kind. Judges each answer; the same seed draws the same requests.
 */
export async function fuzzRequests({ seed, requests, parallel }: RequestRun): Promise<RequestResult> {
  const server = await serveProcess({
    env: { PULSE_PHONE: 'on', PULSE_SIGNUP: 'open', PULSE_ANON_PER_MIN: '10000000', PULSE_ANON_PER_DAY: '100000000', PULSE_TRUSTED_PROXIES: '127.0.0.1' },
  });
  try {
    const world = await makeWorld(server);
    const agent = new Agent({ keepAlive: true, maxSockets: parallel });
    const statuses = new Map<number, number>();
    const answered = new Map<string, number>();
    const faults: string[] = [];
    const memoryMb: number[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < requests && faults.length < FAULTS_MAX) {
        const index = next++;
        if (index % Math.ceil(requests / SAMPLES) === 0) memoryMb.push(residentMb(server));
        const drawn = draw(randomBelow(Math.imul(seed ^ 0x51ed_270b, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b)), index, world);
        const answer = await send(server.port, agent, drawn).catch((error: Error) => error);
        const fault = answer instanceof Error ? `no answer: ${answer.message}` : judge(drawn, answer, world);
        if (fault !== undefined) faults.push(`seed ${seed}, request ${index}: ${fault}\n  ${describe(drawn)}`);
        if (answer instanceof Error) continue;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (drawn.own && isBehindDoor(drawn.method, answer.status)) answered.set(drawn.route, (answered.get(drawn.route) ?? 0) + 1);
        if (drawn.route.includes('/session/') && answer.status < 300) await world.renew();
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    memoryMb.push(residentMb(server));
    agent.destroy();
    const health = await fetch(`${server.base}/healthz`);
    if (health.status !== 200) faults.push(`at the end /healthz answers ${health.status}`);
    if (/"level":(?:50|60)|thread died|internal_error/.test(server.output())) faults.push(`the log reports a fault: ${server.output().slice(-3000)}`);
    await world.close();
    return { statuses, answered, memoryMb, faults };
  } finally {
    await server.dispose();
  }
}

const isBehindDoor = (method: string, status: number): boolean => status < 400 || (!['GET', 'HEAD'].includes(method) && ![401, 403, 405, 429].includes(status));

const residentMb = ({ child }: ServeProcess): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1024);

interface Caller {
  readonly name: string;
  headers: Readonly<Record<string, string>>;
}

interface World {
  readonly base: string;
  readonly callers: readonly Caller[];
  /** Of the callers the one that may send captures. */
  readonly operatorKey: Caller;
  /** Values of route parameters and fields that name something that is there. */
  readonly ids: readonly string[];
  readonly clientId: string;
  /** Texts that no answer may repeat. */
  readonly secrets: readonly string[];
  renew(): Promise<void>;
  close(): Promise<void>;
}

async function makeWorld(server: ServeProcess): Promise<World> {
  const accounts: Accounts = await openAccounts({ dataDir: server.dataDir, databaseUrl: undefined, secret: undefined });
  const by = () => ({ actor: 'cli', at: unixMs(Date.now()) }) as const;
  const account = async (email: string, wish: object): Promise<string> => {
    const { id } = await createAccount(accounts.store, { email, password: PASSWORD, ...wish }, by());
    await setAccount(accounts.store, id, MOST, by());
    return id;
  };
  const keyOf = async (accountId: string): Promise<{ id: string; secret: string }> => {
    const { key, secret } = await createKey(accounts.store, accounts.hasher, { accountId, name: 'fuzz', phone: true }, by());
    return { id: key.id, secret };
  };
  const free = await account('free@example.com', {});
  const user = await account(EMAIL, { plan: 'enterprise', phone: true, dpa: true });
  const operator = await account(OPERATOR, { plan: 'enterprise', phone: true, dpa: true, operator: true });
  const victims = [await account('victim-1@example.com', {}), await account('victim-2@example.com', { plan: 'professional' })];
  const [freeKey, userKey, operatorKey, revoked] = [await keyOf(free), await keyOf(user), await keyOf(operator), await keyOf(user)];
  await revokeKey(accounts.store, revoked.id, by());
  const app = new OAuthClient(server.base);
  const consent = await app.approve(new BrowserJar(server.base), EMAIL);
  const tokens = (await (await app.exchange(consent.searchParams.get('code') ?? '')).json()) as { readonly access_token: string };
  const session: Caller = { name: 'session', headers: {} };
  const operatorSession: Caller = { name: 'operator session', headers: {} };
  const renew = async (): Promise<void> => {
    for (const [caller, email] of [[session, EMAIL], [operatorSession, OPERATOR]] as const) if (!(await isSignedIn(server.base, caller))) caller.headers = await signIn(server.base, email);
  }; // biome-ignore format: pairs
  await renew();
  await eventually(async () => (await fetch(`${server.base}/v1/phone/meta/coverage`, { headers: { 'x-api-key': userKey.secret } })).status === 200);
  const secrets = [freeKey, userKey, operatorKey, revoked].map(({ secret }) => secret);
  const keys: readonly Caller[] = [...secrets, spellKey(new Uint8Array(20).fill(7)), 'hello'].map((secret, n) => ({
    name: `key ${n}`,
    headers: n % 2 === 0 ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` },
  }));
  return {
    base: server.base,
    operatorKey: keys[2]!,
    callers: [{ name: 'nobody', headers: {} }, ...keys, { name: 'app', headers: { authorization: `Bearer ${tokens.access_token}` } }, session, operatorSession],
    ids: [...victims, freeKey.id, revoked.id, ...CATALOGUE.slice(0, 3).map(({ id }) => id)],
    clientId: app.clientId,
    secrets: [...secrets, tokens.access_token, PASSWORD],
    renew,
    close: () => accounts.close(),
  };
}

const isSignedIn = async (base: string, { headers }: Caller): Promise<boolean> =>
  headers['cookie'] !== undefined && (await fetch(`${base}/console/api/session`, { headers })).status === 200;

async function signIn(base: string, email: string): Promise<Record<string, string>> {
  const response = await fetch(`${base}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base, 'x-forwarded-for': `203.0.${Math.floor(Math.random() * 100)}.9` },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (response.status !== 200) throw new Error(`sign-in is answered ${response.status}: ${await response.text()}`);
  const { csrf } = (await response.json()) as { readonly csrf: string };
  return { cookie: response.headers.getSetCookie()[0]!.split(';')[0]!, 'x-csrf-token': csrf, origin: base };
}

interface DrawnRequest {
  readonly route: string;
  /** The route's own method: not one that is refused for itself. */
  readonly own: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'SEARCH', 'LINK'];
/** Pages of the site are many and alike: one of them for each four others. */
const PAGES = ROUTES.filter(([, , , file]) => file.startsWith('site/'));
const ENDPOINTS = ROUTES.filter(([, , , file]) => !file.startsWith('site/'));

const ADDRESSES = ['8.8.8.8', '1.2.3.4', '9.9.9.9', '77.77.77.77', '2001:4860::8888', '10.0.0.1', '::1', '2001:4860%3A%3A1', '8.8.8.256', '8.8.8.8%20'];
const ODD = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2e%2e%2fetc',
  '%00',
  '%zz',
  '%',
  '%ff%fe',
  '%F0%9F%92%A9',
  '%2F',
  '%5C',
  '%0d%0aX:%20y',
  'null',
  '__proto__',
  'constructor',
  '{{7*7}}',
  '%3Cscript%3E',
  "'--",
  '-1',
  '1e999',
  'a'.repeat(3000),
  '%61'.repeat(500),
];
const QUERY = [
  'at',
  'source',
  'token',
  'api_key',
  'key',
  'client_id',
  'redirect_uri',
  'response_type',
  'state',
  'code',
  'next',
  'limit',
  'days',
  '__proto__',
  'resource',
  'ui_locales',
  'x',
];
const VALUES = [
  '2026-11-20T08:00:00Z',
  '2026-11-20T08:00:00%2B08:00',
  'sensor',
  'code',
  'https://evil.example/',
  '//evil.example',
  '/%09/evil.example',
  '1',
  '-1',
  '999999999999',
  'NaN',
  'en',
  'zh',
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['application/json', 'application/json, text/event-stream', 'text/html', '*/*', 'x', ', , ,'],
  'accept-language': ['en', 'zh-CN,zh;q=0.9', '*', 'x'.repeat(2000)],
  'accept-encoding': ['gzip', 'br', 'identity;q=0', 'deflate, gzip;q=1.0, *;q=0.5'],
  'content-type': [
    'application/json',
    'application/json; charset=utf-8',
    'application/x-www-form-urlencoded',
    'application/x-ndjson',
    'text/csv',
    'text/plain',
    'multipart/form-data',
    '',
    '__proto__',
  ],
  'content-encoding': ['gzip', 'br', 'identity', 'x'],
  cookie: ['pulse_session=x', 'a=b; pulse_session=; pulse_session=y', '__Host-pulse_session=z', ';;;=', `c=${'d'.repeat(3000)}`],
  forwarded: ['for=1.2.3.4;host=evil.example;proto=https'],
  host: ['evil.example', '127.0.0.1', 'localhost:1', '[::1]:80', 'a b'],
  'if-none-match': ['*', '"x"', 'W/"x", "y"'],
  'if-modified-since': ['Thu, 20 Nov 2036 10:00:00 GMT', 'x'],
  'mcp-protocol-version': ['2025-11-25', '2024-11-05', '2026-07-28', 'x'],
  'mcp-session-id': ['x'],
  origin: ['https://evil.example', 'null', '', 'http://127.0.0.1'],
  range: ['bytes=0-0', 'bytes=-1', 'bytes=9-1,3-'],
  referer: ['https://evil.example/?pk_x'],
  'sec-fetch-site': ['cross-site', 'same-origin', 'none', 'x'],
  'user-agent': ['', 'GPTBot/1.2', 'x'.repeat(4000), 'Mozilla/5.0 \u00ff'],
  'x-api-key': ['pk_x', '', 'pk_0123456789abcdefghijklmnopqrstuv', 'a, b'],
  authorization: ['Basic eDp5', 'Bearer', 'Bearer  ', 'bearer x y', 'Digest x'],
  'x-csrf-token': ['x', ''],
  'x-forwarded-for': ['203.0.113.9', '10.0.0.1, 8.8.8.8', ',,,', '[2001:db8::1]:9', 'x', Array(300).fill('1.1.1.1').join(',')],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['https', 'javascript'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['x', 'a'.repeat(1000)],
};
const HEADER_NAMES = Object.keys(HEADERS);

const message = (method: string, params?: object): object => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
const link = { token: 't'.repeat(43), password: PASSWORD, language: 'en' };
const CALL = message('tools/call', { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } });
const REGISTRATION = { client_name: 'App', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
const TOKEN = { grant_type: 'authorization_code', code: 'x'.repeat(43), redirect_uri: REDIRECT, code_verifier: 'v'.repeat(43), refresh_token: 'r'.repeat(43) };

/** Sound bodies by the end of the path; others are sent an empty object. */
const BODIES: readonly (readonly [path: RegExp, ...bodies: object[]])[] = [
  [/\/phone\/lookup$/, { number: '+8613800138000' }],
  [/\/phone\/batch$/, { numbers: ['+8613800138000', '+6591234567', 'x'] }],
  [/\/v1\/evidence$/, { ip: '8.8.8.8', risk_type: 'proxy', captured_at: '2026-11-20T00:00:00Z', pool: 'vendor' }],
  [/\/keys$/, { name: 'key', per_day: 10, expires_at: '2030-01-01T00:00:00Z', phone: true }],
  [/\/operator\/feeds\/:id$/, { off: false }, { off: true }],
  [/\/accept$/, { digest: 'A'.repeat(43) }],
  [/\/operator\/accounts\/:id$/, { plan: 'free', dpa: true, phone: false }],
  [/\/sign-in$/, { email: 'victim-1@example.com', password: 'not the password', language: 'en' }],
  [/\/sign-up$/, { email: 'free@example.com', password: PASSWORD, language: 'en' }],
  [/\/(?:verify|reset)$/, link],
  [/\/forgot$/, { email: 'victim-2@example.com', language: 'en' }],
  [/\/session\/password$/, { current: 'not the password', next: 'another good password', language: 'en' }],
  [/\/mcp(?:\/account)?$/, CALL, message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }), message('tools/list'), message('ping')],
  [/\/oauth\/register$/, REGISTRATION],
  [/\/oauth\/(?:token|revoke)$/, { ...TOKEN, token: 'x'.repeat(43) }],
  [/\/console\/oauth\/:uid$/, { csrf: 'x', action: 'sign-in', email: EMAIL, password: 'not the password' }],
]; // biome-ignore format: one path a line

const HOSTILE = fc.sample(hostileJson, { seed: 20_261_122, numRuns: 400 });

type Below = (bound: number) => number;

function draw(below: Below, index: number, world: World): DrawnRequest {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const [methods, pattern, , file] = index % 5 === 0 ? PAGES[(index / 5) % PAGES.length]! : ENDPOINTS[index % ENDPOINTS.length]!;
  const own = below(8) !== 0;
  const method = own ? one(methods.split(', ')) : one(METHODS);
  const isOperators = pattern.includes('/operator/');
  const likely =
    pattern === '/v1/evidence'
      ? world.operatorKey
      : isOperators
        ? world.callers.at(-1)!
        : pattern.startsWith('/console/api')
          ? world.callers.at(-2)!
          : one(world.callers);
  const caller = below(3) === 0 ? one(world.callers) : likely;
  const headers: Record<string, string> = { 'x-forwarded-for': `${1 + below(200)}.${below(256)}.${below(256)}.${below(256)}`, ...caller.headers };
  const wantsBody = /^(?:POST|PUT|PATCH)$/.test(method) || below(12) === 0;
  const body = wantsBody ? bodyOf(below, pattern, file, headers, world.clientId) : undefined;
  if (below(3) === 0) for (let left = 1 + below(4); left > 0; left--) setOdd(below, headers);
  return { route: `${methods} ${pattern}`, own, method, path: pathOf(below, pattern, world), headers, body };
}

function setOdd(below: Below, headers: Record<string, string>): void {
  const name = HEADER_NAMES[below(HEADER_NAMES.length)]!;
  const values = HEADERS[name]!;
  headers[name] = values[below(values.length)]!;
}

function pathOf(below: Below, pattern: string, world: World): string {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const filled = pattern.replace(/:(\w+)/g, (_, name: string) => {
    if (below(6) === 0) return one(ODD);
    if (name === 'ip') return one(ADDRESSES);
    return name === 'id'
      ? one(world.ids.filter((id) => pattern.includes('accounts') === id.startsWith('acc_')))
      : name === 'clientId'
        ? 'nothing'
        : one(['nothing', 'x', 'docs']);
  });
  if (pattern.endsWith('/oauth/authorize') && below(2) === 0)
    return `${filled}?response_type=code&client_id=${world.clientId}&redirect_uri=${encodeURIComponent(REDIRECT)}&code_challenge=${'c'.repeat(43)}&code_challenge_method=S256&state=s`;
  if (pattern === '/v1/evidence' && below(4) !== 0) return `${filled}?source=sensor`;
  const bent =
    below(20) === 0
      ? one([
          `/${filled}`,
          `${filled}/`,
          filled.toUpperCase(),
          filled.replace('/', '/./'),
          `${filled};x`,
          filled.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        ])
      : filled;
  if (below(2) === 0) return bent;
  const pairs = Array.from({ length: 1 + below(3) }, () => `${one(QUERY)}=${one(below(3) === 0 ? ODD : VALUES)}`);
  return `${bent}?${pairs.join('&')}`;
}

/** A body, and the headers that say what it is. */
function bodyOf(below: Below, pattern: string, file: string, headers: Record<string, string>, clientId: string): Buffer {
  const sound = BODIES.find(([path]) => path.test(pattern))?.slice(1) as readonly object[] | undefined;
  const example = sound === undefined ? {} : sound[below(sound.length)]!;
  const isForm = file.startsWith('oauth/') && !pattern.endsWith('/register');
  headers['content-type'] = isForm ? 'application/x-www-form-urlencoded' : pattern === '/v1/evidence' ? 'application/x-ndjson' : 'application/json';
  headers['accept'] = 'application/json, text/event-stream';
  const kind = below(8);
  const named = isForm ? { client_id: clientId, ...example } : example;
  const changed = kind > 3 ? named : withHostile(below, named);
  const bytes = Buffer.from(
    isForm
      ? new URLSearchParams(Object.entries(changed).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])).toString()
      : JSON.stringify(changed),
  );
  if (kind === 7) return below(40) === 0 ? Buffer.alloc(300_000, 0x20) : mutate(below(2 ** 30), below(2 ** 30), [bytes]).subarray(0, 100_000);
  if (kind !== 6 || below(4) !== 0) return bytes;
  headers['content-encoding'] = 'gzip';
  return gzipSync(below(2) === 0 ? bytes : Buffer.alloc(5_000_000));
}

function withHostile(below: Below, example: object): object {
  const keys = [...Object.keys(example), 'not_a_field'];
  return { ...example, [keys[below(keys.length)]!]: HOSTILE[below(HOSTILE.length)] };
}

interface RequestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends it, and again where a connection had just been closed by the server under the first sending. */
async function send(port: number, agent: Agent, drawn: DrawnRequest): Promise<RequestAnswer> {
  try {
    return await sendOnce(port, agent, drawn);
  } catch (error) {
    if (!['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return await sendOnce(port, undefined, drawn);
  }
}

function sendOnce(port: number, agent: Agent | undefined, { method, path, headers, body }: DrawnRequest): Promise<RequestAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: agent ?? false, timeout: HANG_MS },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString('latin1') }));
        response.on('error', reject);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`nothing came for ${HANG_MS} ms`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

const describe = ({ method, path, headers, body }: DrawnRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 600)} ${body === undefined ? '' : JSON.stringify(body.toString('latin1').slice(0, 300))}`;

/** @returns what is wrong with an answer */
function judge(drawn: DrawnRequest, { status, headers, text }: RequestAnswer, world: World): string | undefined {
  const about = `${status} ${text.slice(0, 300)}`;
  if (status >= 500 || status < 200) return about;
  if (headers['x-request-id'] === undefined) return `no request id: ${about}`;
  if (world.secrets.some((secret) => text.includes(secret))) return `a secret is repeated: ${about}`;
  const location = headers['location'];
  if (typeof location === 'string' && !isOwn(location, world.base)) return `redirected to ${location}`;
  if (drawn.method === 'HEAD' || status === 204 || status === 304) return text === '' ? undefined : `a body where none may be: ${about}`;
  // Browsers show no body of a redirect.
  if (typeof location === 'string') return undefined;
  if (/^text\/html/.test(String(headers['content-type'] ?? ''))) return pageFault(headers, about);
  return status < 400 ? undefined : refusalFault(status, text, about);
}

/** To this site, or to where the client that was registered said. */
const isOwn = (location: string, base: string): boolean => {
  const { origin } = new URL(location, base);
  return origin === base || origin === new URL(REDIRECT).origin;
};

function pageFault(headers: RequestAnswer['headers'], about: string): string | undefined {
  const policy = String(headers['content-security-policy'] ?? '');
  if (!/frame-ancestors 'none'/.test(policy) || /unsafe-inline|unsafe-eval/.test(policy.replace(/style-src[^;]*/, '')))
    return `a page with the policy ${policy}: ${about}`;
  return headers['x-content-type-options'] === 'nosniff' ? undefined : `a page without nosniff: ${about}`;
}

function refusalFault(status: number, text: string, about: string): string | undefined {
  let document: { readonly error?: unknown; readonly jsonrpc?: unknown };
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    return `a refusal that is not JSON: ${about}`;
  }
  const { error, jsonrpc } = document;
  if (typeof error === 'string') return /^[a-z_]+$/.test(error) ? undefined : about;
  if (jsonrpc !== undefined) return Number.isInteger((error as { readonly code?: unknown } | undefined)?.code) ? undefined : about;
  const { code, message: words } = (error ?? {}) as { readonly code?: ErrorCode; readonly message?: unknown };
  if (code === undefined || !Object.hasOwn(ERRORS, code)) return `not an error of the contract: ${about}`;
  return ERRORS[code].status === status && typeof words === 'string' && words !== '' ? undefined : `not as the contract has it: ${about}`;
}
