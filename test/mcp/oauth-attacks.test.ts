import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, callTool, codeIn, OAuthClient, REDIRECT, tokensOf } from '../support/oauth-client.ts';
import { rawHttp } from '../support/raw-http.ts';

let service: TestService;
before(async () => {
  service = await startMcpService();
  await service.account(EMAIL);
  await service.account('mallory@example.com');
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

const browser = (): BrowserJar => new BrowserJar(service.url);
const status = (token: string, path = '/mcp/account'): Promise<number> => callStatus(`${service.url}${path}`, token);
const errorOf = async (response: Response): Promise<string> =>
  `${response.status} ${((await response.json()) as { error?: string }).error}`;
const EMAIL = 'owner@example.com';
const codeFor = (client: OAuthClient): Promise<string> => client.codeOf(EMAIL);

test('a code works once; using it again ends the tokens it gave', async () => {
  const client = new OAuthClient(service.baseUrl);
  const code = await codeFor(client);
  const tokens = await tokensOf(client.exchange(code));
  assert.equal(await status(tokens.access_token), 200);
  assert.equal(await errorOf(await client.exchange(code)), '400 invalid_grant');
  assert.equal(await status(tokens.access_token), 401);
  assert.equal(await errorOf(await client.refresh(tokens.refresh_token)), '400 invalid_grant');
});

test('of many who exchange one code at once at most one gets tokens', async () => {
  const client = new OAuthClient(service.baseUrl);
  const code = await codeFor(client);
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.exchange(code)));
  assert.equal(answers.filter(({ status: code }) => code === 200).length, 1);
  for (const answer of answers) assert.ok([200, 400].includes(answer.status));
});

test('windows of one app that refresh at once all stay signed in', async () => {
  covers('OAUTH-REUSE');
  const client = new OAuthClient(service.baseUrl);
  const first = await client.signIn(EMAIL);
  const windows = await Promise.all(Array.from({ length: 8 }, () => tokensOf(client.refresh(first.refresh_token))));
  assert.equal(new Set(windows.map(({ refresh_token }) => refresh_token)).size, 8);
  service.advance(45_000);
  const again = await tokensOf(client.refresh(first.refresh_token));
  for (const { access_token } of [...windows, again]) assert.equal(await status(access_token), 200);
  service.advance(60_000);
  await Promise.all([...windows, again].map(({ refresh_token }) => tokensOf(client.refresh(refresh_token))));
});

test('a rotated refresh token ends the whole family after a minute', async () => {
  covers('OAUTH-REUSE');
  const client = new OAuthClient(service.baseUrl);
  const first = await client.signIn(EMAIL);
  const second = await tokensOf(client.refresh(first.refresh_token));
  assert.equal(await status(second.access_token), 200);
  service.advance(60_001);
  assert.equal(await errorOf(await client.refresh(first.refresh_token)), '400 invalid_grant');
  assert.equal(await status(second.access_token), 401);
  assert.equal(await errorOf(await client.refresh(second.refresh_token)), '400 invalid_grant');
});

test('a refresh token older than the one just rotated ends the whole family', async () => {
  covers('OAUTH-REUSE');
  const client = new OAuthClient(service.baseUrl);
  const first = await client.signIn(EMAIL);
  const second = await tokensOf(client.refresh(first.refresh_token));
  const third = await tokensOf(client.refresh(second.refresh_token));
  assert.equal(await status(third.access_token), 200);
  assert.equal(await errorOf(await client.refresh(first.refresh_token)), '400 invalid_grant');
  for (const { access_token } of [second, third]) assert.equal(await status(access_token), 401);
  assert.equal(await errorOf(await client.refresh(third.refresh_token)), '400 invalid_grant');
});

test('a code is bound to its client, redirect address and verifier', async () => {
  covers('OAUTH-PKCE', 'OAUTH-ERRORS');
  const client = new OAuthClient(service.baseUrl);
  const thief = new OAuthClient(service.baseUrl);
  await thief.register();
  const cases: readonly (readonly [string, (code: string) => Promise<Response>])[] = [
    ['another client', (code) => thief.exchange(code, { code_verifier: client.verifier })],
    ['another redirect', (code) => client.exchange(code, { redirect_uri: 'http://127.0.0.1:3999/other' })],
    ['another verifier', (code) => client.exchange(code, { code_verifier: 'x'.repeat(43) })],
    ['no verifier', (code) => client.token({ grant_type: 'authorization_code', code, redirect_uri: client.redirect })],
    ['another resource', (code) => client.exchange(code, { resource: 'https://evil.example/mcp' })],
  ];
  for (const [name, attempt] of cases) assert.equal((await attempt(await codeFor(client))).status, 400, name);
});

test('authorization requests that break a rule show a page and redirect nowhere', async () => {
  covers('OAUTH-PKCE');
  const client = new OAuthClient(service.baseUrl, { redirect: 'https://app.example/cb' });
  await client.register();
  const cases: Readonly<Record<string, Record<string, string | undefined>>> = {
    'no PKCE': { code_challenge: undefined, code_challenge_method: undefined },
    'plain PKCE': { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
    'PKCE method left out': { code_challenge_method: undefined },
    'implicit flow': { response_type: 'token' },
    'the site as resource': { resource: service.baseUrl },
    'another redirect': { redirect_uri: 'https://app.example/other' },
    'redirect with more path': { redirect_uri: 'https://app.example/cb/..' },
    'redirect with a query': { redirect_uri: 'https://app.example/cb?x=1' },
    'redirect with user information': { redirect_uri: 'https://app.example@evil.example/cb' },
    'redirect of another case': { redirect_uri: 'https://app.example/CB' },
    'no redirect': { redirect_uri: undefined },
    'an unknown client': { client_id: 'nobody' },
  };
  for (const [name, changes] of Object.entries(cases)) {
    const visit = await browser().request(client.authorizeUrl(changes));
    assert.equal(visit.status, 400, name);
    assert.equal(visit.headers.get('location'), null, name);
    assert.match(visit.headers.get('content-type')!, /^text\/html/, name);
    assert.match(visit.headers.get('content-security-policy')!, /default-src 'none'/, name);
  }
});

test('loopback clients may use any port, and nothing else may differ', async () => {
  const client = new OAuthClient(service.baseUrl, { redirect: 'http://127.0.0.1/callback' });
  await client.register();
  const goes = async (redirect: string): Promise<number> =>
    (await browser().request(client.authorizeUrl({ redirect_uri: redirect }))).status;
  for (const fine of ['http://127.0.0.1/callback', 'http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback'])
    assert.equal(await goes(fine), 303, fine);
  for (const other of [
    'http://localhost:3999/callback',
    'http://127.1:3999/callback',
    'http://127.0.0.1:3999/callback/',
    'http://127.0.0.1:3999/callback?x',
    'http://127.0.0.1:3999@evil.example/callback',
    'https://127.0.0.1:3999/callback',
    'http://127.0.0.2/callback',
    'http://[::1]/callback',
  ])
    assert.equal(await goes(other), 400, other);
});

test('open registration makes public clients with safe redirects only, and never gives a secret', async () => {
  covers('OAUTH-PUBLIC', 'OAUTH-REGISTER');
  const client = new OAuthClient(service.baseUrl);
  const made = (await (
    await client.register({
      token_endpoint_auth_method: undefined,
      logo_uri: 'https://evil.example/x.svg',
      scope: 'openid email',
    })
  ).json()) as Record<string, unknown>;
  assert.equal(
    'client_secret' in made || 'logo_uri' in made || 'registration_access_token' in made,
    false,
    JSON.stringify(made),
  );
  assert.equal(made['token_endpoint_auth_method'], 'none');
  for (const metadata of [
    { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'mine' },
    { response_types: null, grant_types: null, token_endpoint_auth_method: null },
    { redirect_uris: [REDIRECT, 'unknown-app://x/cb'] },
  ]) {
    const answer = await client.register(metadata);
    assert.equal(answer.status, 201, JSON.stringify(metadata));
    const body = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual(
      [body['token_endpoint_auth_method'], body['redirect_uris'], 'client_secret' in body],
      ['none', [REDIRECT], false],
    );
  }
  const unsafe = await client.register({ redirect_uris: ['javascript:alert(1)'] });
  assert.equal(await errorOf(unsafe), '400 invalid_redirect_uri');
  const raw = (body: string): Promise<Response> =>
    fetch(`${client.issuer}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const body of ['', '{', '[]', 'null', '"x"'])
    assert.equal(await errorOf(await raw(body)), '400 invalid_client_metadata', body);
  assert.equal((await raw(JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'x'.repeat(17_000) }))).status, 413);
});

test('a client that keeps to its secret is the public client it was registered as', async () => {
  covers('OAUTH-CORRECTED');
  const client = new OAuthClient(service.baseUrl);
  await client.register({ token_endpoint_auth_method: 'client_secret_basic' });
  const ask = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${client.issuer}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const grant = async () => ({
    grant_type: 'authorization_code',
    code: await codeFor(client),
    redirect_uri: client.redirect,
    code_verifier: client.verifier,
  });
  const basic = (secret: string) => `Basic ${Buffer.from(`${client.clientId}:${secret}`).toString('base64')}`;
  for (const authorization of [basic(''), basic('undefined')])
    assert.equal((await ask(await grant(), { authorization })).status, 200, authorization);
  assert.equal((await ask({ ...(await grant()), client_id: client.clientId, client_secret: 'x' })).status, 200);
  const tokens = await tokensOf(ask(await grant(), { authorization: basic('x') }));
  const other = new OAuthClient(service.baseUrl);
  await other.register();
  assert.equal((await other.refresh(tokens.refresh_token)).status, 400, 'still bound to its client');
  const revoked = await fetch(`${client.issuer}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic('') },
    body: new URLSearchParams({ token: tokens.refresh_token }),
  });
  assert.equal(revoked.status, 200);
  assert.equal(await errorOf(await client.refresh(tokens.refresh_token)), '400 invalid_grant');
});

test('parameters without a value count as absent, and the keyless endpoint stands for the account one', async () => {
  covers('OAUTH-RESOURCE');
  const client = new OAuthClient(service.baseUrl, { prefix: '/en' });
  const empty = { resource: '', scope: '', prompt: '', response_mode: '', request: '' };
  const code = await client.codeOf(EMAIL, empty);
  const tokens = await tokensOf(client.exchange(code, { resource: '', scope: '' }));
  for (const resource of ['', `${service.baseUrl}/mcp`, `${service.baseUrl}/mcp/`]) {
    const renewed = await client.refresh(tokens.refresh_token, { resource });
    assert.equal(renewed.status, 200, resource);
  }
  const wider = await client.refresh(tokens.refresh_token, { scope: 'openid offline_access ip:lookup' });
  assert.equal(wider.status, 200, 'what was asked at the sign-in may be asked again');
  assert.equal(((await wider.json()) as { scope: string }).scope, 'ip:lookup');
  const open = await client.codeOf(EMAIL, { resource: `${service.baseUrl}/mcp` });
  const { access_token } = await tokensOf(client.exchange(open));
  assert.equal(await status(access_token), 200);
});

test('under each loopback name the whole flow speaks of that name', async () => {
  covers('OAUTH-METADATA', 'GEN-OWN-ADDRESS');
  const port = new URL(service.url).port;
  for (const prefix of ['', '/en'] as const) {
    const base = `http://localhost:${port}`;
    const client = new OAuthClient(base, { prefix });
    const refused = await fetch(client.resource, { method: 'POST', headers: { 'content-type': 'application/json' } });
    const metadata = `${base}/.well-known/oauth-protected-resource${prefix}/mcp/account`;
    assert.ok(refused.headers.get('www-authenticate')?.includes(`resource_metadata="${metadata}"`));
    const resource = (await (await fetch(metadata)).json()) as { resource: string; authorization_servers: string[] };
    assert.deepEqual([resource.resource, resource.authorization_servers], [client.resource, [client.issuer]]);
    const issuerUrl = `${base}/.well-known/oauth-authorization-server${prefix}`;
    const server = (await (await fetch(issuerUrl)).json()) as Record<string, string>;
    assert.deepEqual([server['issuer'], server['token_endpoint']], [client.issuer, `${client.issuer}/oauth/token`]);
    const jar = new BrowserJar(base);
    const back = await client.approve(jar, EMAIL);
    assert.equal(back.searchParams.get('iss'), client.issuer);
    const tokens = await tokensOf(client.exchange(codeIn(back)));
    for (const url of [client.resource, `${service.url}/mcp/account`])
      assert.equal(await callStatus(url, tokens.access_token), 200, url);
    const other = new OAuthClient(service.baseUrl);
    other.clientId = client.clientId;
    assert.equal((await other.refresh(tokens.refresh_token)).status, 200, 'the other name, the same service');
  }
});

test('after the decision an app with a scheme of its own gets the answer, and the page says so', async () => {
  covers('OAUTH-RETURN');
  const redirect = 'cursor://anysphere.cursor-mcp/oauth/callback';
  for (const [prefix, words] of [
    ['', '可以返回应用了'],
    ['/en', 'You can go back to the app'],
  ] as const) {
    const client = new OAuthClient(service.baseUrl, { prefix, redirect });
    const jar = browser();
    const page = await jar.submit(await client.consent(jar, EMAIL), 'approve');
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(words));
    assert.equal(page.headers.get('cache-control'), 'no-store');
    const link = /<a href="([^"]+)">/.exec(page.text)![1]!.replaceAll('&amp;', '&');
    assert.equal(page.headers.get('refresh'), `0; url=${link}`);
    const back = new URL(link);
    assert.ok(link.startsWith(redirect));
    assert.equal(back.searchParams.get('iss'), client.issuer);
    await tokensOf(client.exchange(codeIn(back)));
    const refusal = await jar.submit(await jar.go(client.authorizeUrl()), 'deny');
    assert.ok(refusal.text.includes('error=access_denied'));
  }
});

test('a hostile Host or forwarding header changes no address and no cookie rule', async () => {
  const hostile =
    'Host: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example';
  const { port } = new URL(service.url);
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/en/mcp/account',
    client.authorizeUrl().slice(service.baseUrl.length),
  ]) {
    const [answer] = await rawHttp(Number(port), `GET ${path} HTTP/1.1\r\n${hostile}\r\n\r\n`, { answers: 1 });
    // A page is not sent under another name.
    assert.equal(answer?.status, path.includes('/authorize?') ? 421 : 200, path);
    assert.ok(!JSON.stringify(answer).includes('evil.example'), path);
  }
});

test('tokens open the MCP endpoints and nothing else, and only in the Authorization header', async () => {
  covers('OAUTH-RESOURCE');
  const tokens = await new OAuthClient(service.baseUrl).signIn(EMAIL);
  const rest = await fetch(`${service.url}/v1/ip/8.8.8.8`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  assert.equal(rest.status, 401);
  const send = (path: string, headers: Record<string, string>): Promise<Response> =>
    callTool(`${service.url}${path}`, headers);
  const wrong = await send('/mcp', { authorization: `Bearer ${tokens.refresh_token}` });
  assert.equal(wrong.status, 401);
  assert.match(await wrong.text(), /invalid_key/);
  assert.equal((await send('/mcp/account', { 'x-api-key': tokens.access_token })).status, 401);
  const query = await send(`/mcp/account?access_token=${tokens.access_token}`, {});
  assert.equal(query.status, 400);
  assert.match(await query.text(), /key_in_query/);
  const bad = await send('/en/mcp/account', { authorization: 'Bearer nonsense' });
  assert.equal(bad.status, 401);
  assert.match(
    bad.headers.get('www-authenticate')!,
    /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+\/en\/mcp\/account", scope="ip:lookup"$/,
  );
  assert.equal(await status(tokens.refresh_token), 401, 'a refresh token is not an access token');
});

test('a token request for another resource is refused without using up its code', async () => {
  covers('OAUTH-RESOURCE', 'OAUTH-REFRESH');
  const client = new OAuthClient(service.baseUrl, { prefix: '/en' });
  const { refresh_token: first } = await client.signIn(EMAIL);
  for (const resource of ['https://evil.example/mcp', service.baseUrl, `${service.baseUrl}/v1`]) {
    const refused = await client.refresh(first, { resource });
    assert.equal(refused.status, 400);
    assert.equal(((await refused.json()) as { error: string }).error, 'invalid_target');
  }
  assert.equal((await client.refresh(first)).status, 200, 'the right request still works');
});

test('a token for another audience or without the scope is refused', async () => {
  covers('OAUTH-RESOURCE');
  const tokens = await new OAuthClient(service.baseUrl).signIn(EMAIL);
  const change = (from: string, to: string) =>
    sql`update oauth_rows set payload = replace(payload, ${from}, ${to}) where kind = 'AccessToken'`.execute(
      service.db,
    );
  await change(`"aud":"${service.baseUrl}/mcp/account"`, '"aud":"https://other.example/mcp/account"');
  assert.equal(await status(tokens.access_token), 401);
  await change('"aud":"https://other.example/mcp/account"', `"aud":"${service.baseUrl}/mcp/account"`);
  assert.equal(await status(tokens.access_token), 200);
  await change('"scope":"ip:lookup"', '"scope":"ip:other"');
  assert.equal(await status(tokens.access_token), 401);
  await change('"scope":"ip:other"', '"scope":"ip:lookup"');
});

test('consent cannot be forged: token, origin, browser and account are all checked', async () => {
  const client = new OAuthClient(service.baseUrl);
  const jar = browser();
  const consent = await client.consent(jar, EMAIL);
  const otherConsent = await client.consent(browser(), 'mallory@example.com');
  const csrf = /name="csrf" value="([^"]+)"/.exec(otherConsent.text)![1]!;
  for (const [fields, headers] of [
    [{ csrf: 'x'.repeat(43) }],
    [{ csrf }],
    [{}, { origin: 'https://evil.example' }],
    [{}, { origin: 'null' }],
    [{}, { 'sec-fetch-site': 'cross-site' }],
  ] as readonly Record<string, string>[][])
    assert.equal(
      (await jar.submit(consent, 'approve', fields, headers)).status,
      403,
      JSON.stringify([fields, headers]),
    );
  assert.equal((await browser().request(consent.url)).status, 400, 'another browser');
  assert.equal((await jar.request(otherConsent.url)).status, 400, "another browser's sign-in");
  const fine = await jar.submit(consent, 'approve');
  assert.ok(fine.url.searchParams.has('code'));
  assert.equal((await jar.submit(consent, 'approve')).status, 400, 'a finished sign-in');
});

test('the account that agreed is the account that is signed in, though the browser changed accounts between two apps', async () => {
  const jar = browser();
  const [one, two] = [new OAuthClient(service.baseUrl), new OAuthClient(service.baseUrl)];
  await one.approve(jar, EMAIL);
  await two.register();
  const page = await jar.submit(await jar.go(two.authorizeUrl()), 'sign-out');
  const consent = await jar.submit(page, 'sign-in', { email: 'mallory@example.com', password: PASSWORD });
  await tokensOf(two.exchange(codeIn((await jar.submit(consent, 'approve')).url)));
  const rows = await service.db
    .selectFrom('oauth_rows')
    .innerJoin('accounts', 'accounts.id', 'oauth_rows.account_id')
    .select('accounts.email')
    .where('client_id', '=', two.clientId)
    .where('kind', '=', 'AccessToken')
    .execute();
  assert.deepEqual(rows, [{ email: 'mallory@example.com' }]);
});

test('tokens end on time: one hour, and thirty days from sign-in however often refreshed', async () => {
  covers('OAUTH-ACCESS-HOUR', 'OAUTH-REFRESH');
  const own = await startMcpService();
  try {
    await own.account(EMAIL);
    const client = new OAuthClient(own.baseUrl);
    const tokens = await client.signIn(EMAIL);
    const endOf = async (kind: string): Promise<number> => {
      const row = await own.db
        .selectFrom('oauth_rows')
        .select('expires_at')
        .where('kind', '=', kind)
        .where('consumed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Math.round((row.expires_at! - own.now()) / 1000);
    };
    const near = async (kind: string, seconds: number) => assert.ok(Math.abs((await endOf(kind)) - seconds) <= 5, kind);
    await near('AccessToken', 3600);
    await near('RefreshToken', 30 * 86_400);
    // The library has a clock of its own, so days pass by moving its rows back.
    const pass = (seconds: number) =>
      sql`update oauth_rows set created_at = created_at - ${seconds * 1000}, expires_at = expires_at - ${seconds * 1000},
        payload = json_patch(payload, json_object('iat', payload ->> 'iat' - ${seconds},
          'exp', payload ->> 'exp' - ${seconds}, 'iiat', payload ->> 'iiat' - ${seconds}))`.execute(own.db);
    await pass(3601);
    assert.equal(await callStatus(`${own.url}/mcp/account`, tokens.access_token), 401);
    await pass(20 * 86_400);
    const second = await tokensOf(client.refresh(tokens.refresh_token));
    assert.equal(await callStatus(`${own.url}/mcp/account`, second.access_token), 200);
    await near('RefreshToken', 10 * 86_400 - 3601);
    await pass(10 * 86_400);
    assert.equal((await client.refresh(second.refresh_token)).status, 400);
  } finally {
    await own.close();
  }
});

test('under https every cookie is Secure, and the session has the __Host- prefix', async () => {
  const own = await startMcpService({ baseUrl: () => 'https://pulse.example' });
  try {
    await own.account(EMAIL);
    const headers = { 'content-type': 'application/json', origin: 'https://pulse.example' };
    const entered = await fetch(`${own.url}/console/api/session/sign-in`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    });
    const [session, device] = entered.headers.getSetCookie();
    assert.match(
      session!,
      /^__Host-pulse_session=[\w-]{43}; Max-Age=(2592000|25919\d\d); Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    assert.match(device!, /^__Host-pulse_device=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    const made = await fetch(`${own.url}/oauth/register`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ redirect_uris: [REDIRECT] }),
    });
    const client = new OAuthClient('https://pulse.example');
    client.clientId = ((await made.json()) as { client_id: string }).client_id;
    const asked = await fetch(`${own.url}${client.authorizeUrl().slice('https://pulse.example'.length)}`, {
      redirect: 'manual',
    });
    assert.equal(asked.status, 303);
    const cookies = asked.headers.getSetCookie();
    assert.ok(cookies.length >= 2);
    for (const cookie of cookies) assert.match(cookie, /; secure/i, cookie);
    for (const cookie of cookies) assert.match(cookie, /; httponly/i, cookie);
  } finally {
    await own.close();
  }
});

test('asking for a sign-in is throttled per client, with a time to come back', async () => {
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  for (let n = 0; n < 60; n += 1)
    assert.equal((await new BrowserJar(service.url).request(client.authorizeUrl())).status, 303);
  const page = await new BrowserJar(service.url).request(client.authorizeUrl());
  assert.equal(page.status, 429);
  assert.ok(Number(page.headers.get('retry-after')) >= 1);
});
