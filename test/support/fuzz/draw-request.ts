import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ROUTES } from '../../../src/apps/http/routes.ts';
import { hostileJson } from '../hostile-json.ts';
import { PASSWORD } from '../mcp-service.ts';
import { REDIRECT } from '../oauth-client.ts';
import { brokenInput } from './broken-input.ts';
import { type Caller, EMAIL, type World } from './make-world.ts';

export interface DrawnRequest {
  readonly route: string;
  readonly own: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

type Route = (typeof ROUTES)[number];
type Draw<T> = fc.Arbitrary<T>;

const words = (text: string): readonly string[] => text.split(' ');

const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND PURGE SEARCH LINK');
/** Pages of the site are many and alike: one comes for each two others. */
const PAGES = ROUTES.filter(({ file }) => file.startsWith('site/'));
const ENDPOINTS = ROUTES.filter(({ file }) => !file.startsWith('site/'));

const ADDRESSES = words(
  '8.8.8.8 1.2.3.4 9.9.9.9 77.77.77.77 2001:4860::8888 10.0.0.1 ::1 2001:4860%3A%3A1 8.8.8.256 8.8.8.8%20',
);
/** No member is refused with a status of 500 or more, because those are faults elsewhere. */
const SANDBOX = words('192.0.2.5 198.51.100.35 203.0.113.2 2001:db8::3 8.8.8.8 10.0.0.1 192.0.2.5%20');
const ODD = [
  ...['', 'a'.repeat(3000), '%61'.repeat(500)],
  ...words(
    ". .. %2e%2e %2e%2e%2fetc %00 %zz % %ff%fe %F0%9F%92%A9 %2F %5C %0d%0aX:%20y null __proto__ constructor '--",
  ),
  ...words('{{7*7}} %3Cscript%3E -1 1e999'),
];
const QUERY = words(
  'at source token api_key key client_id redirect_uri response_type state code next limit days __proto__ resource ui_locales x',
);
const VALUES = words(
  '2026-11-20T08:00:00Z 2026-11-20T08:00:00%2B08:00 sensor code https://evil.example/ //evil.example /%09/evil.example 1 -1 999999999999 NaN en zh',
);
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  accept: ['application/json', 'application/json, text/event-stream', 'text/html', '*/*', 'x', ', , ,'],
  'accept-language': ['en', 'zh-CN,zh;q=0.9', '*', 'x'.repeat(2000)],
  'accept-encoding': ['gzip', 'br', 'identity;q=0', 'deflate, gzip;q=1.0, *;q=0.5'],
  'content-type': [
    ...['', 'application/json; charset=utf-8'],
    ...words('application/json application/x-www-form-urlencoded application/x-ndjson text/csv text/plain'),
    ...words('multipart/form-data __proto__'),
  ],
  'content-encoding': words('gzip br identity x'),
  cookie: [
    ...['pulse_session=x', 'a=b; pulse_session=; pulse_session=y', '__Host-pulse_session=z', ';;;='],
    `c=${'d'.repeat(3000)}`,
  ],
  forwarded: ['for=1.2.3.4;host=evil.example;proto=https'],
  host: ['evil.example', '127.0.0.1', 'localhost:1', '[::1]:80', 'a b'],
  'if-none-match': ['*', '"x"', 'W/"x", "y"'],
  'if-modified-since': ['Thu, 20 Nov 2036 10:00:00 GMT', 'x'],
  'mcp-protocol-version': words('2025-11-25 2024-11-05 2026-07-28 x'),
  'mcp-session-id': ['x'],
  origin: ['https://evil.example', 'null', '', 'http://127.0.0.1'],
  range: ['bytes=0-0', 'bytes=-1', 'bytes=9-1,3-'],
  referer: ['https://evil.example/?pk_x'],
  'sec-fetch-site': words('cross-site same-origin none x'),
  'user-agent': ['', 'GPTBot/1.2', 'x'.repeat(4000), 'Mozilla/5.0 \u00ff'],
  'x-api-key': ['pk_x', '', 'pk_0123456789abcdefghijklmnopqrstuv', 'a, b'],
  authorization: ['Basic eDp5', 'Bearer', 'Bearer  ', 'bearer x y', 'Digest x'],
  'x-csrf-token': ['x', ''],
  'x-forwarded-for': [
    ...['203.0.113.9', '10.0.0.1, 8.8.8.8', ',,,', '[2001:db8::1]:9', 'x'],
    Array(300).fill('1.1.1.1').join(','),
  ],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['https', 'javascript'],
  'x-http-method-override': ['DELETE'],
  'x-request-id': ['x', 'a'.repeat(1000)],
};

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
  [/\/watchlists\/:id$/, { name: 'x', entries: ['8.8.8.8'], webhook: { url: 'http://x.example:9/' } }],
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

type Place = readonly string[];

const ACCEPT = 'application/json, text/event-stream';
const client = fc.tuple(fc.integer({ min: 1, max: 200 }), fc.nat(255), fc.nat(255), fc.nat(255));

/**
 * A request of this method and body to a route, from a caller that it lets in; where an app asks for consent,
 * from the browser that was asked.
 */
function soundRequest(world: World, route: Route, method: string, body?: Buffer, type = ''): Draw<DrawnRequest> {
  const { methods, path: pattern } = route;
  const consent = world.consents.find((one) => one.pattern === pattern);
  return fc
    .record({ client, path: filledPath(pattern, world), caller: likelyCaller(pattern, world) })
    .map(({ client, path, caller }) => ({
      route: `${methods} ${pattern}`,
      own: true,
      method,
      path: consent?.path ?? `${path}${soundQuery(pattern, world)}`,
      headers: {
        'x-forwarded-for': client.join('.'),
        ...(consent ?? caller).headers,
        accept: ACCEPT,
        ...(type !== '' && { 'content-type': type }),
      },
      body,
    }));
}

/**
 * Requests to each endpoint with a body, from a caller that it lets in. Each field gets values that break
 * trust in its type; whole bodies are such that no object is their source, or have foreign media types.
 */
export function hostileRequests(world: World): readonly Draw<DrawnRequest>[] {
  let next = 0;
  return ENDPOINTS.filter(({ methods }) => /POST|PATCH/.test(methods)).flatMap((route) => {
    const { methods } = route;
    const sound = soundBodies(route, world);
    const type = typeOf(route);
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
    return bodies.map(([body, sent]) => soundRequest(world, route, methods.split(', ')[0]!, Buffer.from(body), sent));
  });
}

/** Returns a sound request of each method and body of each route, from a caller that it lets in. */
export const soundRequests = (world: World, routes: typeof ROUTES): readonly Draw<DrawnRequest>[] =>
  routes.flatMap((route) =>
    route.methods.split(', ').flatMap((method) => {
      if (!/POST|PATCH/.test(method)) return [soundRequest(world, route, method)];
      const type = typeOf(route);
      return soundBodies(route, world).map((body) =>
        soundRequest(world, route, method, Buffer.from(written(body, type)), type),
      );
    }),
  );

/** The request that an arbitrary draws from this seed. Callers have the sessions of this moment. */
export const drawnFrom = (request: Draw<DrawnRequest>, seed: number): DrawnRequest =>
  fc.sample(request, { seed, numRuns: 1 })[0]!;

function rawBodies(field: string): readonly (string | Buffer)[] {
  const deep = '['.repeat(20_000);
  return [
    ...['', ' ', '\ufeff{}', '{"a":1}{"a":2}', '\u0000'],
    ...words('null [] {} { "x" -0 1e999 NaN true'),
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

/** One draw in this many is the second one. */
const seldom = <T, U>(often: Draw<T>, every: number, other: Draw<U>): Draw<T | U> =>
  fc.oneof({ weight: every - 1, arbitrary: often }, { weight: 1, arbitrary: other });

/** Requests over the whole table, sound and broken, as callers of every kind. */
export function drawRequest(index: number, world: World): Draw<DrawnRequest> {
  const pages = Math.ceil(index / PAGE_EVERY);
  const route =
    index % PAGE_EVERY === 0 ? PAGES[pages % PAGES.length]! : ENDPOINTS[(index - pages) % ENDPOINTS.length]!;
  const { methods, path: pattern } = route;
  const others = [...world.callers, world.sessions[0]!, world.operatorSessions[0]!];
  const oddHeader = fc
    .constantFrom(...Object.keys(HEADERS))
    .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...HEADERS[name]!)));
  return fc
    .record({
      method: seldom(fc.constantFrom(...methods.split(', ')), 8, fc.constantFrom(...METHODS)),
      caller: fc.oneof(likelyCaller(pattern, world), fc.constantFrom(...others)),
      client,
      path: drawnPath(pattern, world),
      body: drawnBody(route, world),
      bodyAnyway: seldom(fc.constant(false), 12, fc.constant(true)),
      odd: seldom(fc.constant([]), 3, fc.array(oddHeader, { minLength: 1, maxLength: 4 })),
    })
    .map(({ method, caller, client, path, body, bodyAnyway, odd }) => {
      const isSent = /^(?:POST|PUT|PATCH)$/.test(method) || bodyAnyway;
      return {
        route: `${methods} ${pattern}`,
        own: methods.split(', ').includes(method),
        method,
        path,
        headers: {
          'x-forwarded-for': client.join('.'),
          ...caller.headers,
          ...(isSent && { 'content-type': typeOf(route), accept: ACCEPT, ...body.headers }),
          ...Object.fromEntries(odd),
        },
        body: isSent ? body.bytes : undefined,
      };
    });
}

function likelyCaller(pattern: string, world: World): Draw<Caller> {
  if (/^\/v1\/(?:decisions|heartbeat|usage-metrics)/.test(pattern)) return fc.constant(world.bouncerKey);
  if (pattern === '/v1/beacon') return fc.constant(world.beacon);
  if (!pattern.startsWith('/console/api')) return fc.constant(world.operatorKey);
  return fc.constantFrom(...(pattern.includes('/operator/') ? world.operatorSessions : world.sessions));
}

/** Values that name something there is. */
function soundValues(name: string, pattern: string, world: World): readonly string[] {
  switch (name) {
    case 'ip':
      return pattern.startsWith('/sandbox/') ? SANDBOX : ADDRESSES;
    case 'id':
      if (pattern.includes('/watchlists/')) return [pattern.endsWith(':id') ? 'changed' : 'watched'];
      return world.ids.filter((id) => pattern.includes('accounts') === id.startsWith('acc_'));
    case 'network':
      return [`8.8.8.0${pattern.endsWith('/:bits') ? '' : '%2F24'}`];
    default:
      return [{ clientId: 'nothing', bits: '24', format: 'txt' }[name] ?? 'docs'];
  }
}

/** @param odd one in this many parameters is odd; none by default */
function filledPath(pattern: string, world: World, odd = 0): Draw<string> {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const values = names.map((name) => {
    const sound = soundValues(name, pattern, world);
    if (odd === 0) return fc.constantFrom(...(name === 'ip' ? sound.slice(0, 1) : sound));
    return seldom(fc.constantFrom(...sound), odd, fc.constantFrom(...ODD, 'nothing', 'x'));
  });
  return fc.tuple(...values).map((drawn) => {
    const left = [...drawn];
    return pattern.replace(/:\w+/g, () => left.shift()!);
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

const BENDS: readonly ((path: string) => string)[] = [
  (path) => `/${path}`,
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/', '/./'),
  (path) => `${path};x`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
];

function drawnPath(pattern: string, world: World): Draw<string> {
  const sound = soundQuery(pattern, world);
  const pair = fc.tuple(fc.constantFrom(...QUERY), seldom(fc.constantFrom(...VALUES), 3, fc.constantFrom(...ODD)));
  const query = fc.oneof(
    fc.constant(sound),
    fc.array(pair, { maxLength: 3 }).map((pairs) => `?${pairs.map((one) => one.join('=')).join('&')}`),
    ...(pattern === '/v1/evidence' ? [fc.constantFrom(sound, '?source=constructor')] : []),
  );
  const bend = seldom(
    fc.constant((path: string) => path),
    20,
    fc.constantFrom(...BENDS),
  );
  return fc.tuple(filledPath(pattern, world, 6), bend, query).map(([path, bent, tail]) => `${bent(path)}${tail}`);
}

const typeOf = ({ path: pattern, file }: Route): string =>
  file.startsWith('oauth/') && !pattern.endsWith('/register')
    ? 'application/x-www-form-urlencoded'
    : pattern === '/v1/evidence'
      ? 'application/x-ndjson'
      : 'application/json';

function soundBodies(route: Route, world: World): readonly object[] {
  const { path: pattern } = route;
  const bodies = BODIES.find(([path]) => path.test(pattern))?.slice(1) as readonly object[] | undefined;
  const consent = world.consents.find((one) => one.pattern === pattern);
  const named = {
    ...(typeOf(route).endsWith('urlencoded') && { client_id: world.clientId }),
    ...(consent && { csrf: consent.csrf }),
  };
  return (bodies ?? [{}]).map((body) => ({ ...body, ...named }));
}

const written = (body: object, type: string): string =>
  type.endsWith('urlencoded')
    ? new URLSearchParams(
        Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      ).toString()
    : JSON.stringify(body);

function drawnBody(route: Route, world: World): Draw<{ bytes: Buffer; headers?: Readonly<Record<string, string>> }> {
  const type = typeOf(route);
  const sound = soundBodies(route, world);
  const bytes = sound.map((body) => Buffer.from(written(body, type)));
  const hostile = fc
    .constantFrom(...sound)
    .chain((body) =>
      fc
        .tuple(fc.constantFrom(...placesIn(body)), fc.constantFrom(...HOSTILE))
        .map(([place, value]) => Buffer.from(written(changed(body, place, value) as object, type))),
    );
  const packed = fc.constantFrom(...bytes, Buffer.alloc(5_000_000)).map((one) => gzipSync(one));
  return fc.oneof(
    { weight: 120, arbitrary: fc.record({ bytes: hostile }) },
    { weight: 70, arbitrary: fc.record({ bytes: fc.constantFrom(...bytes) }) },
    { weight: 40, arbitrary: fc.record({ bytes: brokenInput(bytes).map((one) => one.subarray(0, 100_000)) }) },
    { weight: 10, arbitrary: fc.record({ bytes: packed, headers: fc.constant({ 'content-encoding': 'gzip' }) }) },
    { weight: 1, arbitrary: fc.constant({ bytes: Buffer.alloc(300_000, 0x20) }) },
  );
}
