import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { rawHttp } from '../support/raw-http.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { EMPTY, TYPES, VERSIONED, WEBHOOK, WITHOUT_BODY } from './allow-list.fixture.ts';

const IP = '45.79.1.1';
let server: ServeProcess;
let own: string;
let other: string;

before(async () => {
  server = await sharedService();
  own = createKey(server.dataDir, 'allowing', ['--plan', 'professional']).key;
  other = createKey(server.dataDir, 'not-allowing', ['--plan', 'professional']).key;
  const at = new Date(server.now() - 60_000).toISOString();
  const rows = `ip,risk_type,captured_at\n${IP},honeypot_credential,${at}\n`;
  assert.equal(
    pulseOver(server.dataDir, ['evidence', 'import', '-', '--source', 'allow-list', '--json'], rows).status,
    0,
  );
  await eventually(async () => (await single(own)).risk.score > 70);
});

const call = (key: string, path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') =>
  fetchWhole(server.base + path, {
    method,
    headers: {
      ...(key !== '' && { 'X-API-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      'X-Forwarded-For': newClient(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

interface Body {
  readonly risk: { readonly score: number };
  readonly meta: { readonly override?: boolean };
}
const single = async (key: string): Promise<Body> => (await (await call(key, `/v1/ip/${IP}`)).json()) as Body;
const put = (key: string, entries: readonly unknown[]) => call(key, '/v1/allowlist', { entries }, 'PUT');

test('an account allows addresses for its own keys alone: single, batch, decide, MCP and the past', async () => {
  covers('ALLOW-LIST');
  const before = new Date(server.now()).toISOString();
  const made = await put(own, [{ prefix: '45.79.1.0/24', reason: 'our office' }]);
  assert.equal(made.status, 200);
  const { entries } = (await made.json()) as { entries: { prefix: string; from: string }[] };
  assert.equal(entries[0]!.prefix, '45.79.1.0/24');
  await eventually(async () => (await single(own)).risk.score === 1);
  assert.equal((await single(own)).meta.override, true);
  for (const key of [other, '']) {
    const body = await single(key);
    assert.ok(body.risk.score > 70 && body.meta.override === undefined, 'nobody else sees it');
  }
  const batch = (await (await call(own, '/v1/ip/batch', { ips: [IP, '8.8.8.8'] })).json()) as { results: Body[] };
  assert.deepEqual([batch.results[0]!.risk.score, batch.results[0]!.meta.override], [1, true]);
  assert.equal(batch.results[1]!.meta.override, undefined);
  const decided = await call(own, `/v1/decide?ip=${IP}`);
  assert.deepEqual([decided.status, decided.headers.get('x-pulse-reason')], [204, 'on an allow list']);
  assert.equal((await call(other, `/v1/decide?ip=${IP}`)).status, 403);
  const asked = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ip_risk_lookup', arguments: { ip: IP } },
  };
  const mcp = await fetchWhole(`${server.base}/mcp`, {
    method: 'POST',
    headers: { 'X-API-Key': own, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify(asked),
  });
  const { result } = (await mcp.json()) as { result: { content: { text: string }[] } };
  assert.equal((JSON.parse(result.content[0]!.text) as Body).risk.score, 1);
  const past = (await (await call(own, `/pulse/v1/ip/${IP}?at=${before}`)).json()) as Body;
  assert.ok(past.risk.score > 70, 'the time before stays as it was');
});

test('the list is replaced whole, ends by itself, and refuses what it does not understand', async () => {
  covers('ALLOW-LIST');
  for (const [entries, fault] of [
    [[{ prefix: 'x', reason: 'r' }], 'prefix'],
    [[{ prefix: IP }], 'reason'],
    [[{ prefix: IP, reason: 'r', until: 'soon' }], 'until'],
    [Array.from({ length: 1001 }, (_, i) => ({ prefix: `1.1.${i >> 8}.${i & 255}`, reason: 'r' })), 'at most 1000'],
  ] as const) {
    const refused = await put(own, entries);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), new RegExp(fault));
  }
  assert.equal((await put(own, [])).status, 200);
  await eventually(async () => (await single(own)).risk.score > 70);
  assert.deepEqual(await (await call(own, '/v1/allowlist')).json(), { entries: [] });
  assert.equal((await call('', '/v1/allowlist')).status, 401);
});

for (const [path, [first, second], removes] of VERSIONED)
  test(`${path}: a change is of the version that was read, or none`, async () => {
    covers('ALLOW-LIST', 'LISTS-SAVED', 'WATCHLIST');
    const ask = async (method: string, headers: object = {}, body?: object) => {
      const asked = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const type = 'application/json';
      return await fetchWhole(server.base + path, {
        ...asked,
        headers: { 'X-API-Key': own, 'Content-Type': type, 'X-Forwarded-For': newClient(), ...headers },
      });
    };
    const put = async (headers: object, body = second) => (await ask('PUT', headers, body)).status;
    const tagNow = async () => (await ask('GET')).headers.get('etag')!;
    if (removes) {
      assert.deepEqual([await put({ 'If-Match': '*' }), await put({ 'If-Match': '"x"' })], [412, 412], 'there is none');
      assert.equal((await ask('DELETE', { 'If-Match': '"x"' })).status, 404);
    }
    assert.ok((await put(removes ? { 'If-None-Match': '*' } : {}, first)) < 300);
    const tag = await tagNow();
    assert.match(tag, /^"[\w-]+"$/);
    for (const same of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
      assert.equal((await ask('GET', { 'If-None-Match': same })).status, 304, same);
    assert.equal((await ask('GET', { 'If-None-Match': '"x"' })).status, 200);
    const refused = [
      { 'If-Match': '"x"' },
      { 'If-Match': `W/${tag}` },
      { 'If-Match': '' },
      { 'If-None-Match': '*' },
      { 'If-None-Match': `"x", W/${tag}` },
    ];
    for (const headers of refused) assert.equal(await put(headers), 412, JSON.stringify(headers));
    assert.equal(
      ((await (await ask('PUT', refused[0], second)).json()) as { error: { code: string } }).error.code,
      'precondition_failed',
    );
    assert.equal(await put({ 'If-Match': '"x"' }, []), 400, 'what is wrong anyway is said first');
    assert.equal(await tagNow(), tag, 'nothing was changed');
    const both = await Promise.all([put({ 'If-Match': `"x", ${tag}` }), put({ 'If-Match': `"x", ${tag}` })]);
    assert.deepEqual(both.sort(), [200, 412], 'one of two at once');
    assert.notEqual(await tagNow(), tag);
    assert.equal(await put({ 'If-Match': '*', 'If-None-Match': tag }, first), 200);
    if (!removes) return;
    assert.equal((await ask('DELETE', { 'If-Match': '"x"' })).status, 412);
    assert.equal((await ask('DELETE', { 'If-Match': await tagNow() })).status, 204);
    assert.equal((await ask('GET')).status, 404);
  });

test('no body has every type: what needs none is done', async () => {
  covers('WATCHLIST');
  const send = async (method: string, path: string, type: string, length: object) => {
    const lines = { 'X-API-Key': own, 'X-Forwarded-For': newClient(), 'Content-Type': type, ...length };
    const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
    const end = 'Transfer-Encoding' in length ? '0\r\n\r\n' : '';
    const request = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...text, '', end].join('\r\n');
    return (await rawHttp(server.port, request, { answers: 1 }))[0]!.status;
  };
  for (const type of TYPES)
    for (const length of EMPTY) {
      await call(own, '/v1/watchlists/empty', WEBHOOK, 'PUT');
      await call(own, '/v1/lists/empty', {}, 'PUT');
      for (const [method, path, status] of WITHOUT_BODY)
        assert.equal(
          await send(method, path, type, length),
          status,
          `${method} ${path} ${type} ${JSON.stringify(length)}`,
        );
    }
});
