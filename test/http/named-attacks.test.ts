/**
 * Attacks that have a name, tried against a running service: session fixation, forged requests, request
 * smuggling, open redirects, injected log lines. And what has no name: for anything a client sends, in any
 * pieces, and however it leaves, answers come whole and in order, and no thread dies of it.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { unixMs } from '../../src/core/units.ts';
import { eventually } from '../support/eventually.ts';
import { accountWithPassword, PASSWORD } from '../support/mcp-service.ts';
import { rawHttp } from '../support/raw-http.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { ENDING, fuzzSockets, STAYING } from '../support/socket-fuzz.ts';

let server: ServeProcess;
let logged = 0;
const log = (): string => server.output().slice(logged);
before(async () => {
  server = await sharedService();
  logged = server.output().length;
  const accounts = await openAccounts({ dataDir: server.dataDir, databaseUrl: undefined, secret: undefined });
  for (const email of ['victim@example.com', 'attacker@example.com'])
    await accountWithPassword(
      accounts,
      { email, operator: email.startsWith('victim') },
      { actor: 'cli', at: unixMs(server.now()) },
    );
  await accounts.close();
});

interface NewSession {
  readonly cookie: string;
  readonly csrf: string;
}

async function signIn(email: string, cookie = ''): Promise<NewSession> {
  const response = await fetchWhole(`${server.base}/console/api/session/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': newClient(),
      origin: server.base,
      ...(cookie === '' ? {} : { cookie }),
    },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  assert.equal(response.status, 200);
  const { csrf } = (await response.json()) as { readonly csrf: string };
  return {
    cookie: response.headers
      .getSetCookie()
      .find((line) => line.startsWith('pulse_session='))!
      .split(';')[0]!,
    csrf,
  };
}

async function emailOf(cookie: string): Promise<string | undefined> {
  const response = await fetchWhole(`${server.base}/console/api/session`, { headers: { cookie } });
  return response.status === 200
    ? ((await response.json()) as { readonly account: { readonly email: string } }).account.email
    : undefined;
}

describe('session fixation', () => {
  test('a cookie that was planted before sign-in is worth nothing after it', async () => {
    const planted = `pulse_session=${'A'.repeat(43)}`;
    const { cookie } = await signIn('victim@example.com', planted);
    assert.notEqual(cookie, planted);
    assert.deepEqual([await emailOf(planted), await emailOf(cookie)], [undefined, 'victim@example.com']);
  });

  test("a session of the attacker's that was planted stays the attacker's", async () => {
    const attacker = await signIn('attacker@example.com');
    const victim = await signIn('victim@example.com', attacker.cookie);
    assert.notEqual(victim.cookie, attacker.cookie);
    assert.notEqual(await emailOf(attacker.cookie), 'victim@example.com');
    assert.equal(await emailOf(victim.cookie), 'victim@example.com');
  });
});

test('forged requests: no route of the console that changes something takes one', async () => {
  const { cookie, csrf } = await signIn('victim@example.com');
  const other = await signIn('attacker@example.com');
  const changing = ROUTES.flatMap(({ methods, path, chain: column }) =>
    methods.split(', ').map((method) => [method, path, column] as const),
  ).filter(([method, path]) => path.startsWith('/console/api') && method !== 'GET');
  assert.ok(changing.length > 10);
  // Each from a client of its own, whose minute is not used up.
  const json = { 'content-type': 'application/json', cookie };
  for (const [method, pattern, column] of changing) {
    const path = pattern.replace(/:\w+/g, 'x');
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (
        await fetchWhole(server.base + path, {
          method,
          headers: { 'x-forwarded-for': newClient(), ...headers },
          body: '{}',
        })
      ).status;
    const token = { 'x-csrf-token': csrf };
    for (const elsewhere of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: server.base.replace('http:', 'https:') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      assert.equal(
        await statusOf({ ...json, ...token, ...(elsewhere as Record<string, string>) }),
        403,
        `${method} ${path} ${JSON.stringify(elsewhere)}`,
      );
    // Before sign-in there is no session that a token could be bound to.
    if (column === 'console-open') continue;
    for (const without of [{}, { 'x-csrf-token': '' }, { 'x-csrf-token': other.csrf }])
      assert.equal(
        await statusOf({ ...json, origin: server.base, ...(without as Record<string, string>) }),
        403,
        `${method} ${path} ${JSON.stringify(without)}`,
      );
  }
  assert.equal(await emailOf(cookie), 'victim@example.com');
});

describe('request smuggling: bytes that two servers could read in two ways are refused, and nothing behind it is answered', () => {
  const post = (lines: string, body: string): string =>
    `POST /v1/phone/lookup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${lines}\r\n${body}`;
  const SECOND = 'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n';
  const chunked = `0\r\n\r\n${SECOND}`;
  const attacks: Readonly<Record<string, string>> = {
    'CL.TE': post(`Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n`, chunked),
    'TE.CL': post(
      'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
      `${SECOND.length.toString(16)}\r\n${SECOND}\r\n0\r\n\r\n`,
    ),
    'TE.TE': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunked),
    'TE that is not chunked last': post('Transfer-Encoding: chunked, identity\r\n', chunked),
    'TE of another name': post('Transfer-Encoding: xchunked\r\n', chunked),
    'space before the colon': post('Transfer-Encoding : chunked\r\n', chunked),
    'obs-fold': post('Transfer-Encoding:\r\n chunked\r\n', chunked),
    'folded line in front': ` ${post('Content-Length: 0\r\n', SECOND)}`,
    'vertical tab': post('Transfer-Encoding: \x0bchunked\r\n', chunked),
    'two lengths': post(`Content-Length: 0\r\nContent-Length: ${SECOND.length}\r\n`, SECOND),
    'two equal lengths': post('Content-Length: 0\r\nContent-Length: 0\r\n', SECOND),
    'a list of lengths': post(`Content-Length: 0, ${SECOND.length}\r\n`, SECOND),
    'length with a sign': post('Content-Length: +0\r\n', SECOND),
    'length below zero': post('Content-Length: -1\r\n', SECOND),
    'length in hexadecimal': post('Content-Length: 0x0\r\n', SECOND),
    'length past 64 bits': post('Content-Length: 99999999999999999999999\r\n', SECOND),
    'bare line feeds': post('X: y\nContent-Length: 0\r\n', SECOND),
    'bare carriage return': post('X: y\rContent-Length: 0\r\n', SECOND),
    'zero byte in a name': post('Content-Length\0: 0\r\n', SECOND),
    'chunk size with a sign': post('Transfer-Encoding: chunked\r\n', `+0\r\n\r\n${SECOND}`),
    'chunk size past 64 bits': post('Transfer-Encoding: chunked\r\n', `fffffffffffffffff0\r\n\r\n${SECOND}`),
    'chunk that is longer than it says': post('Transfer-Encoding: chunked\r\n', `1\r\n${SECOND}`),
  };
  for (const [name, bytes] of Object.entries(attacks))
    test(name, async () => {
      const answers = await rawHttp(server.port, bytes);
      // The head alone may have been refused before the body broke.
      assert.equal(answers.length, 1, answers.map(({ status, body }) => `${status} ${body}`).join('\n'));
      assert.ok([400, 401, 501].includes(answers[0]!.status), `${answers[0]!.status}`);
    });
});

test('open redirects: no path, host or header makes an answer that leads to another site', async () => {
  const targets = [
    '//evil.example/',
    '//evil.example/en/docs/',
    '/en/docs//evil.example/',
    '/%2f%2fevil.example/',
    '/%2fevil.example/en/',
    '/\\evil.example/',
    '/.//evil.example/',
    '/en/docs/../..//evil.example/',
    'http://evil.example/en/docs/',
    '/en/docs/?//evil.example/',
    '/en/docs/',
    '/console/sign-in/?next=//evil.example',
    '/\t/evil.example/',
    '/en//',
    '/ip/%2e%2e%2f%2fevil.example/',
  ];
  let redirects = 0;
  for (const target of targets)
    for (const lines of [
      'Host: localhost',
      'Host: evil.example',
      'Host: localhost\r\nX-Forwarded-Host: evil.example',
    ]) {
      const [answer] = await rawHttp(
        server.port,
        `GET ${target} HTTP/1.1\r\n${lines}\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n`,
      );
      const location = answer?.headers['location'];
      if (location === undefined) continue;
      redirects++;
      // As a browser resolves it that stands on this site.
      assert.equal(new URL(location, server.base).origin, server.base, `${target} leads to ${location}`);
    }
  assert.ok(redirects > 0, 'one of them is a redirect');
});

test('injected log lines: text of callers stays inside one JSON text, without control characters', async () => {
  const odd = '%0d%0a{"level":60,"msg":"forged"}%1b[2J';
  for (const path of [
    `/v1/ip/${odd}`,
    `/${odd}`,
    `/pulse/v1/ip/8.8.8.8?at=${odd}`,
    `/oauth/authorize?client_id=${odd}&redirect_uri=${odd}`,
    `/console/oauth/${odd}`,
  ])
    await rawHttp(
      server.port,
      `GET ${path.replaceAll('"', '%22')} HTTP/1.1\r\nHost: a\r\nUser-Agent: x\x1b]52;c;eA==\x07 {"level":60}\r\nConnection: close\r\n\r\n`,
    );
  await rawHttp(server.port, 'FOO \x1b[2J HTTP/1.1\r\n\r\n');
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line !== '');
  assert.ok(lines.length > 0);
  for (const line of lines) {
    if (line.startsWith('pulse: ')) continue;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would act on these
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
    assert.notEqual((JSON.parse(line) as { readonly msg?: string }).msg, 'forged');
  }
});

test('drawn conversations over raw sockets, and resets at every byte', async () => {
  const { faults, conversations, answers } = await fuzzSockets({
    port: server.port,
    seed: 20_261_122,
    conversations: 400,
    resetEvery: 4,
  });
  assert.deepEqual(faults, []);
  assert.ok(conversations > 12 * (STAYING.length + ENDING.length), `${conversations} conversations`);
  assert.ok(answers > 400, `${answers} answers`);
  assert.match(await server.metrics(), /^pulse_thread_deaths_total 0$/m);
  // Requests of clients that broke off are over too.
  await eventually(async () => /^pulse_requests_in_flight 0$/m.test(await server.metrics()));
  assert.doesNotMatch(log(), /fault/);
});
