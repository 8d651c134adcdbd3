/** Clients that are named by the address of their metadata document, and sign-in that begins at /mcp. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { clientDocuments } from '../../src/apps/oauth/client-documents.ts';
import { unixMs } from '../../src/core/units.ts';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, callTool, OAuthClient, REDIRECT, tokensOf } from '../support/oauth-client.ts';

const EMAIL = 'owner@example.com';
const ID = 'https://app.example/oauth/client.json';
/** Documents of the sites, by address; the tests change them. */
const documents = new Map<string, unknown>();
const asked: string[] = [];
let service: TestService;
before(async () => {
  service = await startMcpService({
    clientDocument: async ({ href }) => {
      asked.push(href);
      if (!documents.has(href)) throw new Error('404');
      return documents.get(href);
    },
  });
  await service.account(EMAIL);
});
beforeEach(() => {
  service.forgetAttempts();
  documents.clear();
  asked.length = 0;
});
after(async () => {
  await service.close();
  assert.deepEqual(
    service.faults.filter((fault) => !fault.startsWith('client documents could not be read')),
    [],
  );
});

/** As the documents of Claude Code and ChatGPT are: public, and with a signature at the token endpoint. */
const document = (id = ID, more: object = {}) => ({
  client_id: id,
  client_name: 'Document app',
  client_uri: 'https://app.example',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: 'https://app.example/jwks',
  ...more,
});

const named = (id: string, prefix: '' | '/en' = ''): OAuthClient => {
  const client = new OAuthClient(service.baseUrl, { prefix });
  client.clientId = id;
  return client;
};

const offered = async (prefix = '/en', at = service): Promise<boolean> => {
  const metadata = await fetch(`${at.url}/.well-known/oauth-authorization-server${prefix}`);
  const { client_id_metadata_document_supported: said } = (await metadata.json()) as Record<string, unknown>;
  return said === true || (said !== undefined && assert.fail());
};

for (const prefix of ['', '/en'] as const)
  test(`${prefix}/: a document is the registration: sign-in, call, refresh without its site, disconnect`, async () => {
    covers('OAUTH-CLIENT-DOCUMENTS');
    assert.ok(await offered(prefix));
    const id = `${ID}?for=${prefix.slice(1)}&${'long'.repeat(100)}`;
    documents.set(id, document(id));
    const client = named(id, prefix);
    const browser = new BrowserJar(service.url);
    const tokens = await client.signIn(EMAIL, browser);
    assert.deepEqual(asked, [id]);
    assert.equal(await callStatus(client.resource, tokens.access_token), 200);
    documents.clear();
    service.advance(3_600_000);
    const assertion = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const refreshed = await tokensOf(
      client.refresh(tokens.refresh_token, { ...assertion, client_assertion: 'e30.e30.x' }),
    );
    assert.deepEqual(asked, [id], 'a refresh asks no other site');
    const { text } = await browser.request('/console/api/apps');
    const { apps } = JSON.parse(text) as { apps: { client_id: string; name: string }[] };
    assert.equal(apps.find(({ client_id }) => client_id === id)?.name, 'Document app');
    const { csrf } = JSON.parse((await browser.request('/console/api/session')).text) as { csrf: string };
    const ended = await browser.request(`/console/api/apps/${encodeURIComponent(id)}`, {
      method: 'DELETE',
      headers: { 'x-csrf-token': csrf },
    });
    assert.equal(ended.status, 204);
    assert.equal(await callStatus(client.resource, refreshed.access_token), 401);
  });

test('the consent page names the site of the document', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  documents.set(ID, document());
  const page = await named(ID, '/en').consent(new BrowserJar(service.url), EMAIL);
  assert.match(page.text, /Described by the site<\/dt><dd><code>app\.example</);
  assert.match(page.text, /Document app/);
});

test('within five minutes a document is read once; later it is read again, and a change counts', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const id = 'https://changing.example/client';
  documents.set(id, document(id));
  const ask = async () => (await fetch(named(id).authorizeUrl(), { redirect: 'manual' })).status;
  assert.deepEqual([await ask(), await ask(), asked.length], [303, 303, 1]);
  service.advance(6 * 60_000);
  documents.set(id, document(id, { redirect_uris: ['https://elsewhere.example/cb'] }));
  assert.deepEqual([await ask(), asked.length], [400, 2], 'the redirect address is gone');
  service.advance(6 * 60_000);
  documents.clear();
  assert.deepEqual([await ask(), asked.length], [400, 3], 'the last good document names the other address');
});

test('what is no document, or not of its address, is a page and no client; a registration is counted each time', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const ask = async (id: string): Promise<string> => {
    const response = await fetch(named(id, '/en').authorizeUrl(), { redirect: 'manual' });
    assert.equal(response.status, 400, id);
    return /<code>([a-z_]+)<\/code>/.exec(await response.text())?.[1] ?? '';
  };
  const wrong: readonly unknown[] = [undefined, null, [], 'text', {}, document('https://app.example/other')];
  for (const [index, content] of wrong.entries()) {
    const id = `${ID}?wrong=${index}`;
    documents.set(id, content);
    assert.equal(await ask(id), 'invalid_client', JSON.stringify(content));
  }
  const id = `${ID}?redirect`;
  documents.set(id, document(id, { redirect_uris: ['javascript:alert(1)'] }));
  assert.equal(await ask(id), 'invalid_client');
  const before = asked.length;
  for (const other of ['http://app.example/client', 'https://app.example:8443/client', 'https://app.example/'])
    assert.equal(await ask(other), 'invalid_client', other);
  assert.equal(asked.length, before, 'other addresses are not asked');
  let status = 400;
  for (let n = 0; n < 101 && status === 400; n += 1)
    status = (await fetch(named(`${ID}?n=${n}`).authorizeUrl(), { redirect: 'manual' })).status;
  assert.equal(status, 429, 'a hundred an hour');
});

test('documents that cannot be read are one line a minute, with their number and without a trace', async () => {
  const lines: object[] = [];
  let at = Date.UTC(2026, 0, 1);
  const { take } = clientDocuments({
    store: { find: async () => undefined } as never,
    clock: { now: () => unixMs(at) },
    log: { warn: (fields: object) => lines.push(fields) } as never,
    fetchClientDocument: () => Promise.reject(new Error('no answer')),
  });
  for (const [host, ms] of [
    ['a', 0],
    ['b', 59_999],
    ['c', 1],
  ] as const) {
    at += ms;
    assert.equal(await take(new URL(`https://${host}.example/`), () => {}), 'unread');
  }
  assert.deepEqual(lines, [
    { host: 'a.example', reason: 'no answer', failures: 1, last_good_one_serves: false },
    { host: 'c.example', reason: 'no answer', failures: 2, last_good_one_serves: false },
  ]);
});

test('without the capability nothing is offered and nothing asked', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  const own = await startMcpService();
  try {
    assert.equal(await offered('', own), false);
    const client = new OAuthClient(own.baseUrl);
    client.clientId = ID;
    assert.equal((await fetch(client.authorizeUrl(), { redirect: 'manual' })).status, 400);
  } finally {
    await own.close();
  }
});

test('an id in a Basic header may be an address, form-encoded', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  documents.set(ID, document());
  const client = named(ID);
  const tokens = await client.signIn(EMAIL);
  const response = await fetch(`${client.issuer}/oauth/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${encodeURIComponent(ID)}:`)}`,
    },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }),
  });
  assert.equal(response.status, 200, await response.text());
});

test('for /mcp root and path give one answer: no resource of its own, and the sign-in of the root works there', async () => {
  covers('OAUTH-OPEN-TOKEN', 'MCP-OPEN-NO-401');
  for (const path of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server/mcp',
    '/mcp/.well-known/oauth-authorization-server',
  ])
    assert.equal((await fetch(`${service.url}${path}`)).status, 404, path);
  const root = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
  const client = new OAuthClient(service.baseUrl);
  assert.equal(((await root.json()) as { issuer: string }).issuer, client.issuer);
  const resource = `${service.baseUrl}/mcp`;
  const code = await client.codeOf(EMAIL, { resource });
  const { access_token: token } = await tokensOf(client.exchange(code, { resource }));
  const limitOf = async (headers: Record<string, string>): Promise<readonly unknown[]> => {
    const answer = await callTool(`${service.url}/mcp`, headers);
    const { result } = (await answer.json()) as { result: { isError?: boolean } };
    return [answer.status, result.isError === true, answer.headers.get('x-daily-limit')];
  };
  assert.deepEqual(await limitOf({ authorization: `Bearer ${token}` }), [200, false, '5000']);
  assert.deepEqual(await limitOf({}), [200, false, '100000']);
  assert.deepEqual(await limitOf({ 'x-api-key': 'nonsense' }), [200, true, null]);
});

for (const [name, answer] of [
  ['its site cannot be reached', undefined],
  ['its site answers with another document', { error: 'blocked' }],
] as const)
  test(`while ${name}, the last good document of a client serves and is not asked for at each sign-in`, async () => {
    covers('OAUTH-CLIENT-DOCUMENTS');
    const id = `https://known.example/${answer === undefined}`;
    documents.set(id, document(id));
    const client = named(id);
    await client.signIn(EMAIL);
    assert.ok(await offered());
    if (answer === undefined) documents.delete(id);
    else documents.set(id, answer);
    service.advance(6 * 60_000);
    asked.length = 0;
    assert.equal((await client.signIn(EMAIL)).token_type, 'Bearer');
    assert.equal(asked.length, 1);
    await client.signIn(EMAIL);
    assert.equal(asked.length, 1, 'a site that hangs delays one sign-in in five minutes');
    assert.ok(
      service.faults.some((fault) => fault.includes('"last_good_one_serves":true') && fault.includes('known.example')),
    );
    assert.ok(!(await offered()), 'other clients register');
    documents.set(id, document(id));
    service.advance(6 * 60_000);
    await client.signIn(EMAIL);
    assert.ok(await offered(), 'reads succeed again');
  });

test('where the first read fails, the page names the site, the log warns, and documents are not offered for an hour', async () => {
  covers('OAUTH-CLIENT-DOCUMENTS');
  service.advance(60_000);
  for (const [prefix, words] of [
    ['', '无法读取该应用在 far.example'],
    ['/en', 'could not read the app’s document at far.example'],
  ] as const) {
    const page = await fetch(named('https://far.example/client', prefix).authorizeUrl(), { redirect: 'manual' });
    assert.equal(page.status, 400);
    const text = await page.text();
    assert.ok(text.includes(words), text);
    assert.match(text, /<code>invalid_client<\/code>/);
  }
  assert.ok(
    service.faults.some((fault) => fault.startsWith('client documents could not be read {"host":"far.example"')),
  );
  assert.ok(!(await offered()));
  service.advance(3_600_000);
  assert.ok(await offered());
});
