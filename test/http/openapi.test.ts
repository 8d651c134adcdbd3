import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { DOCUMENTS } from '../../src/contract/documents.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';
import { type AskOptions, BAD, GOOD } from './openapi.fixture.ts';

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

async function ask(method: string, path: string, { body, as = key }: AskOptions = {}): Promise<Asked> {
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

for (const [name, path, document, method, asked, options] of GOOD)
  test(`the answer for ${name} is the document that is published, with every header that is`, async () => {
    const { status, headers, text } = await ask(method, asked, options);
    assert.equal(status, 200, text);
    assert.deepEqual(faultsOf(DOCUMENTS[document], text), [], text);
    const promised = Object.keys(described.paths[path]?.[method.toLowerCase()]?.responses['200']?.headers ?? {});
    for (const [name] of headers)
      if (/^(x-|access-control-allow-o|etag)/.test(name) && name !== 'x-content-type-options')
        assert.ok(
          promised.some((one) => one.toLowerCase() === name),
          `${path} does not promise ${name}`,
        );
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

/** Texts and references of a part of the document. */
const saidIn = (part: unknown, key: 'description' | '$ref'): readonly string[] =>
  typeof part !== 'object' || part === null
    ? []
    : Object.entries(part).flatMap(([name, value]) =>
        name === key && typeof value === 'string' ? [value] : saidIn(value, key),
      );

test('a part has the operations of its tag and what they refer to; texts are short', async () => {
  covers('REST-OPENAPI-PLAIN');
  const long = saidIn(described, 'description').filter(({ length }) => length > 300);
  assert.deepEqual(long, []);
  const partOf = async (query: string) => fetch(`${server.base}/openapi.json?${query}`);
  const operations = ({ paths }: Described) =>
    Object.values(paths).flatMap((methods) =>
      Object.values(methods as object).map(({ tags, operationId }) => `${tags} ${operationId}`),
    );
  for (const tag of ['IP', 'Account', 'Evidence', 'Files', 'Sandbox', 'Phone', 'Agents']) {
    const part = (await (await partOf(`tag=${tag}`)).json()) as Described;
    const wanted = operations(described).filter((name) => name.startsWith(`${tag} `));
    if (tag === 'Agents') assert.ok(operations(part).length === 8 && JSON.stringify(part).length < 60_000);
    else assert.deepEqual(operations(part), wanted);
    const { schemas, headers } = part.components as Described['components'] & { headers: object };
    const here = ['schemas', 'headers'].flatMap((kind, n) =>
      Object.keys([schemas, headers][n]!).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual([...new Set(saidIn(part, '$ref'))].sort(), here.sort());
  }
  for (const query of ['tag=Nothing', 'tag=', 'tag=IP&tag=Phone']) {
    const refused = await partOf(query);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /IP, Account, Evidence, Files, Sandbox, Phone, Agents/);
  }
  const llms = await (await fetch(`${server.base}/llms.txt`)).text();
  assert.ok(llms.includes(`${server.base}/openapi.json?tag=Agents`));
});

test('every published schema refuses a document of another shape', () => {
  for (const [name, , document] of GOOD)
    assert.notDeepEqual([...Value.Errors(DOCUMENTS[document], { surprise: true })], [], name);
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
    [...Array<boolean>(10).fill(false), true, true, true],
    'AbuseIPDB’s clients send fields that are read over',
  );
});

test('a client that checks answers against the published documents takes keys it does not know, and still finds a wrong one', async () => {
  for (const [name, path, , method, asked, options] of GOOD) {
    const { $ref } = described.paths[path]![method.toLowerCase()]!.responses['200']!.content['application/json'].schema;
    const check = (document: unknown): boolean => Value.Check(inlined({ $ref }), document);
    const document = JSON.parse((await ask(method, asked, options)).text) as object;
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

for (const [code, path, asked, options] of BAD)
  test(`${code} on ${path} is an error body with a status and a code that are published there`, async () => {
    const method = options?.body === undefined ? 'GET' : 'POST';
    const { status, text, headers } = await ask(method, asked, options);
    assert.equal((JSON.parse(text) as { error: { code: string } }).error.code, code, text);
    assert.equal(status, ERRORS[code].status);
    assert.deepEqual(faultsOf(DOCUMENTS.Error, text), []);
    const response = described.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
    assert.ok(response !== undefined, `${path} has no ${status}`);
    assert.match(response.description, new RegExp(`\\b${code}\\b`), `${path} does not mention ${code}`);
    assert.equal(response.content['application/json'].schema.$ref, '#/components/schemas/Error');
    for (const [name] of headers)
      if (/^(x-|retry-after|www-)/.test(name) && name !== 'x-content-type-options')
        assert.ok(
          Object.keys(response.headers ?? {}).some((one) => one.toLowerCase() === name),
          `${path} ${status} ${name}`,
        );
  });

const filled = (path: string): string => path.replace(/:\w+/g, '1.2.9.4');

test('the running server answers exactly the methods that routes.ts lists for each path', async () => {
  const listed = new Map<string, Set<string>>();
  for (const { methods, path } of ROUTES) {
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
  const listed = ROUTES.filter(({ path }) => /^\/(v1|pulse|sandbox|api|geoip|lists)(\/[^*]*)?$/.test(path)).flatMap(
    ({ methods, path }) =>
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
