import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';

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
