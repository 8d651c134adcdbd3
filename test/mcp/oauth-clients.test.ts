/** What OAuth libraries and MCP clients send and expect, beyond the plain way of oauth-flow.test.ts. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, callTool, codeIn, OAuthClient, REDIRECT, sdkProvider, tokensOf } from '../support/oauth-client.ts';

const DAY_MS = 86_400_000;
const EMAIL = 'owner@example.com';
let service: TestService;
before(async () => {
  service = await startMcpService();
  await service.account(EMAIL);
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

const metadataOf = async (path: string): Promise<Record<string, unknown>> =>
  (await (await fetch(`${service.url}/.well-known/oauth-protected-resource${path}`)).json()) as Record<string, unknown>;

for (const path of ['/mcp/account', '/en/mcp/account'])
  for (const [query, echoed] of [
    ['?tools=ip_risk_lookup,my_quota', '?tools=ip_risk_lookup,my_quota'],
    ['?tools=ip_risk_batch%2Cnetwork_risk', '?tools=ip_risk_batch%2Cnetwork_risk'],
    ['?tools=ip_risk_lookup&x=1', '?tools=ip_risk_lookup'],
    ['?tools=nothing_here', ''],
    ['?tools=', ''],
    ['?x=%22', ''],
  ] as const)
    test(`${path}${query}: challenge and metadata name the resource "${echoed}", which sign-in takes`, async () => {
      covers('OAUTH-METADATA', 'MCP-ACCOUNT-401');
      const refused = await callTool(`${service.url}${path}${query}`, {});
      assert.equal(refused.status, 401);
      const url = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)![1]!;
      assert.equal(url, `${service.baseUrl}/.well-known/oauth-protected-resource${path}${echoed}`);
      assert.equal((await metadataOf(`${path}${query}`))['resource'], `${service.baseUrl}${path}${echoed}`);
      const resource = `${service.baseUrl}${path}${echoed}`;
      const client = new OAuthClient(service.baseUrl, { prefix: path.startsWith('/en') ? '/en' : '' });
      const { access_token: token } = await tokensOf(
        client.exchange(await client.codeOf(EMAIL, { resource }), { resource }),
      );
      assert.equal(await callStatus(resource, token), 200);
    });

test('on /mcp a token that is revoked, ended, foreign or not one is 401 with a challenge', async () => {
  covers('MCP-OPEN-NO-401', 'OAUTH-OPEN-TOKEN');
  const client = new OAuthClient(service.baseUrl);
  const [revoked, ended] = [await client.signIn(EMAIL), await new OAuthClient(service.baseUrl).signIn(EMAIL)];
  await client.revoke(revoked.access_token);
  service.advance(3_600_000);
  for (const token of [revoked.access_token, ended.access_token, ended.refresh_token, 'eyJhbGciOiJub25lIn0.e30.'])
    for (const query of ['', '?tools=ip_risk_lookup']) {
      const answer = await callTool(`${service.url}/mcp${query}`, { authorization: `Bearer ${token}` });
      assert.equal(answer.status, 401);
      const said = answer.headers.get('www-authenticate')!;
      const [, url] = /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="([^"]+)"/.exec(
        said,
      )!;
      const metadata = (await (await fetch(url!)).json()) as Record<string, unknown>;
      assert.equal(metadata['resource'], `${service.baseUrl}/mcp${query}`);
      assert.deepEqual(metadata['authorization_servers'], [service.baseUrl]);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'invalid_key');
    }
});

for (const path of ['/mcp', '/mcp?tools=ip_risk_lookup', '/en/mcp/account', '/mcp/account?tools=ip_risk_lookup'])
  test(`the SDK's client refreshes by itself at ${path} when its token has ended`, async () => {
    covers('OAUTH-OPEN-TOKEN', 'OAUTH-REFRESH');
    const own = sdkProvider(new BrowserJar(service.url), EMAIL);
    const serverUrl = new URL(path, service.baseUrl);
    assert.equal(await auth(own, { serverUrl: serverUrl.href }), 'REDIRECT');
    await auth(own, { serverUrl: serverUrl.href, authorizationCode: codeIn(own.back!) });
    const first = own.tokens().access_token;
    service.advance(3_600_000);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(serverUrl, { authProvider: own }) as never);
    const { isError } = await client.callTool({ name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } });
    assert.notEqual(isError, true);
    assert.notEqual(own.tokens().access_token, first);
    await client.close();
  });

test('a token request needs no redirect address; one that is sent must be that of the sign-in', async () => {
  covers('OAUTH-PKCE');
  for (const [index, redirect] of [REDIRECT, 'http://127.0.0.1:45678/callback'].entries()) {
    const client = new OAuthClient(service.baseUrl, { redirect });
    await client.register({ redirect_uris: [REDIRECT, 'https://app.example/cb'] });
    const { redirect_uri: _, ...fields } = { redirect_uri: '', grant_type: 'authorization_code' };
    await tokensOf(client.token({ ...fields, code: await client.codeOf(EMAIL), code_verifier: client.verifier }));
    const ask = async (more: Record<string, string>): Promise<unknown> => {
      const answer = await client.token({ ...fields, code: await client.codeOf(EMAIL), ...more });
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    assert.deepEqual(await ask({}), [400, 'invalid_grant'], `PKCE counts: ${index}`);
    const other = { redirect_uri: 'https://app.example/cb', code_verifier: client.verifier };
    assert.deepEqual(await ask(other), [400, 'invalid_grant']);
    const unknown = await client.token({ ...fields, code: 'unknown', code_verifier: client.verifier });
    assert.equal(((await unknown.json()) as { error: string }).error, 'invalid_grant');
  }
});

test('offline_access is advertised by the servers alone, and echoed to clients that ask for it, at refreshes too', async () => {
  covers('OAUTH-METADATA', 'OAUTH-REFRESH');
  for (const prefix of ['', '/en'] as const) {
    const server = await fetch(`${service.url}/.well-known/oauth-authorization-server${prefix}`);
    const { scopes_supported: scopes } = (await server.json()) as { scopes_supported: string[] };
    assert.deepEqual(scopes, ['ip:lookup', 'offline_access']);
    assert.deepEqual((await metadataOf(`${prefix}/mcp/account`))['scopes_supported'], ['ip:lookup']);
  }
  for (const [asked, given] of [
    ['ip:lookup offline_access', 'ip:lookup offline_access'],
    ['offline_access', 'ip:lookup offline_access'],
    ['ip:lookup', 'ip:lookup'],
    ['openid profile', 'ip:lookup'],
    [undefined, 'ip:lookup'],
  ] as const) {
    const client = new OAuthClient(service.baseUrl);
    const tokens = await tokensOf(client.exchange(await client.codeOf(EMAIL, { scope: asked })));
    const refreshed = await tokensOf(client.refresh(tokens.refresh_token));
    assert.deepEqual([tokens.scope, refreshed.scope], [given, given], `${asked}`);
  }
});

test('a revocation ends the family and is answered with a JSON object, known token or not', async () => {
  const client = new OAuthClient(service.baseUrl);
  const { access_token: token, refresh_token: refresh } = await client.signIn(EMAIL);
  for (const text of [refresh, refresh, 'unknown', token]) {
    const answer = await client.revoke(text);
    assert.deepEqual([answer.status, await answer.json()], [200, {}]);
    assert.match(answer.headers.get('content-type')!, /^application\/json/);
    assert.equal(await callStatus(client.resource, token), 401);
  }
  assert.equal((await client.refresh(refresh)).status, 400);
});

test('what cannot be granted is sent to the app on this computer, and is a page for others', async () => {
  covers('OAUTH-ERRORS');
  const local = new OAuthClient(service.baseUrl);
  const remote = new OAuthClient(service.baseUrl, { redirect: 'https://app.example/cb' });
  await Promise.all([local.register(), remote.register()]);
  for (const [changes, error] of [
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ response_mode: 'form_post' }, 'unsupported_response_mode'],
    [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
    [{ prompt: 'none' }, 'interaction_required'],
    [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  ] as const) {
    const sent = await fetch(local.authorizeUrl(changes), { redirect: 'manual' });
    assert.equal(sent.status, 303, error);
    const to = new URL(sent.headers.get('location')!);
    assert.equal(`${to.origin}${to.pathname}`, REDIRECT);
    const { state, issuer: iss } = local;
    assert.deepEqual(
      ['error', 'state', 'iss'].map((name) => to.searchParams.get(name)),
      [error, state, iss],
    );
    const page = await fetch(remote.authorizeUrl(changes), { redirect: 'manual' });
    assert.deepEqual([page.status, page.headers.get('location')], [400, null], error);
    assert.ok((await page.text()).includes(`<code>${error}</code>`), error);
  }
});

test('an app that was approved gets the consent page months later; one that is not known is told what to do', async () => {
  covers('OAUTH-CONSENT');
  const own = await startMcpService();
  try {
    await own.account(EMAIL);
    const [approved, never] = [new OAuthClient(own.baseUrl), new OAuthClient(own.baseUrl, { prefix: '/en' })];
    await approved.signIn(EMAIL);
    await never.register();
    const { SqlOAuthStore } = await import('../../src/adapters/oauth/sql-oauth-store.ts');
    own.advance(62 * DAY_MS);
    const store = new SqlOAuthStore(own.records);
    assert.ok((await store.purge(own.now(), (own.now() - 7 * DAY_MS) as never)) > 1);
    const page = await new BrowserJar(own.url).go(approved.authorizeUrl());
    assert.equal(page.status, 200);
    assert.ok(page.text.includes('value="sign-in"'));
    const gone = await fetch(never.authorizeUrl(), { redirect: 'manual' });
    const text = await gone.text();
    assert.equal(gone.status, 400);
    assert.match(text, /remove the stored sign-in/);
    assert.match(text, /<code>invalid_client<\/code>/);
    assert.ok(await store.makeRoomForClient(1), 'room is made of what is left');
  } finally {
    await own.close();
  }
});
