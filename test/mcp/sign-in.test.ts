import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { BrowserJar, type Connection } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, mailServer } from '../support/mail-server.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, OAuthClient } from '../support/oauth-client.ts';
import { rawHttp } from '../support/raw-http.ts';

let mail: MailServer;
let mailed: TestService;
let plain: TestService;
before(async () => {
  mail = await mailServer();
  mailed = await startMcpService({
    smtpUrl: `${mail.url}?from=pulse%40example.com`,
    trustedProxies: [parsePrefix('127.0.0.1/32')!],
  });
  plain = await startMcpService();
});
beforeEach(async () => {
  mail.mails.length = 0;
  mailed.forgetAttempts();
  plain.forgetAttempts();
});
after(async () => {
  await mailed.close();
  await plain.close();
  mail.close();
  assert.deepEqual([...mailed.faults, ...plain.faults], []);
});

const send = (jar: BrowserJar, path: string, body: object, headers: Record<string, string> = {}): Promise<Connection> =>
  jar.post(`/console/api/session${path}`, body, headers);
const enter = (jar: BrowserJar, email: string, password = PASSWORD): Promise<Connection> =>
  send(jar, '/sign-in', { email, password });
const codeOf = (visit: Connection): string => (JSON.parse(visit.text) as { error: { code: string } }).error.code;
/** The secret in the newest mailed link, once it has come. */
async function linkToken(): Promise<string> {
  const newest = (): string | undefined =>
    mail
      .texts()
      .flatMap((text) => /#token=([\w-]{43})/.exec(text)?.[1] ?? [])
      .at(-1);
  await eventually(() => newest() !== undefined);
  return newest()!;
}

test('without mail: sign-up signs in, sign-out ends it, sign-in begins another session', async () => {
  const jar = new BrowserJar(plain.url);
  assert.equal((await jar.request('/console/api/session')).status, 401);
  const made = await send(jar, '/sign-up', { email: ' New@Example.com ', password: PASSWORD });
  assert.equal(made.status, 200);
  assert.match(
    made.headers.get('set-cookie')!,
    /^pulse_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax, pulse_device=[\w.-]{70,90}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const me = JSON.parse((await jar.request('/console/api/session')).text) as {
    account: { email: string; plan: string };
    csrf: string;
  };
  assert.deepEqual([me.account.email, me.account.plan, me.csrf.length], ['new@example.com', 'free', 43]);
  const cookie = jar.cookieFor('/');
  assert.equal((await send(jar, '/sign-out', {})).status, 204);
  assert.equal((await jar.request('/console/api/session', { headers: { cookie } })).status, 401, 'it is worth nothing');
  assert.equal((await enter(jar, 'NEW@example.com')).status, 200);
  assert.notEqual(jar.cookieFor('/'), cookie);
  assert.equal(codeOf(await send(jar, '/sign-up', { email: 'new@example.com', password: PASSWORD })), 'email_taken');
});

test('a wrong password and an unknown address answer alike', async () => {
  await plain.account('known@example.com');
  const jar = new BrowserJar(plain.url);
  const wrong = await enter(jar, 'known@example.com', 'not the one');
  const unknown = await enter(jar, 'unknown@example.com', 'not the one');
  assert.deepEqual([wrong.status, wrong.text], [unknown.status, unknown.text]);
  assert.equal(codeOf(wrong), 'invalid_credentials');
  for (const body of [
    {},
    { email: 5, password: {} },
    { email: 'known@example.com' },
    { email: 'known@example.com', password: PASSWORD.toUpperCase() },
  ])
    assert.equal(codeOf(await send(jar, '/sign-in', body)), 'invalid_credentials');
});

test('guessing is stopped after ten attempts from one client, though the eleventh is right; others and later are not', async () => {
  await plain.account('guessed@example.com');
  await plain.account('bystander@example.com');
  const jar = new BrowserJar(plain.url);
  const guesses = await Promise.all(
    Array.from({ length: 10 }, () => enter(jar, 'guessed@example.com', 'a guess at it')),
  );
  for (const guess of guesses) assert.equal(guess.status, 401);
  const right = await enter(jar, 'guessed@example.com');
  assert.equal(right.status, 429);
  assert.ok(Number(right.headers.get('retry-after')) > 600);
  assert.equal((await enter(jar, 'bystander@example.com')).status, 200);
  plain.advance(15 * 60_000 + 1);
  assert.equal((await enter(jar, 'guessed@example.com')).status, 200);
});

test('a page under a name that was made to resolve here changes nothing, though Host and Origin agree', async () => {
  const port = Number(new URL(plain.url).port);
  const signUp = async (host: string, email: string): Promise<number | undefined> => {
    const body = JSON.stringify({ email, password: PASSWORD });
    const head = [
      'POST /console/api/session/sign-up HTTP/1.1',
      `Host: ${host}`,
      `Origin: http://${host}`,
      'Sec-Fetch-Site: same-origin',
    ];
    const lines = [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body];
    return (await rawHttp(port, lines.join('\r\n'), { answers: 1 }))[0]?.status;
  };
  assert.equal(await signUp(`evil.example:${port}`, 'rebound@example.com'), 403);
  assert.equal(await signUp(`localhost.evil.example:${port}`, 'rebound@example.com'), 403);
  assert.equal(await signUp(`10.1.2.3:${port}`, 'inside@example.com'), 200, 'an address resolves nowhere else');
});

test('a form that another site has sent as text opens no session', async () => {
  await plain.account('target@example.com');
  const form = await new BrowserJar(plain.url).request('/console/api/session/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ email: 'target@example.com', password: PASSWORD }),
  });
  assert.equal(form.headers.get('set-cookie'), null);
});

test('with mail: an account is made only with the link and the password; the link works once', async () => {
  const jar = new BrowserJar(mailed.url);
  const asked = await send(jar, '/sign-up', { email: 'mailed@example.com', password: PASSWORD, language: 'en' });
  assert.deepEqual([asked.text, asked.headers.get('set-cookie')], ['{"mailed":true}', null]);
  const token = await linkToken();
  assert.equal(codeOf(await enter(jar, 'mailed@example.com')), 'invalid_credentials', 'no account yet');
  assert.equal(codeOf(await send(jar, '/verify', { token, password: 'another password' })), 'invalid_credentials');
  assert.equal(
    codeOf(await send(jar, '/reset', { token, password: 'another password' })),
    'link_invalid',
    'a link is for its purpose',
  );
  assert.equal((await send(jar, '/verify', { token, password: PASSWORD })).status, 200);
  assert.equal(codeOf(await send(jar, '/verify', { token, password: PASSWORD })), 'link_invalid');
});

test('with mail: sign-up of a taken address and a reset of an unknown one look as if they had worked', async () => {
  await mailed.account('taken@example.com');
  const jar = new BrowserJar(mailed.url);
  assert.equal(
    (await send(jar, '/sign-up', { email: 'taken@example.com', password: PASSWORD })).text,
    '{"mailed":true}',
  );
  await eventually(() => mail.texts().some((text) => text.includes('该账户已存在')));
  assert.ok(
    !mail.texts().some((text) => text.includes('#token=')),
    'the mail says that there is an account, and has no secret',
  );
  mail.mails.length = 0;
  assert.equal((await send(jar, '/forgot', { email: 'nobody@example.com' })).text, '{"mailed":true}');
  assert.deepEqual(mail.mails, []);
});

test('a reset sets the password, ends sessions, apps and, where that is wished, keys, and its link expires after an hour', async () => {
  const { id } = await mailed.account('forgot@example.com');
  const tokens = await new OAuthClient(mailed.baseUrl).signIn('forgot@example.com');
  const [old, jar] = [new BrowserJar(mailed.url), new BrowserJar(mailed.url)];
  await enter(old, 'forgot@example.com');
  await send(jar, '/forgot', { email: 'forgot@example.com', language: 'en' });
  const token = await linkToken();
  assert.equal(codeOf(await send(jar, '/reset', { token, password: 'short' })), 'weak_password');
  const keys = async () => (await mailed.accounts.keys(id)).filter(({ revokedAt }) => revokedAt === undefined).length;
  assert.equal(await keys(), 1);
  assert.equal((await send(jar, '/reset', { token, password: 'a wholly new one', revoke_keys: true })).status, 200);
  assert.equal(await keys(), 0);
  assert.equal((await old.request('/console/api/session')).status, 401);
  assert.equal(await callStatus(`${mailed.url}/mcp/account`, tokens.access_token), 401);
  assert.equal((await enter(jar, 'forgot@example.com')).status, 401);
  mail.mails.length = 0;
  await send(jar, '/forgot', { email: 'forgot@example.com' });
  const late = await linkToken();
  mailed.advance(3_600_001);
  assert.equal(codeOf(await send(jar, '/reset', { token: late, password: 'a wholly new two' })), 'link_invalid');
});

test('a reset does not pass by the second factor', async () => {
  const { id } = await mailed.account('two@example.com');
  await sql`insert into second_factors (id, account_id, kind, name, secret, credential_id, transports, counter, created_at)
    values ('fac_x', ${id}, 'passkey', 'x', 'AA', 'x', '', 0, 0)`.execute(mailed.db);
  const jar = new BrowserJar(mailed.url);
  await send(jar, '/forgot', { email: 'two@example.com', language: 'en' });
  const reset = await send(jar, '/reset', { token: await linkToken(), password: 'a new one of its own' });
  assert.deepEqual(
    [reset.status, reset.headers.get('set-cookie'), Object.keys(JSON.parse(reset.text) as object)],
    [200, null, ['factor']],
  );
  assert.equal((await jar.request('/console/api/session')).status, 401);
});

test("changing the password needs the old one and the session's token, and ends the other browsers", async () => {
  await plain.account('change@example.com');
  const [here, there] = [new BrowserJar(plain.url), new BrowserJar(plain.url)];
  const { csrf } = JSON.parse((await enter(here, 'change@example.com')).text) as { csrf: string };
  await enter(there, 'change@example.com');
  const change = (body: object, token = csrf) => send(here, '/password', body, { 'x-csrf-token': token });
  assert.equal((await change({ current: PASSWORD, next: 'a wholly new one' }, 'x')).status, 403);
  assert.equal(codeOf(await change({ current: 'not it at all', next: 'a wholly new one' })), 'invalid_credentials');
  assert.equal(codeOf(await change({ current: PASSWORD, next: 'password123' })), 'weak_password');
  assert.equal((await change({ current: PASSWORD, next: 'a wholly new one' })).status, 204);
  assert.equal((await here.request('/console/api/session')).status, 200);
  assert.equal((await there.request('/console/api/session')).status, 401);
});

test('a stranger cannot use up the mails that an owner may ask for', async () => {
  await mailed.account('flooded@example.com');
  const forgot = (from: string): Promise<Connection> =>
    send(new BrowserJar(mailed.url), '/forgot', { email: 'flooded@example.com' }, { 'x-forwarded-for': from });
  for (let n = 0; n < 10; n += 1) assert.equal((await forgot('198.51.100.1')).text, '{"mailed":true}');
  const resets = (): number => mail.texts().filter((text) => text.includes('/console/reset#')).length;
  await eventually(() => resets() === 3, { withinMs: 10_000 });
  mail.mails.length = 0;
  assert.equal((await forgot('198.51.100.2')).text, '{"mailed":true}');
  assert.match(await linkToken(), /^[\w-]{43}$/, 'the owner, from an address of its own, gets a mail');
  assert.equal(resets(), 1, 'the stranger got three in all');
});
