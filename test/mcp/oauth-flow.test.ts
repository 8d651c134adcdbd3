import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { pulseJson } from '../support/cli.ts';
import { ConsoleBrowser } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, callTool, codeIn, OAuthClient, REDIRECT, tokensOf } from '../support/oauth-client.ts';
import { pulseCommand } from '../support/pulse-command.ts';

const EMAIL = 'owner@example.com';
let service: TestService;
before(async () => {
  service = await startMcpService();
  await service.account(EMAIL);
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

  test(`${name} issuer: metadata names itself, its own endpoints, and only served ones`, async () => {
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
    for (const absent of [
      'jwks_uri',
      'userinfo_endpoint',
      'id_token_signing_alg_values_supported',
      'client_id_metadata_document_supported',
    ])
      assert.equal(absent in server, false, absent);
  });

  test(`${name} issuer: 401, discovery, registration, sign-in, consent, code, token, tool`, async () => {
    covers('MCP-ACCOUNT-401', 'OAUTH-REGISTER', 'OAUTH-LANGUAGES', 'OAUTH-ACCESS-HOUR');
    const client = new OAuthClient(service.baseUrl, { prefix });
    const refused = await callTool(client.resource, {});
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource${prefix}/mcp/account", scope="ip:lookup"`,
    );
    const jar = browser();
    const back = await client.approve(jar, EMAIL);
    assert.equal(`${back.origin}${back.pathname}`, REDIRECT);
    assert.equal(back.searchParams.get('state'), client.state);
    assert.equal(back.searchParams.get('iss'), client.issuer);
    const response = await client.exchange(codeIn(back));
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const tokens = await tokensOf(response);
    assert.equal(tokens.expires_in, 3600);
    assert.equal(tokens.token_type, 'Bearer');
    assert.equal(tokens.scope, 'ip:lookup');
    for (const path of ['/mcp/account', '/en/mcp/account'])
      assert.equal(await status(path, tokens.access_token), 200, path);
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
    const page = await client.consent(jar, EMAIL);
    for (const word of [...words, EMAIL, '127.0.0.1:3999', '&lt;b&gt;Nice&lt;/b&gt; &amp; &quot;app&quot;'])
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
  await client.approve(jar, EMAIL);
  const page = await jar.go(client.authorizeUrl());
  assert.equal(page.status, 200);
  assert.ok(page.text.includes('value="approve"'));
});

test('saying no sends access_denied with state and iss, and no code', async () => {
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl)];
  const { url } = await jar.submit(await client.consent(jar, EMAIL), 'deny');
  assert.deepEqual(
    ['error', 'state', 'iss', 'code'].map((name) => url.searchParams.get(name)),
    ['access_denied', client.state, client.issuer, null],
  );
});

test('a wrong password stays on the page, shows why, and keeps the address', async () => {
  const [jar, client] = [browser(), new OAuthClient(service.baseUrl, { prefix: '/en' })];
  await client.register();
  const page = await jar.submit(await jar.go(client.authorizeUrl()), 'sign-in', {
    email: EMAIL,
    password: 'wrong password',
  });
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
  const consent = await jar.submit(form, 'sign-up', { email: 'fresh@example.com', password: PASSWORD });
  assert.ok(consent.text.includes('fresh@example.com'));
  const again = await jar.submit(consent, 'sign-out');
  assert.ok(again.text.includes('value="sign-in"'));
  const other = await jar.submit(again, 'sign-in', { email: 'other@example.com', password: PASSWORD });
  assert.ok(other.text.includes('other@example.com'));
  const tokens = await tokensOf(client.exchange(codeIn((await jar.submit(other, 'approve')).url)));
  const [app] = await apps('other@example.com');
  assert.equal(app?.client_id, client.clientId);
  assert.equal(await status('/mcp/account', tokens.access_token), 200);
});

test("tokens refresh silently for an hour at a time and rotate; either issuer refreshes the other's", async () => {
  covers('OAUTH-REFRESH', 'OAUTH-LANGUAGES');
  const client = new OAuthClient(service.baseUrl);
  const first = await client.signIn(EMAIL);
  const english = new OAuthClient(service.baseUrl, { prefix: '/en' });
  english.clientId = client.clientId;
  const second = await tokensOf(english.refresh(first.refresh_token));
  assert.notEqual(second.refresh_token, first.refresh_token);
  assert.notEqual(second.access_token, first.access_token);
  assert.equal(await status('/en/mcp/account', second.access_token), 200);
  assert.equal((await client.refresh(second.refresh_token)).status, 200);
});

test('a signed-in app: tokens of either console, and keys, draw on the account; low, used up, and ended by a new password', async () => {
  covers('OAUTH-QUOTA', 'OAUTH-LANGUAGES', 'MCP-QUOTA-LOW', 'MCP-ACCOUNT-COUNT', 'CLI-PASSWORD');
  const { id, key } = await service.account('shared@example.com');
  await service.accounts.changeAccount(id, { perDay: 10 }, { actor: 'cli', at: service.now() });
  const client = new OAuthClient(service.baseUrl, { prefix: '/en' });
  const tokens = await client.signIn('shared@example.com');
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const rest = () => fetch(`${service.url}/v1/ip/8.8.8.8`, { headers: { 'x-api-key': key } });
  const call = async (path: string, headers: Record<string, string>) => {
    const response = await callTool(`${service.url}${path}`, headers);
    const { result } = (await response.json()) as { result: { content: readonly { text: string }[] } };
    return {
      left: response.headers.get('x-daily-remaining'),
      texts: result.content.map(({ text }) => JSON.parse(text)),
    };
  };
  assert.equal((await rest()).headers.get('x-daily-remaining'), '9');
  assert.equal((await call('/mcp/account', bearer(key))).left, '8');
  const seen: (readonly [string | null, number])[] = [];
  for (let n = 0; n < 8; n += 1) {
    const { left, texts } = await call(n % 2 === 0 ? '/mcp/account' : '/en/mcp/account', bearer(tokens.access_token));
    seen.push([left, texts.length]);
  }
  assert.deepEqual(seen.slice(-4), [
    ['3', 1],
    ['2', 1],
    ['1', 2],
    ['0', 2],
  ]);
  const [{ error }] = (await call('/mcp/account', bearer(tokens.access_token))).texts;
  assert.deepEqual(
    [error.code, error.console_url, error.pricing_url],
    ['quota_exceeded', `${service.baseUrl}/en/console`, `${service.baseUrl}/en/docs/quotas`],
  );

  const env = { PULSE_SECRET: 'x'.repeat(40) };
  const { password } = pulseJson(service.dataDir, ['account', 'password', id], env) as { password: string };
  assert.ok(password.length >= 20);
  assert.equal(await status('/mcp/account', tokens.access_token), 401);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  const signIn = async (secret: string): Promise<number> => {
    service.forgetAttempts();
    return (await enter('shared@example.com', secret)).entered.status;
  };
  assert.deepEqual([await signIn(PASSWORD), await signIn(password)], [401, 200]);
  const setPassword = (more: readonly string[], input = '') =>
    pulseCommand(['account', 'password', ...more], { env: { PULSE_DATA_DIR: service.dataDir, ...env }, input });
  const chosen = setPassword([id, '--password', 'another long battery']);
  assert.deepEqual([chosen.status, chosen.stdout], [0, '']);
  assert.deepEqual([await signIn(password), await signIn('another long battery')], [401, 200]);
  const keys = async () => (await service.accounts.keys(id)).filter(({ revokedAt }) => revokedAt === undefined).length;
  assert.equal(await keys(), 1);
  assert.equal(setPassword([id, '--password-stdin', '--revoke-keys'], 'a battery from a pipe\n').status, 0);
  assert.equal(await keys(), 0);
  assert.equal(await signIn('a battery from a pipe'), 200);
  for (const [ends, ...args] of [[1, 'acc_nobody'], [1, id, '--password', 'short'], [2]] as readonly (readonly [
    number,
    ...string[],
  ])[])
    assert.equal(setPassword(args).status, ends, args.join(' '));
});

interface App {
  readonly client_id: string;
  readonly name: string;
  readonly last_used_at?: string;
}

async function enter(email: string, password?: string) {
  const browser = new ConsoleBrowser(service.url);
  return { browser, entered: await browser.enter(email, password) };
}

async function apps(email: string): Promise<readonly App[]> {
  const { browser } = await enter(email);
  return (await browser.send('GET', '/apps')).body.apps;
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

  const { browser: other } = await enter('other@example.com');
  const { browser: own } = await enter('apps@example.com');
  const remove = ({ jar, csrf }: ConsoleBrowser, headers: Record<string, string> = {}) =>
    jar.request(`/console/api/apps/${client.clientId}`, {
      method: 'DELETE',
      headers: { 'x-csrf-token': csrf, ...headers },
    });
  assert.equal((await remove(other)).status, 404, "another account's app");
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
  const { browser: left } = await enter('leaving@example.com');
  await service.accounts.changeAccount(id, { disabled: true }, { actor: 'cli', at: service.now() });
  await eventually(async () => (await status('/mcp/account', tokens.access_token)) === 401);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  assert.equal((await left.send('GET', '/session')).status, 401);
  assert.equal((await enter('leaving@example.com')).entered.status, 401);
});

test('neither token is in the database: stored values open nothing', async () => {
  covers('OAUTH-HASHED');
  const tokens = await new OAuthClient(service.baseUrl).signIn(EMAIL);
  const files = readdirSync(service.dataDir).filter((name) => name.startsWith('pulse.db'));
  const text = files.map((name) => readFileSync(join(service.dataDir, name), 'latin1')).join('');
  assert.ok(text.includes(EMAIL) && text.includes('Test app'), 'the rows were read');
  for (const token of [tokens.access_token, tokens.refresh_token]) assert.equal(text.includes(token), false);
});
