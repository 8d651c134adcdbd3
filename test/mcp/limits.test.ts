/** The limiter over a whole service: cost by a stranger, and that it keeps no owner out. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { formatKey, KEY_RANDOM_BYTES } from '../../src/core/caller/sent-key.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import type { HashPlace } from '../../src/service/accounts/password.ts';
import type { KeyVerdict } from '../../src/service/ports.ts';
import { BrowserJar, type Connection } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { OAuthClient } from '../support/oauth-client.ts';

let service: TestService;
before(async () => {
  service = await startMcpService({ trustedProxies: [parsePrefix('127.0.0.1/32')!] });
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

const post = (jar: BrowserJar | undefined, path: string, body: object, from = '198.51.100.1', at = service) =>
  (jar ?? new BrowserJar(at.url)).post(path, body, { 'x-forwarded-for': from });
const signIn = (email: string, password: string, from?: string, jar?: BrowserJar): Promise<Connection> =>
  post(jar, '/console/api/session/sign-in', { email, password }, from);
const errorOf = ({ text }: Connection) => (JSON.parse(text) as { error?: string | { code: string } }).error;
const codeOf = (answer: Connection) => (errorOf(answer) as { code: string } | undefined)?.code;

/**
 * Files of the data folder but the database, with size and time of change, and the rows of every table but
 * the journal of changes.
 */
async function written(): Promise<{ sizes: unknown; rows: Readonly<Record<string, number>> }> {
  const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('pulse.db'),
  );
  const sizes = files.map(({ parentPath, name }) => {
    const { size, mtimeMs } = statSync(join(parentPath, name));
    return [name, size, mtimeMs];
  });
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(service.db);
  const rows = await Promise.all(
    tables.rows
      .filter(({ name }) => name !== 'changes')
      .map(async ({ name }) => [
        name,
        (await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(service.db)).rows[0]!.n,
      ]),
  );
  return { sizes, rows: Object.fromEntries(rows) };
}

/** The sum of all refusals that the audit log counts. */
async function refusalsCounted(): Promise<number> {
  const rows = await service.accounts.audit({ limit: 100 });
  return rows
    .filter(({ action }) => action === 'session.refuse')
    .reduce((sum, { detail }) => sum + Number(detail['count']), 0);
}

test('refused sign-ins, each with a new address, write one row that counts them', async () => {
  for (let n = 0; n < 50; n += 1) {
    const email = `stranger${n % 5}@example.com`;
    if (n < 5) await service.account(email);
    assert.equal((await signIn(email, 'a guess at it')).status, 401);
  }
  await eventually(async () => assert.equal(await refusalsCounted(), 50));
  const before = await written();
  for (const refused of await Promise.all(
    Array.from({ length: 50 }, (_, n) => signIn(`new${n}@example.com`, 'a guess at it')),
  ))
    assert.deepEqual(
      [refused.status, codeOf(refused), Number(refused.headers.get('retry-after')) > 60],
      [429, 'rate_limited', true],
    );
  await eventually(async () => assert.equal(await refusalsCounted(), 100));
  const { sizes, rows } = before;
  assert.deepEqual(await written(), { sizes, rows: { ...rows, audit_log: rows['audit_log']! + 1 } });
  await service.account('elsewhere@example.com');
  assert.equal((await signIn('elsewhere@example.com', PASSWORD, '198.51.100.2')).status, 200, 'other clients sign in');
});

test('strangers with eleven addresses slow each other down, and the owner signs in with the browser it knows', async () => {
  await service.account('owner@example.com');
  const known = new BrowserJar(service.url);
  assert.equal((await signIn('owner@example.com', PASSWORD, '203.0.113.1', known)).status, 200);
  await post(known, '/console/api/session/sign-out', {});
  const guesses = [];
  for (let host = 1; host <= 11; host += 1)
    for (let n = 0; n < 10; n += 1)
      guesses.push((await signIn('owner@example.com', 'a guess at it', `192.0.2.${host}`)).status);
  assert.deepEqual(
    [guesses.filter((status) => status === 401).length, guesses.filter((status) => status === 429).length],
    [100, 10],
  );
  assert.equal((await signIn('owner@example.com', PASSWORD, '203.0.113.1')).status, 429, 'unknown: with the strangers');
  assert.equal((await signIn('owner@example.com', PASSWORD, '203.0.113.1', known)).status, 200);
  assert.equal((await signIn('owner@example.com', PASSWORD, '192.0.2.1', known)).status, 200, 'its address is used up');
  for (let n = 0; n < 10; n += 1)
    assert.equal((await signIn('owner@example.com', 'a guess at it', '203.0.113.1', known)).status, 401);
  assert.equal((await signIn('owner@example.com', PASSWORD, '203.0.113.1', known)).status, 429, 'nor a known browser');
});

test('right passwords are counted too, and an account has at most twenty sessions: the oldest ends', async () => {
  const { id } = await service.account('again@example.com');
  const jars = Array.from({ length: 60 }, () => new BrowserJar(service.url));
  for (const jar of jars) assert.equal((await signIn('again@example.com', PASSWORD, '198.51.100.1', jar)).status, 200);
  const refused = await signIn('again@example.com', PASSWORD);
  assert.deepEqual([refused.status, Number(refused.headers.get('retry-after')) > 900], [429, true]);
  const rows = await service.db.selectFrom('sessions').select('id').where('account_id', '=', id).execute();
  assert.equal(rows.length, 20);
  const status = async (jar: BrowserJar): Promise<number> => (await jar.request('/console/api/session')).status;
  assert.deepEqual([await status(jars[39]!), await status(jars[40]!), await status(jars[59]!)], [401, 200, 200]);
});

test('past the queue of hashes a sign-in comes back later, without a question to the database and without being counted', async () => {
  await service.account('queued@example.com');
  const places: HashPlace[] = [];
  for (let place = service.hashing.enter(); place !== undefined; place = service.hashing.enter()) places.push(place);
  assert.ok(places.length >= 33);
  for (let n = 0; n < 3; n += 1) {
    const refused = await signIn('queued@example.com', PASSWORD);
    assert.deepEqual([refused.status, codeOf(refused), refused.headers.get('retry-after')], [429, 'rate_limited', '2']);
  }
  for (const place of places) place.leave();
  assert.equal((await signIn('queued@example.com', PASSWORD)).status, 200);
});

test('only registrations that made a client count, and those of a /48 together', async () => {
  const register = (metadata: unknown, from: string): Promise<Connection> =>
    post(undefined, '/oauth/register', metadata as object, from);
  const good = { redirect_uris: ['http://127.0.0.1:5000/callback'] };
  for (let n = 0; n < 30; n += 1)
    assert.equal((await register({ redirect_uris: ['javascript:x'] }, '2001:db8:2:1::1')).status, 400);
  for (let n = 0; n < 100; n += 1) assert.equal((await register(good, `2001:db8:2:${n.toString(16)}::1`)).status, 201);
  const refused = await register(good, '2001:db8:2:ffff::1');
  assert.deepEqual([refused.status, errorOf(refused)], [429, 'temporarily_unavailable']);
  assert.ok(Number(refused.headers.get('retry-after')) > 3000);
  assert.equal((await register(good, '2001:db8:3::1')).status, 201);
  service.advance(3_600_001);
  assert.equal((await register(good, '2001:db8:2:ffff::1')).status, 201);
});

test('a flood is refused by its class before anything is asked, in the form of each endpoint, and leaves no account row behind', async () => {
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  const statuses = [];
  for (let n = 0; n < 121; n += 1) statuses.push((await post(undefined, '/oauth/token', {}, '198.51.100.9')).status);
  assert.deepEqual([statuses.indexOf(429), new Set(statuses.slice(0, 120)).has(429)], [120, false]);
  const token = await post(undefined, '/oauth/token', {}, '198.51.100.9');
  assert.equal(errorOf(token), 'temporarily_unavailable');
  for (let n = 0; n < 60; n += 1)
    await post(undefined, '/console/api/session/sign-up', { email: 'not one' }, '198.51.100.9');
  const signUp = await post(
    undefined,
    '/console/api/session/sign-up',
    { email: 'late@example.com', password: PASSWORD },
    '198.51.100.9',
  );
  assert.deepEqual([signUp.status, codeOf(signUp)], [429, 'rate_limited']);
  assert.ok((await service.accounts.accounts()).every(({ email }) => email !== 'late@example.com'));
});

test('made-up keys reach the store a bounded number of times; a key in use never waits for that', async () => {
  const { key } = await service.account('busy@example.com');
  let asked = 0;
  let good = '';
  let inUse: KeyVerdict | undefined;
  const own = await startMcpService({
    trustedProxies: [parsePrefix('127.0.0.1/32')!],
    replaceKeys: (keys) => ({
      // As long as nothing of it changes, which a new account does a moment later.
      remembered: (secret, at) => (secret === good ? inUse : keys.remembered(secret, at)),
      account: (id) => keys.account(id),
      plans: () => keys.plans(),
      find: (secret, at) => {
        asked += 1;
        const found = keys.find(secret, at);
        if (secret === good && !(found instanceof Promise)) inUse = found;
        return found;
      },
    }),
  });
  try {
    good = (await own.account('busy@example.com')).key;
    const ask = (headers: Record<string, string>, path = '/v1/ip/203.0.114.9'): Promise<Response> =>
      fetch(`${own.url}${path}`, { headers: { 'x-forwarded-for': '198.51.100.77', ...headers } });
    assert.equal((await ask({ 'x-api-key': good })).status, 200);
    asked = 0;
    const statuses = [];
    for (let n = 0; n < 125; n += 1)
      statuses.push((await ask({ 'x-api-key': formatKey(randomBytes(KEY_RANDOM_BYTES)) })).status);
    assert.deepEqual([asked, statuses.filter((status) => status === 401).length, statuses.at(-1)], [120, 120, 429]);
    assert.equal((await ask({ 'x-api-key': good })).status, 200, 'remembered');
    assert.equal(
      (await fetch(`${own.url}/v1/ip/203.0.114.9`, { headers: { 'x-api-key': key } })).status,
      401,
      'other clients are judged',
    );
  } finally {
    await own.close();
  }
});

test('made-up tokens, and made-up sessions on the pages of an app’s sign-in, reach the store a bounded number of times together; then the page says when to come back', async () => {
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  const jar = new BrowserJar(service.url);
  const headers = { 'x-forwarded-for': '198.51.100.88' };
  const page = await jar.go(client.authorizeUrl(), { headers });
  const withToken = async (n: number): Promise<number> => {
    const authorization = `Bearer ${'t'.repeat(40)}${n}`;
    const json = { 'content-type': 'application/json', authorization, ...headers };
    return (await fetch(`${service.url}/mcp/account`, { method: 'POST', headers: json, body: '{}' })).status;
  };
  const statuses = [];
  let last: Connection | undefined;
  for (let n = 0; n < 150; n += 1) statuses.push(await withToken(n));
  for (let n = 0; n < 151; n += 1) {
    const cookie = `${jar.cookieFor(page.url.pathname)}; pulse_session=${randomBytes(32).toString('base64url')}`;
    last = await jar.request(page.url, { headers: { ...headers, cookie } });
    statuses.push(last.status);
  }
  assert.equal(statuses.indexOf(429), 300);
  assert.deepEqual([new Set(statuses.slice(0, 150)), new Set(statuses.slice(150, 300)).size], [new Set([401]), 1]);
  assert.equal(await withToken(150), 429);
  assert.match(last!.headers.get('content-type') ?? '', /text\/html/);
  assert.ok(Number(last!.headers.get('retry-after')) > 0);
  assert.equal((await jar.request(page.url, { headers })).status, 200, 'without a made-up session the page is there');
  assert.equal(
    (await jar.request('/console/api/session', { headers: { ...headers, cookie: `pulse_session=${'a'.repeat(43)}` } }))
      .status,
    429,
    'one count with the console',
  );
});

test('MCP handshakes that the minute admits are not counted; those it refuses are, and end before the body', async () => {
  const own = await startMcpService({ anonPerMin: 10, trustedProxies: [parsePrefix('127.0.0.1/32')!] });
  try {
    // The minute of the clock that this test moves through has 10; the test begins well inside one.
    own.advance(60_000 - (own.now() % 60_000));
    const ping = (): Promise<Connection> =>
      post(undefined, '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, undefined, own);
    for (let n = 0; n < 10; n += 1) assert.equal((await ping()).text.includes('"result"'), true);
    for (let n = 0; n < 300; n += 1) assert.match((await ping()).text, /-32000/);
    const ended = await ping();
    assert.deepEqual([ended.status, codeOf(ended)], [429, 'rate_limited']);
  } finally {
    await own.close();
  }
});
