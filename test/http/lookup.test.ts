import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { VERSION } from '../../src/config.ts';
import type { IPRisk } from '../../src/contract/documents.ts';
import type { Status } from '../../src/contract/status.ts';
import { covers } from '../spec/covers.ts';
import { rawHttp } from '../support/raw-http.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';

let server: ServeProcess;
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetchWhole(server.base + path, { method, headers: { 'X-Forwarded-For': newClient(), ...headers } });
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

before(async () => {
  server = await sharedService();
});

describe('GET /v1/ip/{ip}', () => {
  test('a known address gets every key that is known and no other', async () => {
    covers('IP-200 IPRISK-IP IPRISK-KEYS IPRISK-COMPUTED RISK-SIGNALS SIG-NETWORK NET-ASN GEO-LATLON VER-DATA');
    const from = server.now();
    const response = await get('/v1/ip/8.8.8.8');
    assert.equal(response.status, 200);
    const body = (await response.json()) as IPRisk;
    const at = Date.parse(body.computed_at);
    assert.match(body.computed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(at >= from && at <= server.now());
    assert.deepEqual(body, {
      ip: '8.8.8.8',
      risk: { score: 0, level: 'none', signals: ['hosting'] },
      evidence_state: 'none',
      computed_at: body.computed_at,
      network: { asn: 15169, usage_type: 'DNS' },
      geo: { continent: 'NA', country: 'US', tz: 'America/Chicago', lat: 37.751, lon: -97.822 },
      meta: { data_version: { risk: body.meta.data_version.risk, geo: 'synthetic-1' } },
    });
  });

  test('names beyond ASCII arrive whole, with the length in bytes', async () => {
    const response = await get('/v1/ip/1.2.3.4');
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(Number(response.headers.get('content-length')), bytes.length);
    assert.equal((JSON.parse(new TextDecoder().decode(bytes)) as IPRisk).geo?.city, 'São Paulo');
  });

  const omissions: readonly (readonly [ip: string, absent: readonly string[], present: readonly string[]])[] = [
    ['1.2.3.4', ['degraded', 'evidence', 'share_tier', 'resource_pools'], ['network', 'geo']],
    ['5.5.5.5', ['network', 'degraded'], ['geo']],
    ['9.9.9.9', ['geo'], ['network']],
    ['11.0.0.1', ['geo', 'network'], ['meta']],
  ];
  for (const [ip, absent, present] of omissions) {
    test(`${ip} leaves out unknown fields: ${absent.join(', ')}`, async () => {
      covers('IPRISK-NETWORK', 'IPRISK-GEO', 'IPRISK-NEVER', 'NET-OMIT', 'GEO-OMIT');
      const text = await (await get(`/v1/ip/${ip}`)).text();
      const body = JSON.parse(text) as Record<string, unknown>;
      for (const key of absent) assert.ok(!(key in body), `${key} in ${text}`);
      for (const key of present) assert.ok(key in body, `${key} not in ${text}`);
      assert.ok(!/null|""/.test(text), text);
    });
  }

  test('without signals the key is not there', async () => {
    covers('RISK-SIGNALS');
    assert.deepEqual(((await (await get('/v1/ip/1.2.3.4')).json()) as IPRisk).risk, { score: 0, level: 'none' });
  });

  const canonical: readonly (readonly [path: string, ip: string])[] = [
    ['2001:4860:0:0:0:0:0:8888', '2001:4860::8888'],
    ['2001:4860::ABCD', '2001:4860::abcd'],
    ['2001%3A4860%3a%3a8888', '2001:4860::8888'],
    ['::ffff:8.8.8.8', '8.8.8.8'],
    ['64:ff9b::808:808', '8.8.8.8'],
    ['%38.8.8.8', '8.8.8.8'],
  ];
  for (const [path, ip] of canonical) {
    test(`${path} is answered as ${ip}`, async () => {
      covers('IPRISK-IP');
      assert.equal(((await (await get(`/v1/ip/${path}`)).json()) as IPRisk).ip, ip);
    });
  }

  const refused: readonly (readonly [path: string, status: number, code: string])[] = [
    ['/v1/ip/8.8.8', 400, 'invalid_ip'],
    ['/v1/ip/08.8.8.8', 400, 'invalid_ip'],
    ['/v1/ip/8.8.8.8.', 400, 'invalid_ip'],
    ['/v1/ip/8.8.8.8%00', 400, 'invalid_ip'],
    ['/v1/ip/8.8.8.8%20', 400, 'invalid_ip'],
    ['/v1/ip/8.8.8.8%2F24', 400, 'invalid_ip'],
    ['/v1/ip/%2538.8.8.8', 400, 'invalid_ip'],
    ['/v1/ip/%ff%fe', 400, 'invalid_ip'],
    ['/v1/ip/%', 400, 'invalid_ip'],
    ['/v1/ip/%zz', 400, 'invalid_ip'],
    ['/v1/ip/134744072', 400, 'invalid_ip'],
    ['/v1/ip/0x8.8.8.8', 400, 'invalid_ip'],
    ['/v1/ip/fe80::1%25eth0', 400, 'invalid_ip'],
    ['/v1/ip/[2001:4860::1]', 400, 'invalid_ip'],
    ['/v1/ip/%D9%A8.8.8.8', 400, 'invalid_ip'],
    [`/v1/ip/${'1'.repeat(8000)}`, 400, 'invalid_ip'],
    ['/v1/ip/10.0.0.1', 400, 'reserved_ip'],
    ['/v1/ip/127.0.0.1', 400, 'reserved_ip'],
    ['/v1/ip/192.0.2.1', 400, 'reserved_ip'],
    ['/v1/ip/224.0.0.1', 400, 'reserved_ip'],
    ['/v1/ip/::1', 400, 'reserved_ip'],
    ['/v1/ip/::ffff:10.0.0.1', 400, 'reserved_ip'],
    ['/v1/ip/64:ff9b::10.0.0.1', 400, 'reserved_ip'],
    ['/v1/ip/7.7.7.7', 404, 'not_found'],
    ['/v1/ip/2a00::1', 404, 'not_found'],
    ['/v1/ip/8.8.8.8?at=2026-01-01T00:00:00Z', 400, 'bad_request'],
    ['/v1/ip/8.8.8.8?at=', 400, 'bad_request'],
  ];
  for (const [path, status, code] of refused) {
    test(`${path.slice(0, 50)} is ${status} ${code}, readable by pages of any origin, without allowance headers`, async () => {
      covers('ERR-invalid_ip ERR-reserved_ip ERR-not_found IP-400 IP-404 CORS-STAR LIM-HEADERS-WHERE LIM-RETRY-ONLY');
      const response = await get(path);
      assert.equal(response.status, status);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.equal(response.headers.get('x-daily-limit'), null);
      assert.equal(response.headers.get('retry-after'), null);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(await codeOf(response), code);
    });
  }

  test('codes and slugs whatever language is asked for', async () => {
    covers('GEN-CODES');
    const apart = async (language: string) => ({
      ...((await (await get('/v1/ip/1.2.3.4', { 'Accept-Language': language })).json()) as IPRisk),
      computed_at: '',
    });
    assert.deepEqual(await apart('zh-CN'), await apart('en'));
  });

  test('other query parameters change nothing', async () => {
    assert.equal((await get('/v1/ip/8.8.8.8?lang=zh&x=%')).status, 200);
  });

  test('HEAD gives the same head and no body', async () => {
    const response = await get('/v1/ip/8.8.8.8', {}, 'HEAD');
    assert.equal(response.status, 200);
    assert.ok(Number(response.headers.get('content-length')) > 100);
    assert.equal(await response.text(), '');
  });

  test('OPTIONS allows the key headers to every origin and costs nothing', async () => {
    covers('CORS-PREFLIGHT', 'CORS-STAR');
    const from = newClient();
    const response = await get(
      '/v1/ip/8.8.8.8',
      {
        'X-Forwarded-For': from,
        Origin: 'https://example.com',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'x-api-key',
      },
      'OPTIONS',
    );
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.match(response.headers.get('access-control-allow-methods') ?? '', /\bGET\b/);
    assert.deepEqual((response.headers.get('access-control-allow-headers') ?? '').split(', '), [
      'X-API-Key',
      'Authorization',
      'Content-Type',
      'X-Requested-With',
      '*',
    ]);
    const { headers } = await get('/v1/ip/8.8.8.8', { 'X-Forwarded-For': from });
    for (const window of ['daily', 'ratelimit'])
      assert.equal(Number(headers.get(`x-${window}-limit`)) - Number(headers.get(`x-${window}-remaining`)), 1, window);
  });

  test('the verdict is not to be stored, the allowance headers are exposed, and every answer has an id of its own', async () => {
    covers('REQ-ID', 'GEN-NO-CACHE', 'CORS-STAR');
    const ids = new Set<string | null>();
    for (let i = 0; i < 5; i++) {
      const response = await get('/v1/ip/8.8.8.8');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      for (const name of [
        'X-Daily-Limit',
        'X-Daily-Remaining',
        'X-Daily-Reset',
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'Retry-After',
      ])
        assert.ok(response.headers.get('access-control-expose-headers')?.includes(name));
      ids.add(response.headers.get('x-request-id'));
    }
    assert.equal(ids.size, 5);
    assert.ok(!ids.has(null));
  });
});

describe('paths and methods', () => {
  const paths: readonly (readonly [method: string, path: string, status: number, code: string])[] = [
    ['GET', '/nothing', 404, 'not_found'],
    ['GET', '/v1/ip/', 404, 'not_found'],
    ['GET', '/v1/ip', 404, 'not_found'],
    ['GET', '/v1/ip/8.8.8.8/', 404, 'not_found'],
    ['GET', '/v1/ip/8.8.8.8/x', 404, 'not_found'],
    ['GET', '//v1/ip/8.8.8.8', 404, 'not_found'],
    ['GET', '/V1/ip/8.8.8.8', 404, 'not_found'],
    ['GET', '/v2/ip/8.8.8.8', 404, 'not_found'],
    ['POST', '/v1/ip/8.8.8.8', 405, 'method_not_allowed'],
    ['DELETE', '/pulse/v1/ip/8.8.8.8', 405, 'method_not_allowed'],
    ['OPTIONS', '/pulse/v1/ip/8.8.8.8', 405, 'method_not_allowed'],
    ['POST', '/v1/me', 405, 'method_not_allowed'],
    ['PUT', '/healthz', 405, 'method_not_allowed'],
    ['PUT', '/readyz', 405, 'method_not_allowed'],
    ['POST', '/', 405, 'method_not_allowed'],
    ['DELETE', '/en/docs', 405, 'method_not_allowed'],
    ['POST', '/nothing', 404, 'not_found'],
  ];
  for (const [method, path, status, code] of paths) {
    test(`${method} ${path} is ${status} ${code} with the error body and an id`, async () => {
      covers('ERR-EVERY-PATH', 'ERR-METHOD', 'ERR-MESSAGE', 'REQ-ID', 'ERR-not_found', 'VER-PATH');
      const [answer] = await rawHttp(
        server.port,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      assert.equal(answer?.status, status);
      const { error } = JSON.parse(answer.body) as { error: { code: string; message: string } };
      assert.equal(error.code, code);
      assert.ok(typeof error.message === 'string' && error.message !== '');
      assert.ok(answer.headers['x-request-id']);
      assert.equal(answer.headers['allow'] !== undefined, status === 405);
    });
  }

  test('no CORS header outside GET /v1/ip/{ip}', async () => {
    covers('CORS-ONLY');
    for (const path of ['/pulse/v1/ip/8.8.8.8', '/v1/me', '/nothing'])
      assert.equal(
        (await get(path, { Origin: 'https://example.com' })).headers.get('access-control-allow-origin'),
        null,
      );
  });
});

describe('HTTP as it comes', () => {
  const ok = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  test('dot segments are taken as they stand', async () => {
    const answers = await rawHttp(server.port, ok('/v1/ip/%2e%2e') + ok('/v1/ip/..') + ok('/v1/./ip/8.8.8.8'), {
      answers: 3,
    });
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [400, 400, 404]);
  });

  test('pipelined requests are answered in order, also after errors', async () => {
    const answers = await rawHttp(
      server.port,
      ok('/v1/ip/8.8.8.8') + ok('/v1/ip/x') + ok('/nothing') + ok('/v1/ip/9.9.9.9') + ok('/v1/me'),
      { answers: 5 },
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 400, 404, 200, 401]);
    assert.equal((JSON.parse(answers[3]!.body) as IPRisk).ip, '9.9.9.9');
  });

  test('an unexpected body does not become the next request', async () => {
    const body = 'GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n';
    const answers = await rawHttp(
      server.port,
      `POST /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${ok('/v1/ip/9.9.9.9')}`,
      { answers: 2 },
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [405, 200]);
  });

  test('HTTP/1.0 without Host is answered and the connection ends', async () => {
    const [answer] = await rawHttp(server.port, 'GET /v1/ip/8.8.8.8 HTTP/1.0\r\n\r\n');
    assert.equal(answer?.status, 200);
    assert.equal(answer.headers['connection'], 'close');
  });

  test('the absolute form names the same resource', async () => {
    const [answer] = await rawHttp(server.port, ok('http://x/v1/ip/8.8.8.8'), { answers: 1 });
    assert.equal(answer?.status, 200);
  });

  const malformed: readonly (readonly [name: string, bytes: string, status: number, code: string])[] = [
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
    [
      'a header name with a space',
      'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'a head over 16 KiB',
      `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      413,
      'payload_too_large',
    ],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
  ];
  for (const [name, bytes, status, code] of malformed) {
    test(`${name} is ${status} ${code} with the error body`, async () => {
      covers('ERR-EVERY-PATH');
      const [answer] = await rawHttp(server.port, bytes);
      assert.equal(answer?.status, status);
      assert.equal((JSON.parse(answer.body) as { error: { code: string } }).error.code, code);
      assert.ok(answer.headers['x-request-id']);
    });
  }
});

describe('the lookup of MCP', () => {
  const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'ip_risk_lookup' } };
  const of = (given: unknown): object => ({ ...CALL, params: { ...CALL.params, arguments: given } });
  /** Every answer of a thread has an id that begins with its own letters. */
  const threadOf = (response: Response): string => response.headers.get('x-request-id')!.split('-')[0]!;
  const call = (path: string, body: object | string, headers: Record<string, string> = {}): Promise<Response> =>
    fetchWhole(server.base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': newClient(), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const plain: readonly [string, object | string, Record<string, string>?][] = [
    ['an address', of({ ip: '8.8.8.8' })],
    [
      'IPv6, an id of text, a revision',
      { ...of({ ip: '2001:4860::1' }), id: 'a "b"' },
      { 'MCP-Protocol-Version': '2025-06-18' },
    ],
    [
      'white space and fields in another order',
      `{"params": {"arguments": {"ip": "8.8.8.8"},\n "name": "ip_risk_lookup"}, "method": "tools/call", "id": -1, "jsonrpc": "2.0"}`,
    ],
    ['a reserved address', of({ ip: '10.0.0.1' })],
    ['no address', CALL],
    ['another argument', of({ ip: '8.8.8.8', at: 'now' })],
    ['an argument of another kind', of({ ip: 8 })],
    ['an unknown key', of({ ip: '8.8.8.8' }), { 'X-API-Key': 'pk_0123456789' }],
  ];
  const others: readonly [string, object | string, Record<string, string>?][] = [
    ['broken JSON', '{"jsonrpc": '],
    ['a list', [of({ ip: '8.8.8.8' })]],
    ['a notification', { jsonrpc: '2.0', method: 'tools/call', params: CALL.params }],
    ['a broken number for an id', { ...CALL, id: 1.5 }],
    ['no version of JSON-RPC', { id: 1, method: 'tools/call', params: CALL.params }],
    ['arguments that are a list', of(['8.8.8.8'])],
    ['a _meta', { ...CALL, params: { ...CALL.params, _meta: {} } }],
    ['more than a call needs', `${' '.repeat(1000)}${JSON.stringify(of({ ip: '8.8.8.8' }))}`],
    ['another tool', { ...CALL, params: { name: 'whois' } }],
    ['another method', { ...CALL, method: 'tools/list', params: {} }],
    ['a revision there is not', of({ ip: '8.8.8.8' }), { 'MCP-Protocol-Version': '1999-01-01' }],
    ['a page of another site', of({ ip: '8.8.8.8' }), { Origin: 'https://other.example' }],
    ['text', of({ ip: '8.8.8.8' }), { 'Content-Type': 'text/plain' }],
  ];
  for (const [name, body, headers] of [...plain, ...others])
    test(`${name}: the answer of the lookup thread is that of the thread with the protocol library`, async () => {
      const [here, there, lookup] = await Promise.all([
        call('/mcp', body, headers),
        call('/mcp?', body, headers),
        get('/v1/ip/8.8.8.8'),
      ]);
      const isPlain = plain.some(([known]) => known === name);
      assert.equal(threadOf(here) === threadOf(lookup), isPlain);
      assert.notEqual(threadOf(there), threadOf(lookup));
      const seen = async (response: Response): Promise<unknown> => ({
        status: response.status,
        headers: Object.fromEntries(
          [...response.headers].filter(
            ([header]) => !['x-request-id', 'date', 'keep-alive', 'connection'].includes(header),
          ),
        ),
        body: (await response.text()).replaceAll(/(_at\\?":\\?")[^"\\]+/g, '$1'),
      });
      assert.deepEqual(await seen(here), await seen(there));
    });
});

test('until the first data is in, lookups answer not_ready with Retry-After and cost no day', async () => {
  covers('ERR-not_ready', 'IP-503', 'ERR-EVERY-PATH');
  const empty = await serveProcess({ geo: 'withheld' });
  try {
    const response = await fetchWhole(`${empty.base}/v1/ip/8.8.8.8`);
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
    assert.equal(await codeOf(response), 'not_ready');
    assert.equal(await codeOf(await fetchWhole(`${empty.base}/v1/ip/10.0.0.1`)), 'reserved_ip');
    const alive = await fetchWhole(`${empty.base}/healthz`);
    const { status: state, version } = (await alive.json()) as Record<string, unknown>;
    assert.deepEqual([alive.status, state, version], [200, 'starting', VERSION]);
    const health = await fetchWhole(`${empty.base}/readyz`);
    assert.deepEqual([health.status, await codeOf(health), health.headers.get('retry-after')], [503, 'not_ready', '2']);
    const status = (await (await fetchWhole(`${empty.base}/console/api/status`)).json()) as Status;
    assert.equal(status.ready, false);
  } finally {
    await empty.dispose();
  }
});
