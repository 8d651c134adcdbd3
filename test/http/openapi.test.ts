import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { DOCUMENTS } from '../../src/contract/documents.ts';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } };
}

interface Described {
  readonly openapi: string;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >;
}

let server: ServeProcess;
let described: Described;
let key: string;
/** Keys by the names that the table of refusals has for them; `small` may ask for two numbers or sixty addresses a minute. */
const keys: Record<string, string> = {};

before(async () => {
  server = await sharedService();
  const { dataDir } = server;
  key = createKey(dataDir, 'enterprise', ['--plan', 'enterprise', '--dpa', '--phone']).key;
  keys['free'] = createKey(dataDir, 'free', []).key;
  const small = createKey(dataDir, 'small', ['--plan', 'enterprise', '--phone']);
  pulseJson(dataDir, ['account', 'set', small.accountId, '--phone-per-min', '2', '--per-min', '60']);
  keys['small'] = small.key;
  const captures = join(dataDir, 'captures.ndjson');
  const at = (minutes: number): string => new Date(server.now() - minutes * 60_000).toISOString();
  writeFileSync(
    captures,
    [
      { ip: '1.2.9.4', risk_type: 'proxy', captured_at: at(10), pool: 'vendor' },
      { ip: '1.2.9.4', risk_type: 'osint', captured_at: at(90) },
      { ip: '8.8.8.9', risk_type: 'dialup_pool', captured_at: at(40 * 1440) },
    ]
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  pulseJson(dataDir, ['evidence', 'import', captures, '--source', 'openapi-test']);
  const phones = join(dataDir, 'phones.ndjson');
  writeFileSync(
    phones,
    JSON.stringify({
      number: '+8613800138000',
      risk: 8,
      tags: [101, 999],
      primary_tag: 101,
      first_seen: at(9999),
      last_active: at(5),
      observed_days: 3,
      carrier: { province: 'CN-BJ', carrier: 'CMCC' },
    }),
  );
  pulseJson(dataDir, ['phone', 'import', phones, '--library', 'cn', '--full']);
  described = (await (await fetchWhole(`${server.base}/openapi.json`)).json()) as Described;
  await eventually(async () => {
    const [ip, phone] = await Promise.all([
      ask('GET', '/v1/ip/1.2.9.4'),
      ask('POST', '/v1/phone/lookup', { body: { number: '+8613800138000' } }),
    ]);
    return ip.text.includes('"active"') && phone.text.includes('"hit":true');
  });
});

interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(
  method: string,
  path: string,
  { body, as = key }: { readonly body?: unknown; readonly as?: string } = {},
): Promise<Asked> {
  const response = await fetchWhole(`${server.base}${path}`, {
    method,
    headers: {
      'x-forwarded-for': newClient(),
      ...(as === '' ? {} : { 'x-api-key': keys[as] ?? as }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Faults of a body against its schema, one line each. */
const faultsOf = (schema: TSchema, text: string): readonly string[] =>
  [...Value.Errors(schema, JSON.parse(text))].map((fault) => `${fault.instancePath} ${fault.message}`);

test('openapi.json is OpenAPI 3.1 that the linter has no fault with', () => {
  assert.match(described.openapi, /^3\.1\./);
  const folder = testFolder('openapi');
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(described));
  const lint = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/@redocly/cli/bin/cli.js'),
      'lint',
      '--extends=recommended',
      '--skip-rule=no-server-example.com',
      '--format=json',
      file,
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        NO_COLOR: '1',
      },
    },
  );
  const { problems } = JSON.parse(lint.stdout) as {
    problems: readonly { readonly severity: string; readonly ruleId: string; readonly message: string }[];
  };
  assert.deepEqual(
    problems.filter(({ severity }) => severity === 'error').map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  );
  assert.equal(lint.status, 0, lint.stderr);
});

const GOOD: readonly (readonly [
  name: string,
  path: string,
  method: string,
  schema: TSchema,
  asked: () => Promise<Asked>,
])[] = [
  ['an active address', '/v1/ip/{ip}', 'get', DOCUMENTS.IPRisk, () => ask('GET', '/v1/ip/1.2.9.4')],
  ['a stale address', '/v1/ip/{ip}', 'get', DOCUMENTS.IPRisk, () => ask('GET', '/v1/ip/8.8.8.9')],
  [
    'an address never seen, without a key',
    '/v1/ip/{ip}',
    'get',
    DOCUMENTS.IPRisk,
    () => ask('GET', '/v1/ip/2001:4860::1', { as: '' }),
  ],
  ['an address without a place', '/v1/ip/{ip}', 'get', DOCUMENTS.IPRisk, () => ask('GET', '/v1/ip/11.0.0.1')],
  ['evidence with a pool', '/pulse/v1/ip/{ip}', 'get', DOCUMENTS.PulseIPRisk, () => ask('GET', '/pulse/v1/ip/1.2.9.4')],
  ['no evidence', '/pulse/v1/ip/{ip}', 'get', DOCUMENTS.PulseIPRisk, () => ask('GET', '/pulse/v1/ip/8.8.8.8')],
  ['the table of the sandbox', '/sandbox', 'get', DOCUMENTS.Sandbox, () => ask('GET', '/sandbox', { as: '' })],
  [
    'a batch of addresses of every kind',
    '/v1/ip/batch',
    'post',
    DOCUMENTS.IPBatch,
    () =>
      ask('POST', '/v1/ip/batch', {
        body: { ips: ['1.2.9.4', '8.8.8.9', '2001:4860::1', '11.0.0.1', 'x', '10.0.0.1', '203.0.114.9'] },
      }),
  ],
  [
    'a batch with evidence',
    '/pulse/v1/ip/batch',
    'post',
    DOCUMENTS.PulseIPBatch,
    () => ask('POST', '/pulse/v1/ip/batch', { body: { ips: ['1.2.9.4', '8.8.8.8', 'x'] } }),
  ],
  [
    'a batch of the past that history cannot answer',
    '/pulse/v1/ip/batch',
    'post',
    DOCUMENTS.PulseIPBatch,
    () => ask('POST', '/pulse/v1/ip/batch', { body: { ips: ['1.2.9.4', '2001:4860::1'], at: '2001-01-01T00:00:00Z' } }),
  ],
  ['me of an enterprise key', '/v1/me', 'get', DOCUMENTS.Me, () => ask('GET', '/v1/me')],
  ['me of a free key', '/v1/me', 'get', DOCUMENTS.Me, () => ask('GET', '/v1/me', { as: 'free' })],
  [
    'a number that is found',
    '/v1/phone/lookup',
    'post',
    DOCUMENTS.PhoneProfile,
    () => ask('POST', '/v1/phone/lookup', { body: { number: '138 0013 8000' } }),
  ],
  [
    'a number that is not',
    '/v1/phone/lookup',
    'post',
    DOCUMENTS.PhoneProfile,
    () => ask('POST', '/v1/phone/lookup', { body: { number: '+12025550123' } }),
  ],
  [
    'a batch of every kind',
    '/v1/phone/batch',
    'post',
    DOCUMENTS.PhoneBatch,
    () => ask('POST', '/v1/phone/batch', { body: { numbers: ['+8613800138000', '+1 202', 'x', '+6591234567'] } }),
  ],
  ['the tags', '/v1/phone/meta/tags', 'get', DOCUMENTS.PhoneTags, () => ask('GET', '/v1/phone/meta/tags')],
  [
    'the coverage',
    '/v1/phone/meta/coverage',
    'get',
    DOCUMENTS.PhoneCoverage,
    () => ask('GET', '/v1/phone/meta/coverage'),
  ],
];

test('the answer to captures that are sent is the document that is published, with every header that is', async () => {
  const operator = createKey(server.dataDir, 'sensors', ['--operator'], ['--evidence']).key;
  const send = async (id: string) => {
    const headers = { 'x-api-key': operator, 'content-type': 'application/x-ndjson', 'idempotency-key': id };
    return await fetchWhole(`${server.base}/v1/evidence?source=sensor`, {
      method: 'POST',
      headers,
      body: '{"ip":"1.2.9.5","risk_type":"proxy"}\n{"ip":"x"}\n',
    });
  };
  const [response, again] = [await send('a'), await send('a')];
  const published = described.paths['/v1/evidence']!['post']!.responses['202']!;
  for (const header of Object.keys(published.headers ?? {})) assert.ok(response.headers.has(header), header);
  const [text, replayed] = [await response.text(), await again.text()];
  assert.deepEqual(
    [response.status, faultsOf(DOCUMENTS.Intake, text), faultsOf(DOCUMENTS.Intake, replayed)],
    [202, [], []],
    text + replayed,
  );
  assert.match(text, /"first_lines":\[2\]/);
  assert.match(replayed, /"replayed":true/);
  assert.notDeepEqual([...Value.Errors(DOCUMENTS.Intake, { surprise: true })], []);
});

for (const [name, path, method, schema, asked] of GOOD)
  test(`the answer for ${name} is the document that is published, with every header that is`, async () => {
    const { status, headers, text } = await asked();
    assert.equal(status, 200, text);
    assert.deepEqual(faultsOf(schema, text), [], text);
    const promised = Object.keys(described.paths[path]?.[method]?.responses['200']?.headers ?? {});
    // Said only when a source was unavailable.
    for (const header of promised.filter((header) => header !== 'X-Pulse-Degraded'))
      assert.ok(headers.has(header), `${path} lacks ${header}`);
  });

test('each answer has one media type, and the document itself has a tag and travels compressed', async () => {
  covers('REST-OPENAPI-PLAIN');
  for (const [path, operations] of Object.entries(described.paths))
    for (const { responses } of Object.values(operations))
      for (const [status, { content }] of Object.entries(responses))
        if (status !== '204' && status !== '304') {
          const file = path.startsWith('/geoip/databases/') ? 'application/gzip' : 'text/plain';
          const isFile = status === '200' && /^\/(geoip\/databases|lists)\//.test(path);
          assert.deepEqual(Object.keys(content), [isFile ? file : 'application/json'], `${path} ${status}`);
        }
  const ask = (headers: Record<string, string>) => fetch(`${server.base}/openapi.json`, { headers });
  const whole = await ask({ 'accept-encoding': 'gzip' });
  assert.equal(whole.headers.get('content-encoding'), 'gzip');
  assert.deepEqual(await whole.json(), described);
  const etag = whole.headers.get('etag')!;
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
    const again = await ask({ 'if-none-match': tag });
    assert.deepEqual([again.status, again.headers.get('etag')], [304, etag]);
  }
  assert.equal((await ask({ 'if-none-match': '"x"' })).status, 200);
});

test('every published schema refuses a document of another shape', () => {
  for (const [name, , , schema] of GOOD) assert.notDeepEqual([...Value.Errors(schema, { surprise: true })], [], name);
});

/** Every object schema below a node of the document, with the path to it. */
function objectsIn(
  node: unknown,
  path = '',
): readonly (readonly [path: string, schema: { readonly additionalProperties?: unknown }])[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([key, part]) => objectsIn(part, `${path}/${key}`));
  return (node as { readonly type?: unknown }).type === 'object'
    ? [[path, node as { readonly additionalProperties?: unknown }], ...inner]
    : inner;
}

test('answers are published open to keys that come later, request bodies closed', () => {
  const answers = objectsIn(described.components.schemas);
  assert.ok(answers.length > 30, String(answers.length));
  const paths = answers.filter(([, schema]) => schema.additionalProperties === false).map(([path]) => path);
  assert.deepEqual(paths, []);
  const bodies = objectsIn(described.paths).filter(([path]) => path.includes('/requestBody/'));
  assert.deepEqual(
    bodies.map(([, schema]) => schema.additionalProperties),
    [false, false, false, false, false, false, false, false, false, false, true],
    'AbuseIPDB’s clients send fields that are read over',
  );
});

test('a client that checks answers against the published documents takes keys it does not know, and still finds a wrong one', async () => {
  for (const [name, path, method, , asked] of GOOD) {
    const { $ref } = described.paths[path]![method]!.responses['200']!.content['application/json'].schema;
    const check = (document: unknown): boolean => Value.Check(inlined({ $ref }), document);
    const document = JSON.parse((await asked()).text) as object;
    assert.ok(check(withLaterKeys(document)), name);
    assert.ok(
      !check({ ...document, [Object.keys(document)[0]!]: [] }) || Array.isArray(Object.values(document)[0]),
      name,
    );
  }
});

/** A published schema with its references replaced by their targets. */
function inlined(schema: unknown): TSchema {
  const replace = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(replace);
    if ('$ref' in part)
      return replace((described.components.schemas as Record<string, unknown>)[String(part.$ref).split('/').at(-1)!]);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replace(value)]));
  };
  return replace(schema) as TSchema;
}

/** The same document with one more key in every object. */
function withLaterKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLaterKeys);
  if (typeof value !== 'object' || value === null) return value;
  return { ...Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withLaterKeys(part)])), later: true };
}

// biome-ignore format: a table
const BAD: readonly (readonly [code: ErrorCode, path: string, asked: string, options?: Parameters<typeof ask>[2]])[] = [
  ['invalid_ip', '/v1/ip/{ip}', '/v1/ip/8.8.8'],
  ['reserved_ip', '/v1/ip/{ip}', '/v1/ip/10.0.0.1'],
  ['not_found', '/v1/ip/{ip}', '/v1/ip/203.0.114.9'],
  ['bad_request', '/v1/ip/{ip}', '/v1/ip/8.8.8.8?at=2026-01-01T00:00:00Z'],
  ['key_in_query', '/v1/ip/{ip}', '/v1/ip/8.8.8.8?key=x'],
  ['invalid_key', '/v1/ip/{ip}', '/v1/ip/8.8.8.8', { as: 'pk_wrong' }],
  ['key_required', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8', { as: '' }],
  ['professional_required', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8', { as: 'free' }],
  ['history_requires_professional', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=2026-01-01T00:00:00Z', { as: 'free' }],
  ['invalid_time', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=yesterday'],
  ['at_out_of_window', '/pulse/v1/ip/{ip}', '/pulse/v1/ip/8.8.8.8?at=2001-01-01T00:00:00Z'],
  ['history_no_ipv6', '/pulse/v1/ip/{ip}', `/pulse/v1/ip/2001:4860::1?at=${new Date(Date.now() - 60_000).toISOString()}`],
  ['bad_request', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: [] } }],
  ['payload_too_large', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: Array(1001).fill('8.8.8.8') } }],
  ['batch_over_rate_limit', '/v1/ip/batch', '/v1/ip/batch', { body: { ips: Array(61).fill('8.8.8.8') }, as: 'small' }],
  ['invalid_time', '/pulse/v1/ip/batch', '/pulse/v1/ip/batch', { body: { ips: ['8.8.8.8'], at: 'yesterday' } }],
  ['professional_required', '/pulse/v1/ip/batch', '/pulse/v1/ip/batch', { body: { ips: ['8.8.8.8'] }, as: 'free' }],
  ['key_required', '/v1/me', '/v1/me', { as: '' }],
  ['bad_number', '/v1/phone/lookup', '/v1/phone/lookup', { body: { number: 'x' } }],
  ['bad_request', '/v1/phone/lookup', '/v1/phone/lookup', { body: '{' }],
  ['capability_not_eligible', '/v1/phone/lookup', '/v1/phone/lookup', { body: { number: '1' }, as: 'free' }],
  ['payload_too_large', '/v1/phone/batch', '/v1/phone/batch', { body: { numbers: Array(1001).fill('+1') } }],
  ['batch_over_rate_limit', '/v1/phone/batch', '/v1/phone/batch', { body: { numbers: ['+12025550123', '+22025550123', '+32025550123'] }, as: 'small' }],
];

for (const [code, path, asked, options] of BAD)
  test(`${code} on ${path} is an error body with a status and a code that are published there`, async () => {
    const method = options?.body === undefined ? 'GET' : 'POST';
    const { status, text } = await ask(method, asked, options);
    assert.equal((JSON.parse(text) as { error: { code: string } }).error.code, code, text);
    assert.equal(status, ERRORS[code].status);
    assert.deepEqual(faultsOf(DOCUMENTS.Error, text), []);
    const response = described.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    assert.ok(response !== undefined, `${path} has no ${status}`);
    assert.match(response.description, new RegExp(`\\b${code}:`), `${path} does not mention ${code}`);
    assert.equal(response.content['application/json'].schema.$ref, '#/components/schemas/Error');
  });

const filled = (path: string): string => path.replace(/:\w+/g, '1.2.9.4');

test('the running server answers exactly the methods that routes.ts lists for each path', async () => {
  const listed = new Map<string, Set<string>>();
  for (const [methods, path] of ROUTES) {
    const known = listed.get(path) ?? new Set<string>();
    for (const method of methods.split(', '))
      for (const name of method === 'GET' ? ['GET', 'HEAD'] : [method]) known.add(name);
    listed.set(path, known);
  }
  // To a GET, "batch" is one more address that cannot be read; there is no preflight for a batch.
  for (const path of ['/v1/ip/', '/pulse/v1/ip/']) listed.set(`${path}batch`, new Set(['GET', 'HEAD', 'POST']));
  assert.ok(listed.size > 90, String(listed.size));
  for (const [path, methods] of listed) {
    const response = await fetchWhole(server.base + filled(path), {
      method: 'PROPFIND',
      redirect: 'manual',
      headers: { 'x-forwarded-for': newClient() },
    });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, [...methods].sort().join(', ')], path);
  }
});

test('the OpenAPI document describes the REST routes of routes.ts and nothing else, and names the extensions among them', () => {
  const documented = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const listed = ROUTES.filter(([, path]) => /^\/(v1|pulse|sandbox|api|geoip|lists)(\/[^*]*)?$/.test(path)).flatMap(
    ([methods, path]) =>
      methods
        .split(', ')
        .filter((method) => method !== 'OPTIONS')
        .map((method) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`),
  );
  assert.deepEqual(documented.toSorted(), listed.toSorted());
  const extensions = Object.entries(described.paths).filter(([, methods]) =>
    Object.values(methods).some((operation) => 'x-pulse-extension' in operation),
  );
  const paths = extensions.map(([path]) => path);
  assert.deepEqual(paths, [
    '/v1/ip/batch',
    '/pulse/v1/ip/batch',
    '/pulse/v1/ip/{ip}/explain',
    '/pulse/v1/ip/{ip}/timeline',
    '/pulse/v1/network/{network}',
    '/pulse/v1/network/{network}/{bits}',
    '/v1/score/parameters',
    '/v1/decide',
    '/v1/feedback',
    '/v1/allowlist',
    '/v1/watchlists',
    '/v1/watchlists/{id}',
    '/v1/watchlists/{id}/test',
    '/v1/watchlists/{id}/deliveries',
    '/v1/watchlists/{id}/deliveries/{delivery}/replay',
    '/v1/lists',
    '/v1/lists/{name}',
    '/lists/{name}.{format}',
    '/v1/decisions',
    '/v1/decisions/stream',
    '/v1/heartbeat',
    '/v1/usage-metrics',
    '/v1/evidence',
    '/v1/beacon',
    '/api/v2/report',
    '/api/v2/check',
    '/geoip/updates/metadata',
    '/geoip/databases/{edition}/download',
    '/geoip/databases/{edition}/update',
    '/sandbox',
    '/sandbox/v1/ip/{ip}',
    '/sandbox/pulse/v1/ip/{ip}',
  ]);
});
