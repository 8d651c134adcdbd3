/** Sign-ins, refusals, sign-outs, consent and mails to holders, over a whole service on SQLite and PostgreSQL. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import type { AuditEntry } from '../../src/service/accounts/account-store.ts';
import { covers } from '../spec/covers.ts';
import { ConsoleBrowser, operatorPages } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, mailServer } from '../support/mail-server.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import { authenticatorCode } from '../support/soft-passkey.ts';
import { testFolder } from '../support/test-folder.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:143.0) Gecko/20100101 Firefox/143.0';
/** Addresses of the test data without a place; every other one is in Germany. */
const NO_POSITION = '9.1.2.3';

const folder = testFolder('audit-copy');
const file = join(folder, 'audit.ndjson');
let mail: MailServer;
let service: TestService;
before(async () => {
  mail = await mailServer();
  service = await startMcpService({
    smtpUrl: `${mail.url}?from=pulse%40example.com`,
    signup: 'open',
    auditLog: { file },
    trustedProxies: [parsePrefix('127.0.0.1/32')!],
    plugins: (parts) => [operatorPages(parts)],
  });
});
beforeEach(() => {
  service.forgetAttempts();
  mail.mails.length = 0;
});
after(async () => {
  await service.close();
  mail.close();
  const other = service.faults.filter((line) => !line.startsWith('an operator was refused'));
  assert.deepEqual(other, []);
});

/** A browser that is, or is not, signed in. */
class Browser extends ConsoleBrowser {
  constructor(from = '203.0.115.1') {
    super(service.url, { 'user-agent': FIREFOX, 'x-forwarded-for': from });
  }

  signIn(email: string, password?: string) {
    return this.enter(email, password);
  }
}

const rowsOf = async (subject: string, action: string): Promise<readonly AuditEntry[]> =>
  (await service.accounts.audit({ subject, limit: 99 })).filter((row) => row.action === action);

const detailsOf = async (subject: string, action: string): Promise<readonly object[]> =>
  (await rowsOf(subject, action)).map(({ detail: { since: _, ...detail } }) => detail);

test('sign-ins and failures are one row an account, kind and hour, which moves to the end as it grows', async () => {
  covers('AUDIT-EVENTS');
  const { id } = await service.account('rows@example.com');
  const browser = new Browser();
  for (let n = 0; n < 3; n += 1)
    assert.equal((await browser.signIn('rows@example.com', 'not the right one')).status, 401);
  await browser.signIn('rows@example.com');
  await browser.signIn('rows@example.com');
  await eventually(async () => (await detailsOf(id, 'session.open')).some((row) => 'count' in row && row.count === 2));
  assert.deepEqual(await detailsOf(id, 'session.refuse'), [{ reason: 'password', count: 3 }]);
  assert.deepEqual(await detailsOf(id, 'session.open'), [{ amr: 'pwd', country: 'DE', count: 2 }]);
  const [opened] = await rowsOf(id, 'session.open');
  assert.equal(opened?.actor, `user:${id}`);
  assert.equal((await rowsOf(id, 'session.refuse'))[0]?.actor, 'anonymous');
  service.advance(HOUR_MS);
  await browser.signIn('rows@example.com', 'not the right one');
  await eventually(async () => (await rowsOf(id, 'session.refuse')).length === 2);
  assert.deepEqual(await detailsOf(id, 'session.refuse'), [
    { reason: 'password', count: 1 },
    { reason: 'password', count: 3 },
  ]);
  await browser.signIn('nobody@example.com', 'not the right one');
  await eventually(async () => (await rowsOf('unknown', 'session.refuse')).length > 0);
});

test('a wrong proof of a signed-in holder and a sign-out are rows; a flood of failures stays one row', async () => {
  const { id } = await service.account('proof@example.com');
  const browser = new Browser();
  await browser.signIn('proof@example.com');
  assert.equal((await browser.send('POST', '/session/confirm', { password: 'not the right one' })).status, 401);
  assert.equal((await browser.send('POST', '/session/sign-out')).status, 204);
  for (let n = 0; n < 40; n += 1) await new Browser(`198.51.${n}.7`).signIn('proof@example.com', 'not the right one');
  await eventually(async () =>
    (await detailsOf(id, 'session.refuse')).some((row) => 'count' in row && row.count === 41),
  );
  assert.deepEqual(await detailsOf(id, 'session.refuse'), [{ reason: 'password', count: 41 }]);
  assert.deepEqual(await detailsOf(id, 'session.end'), [{ how: 'sign-out', count: 1 }]);
});

test('a refused operator is a row and a log line: a wrong password, and operator pages without the mark', async () => {
  const operator = await service.account('operator@example.com');
  await service.accounts.changeAccount(operator.id, { operator: true }, { actor: 'cli', at: service.now() });
  const { id } = await service.account('curious@example.com');
  await new Browser().signIn('operator@example.com', 'not the right one');
  const curious = new Browser();
  await curious.signIn('curious@example.com');
  assert.equal((await curious.send('GET', '/operator/audit')).status, 403);
  await eventually(async () => (await rowsOf(id, 'operator.refuse')).length === 1);
  assert.deepEqual(await detailsOf(operator.id, 'operator.refuse'), [{ reason: 'password', count: 1 }]);
  assert.deepEqual(await detailsOf(id, 'operator.refuse'), [{ reason: 'not_operator', count: 1 }]);
  for (const one of [operator.id, id])
    assert.ok(service.faults.some((line) => line.startsWith('an operator was refused') && line.includes(one)));
});

test('events count in no cap: after hundreds of sign-ins a holder may still make changes', async () => {
  const { id } = await service.account('busy@example.com');
  const actor = `user:${id}` as const;
  const at = service.now();
  for (let n = 0; n < 210; n += 1) {
    const event = {
      action: 'session.open',
      actor,
      subject: id,
      detail: { amr: `${n}` },
      counts: { count: 1 },
      at,
    } as const;
    await service.accounts.countEvents([event]);
  }
  await service.accounts.note('key.rename', id, {}, { actor, at });
});

test('consent and disconnection are rows, and the holder hears of the app, the password and the first new country', async () => {
  covers('AUDIT-MAIL');
  const { id } = await service.account('holder@example.com');
  const client = new OAuthClient(service.baseUrl);
  await client.signIn('holder@example.com');
  assert.equal((await rowsOf(id, 'app.allow')).length, 1);
  const browser = new Browser();
  await browser.signIn('holder@example.com');
  const { apps } = (await browser.send('GET', '/apps')).body as { apps: readonly { client_id: string }[] };
  assert.equal((await browser.send('DELETE', `/apps/${apps[0]?.client_id}`)).status, 204);
  const [disconnected] = await rowsOf(id, 'app.disconnect');
  assert.deepEqual(disconnected?.detail, { client_id: apps[0]?.client_id, grants: 1 });
  assert.equal(
    (await browser.send('POST', '/session/password', { current: PASSWORD, next: 'a wholly new one' })).status,
    204,
  );
  await service.db.updateTable('sign_in_countries').set({ country: 'FR' }).where('account_id', '=', id).execute();
  await new Browser().signIn('holder@example.com', 'a wholly new one');
  await new Browser().signIn('holder@example.com', 'a wholly new one');
  await new Browser(NO_POSITION).signIn('holder@example.com', 'a wholly new one');
  await eventually(() => mail.texts().some((text) => text.includes('Germany')));
  const all = mail.texts();
  for (const words of [
    'An app that calls itself',
    '的应用现在可以使用',
    'password of your Pulse account was changed',
    '密码已更改',
    'Germany',
    '德国',
  ])
    assert.equal(all.filter((text) => text.includes(words)).length, 1, words);
  assert.equal(all.filter((text) => !text.includes('API key was made')).length, 3, 'and nothing else');
  assert.ok(all.every((text) => text.includes(`${service.baseUrl}/en/console/forgot`)));
});

test('the holder hears of keys, factors and codes that are locked for the day; a known browser counts apart and still enters', async () => {
  covers('AUDIT-MAIL');
  const { id } = await service.account('locked@example.com');
  await eventually(() => mail.texts().some((text) => text.includes('API key was made')));
  const own = new Browser();
  await own.signIn('locked@example.com');
  const { step, secret } = (await own.send('POST', '/session/factors/totp', {})).body as {
    step: string;
    secret: string;
  };
  const code = (): string => authenticatorCode(secret, service.now());
  assert.equal((await own.send('POST', '/session/factors/totp/confirm', { step, code: code() })).status, 200);
  await eventually(() => mail.texts().some((text) => text.includes('second factor was added')));
  mail.mails.length = 0;
  const stranger = new Browser('198.51.100.9');
  const guess = async (browser: Browser, typed: string): Promise<number> => {
    const asked = (await browser.signIn('locked@example.com')).body as { factor: { step: string } };
    return (await browser.send('POST', '/session/factor', { step: asked.factor.step, code: typed })).status;
  };
  for (let n = 0; n < 100; n += 1) {
    if (n % 10 === 0) service.advance(16 * MINUTE_MS);
    assert.equal(await guess(stranger, '000000'), 401, String(n));
  }
  service.advance(16 * MINUTE_MS);
  for (let n = 0; n < 2; n += 1) assert.equal(await guess(stranger, code()), 429);
  await eventually(() => mail.mails.length > 0);
  assert.equal(await guess(own, code()), 200, 'the browser that has signed in before');
  service.advance(31_000);
  await eventually(async () => (await rowsOf(id, 'factor.lock')).length === 1);
  assert.equal(mail.texts().filter((text) => text.includes('Codes are refused for the rest of the day')).length, 1);
  assert.equal((await detailsOf(id, 'session.refuse')).length > 0, true);
  service.advance(DAY_MS);
  assert.equal(await guess(stranger, code()), 200, 'the day is over');
});

test('sessions are listed with time and place, ended one by one or all at once, and end by themselves when they are idle', async () => {
  covers('SESSIONS-OWN');
  const { id } = await service.account('sessions@example.com');
  const [one, two, other] = [new Browser(), new Browser(NO_POSITION), new Browser()];
  await one.signIn('sessions@example.com');
  service.advance(MINUTE_MS);
  await two.signIn('sessions@example.com');
  type Listed = { id: string; current: boolean; opened_at: string; seen_at: string; country?: string; agent?: string };
  const list = async (browser: Browser) =>
    ((await browser.send('GET', '/sessions')).body as { sessions: Listed[] }).sessions;
  const [first, second] = await list(one);
  assert.deepEqual(
    [first, second].map((row) => [row?.current, row?.country, row?.agent]),
    [
      [true, 'DE', 'Firefox, Windows'],
      [false, undefined, 'Firefox, Windows'],
    ],
  );
  assert.ok(first!.seen_at > first!.opened_at);
  await service.account('stranger@example.com');
  await other.signIn('stranger@example.com');
  assert.equal((await other.send('DELETE', `/sessions/${second!.id}`)).status, 404, 'another account');
  assert.equal((await one.send('DELETE', `/sessions/${second!.id}`)).status, 204);
  assert.equal((await two.send('GET', '/session')).status, 401);
  await two.signIn('sessions@example.com');
  const everywhere = await one.send('DELETE', '/sessions');
  assert.deepEqual(
    [everywhere.status, /Max-Age=0/.test(everywhere.visit.headers.get('set-cookie') ?? '')],
    [204, true],
  );
  for (const browser of [one, two]) assert.equal((await browser.send('GET', '/session')).status, 401);
  assert.equal((await other.send('GET', '/session')).status, 200);
  await eventually(async () => (await detailsOf(id, 'session.end')).length === 2);

  await one.signIn('sessions@example.com');
  for (let n = 0; n < 3; n += 1) {
    service.advance(11 * HOUR_MS);
    assert.equal((await one.send('GET', '/session')).status, 200, 'used every eleven hours');
  }
  service.advance(12 * HOUR_MS + MINUTE_MS);
  assert.equal((await one.send('GET', '/session')).status, 401, 'idle for twelve');
  await one.signIn('sessions@example.com');
  for (let n = 0; n < 66; n += 1) {
    service.advance(11 * HOUR_MS);
    await one.send('GET', '/session');
  }
  assert.equal((await one.send('GET', '/session')).status, 401, 'thirty days from sign-in, however much it was used');
});

test('rows are copied to a file as they come, a line for each state of a row; a fault is reported once, and nothing is lost', async () => {
  covers('AUDIT-COPY');
  const { id } = await service.account('copied@example.com');
  const lines = (): readonly (AuditEntry & { readonly at: unknown })[] =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const of = (action: string) => lines().filter((line) => line.subject === id && line.action === action);
  await eventually(() => of('key.create').length === 1);
  assert.deepEqual([of('account.create').length, of('key.create')[0]?.actor], [1, 'cli']);
  rmSync(file);
  mkdirSync(file);
  const said = (): number =>
    service.faults.filter((line) => line.startsWith('the copy of the audit log failed')).length;
  await service.accounts.note('feed.off', id, { name: 'x\u009b\u202ey' }, { actor: 'cli', at: service.now() });
  await eventually(() => said() === 1);
  await service.accounts.note('feed.on', id, {}, { actor: 'cli', at: service.now() });
  assert.equal((await new Browser().signIn('copied@example.com')).status, 200, 'requests go on');
  rmSync(file, { recursive: true });
  await eventually(() => of('feed.on').length === 1 && of('session.open').length === 1);
  assert.equal(of('feed.off').length, 1, 'the row of the fault comes after it');
  assert.ok(/^[\x20-\x7e\n]*$/.test(readFileSync(file, 'utf8')), 'nothing in it acts on a terminal');
  assert.equal(said(), 1);
  service.faults.splice(0, Number.POSITIVE_INFINITY, ...service.faults.filter((line) => !line.startsWith('the copy')));
});

test('rows go to a syslog collector over UDP and TCP in the format of RFC 5424', async () => {
  covers('AUDIT-COPY');
  const received: string[] = [];
  const udp = createSocket('udp4', (message) => void received.push(message.toString()));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const tcp: Server = createServer((socket) => void socket.on('data', (part) => void received.push(part.toString())));
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const port = tcp.address();
  for (const [over, place] of [
    ['udp', udp.address().port],
    ['tcp', typeof port === 'object' ? port!.port : 0],
  ] as const) {
    received.length = 0;
    const sender = await startMcpService({ auditLog: { over, host: '127.0.0.1', port: place } });
    try {
      const { id } = await sender.account('syslog@example.com');
      await eventually(() => received.join('').includes('key.create'));
      const line = received.find((text) => text.includes('account.create'))!;
      const [, bytes, message] = over === 'tcp' ? /^(\d+) (.*)$/s.exec(line)! : [undefined, undefined, line];
      const own = bytes === undefined ? message! : Buffer.from(message!).subarray(0, Number(bytes)).toString();
      assert.match(own, /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ pulse \d+ \S+ - \{"seq":\d+,.*\}$/);
      assert.ok(received.join('').includes(`"subject":"${id}"`));
    } finally {
      await sender.close();
    }
  }
  udp.close();
  tcp.close();
});
