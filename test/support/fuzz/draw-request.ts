import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ROUTES } from '../../../src/apps/http/routes.ts';
import { hostileJson } from '../hostile-json.ts';
import { PASSWORD } from '../mcp-service.ts';
import { REDIRECT } from '../oauth-client.ts';
import { type Caller, EMAIL, type World } from './make-world.ts';
import { mutate } from './mutate.ts';

export interface DrawnRequest {
  readonly route: string;
  readonly own: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'SEARCH',
  'LINK',
];
/** Pages of the site are many and alike: one comes for each four others. */
const PAGES = ROUTES.filter(([, , , file]) => file.startsWith('site/'));
const ENDPOINTS = ROUTES.filter(([, , , file]) => !file.startsWith('site/'));

const ADDRESSES = [
  '8.8.8.8',
  '1.2.3.4',
  '9.9.9.9',
  '77.77.77.77',
  '2001:4860::8888',
  '10.0.0.1',
  '::1',
  '2001:4860%3A%3A1',
  '8.8.8.256',
  '8.8.8.8%20',
];
/** No member is refused with a status of 500 or more, because those are faults elsewhere. */
const SANDBOX = ['192.0.2.5', '198.51.100.35', '203.0.113.2', '2001:db8::3', '8.8.8.8', '10.0.0.1', '192.0.2.5%20'];
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
  cookie: [
    'pulse_session=x',
    'a=b; pulse_session=; pulse_session=y',
    '__Host-pulse_session=z',
    ';;;=',
    `c=${'d'.repeat(3000)}`,
  ],
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
  'x-forwarded-for': [
    '203.0.113.9',
    '10.0.0.1, 8.8.8.8',
    ',,,',
    '[2001:db8::1]:9',
    'x',
    Array(300).fill('1.1.1.1').join(','),
  ],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['https', 'javascript'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['x', 'a'.repeat(1000)],
};
const HEADER_NAMES = Object.keys(HEADERS);

const message = (method: string, params?: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params && { params }),
});
const link = { token: 't'.repeat(43), password: PASSWORD, language: 'en' };
const factor = { step: 'A'.repeat(43), code: '123456' };
const CALL = message('tools/call', {
  name: 'ip_risk_lookup',
  arguments: { ip: '8.8.8.8' },
  _meta: { progressToken: 1 },
});
const FURTHER_MESSAGES = [
  message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
  message('tools/list', { cursor: 'x' }),
  message('server/discover', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }),
  message('subscriptions/listen', { notifications: {} }),
  message('ping'),
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
  message('toString', { constructor: 1 }),
];
const REGISTRATION = {
  client_name: 'App',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  scope: 'ip:lookup',
  client_uri: 'https://app.example/',
};
const TOKEN = {
  grant_type: 'authorization_code',
  code: 'x'.repeat(43),
  redirect_uri: REDIRECT,
  code_verifier: 'v'.repeat(43),
  refresh_token: 'r'.repeat(43),
};

/** Sound bodies by the end of the path; others are sent an empty object. */
const BODIES: readonly (readonly [path: RegExp, ...bodies: object[]])[] = [
  [
    /\/v1\/ip\/batch$/,
    { ips: ['8.8.8.8', '2001:4860::8888', 'x', '10.0.0.1'] },
    { ips: ['1.2.3.4'], at: '2026-11-20T08:00:00Z' },
  ],
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
  [/\/session\/operator$/, { ...link, email: 'op@example.com' }],
  [/\/session\/factor$/, { ...factor, passkey: { id: 'A', response: {} } }],
  [/\/(?:session\/confirm|account\/delete)$/, { password: 'not the password' }],
  [/\/totp\/confirm$/, factor],
  [/\/factors\/passkeys$/, { step: factor.step, name: 'x', response: { id: 'A', response: {} } }],
  [/\/factors\/id\/:id$/, { name: 'x' }],
  [/\/watchlists\/:id$/, { name: 'x', entries: ['8.8.8.8'], webhook: { url: 'http://127.0.0.1:9/x' } }],
  [/\/operator\/overrides$/, { prefix: '45.9.8.0/24', deny: 'proxy', reason: 'x', until: '2030-01-01T00:00:00Z' }],
  [/\/operator\/beacons$/, { risk_type: 'vpn', pool: 'brand', expires_at: '2030-01-01T00:00:00Z' }],
  [/\/session\/password$/, { current: 'not the password', next: 'another good password', language: 'en' }],
  [/\/mcp(?:\/account)?$/, CALL, ...FURTHER_MESSAGES],
  [/\/oauth\/register$/, REGISTRATION],
  [/\/oauth\/(?:token|revoke)$/, { ...TOKEN, token: 'x'.repeat(43) }],
  [/\/console\/oauth\/:uid$/, { csrf: 'x', action: 'sign-in', email: EMAIL, password: 'not the password' }],
];

const HOSTILE = [{ toString: 1, valueOf: 1, toJSON: 1 }, ...fc.sample(hostileJson, { seed: 20_261_122, numRuns: 400 })];
const VALUES_A_FIELD = 4;
const FOREIGN_TYPES = ['', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '__proto__'];

type Below = (bound: number) => number;
type Place = readonly string[];

/**
 * Draws requests to each endpoint with a body, from a caller that it lets in. Each field gets values that break
 * trust in its type; whole bodies are such that no object is their source, or have foreign media types.
 */
export function hostileRequests(world: World): readonly ((below: Below) => DrawnRequest)[] {
  let next = 0;
  return ENDPOINTS.filter(([methods]) => /POST|PATCH/.test(methods)).flatMap(([methods, pattern, , file]) => {
    const consent = world.consents.find((one) => one.pattern === pattern);
    const sound = soundBodies(pattern, file, world).map((body) => ({
      ...body,
      ...(consent !== undefined && { csrf: consent.csrf }),
    }));
    const type = typeOf(pattern, file);
    const fields = sound.flatMap((body) => [
      body,
      ...placesIn(body).flatMap((place) =>
        [HOSTILE[0], ...Array.from({ length: VALUES_A_FIELD }, () => HOSTILE[++next % HOSTILE.length])].map(
          (value) => changed(body, place, value) as object,
        ),
      ),
    ]);
    const bodies = [
      ...fields.map((body) => [written(body, type), type] as const),
      ...rawBodies(Object.keys(sound[0]!)[0] ?? 'x').map((body) => [body, type] as const),
      ...FOREIGN_TYPES.map((foreign) => ['{"number":1}', foreign] as const),
    ];
    return bodies.map(([body, contentType]) => (below: Below) => ({
      route: `${methods} ${pattern}`,
      own: true,
      method: methods.split(', ')[0]!,
      path: consent?.path ?? `${filledPath(below, pattern, world)}${soundQuery(pattern, world)}`,
      headers: {
        'x-forwarded-for': clientAddress(below),
        ...(consent ?? likelyCaller(below, pattern, world)).headers,
        accept: 'application/json, text/event-stream',
        ...(contentType !== '' && { 'content-type': contentType }),
      },
      body: Buffer.from(body),
    }));
  });
}

/** Returns a sound request of each method and body of each route, from a caller that it lets in. */
export function soundRequests(below: Below, world: World, routes: typeof ROUTES): readonly DrawnRequest[] {
  return routes.flatMap(([methods, pattern, , file]) => {
    const consent = world.consents.find((one) => one.pattern === pattern);
    const request = (method: string, body?: object): DrawnRequest => ({
      route: `${methods} ${pattern}`,
      own: true,
      method,
      path: consent?.path ?? `${filledPath(below, pattern, world)}${soundQuery(pattern, world)}`,
      headers: {
        'x-forwarded-for': clientAddress(below),
        ...(consent ?? likelyCaller(below, pattern, world)).headers,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': typeOf(pattern, file) }),
      },
      body: body && Buffer.from(written({ ...body, ...(consent && { csrf: consent.csrf }) }, typeOf(pattern, file))),
    });
    return methods
      .split(', ')
      .flatMap((method) =>
        /POST|PATCH/.test(method)
          ? soundBodies(pattern, file, world).map((body) => request(method, body))
          : [request(method)],
      );
  });
}

function rawBodies(field: string): readonly (string | Buffer)[] {
  const deep = '['.repeat(20_000);
  return [
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '{',
    '"x"',
    '-0',
    '1e999',
    'NaN',
    'true',
    '\ufeff{}',
    '{"a":1}{"a":2}',
    '\u0000',
    deep,
    `${deep}${']'.repeat(20_000)}`,
    `{"${field}":1,"${field}":"2","${field}":{}}`,
    `{"${field}":${deep}${']'.repeat(20_000)}}`,
    `{"__proto__":{"${field}":"x"}}`,
    `{"constructor":{"prototype":{"${field}":1}}}`,
    `{"${field}":-0}`,
    `{"${field}":1e999}`,
    `{"${field}":${'9'.repeat(5000)}}`,
    `{"${field}":"\\ud800"}`,
    'ip,risk_type\n8.8.8.8,toString\n',
    '8.8.8.8\n__proto__\n',
    `${field}=%ED%A0%80&${field}=%&=&&${field}[toString]=1&__proto__=1`,
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  ];
}

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

const PAGE_EVERY = 3;

export function drawRequest(below: Below, index: number, world: World): DrawnRequest {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const pages = Math.ceil(index / PAGE_EVERY);
  const [methods, pattern, , file] =
    index % PAGE_EVERY === 0 ? PAGES[pages % PAGES.length]! : ENDPOINTS[(index - pages) % ENDPOINTS.length]!;
  const own = below(8) !== 0;
  const method = own ? one(methods.split(', ')) : one(METHODS);
  const likely = likelyCaller(below, pattern, world);
  const caller = below(2) === 0 ? one([...world.callers, world.sessions[0]!, world.operatorSessions[0]!]) : likely;
  const headers: Record<string, string> = {
    'x-forwarded-for': clientAddress(below),
    ...caller.headers,
  };
  const wantsBody = /^(?:POST|PUT|PATCH)$/.test(method) || below(12) === 0;
  const body = wantsBody ? bodyOf(below, pattern, file, headers, world) : undefined;
  if (below(3) === 0) for (let left = 1 + below(4); left > 0; left--) setOdd(below, headers);
  return { route: `${methods} ${pattern}`, own, method, path: pathOf(below, pattern, world), headers, body };
}

const clientAddress = (below: Below): string => `${1 + below(200)}.${below(256)}.${below(256)}.${below(256)}`;

function likelyCaller(below: Below, pattern: string, world: World): Caller {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  if (/^\/v1\/(?:decisions|heartbeat|usage-metrics)/.test(pattern)) return world.bouncerKey;
  if (pattern === '/v1/beacon') return world.beacon;
  if (!pattern.startsWith('/console/api')) return world.operatorKey;
  return one(pattern.includes('/operator/') ? world.operatorSessions : world.sessions);
}

function setOdd(below: Below, headers: Record<string, string>): void {
  const name = HEADER_NAMES[below(HEADER_NAMES.length)]!;
  const values = HEADERS[name]!;
  headers[name] = values[below(values.length)]!;
}

/** @param odd one in this many parameters is odd; none by default */
function filledPath(below: Below, pattern: string, world: World, odd = 0): string {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  return pattern.replace(/:(\w+)/g, (_, name: string) => {
    if (odd > 0 && below(odd) === 0) return one(ODD);
    const addresses = pattern.startsWith('/sandbox/') ? SANDBOX : ADDRESSES;
    if (name === 'id' && pattern.includes('/watchlists/')) return pattern.endsWith(':id') ? 'changed' : 'watched';
    if (name === 'ip') return odd === 0 ? addresses[0]! : one(addresses);
    return name === 'id'
      ? one(world.ids.filter((id) => pattern.includes('accounts') === id.startsWith('acc_')))
      : name === 'clientId'
        ? 'nothing'
        : name === 'network'
          ? `8.8.8.0${pattern.endsWith('/:bits') ? '' : '%2F24'}`
          : name === 'bits'
            ? '24'
            : name === 'format'
              ? 'txt'
              : odd === 0
                ? 'docs'
                : one(['nothing', 'x', 'docs']);
  });
}

/** The route refuses a request without this query before it looks at the rest. */
function soundQuery(pattern: string, { clientId }: World): string {
  if (pattern === '/v1/evidence') return '?source=sensor';
  if (pattern === '/api/v2/check') return '?ipAddress=8.8.8.8';
  if (pattern === '/geoip/updates/metadata') return '?edition_id=nothing';
  if (!pattern.endsWith('/oauth/authorize')) return '';
  return `?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(REDIRECT)}&code_challenge=${'c'.repeat(43)}&code_challenge_method=S256&state=s`;
}

function pathOf(below: Below, pattern: string, world: World): string {
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const filled = filledPath(below, pattern, world, 6);
  const sound = soundQuery(pattern, world);
  if (sound !== '' && below(2) === 0) return `${filled}${sound}`;
  if (pattern === '/v1/evidence' && below(4) !== 0) return `${filled}?source=${one(['sensor', 'constructor'])}`;
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

const typeOf = (pattern: string, file: string): string =>
  file.startsWith('oauth/') && !pattern.endsWith('/register')
    ? 'application/x-www-form-urlencoded'
    : pattern === '/v1/evidence'
      ? 'application/x-ndjson'
      : 'application/json';

function soundBodies(pattern: string, file: string, world: World): readonly object[] {
  const bodies = BODIES.find(([path]) => path.test(pattern))?.slice(1) as readonly object[] | undefined;
  const named = typeOf(pattern, file).endsWith('urlencoded') ? { client_id: world.clientId } : {};
  return (bodies ?? [{}]).map((body) => ({ ...named, ...body }));
}

const written = (body: object, type: string): string =>
  type.endsWith('urlencoded')
    ? new URLSearchParams(
        Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      ).toString()
    : JSON.stringify(body);

function bodyOf(below: Below, pattern: string, file: string, headers: Record<string, string>, world: World): Buffer {
  const sound = soundBodies(pattern, file, world);
  const type = typeOf(pattern, file);
  headers['content-type'] = type;
  headers['accept'] = 'application/json, text/event-stream';
  const body = sound[below(sound.length)]!;
  const kind = below(6);
  const bytes = Buffer.from(written(body, type));
  if (kind === 5)
    return below(40) === 0
      ? Buffer.alloc(300_000, 0x20)
      : mutate(below(2 ** 30), below(2 ** 30), [bytes]).subarray(0, 100_000);
  if (kind < 3) {
    const places = placesIn(body);
    const value = HOSTILE[below(HOSTILE.length)];
    return Buffer.from(written(changed(body, places[below(places.length)]!, value) as object, type));
  }
  if (kind !== 4 || below(4) !== 0) return bytes;
  headers['content-encoding'] = 'gzip';
  return gzipSync(below(2) === 0 ? bytes : Buffer.alloc(5_000_000));
}
