import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, OAuthClient, REDIRECT, type Tokens } from '../support/oauth-client.ts';

let service: TestService;
before(async () => {
  service = await startMcpService();
  await service.account('owner@example.com');
  await service.account('other@example.com');
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

const json = async <T>(path: string): Promise<T> => (await (await fetch(`${service.url}${path}`)).json()) as T;
const browser = (): BrowserJar => new BrowserJar(service.url);
const status = (path: string, token: string): Promise<number> => callStatus(`${service.url}${path}`, token);

for (const prefix of ['', '/en'] as const) {
  const name = prefix === '' ? 'Chinese' : 'English';

  test(`${name} issuer: metadata names itself, its own endpoints, and only what is served`, async () => {
    covers('OAUTH-METADATA');
    const issuer = `${service.baseUrl}${prefix}`;
    const resource = await json<Record<string, unknown>>(`/.well-known/oauth-protected-resource${prefix}/mcp/account`);
    assert.equal(resource['resource'], `${issuer}/mcp/account`);
    assert.deepEqual(resource['authorization_servers'], [issuer]);
    assert.deepEqual(resource['scopes_supported'], ['ip:lookup']);
    const server = await json<Record<string, unknown>>(`/.well-known/oauth-authorization-server${prefix}`);
    assert.equal(server['issuer'], issuer);
    for (const key of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'])
      assert.match(String(server[key]), new RegExp(`^${issuer}/oauth/[a-z]+$`), key);
    assert.deepEqual(server['code_challenge_methods_supported'], ['S256']);
    assert.deepEqual(server['token_endpoint_auth_methods_supported'], ['none']);
    assert.equal(server['authorization_response_iss_parameter_supported'], true);
    for (const absent of ['jwks_uri', 'userinfo_endpoint', 'id_token_signing_alg_values_supported', 'client_id_metadata_document_supported'])
      assert.equal(absent in server, false, absent);
  });

  test(`${name} issuer: 401, discovery, registration, sign-in, consent, code, token, tool`, async () => {
    covers('MCP-ACCOUNT-401', 'OAUTH-REGISTER', 'OAUTH-LANGUAGES', 'OAUTH-ACCESS-HOUR');
    const client = new OAuthClient(service.baseUrl, { prefix });
    const refused = await fetch(client.resource, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource${prefix}/mcp/account", scope="ip:lookup"`,
    );
    const jar = browser();
    const back = await client.approve(jar, 'owner@example.com');
    assert.equal(`${back.origin}${back.pathname}`, REDIRECT);
    assert.equal(back.searchParams.get('state'), client.state);
    assert.equal(back.searchParams.get('iss'), client.issuer);
    const response = await client.exchange(back.searchParams.get('code')!);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const tokens = (await response.json()) as Tokens;
    assert.equal(tokens.expires_in, 3600);
    assert.equal(tokens.token_type, 'Bearer');
    assert.equal(tokens.scope, 'ip:lookup');
    for (const path of ['/mcp/account', '/en/mcp/account']) assert.equal(await status(path, tokens.access_token), 200, path);
  });
}

test('the pages are in the language of their issuer, name app, account and target, and warn about this computer', async () => {
  covers('OAUTH-LANGUAGES');
  const jar = browser();
  for (const [prefix, words] of [
    ['', ['允许', '拒绝', '这台电脑']],
    ['/en', ['Allow', 'Deny', 'program on this computer']],
  ] as const) {
    const client = new OAuthClient(service.baseUrl, { prefix });
    await client.register({ client_name: '<b>Nice</b> & "app"' });
    let page = await jar.go(client.authorizeUrl());
    if (page.text.includes('value="sign-in"')) page = await jar.submit(page, 'sign-in', { email: 'owner@example.com', password: 'correct horse battery' });
    for (const word of [...words, 'owner@example.com', '127.0.0.1:3999', '&lt;b&gt;Nice&lt;/b&gt; &amp; &quot;app&quot;'])
      assert.ok(page.text.includes(word), `${prefix}: ${word}`);
    assert.equal(page.text.includes('<b>Nice'), false);
    const csp = page.headers.get('content-security-policy')!;
    assert.match(csp, /frame-ancestors 'none'/);
    assert.doesNotMatch(csp, /form-action|unsafe-inline|script-src/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(page.text, /<script/);
  }
});

test('consent is asked every time, though the browser is signed in and said yes before', async () => {
  covers('OAUTH-CONSENT');
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl)];
  await client.approve(jar, 'owner@example.com');
  const page = await jar.go(client.authorizeUrl());
  assert.equal(page.status, 200);
  assert.ok(page.text.includes('value="approve"'));
});

test('saying no sends access_denied with state and iss, and no code', async () => {
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl)];
  await client.register();
  const page = await jar.submit(await jar.go(client.authorizeUrl()), 'sign-in', { email: 'owner@example.com', password: 'correct horse battery' });
  const { url } = await jar.submit(page, 'deny');
  assert.deepEqual(
    [url.searchParams.get('error'), url.searchParams.get('state'), url.searchParams.get('iss'), url.searchParams.get('code')],
    ['access_denied', client.state, client.issuer, null],
  );
});

test('a wrong password stays on the page, shows why, and keeps the address', async () => {
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl, { prefix: '/en' })];
  await client.register();
  const page = await jar.submit(await jar.go(client.authorizeUrl()), 'sign-in', { email: 'owner@example.com', password: 'wrong password' });
  assert.equal(page.status, 401);
  assert.match(page.text, /role="alert"/);
  assert.match(page.text, /value="owner@example.com"/);
  assert.equal(page.text.includes('wrong password'), false);
});

test('an account can be created on the way, and another one chosen on the consent page', async () => {
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl, { prefix: '/en' })];
  await client.register();
  const start = await jar.go(client.authorizeUrl());
  const form = await jar.go(`${start.url.pathname}/sign-up`);
  const consent = await jar.submit(form, 'sign-up', { email: 'fresh@example.com', password: 'correct horse battery' });
  assert.ok(consent.text.includes('fresh@example.com'));
  const again = await jar.submit(consent, 'sign-out');
  assert.ok(again.text.includes('value="sign-in"'));
  const other = await jar.submit(again, 'sign-in', { email: 'other@example.com', password: 'correct horse battery' });
  assert.ok(other.text.includes('other@example.com'));
  const back = (await jar.submit(other, 'approve')).url;
  const tokens = (await (await client.exchange(back.searchParams.get('code')!)).json()) as Tokens;
  const [app] = await apps('other@example.com');
  assert.equal(app?.client_id, client.clientId);
  assert.equal(await status('/mcp/account', tokens.access_token), 200);
});

test("tokens refresh silently for an hour at a time and rotate; either issuer refreshes the other's", async () => {
  covers('OAUTH-REFRESH', 'OAUTH-LANGUAGES');
  const client = new OAuthClient(service.baseUrl);
  const first = await client.signIn('owner@example.com');
  const english = new OAuthClient(service.baseUrl, { prefix: '/en' });
  english.clientId = client.clientId;
  const second = (await (await english.refresh(first.refresh_token)).json()) as Tokens;
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.notEqual(second.access_token, first.access_token);
  assert.equal(await status('/en/mcp/account', second.access_token), 200);
  assert.equal((await client.refresh(second.refresh_token)).status, 200);
});

test('revoking a token ends it; an unknown token gets the same answer', async () => {
  const client = new OAuthClient(service.baseUrl);
  const tokens = await client.signIn('owner@example.com');
  assert.equal((await client.revoke('nonsense')).status, 200);
  assert.equal((await client.revoke(tokens.refresh_token)).status, 200);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  assert.equal(await status('/mcp/account', tokens.access_token), 401);
});

test("the allowance is the account's: app and key draw on one counter", async () => {
  covers('OAUTH-QUOTA', 'MCP-ACCOUNT-COUNT');
  const { key } = await service.account('shared@example.com');
  const tokens = await new OAuthClient(service.baseUrl).signIn('shared@example.com');
  const remaining = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${service.url}/mcp/account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } } }),
    });
    await response.arrayBuffer();
    return Number(response.headers.get('x-daily-remaining'));
  };
  const before = await remaining({ 'x-api-key': key });
  assert.equal(await remaining({ authorization: `Bearer ${tokens.access_token}` }), before - 1);
  assert.equal(await remaining({ authorization: `Bearer ${key}` }), before - 2);
  const rest = await fetch(`${service.url}/v1/ip/8.8.8.8`, { headers: { 'x-api-key': key } });
  assert.equal(Number(rest.headers.get('x-daily-remaining')), before - 3);
});

interface App {
  readonly client_id: string;
  readonly name: string;
  readonly last_used_at?: string;
}

async function consoleSession(email: string): Promise<{ readonly jar: BrowserJar; readonly csrf: string }> {
  const jar = browser();
  const entered = await jar.request('/console/api/session/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
  return { jar, csrf: (JSON.parse(entered.text) as { csrf: string }).csrf };
}

async function apps(email: string): Promise<readonly App[]> {
  const { jar } = await consoleSession(email);
  return (JSON.parse((await jar.request('/console/api/apps')).text) as { apps: App[] }).apps;
}

test('authorised apps are listed with their last use and disconnected at once', async () => {
  covers('OAUTH-APPS', 'OAUTH-DISCONNECT');
  await service.account('apps@example.com');
  const client = new OAuthClient(service.baseUrl);
  const tokens = await client.signIn('apps@example.com');
  assert.equal((await apps('apps@example.com'))[0]?.last_used_at, undefined);
  assert.equal(await status('/mcp/account', tokens.access_token), 200);
  const [app] = await apps('apps@example.com');
  assert.equal(app?.name, 'Test app');
  assert.ok(Math.abs(Date.parse(app?.last_used_at ?? '') - service.now()) < 60_000);

  const other = await consoleSession('other@example.com');
  const remove = (by: { readonly jar: BrowserJar; readonly csrf: string }, headers: Record<string, string> = {}) =>
    by.jar.request(`/console/api/apps/${client.clientId}`, { method: 'DELETE', headers: { 'x-csrf-token': by.csrf, ...headers } });
  assert.equal((await remove(other)).status, 404, "another account's app");
  const own = await consoleSession('apps@example.com');
  assert.equal((await remove(own, { 'x-csrf-token': other.csrf })).status, 403, "another session's token");
  assert.equal((await remove(own, { 'x-csrf-token': '' })).status, 403);
  assert.equal((await remove(own, { origin: 'https://evil.example' })).status, 403);
  assert.equal(await status('/mcp/account', tokens.access_token), 200);
  assert.equal((await remove(own)).status, 204);
  assert.equal(await status('/mcp/account', tokens.access_token), 401);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  assert.deepEqual(await apps('apps@example.com'), []);
});

test('a disabled account has no tokens, no sessions and no sign-in', async () => {
  const { id } = await service.account('leaving@example.com');
  const client = new OAuthClient(service.baseUrl);
  const tokens = await client.signIn('leaving@example.com');
  const { jar } = await consoleSession('leaving@example.com');
  await service.accounts.changeAccount(id, { disabled: true }, { actor: 'cli', at: service.now() });
  await eventually(async () => (await status('/mcp/account', tokens.access_token)) === 401);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  assert.equal((await jar.request('/console/api/session')).status, 401);
  const entered = await browser().request('/console/api/session/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'leaving@example.com', password: 'correct horse battery' }),
  });
  assert.equal(entered.status, 401);
});

test('neither token is in the database: what is stored opens nothing', async () => {
  covers('OAUTH-HASHED');
  const tokens = await new OAuthClient(service.baseUrl).signIn('owner@example.com');
  const tables = await service.db.introspection.getTables();
  const text = JSON.stringify(
    await Promise.all(
      tables.map(({ name }) =>
        service.db
          .selectFrom(name as 'accounts')
          .selectAll()
          .execute(),
      ),
    ),
  );
  assert.ok(text.includes('owner@example.com') && text.includes('Test app'), 'the rows were read');
  for (const token of [tokens.access_token, tokens.refresh_token]) assert.equal(text.includes(token), false);
});
