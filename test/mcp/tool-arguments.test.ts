/** What models send as arguments, and how much of their context an answer takes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';

let service: TestService;
let key: string;
before(async () => {
  service = await startMcpService({ replace: { mcpOrigins: [] } });
  key = (await service.account('owner@example.com', { plan: 'enterprise' })).key;
});
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

interface Called {
  readonly error?: { readonly code: number; readonly message: string };
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: documents of several tools
  readonly document: any;
}

async function call(name: string, given: object): Promise<Called> {
  const answer = await fetch(`${service.url}/en/mcp/account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  const { error, result } = (await answer.json()) as {
    error?: Called['error'];
    result?: { isError?: boolean; content: { text: string }[] };
  };
  const text = result?.content[0]?.text ?? '{}';
  return { ...(error && { error }), isError: result?.isError === true, text, document: JSON.parse(text) };
}

const KNOWN = '203.0.114.9';

test('lookup and batch read addresses as texts have them, and what is none is the error of its item', async () => {
  covers('MCP-BATCH-TOOL');
  const ips = [
    '203[.]0[.]114[.]9',
    'hxxp://203.0.114.9/x',
    '203.0.114.9:443',
    '"203.0.114.9"',
    '２０３.０.114.9',
    'x',
    '8.8.8.8, 9.9.9.9',
  ];
  const { document } = await call('ip_risk_batch', { ips });
  assert.deepEqual(
    document.results.map((item: { ip: string; error?: { code: string } }) => item.error?.code ?? item.ip),
    [KNOWN, KNOWN, KNOWN, KNOWN, KNOWN, 'invalid_ip', 'invalid_ip'],
  );
  for (const ip of ips.slice(0, 5)) assert.equal((await call('ip_risk_lookup', { ip })).document.ip, KNOWN, ip);
  const zoned = await call('ip_risk_lookup', { ip: '2001:503:ba3e::2:30%en0' });
  assert.equal(zoned.document.ip, '2001:503:ba3e::2:30', 'a zone belongs to the machine that wrote it');
  assert.equal(document.results[5].ip, 'x');
  assert.equal(document.billable, 5);
});

test('a short batch has score, level, state, signals and order, and meta once', async () => {
  covers('MCP-BATCH-TOOL');
  const { document } = await call('ip_risk_batch', { ips: [KNOWN, '8.8.8.8'] });
  const { risk } = (await call('ip_risk_lookup', { ip: KNOWN })).document;
  assert.deepEqual(document, {
    count: 2,
    billable: 2,
    results: [
      { ip: KNOWN, ...risk, state: 'active', order: 'deny' },
      { ip: '8.8.8.8', score: 0, level: 'none', signals: ['hosting'], state: 'none', order: 'allow' },
    ],
    meta: { data_version: { risk: 'r1', geo: 'g1' } },
  });
});

/** Bytes a token has at least in such documents, by o200k: numbers and punctuation are short. */
const BYTES_OF_TOKEN = 2;

test('a hundred addresses take at most 6,000 tokens, and a full answer comes in pages of fifty', async () => {
  covers('MCP-BATCH-TOOL');
  const ips = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? KNOWN : `198.51.101.${100 + i}`));
  const { document, text } = await call('ip_risk_batch', { ips });
  assert.equal(document.results.length, 100);
  assert.ok(text.length <= 6000 * BYTES_OF_TOKEN, `${text.length} bytes`);
  const pages = await Promise.all(
    [undefined, 2, 3].map((page) => call('ip_risk_batch', { ips, detail: 'full', page: page ?? null })),
  );
  assert.deepEqual(
    pages.map(({ document: { results, next_page: next, error } }) => [results?.length, next, error?.code]),
    [
      [50, 2, undefined],
      [50, undefined, undefined],
      [undefined, undefined, 'bad_request'],
    ],
  );
  assert.equal(pages.flatMap(({ text: page }) => page.match(/data_version/g) ?? []).length, 2);
});

test('null and an empty text of an optional argument mean that it is left out', async () => {
  covers('MCP-ACCOUNT-TOOLS');
  for (const nothing of [null, ''])
    for (const [name, given] of [
      ['ip_risk_history', { ip: KNOWN, at: nothing, from: nothing, to: nothing }],
      ['ip_risk_explain', { ip: KNOWN, at: nothing }],
      ['ip_risk_batch', { ips: [KNOWN], detail: nothing, page: nothing }],
    ] as const) {
      const { error, document } = await call(name, given);
      assert.equal(error, undefined, name);
      assert.ok(!['invalid_time', 'bad_request'].includes(document.error?.code), JSON.stringify(document));
    }
  for (const [name, given] of [
    ['ip_risk_lookup', { ip: null }],
    ['network_risk', { network: null }],
    ['ip_risk_batch', { ips: null }],
  ] as const)
    assert.equal((await call(name, given)).error?.code, -32_602, 'a required argument has its type');
});

test('an unknown argument is named, and texts speak of tools', async () => {
  covers('MCP-PARAMS', 'MCP-ACCOUNT-TOOLS');
  for (const [name, given] of [
    ['ip_risk_lookup', { address: KNOWN }],
    ['ip_risk_batch', { ips: [KNOWN], address: KNOWN }],
    ['ip_risk_explain', { ip: KNOWN, address: null }],
    ['network_risk', { network: 'AS1', address: 1 }],
  ] as const)
    assert.match((await call(name, given)).error!.message, /^There is no argument "address"; there are .*(ip|network)/);
  assert.match((await call('my_quota', { address: 1 })).error!.message, /takes no argument/);
  for (const [name, given] of [
    ['ip_risk_explain', { ip: KNOWN, at: 'now' }],
    ['ip_risk_history', { ip: KNOWN, at: '-24h' }],
    ['ip_risk_history', { ip: KNOWN, from: 'yesterday' }],
    ['network_risk', {}],
    ['ip_risk_batch', {}],
  ] as const) {
    const { isError, document } = await call(name, given);
    assert.ok(isError, name);
    assert.doesNotMatch(document.error.message, /query|%2B|body|JSON/i);
  }
  assert.match(
    (await call('ip_risk_explain', { ip: KNOWN, at: 'now' })).document.error.message,
    /2026-11-20T08:00:00Z/,
  );
});
