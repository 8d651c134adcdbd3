/** OAuth clients of others, at pinned versions, sign in through the pages, call, refresh and disconnect. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BrowserJar } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, codeIn, consentAt, REDIRECT, sdkProvider } from '../support/oauth-client.ts';

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

/** The packages are installed here alone, so that the compiler does not know them. */
const load = (name: string) => import(name);
const account = () => `${service.url}/en/mcp/account`;
const issuer = () => new URL(`${service.url}/en`);

/** Signs in and agrees as a person would. @returns where the browser is sent */
async function agree(authorize: URL | string): Promise<URL> {
  const browser = new BrowserJar(new URL(authorize).origin);
  return (await browser.submit(await consentAt(browser, authorize, EMAIL), 'approve')).url;
}

test('openid-client discovers, registers, signs in, refreshes and revokes', async () => {
  const client = await load('openid-client');
  const registered = await client.dynamicClientRegistration(
    issuer(),
    { client_name: 'openid-client', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    client.None(),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const authorize = client.buildAuthorizationUrl(registered, {
    redirect_uri: REDIRECT,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    resource: account(),
    state: expectedState,
  });
  const checks = { pkceCodeVerifier, expectedState };
  const tokens = await client.authorizationCodeGrant(registered, await agree(authorize), checks, {
    resource: account(),
  });
  assert.equal(await callStatus(account(), tokens.access_token), 200);
  const later = await client.refreshTokenGrant(registered, tokens.refresh_token, { resource: account() });
  assert.equal(await callStatus(account(), later.access_token), 200);
  await client.tokenRevocation(registered, later.refresh_token);
  assert.equal(await callStatus(account(), later.access_token), 401);
});

test('oauth4webapi finds the way from the refusal to tokens, and checks every answer on it', async () => {
  const oauth = await load('oauth4webapi');
  const insecure = { [oauth.allowInsecureRequests]: true };
  const resourceUrl = new URL(account());
  const found = await oauth.resourceDiscoveryRequest(resourceUrl, insecure);
  const resource = await oauth.processResourceDiscoveryResponse(resourceUrl, found);
  const server = new URL(resource.authorization_servers[0]);
  const metadata = await oauth.discoveryRequest(server, { algorithm: 'oauth2', ...insecure });
  const as = await oauth.processDiscoveryResponse(server, metadata);
  const registration = await oauth.dynamicClientRegistrationRequest(
    as,
    { client_name: 'oauth4webapi', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    insecure,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(registration);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const authorize = new URL(as.authorization_endpoint);
  const sent = {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    resource: account(),
    state,
  };
  const challenge = { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
  for (const [name, value] of Object.entries({ ...sent, ...challenge })) authorize.searchParams.set(name, value);
  const answer = oauth.validateAuthResponse(as, client, await agree(authorize), state);
  const exchanged = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, REDIRECT, verifier, {
    additionalParameters: { resource: account() },
    ...insecure,
  });
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchanged);
  assert.equal(await callStatus(account(), tokens.access_token), 200);
  const refreshed = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token, insecure);
  const later = await oauth.processRefreshTokenResponse(as, client, refreshed);
  assert.equal(await callStatus(account(), later.access_token), 200);
});

test('the official client of a year ago signs in, calls and refreshes in silence', async () => {
  const { Client: OldClient } = await load('mcp-sdk-old/client/index.js');
  const { StreamableHTTPClientTransport } = await load('mcp-sdk-old/client/streamableHttp.js');
  const authProvider = sdkProvider(new BrowserJar(service.url), EMAIL);
  // Releases of that time asked for metadata at the root alone, which is the Chinese console's.
  const url = new URL(`${service.url}/mcp/account`);
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(url, { authProvider });
    const client = new OldClient({ name: 'old', version: '1.0.0' });
    return { client, transport, connected: client.connect(transport) };
  };
  const first = await connect();
  await assert.rejects(first.connected, /Unauthorized/);
  await first.transport.finishAuth(codeIn(authProvider.back!));
  const { client, connected } = await connect();
  await connected;
  const call = async (): Promise<string> =>
    (await client.callTool({ name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } })).content[0].text;
  assert.match(await call(), /8\.8\.8\.8/);
  const before = authProvider.tokens();
  service.advance(3_700_000);
  assert.match(await call(), /8\.8\.8\.8/);
  assert.notDeepEqual(authProvider.tokens(), before);
  await client.close();
});

test('mcp-remote brings the endpoint to clients that start commands: by key, and by a sign-in that is kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-mcp-remote-'));
  const bin = join(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js');
  // Without a browser to open, the address to visit is on standard error alone.
  const env = { PATH: folder, MCP_REMOTE_CONFIG_DIR: folder, HOME: folder };
  const toolsOf = async (...args: readonly string[]): Promise<readonly string[]> => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [bin, ...args], env, stderr: 'ignore' }),
    );
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  };
  try {
    const { key } = await service.account('remote@example.com');
    assert.equal((await toolsOf(`${service.url}/mcp/account`, '--header', `X-API-Key:${key}`)).length, 7);
    const child = spawn(process.execPath, [bin, account()], { env, stdio: ['pipe', 'ignore', 'pipe'] });
    try {
      let text = '';
      child.stderr.on('data', (chunk) => (text += chunk));
      const said = (words: RegExp) => eventually(async () => words.test(text), { hint: () => text });
      await said(/Waiting for authorization/);
      const back = await agree(/(http:\S+\/oauth\/authorize\?\S+)/.exec(text)![1]!);
      assert.equal((await fetch(back)).status, 200);
      await said(/Proxy established/);
    } finally {
      child.kill();
    }
    assert.equal((await toolsOf(account())).length, 7, 'the tokens of the sign-in are kept');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
