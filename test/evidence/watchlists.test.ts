/** Watch lists: changes that leave a killed service, in order, once over several nodes, signed, and never inside. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { KyselyAccountStore } from '../../src/adapters/accounts/kysely-account-store.ts';
import { SqlWatchlistStore } from '../../src/adapters/watchlists/sql-watchlist-store.ts';
import { webhookSender } from '../../src/adapters/watchlists/webhook-sender.ts';
import type { WatchDeliveries, Watchlist as WatchlistDocument } from '../../src/contract/documents.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { WatchState } from '../../src/core/watch/watch-state.ts';
import { sendDeliveries } from '../../src/service/watchlists/send-deliveries.ts';
import type { Watchlist } from '../../src/service/watchlists/watchlist-store.ts';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { TECHNOLOGIES, testDatabases } from '../support/test-databases.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly watchlist_id: string;
    readonly ip: string;
    readonly before: { readonly level: string; readonly evidence_state: string };
    readonly after: { readonly level: string; readonly evidence_state: string };
    readonly cause: string;
  };
}

const received: Received[] = [];
let answerStatus = 204;
const receiver = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  if (answerStatus < 300) received.push({ headers: request.headers, body });
  response.writeHead(answerStatus).end();
});
const databases = testDatabases();
let url: string;
let server: ServeProcess;
let key: string;
const ENV = { PULSE_WEBHOOK_ALLOW: '127.0.0.0/8' };

before(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  server = await serveProcess({ env: ENV });
  key = createKey(server.dataDir, 'watching', ['--plan', 'professional', '--dpa']).key;
});
after(async () => {
  await server.dispose();
  receiver.close();
});

async function call<Body>(method: string, path: string, body?: unknown, as = key) {
  const response = await fetch(`${server.base}/v1/watchlists${path}`, {
    method,
    headers: { 'X-API-Key': as, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (response.status === 204 ? {} : await response.json()) as Body };
}
const messages = (list: string): readonly Message[] =>
  received.map(({ body }) => JSON.parse(body) as Message).filter(({ data }) => data.watchlist_id === list);
const steps = (list: string, ip: string) =>
  messages(list)
    .filter(({ data }) => data.ip === ip)
    .map(({ data }) => [data.before.evidence_state, data.after.evidence_state, data.cause]);
const capture = (ip: string, at = Date.now()): void => {
  const words = `evidence import - --source trap --risk-type proxy --captured-at ${new Date(at).toISOString()} --since ${new Date(at - DAY_MS).toISOString()}`;
  assert.equal(pulseOver(server.dataDir, words, `${ip}\n`).status, 0);
};

test('a change is told once, signed; one before a kill and one while nothing ran reach the receiver after it, in order', async () => {
  covers('WATCHLIST');
  const made = await call<WatchlistDocument>('PUT', '/mine', {
    ...{ name: 'Our servers', entries: ['1.2.3.4', '1.2.4.0/24', '1.2.3.5'], webhook: { url } },
  });
  assert.equal(made.status, 201);
  const secret = made.body.webhook.secret!;
  assert.match(secret, /^whsec_/);
  const shown = await call<WatchlistDocument>('GET', '/mine');
  assert.deepEqual(shown.body, { ...made.body, webhook: { url }, checked_at: shown.body.checked_at });

  answerStatus = 503;
  capture('1.2.3.4');
  const waiting = await eventually(async () => {
    const { deliveries } = (await call<WatchDeliveries>('GET', '/mine/deliveries')).body;
    return deliveries.find(({ result }) => result === '503') ?? false;
  });
  assert.equal(waiting.state, 'waiting');
  await server.kill();
  capture('1.2.4.9');
  capture('1.2.9.9');
  answerStatus = 204;
  server = await serveProcess({ env: ENV, dataDir: server.dataDir });
  await eventually(async () => steps('mine', '1.2.3.4').length === 1 && steps('mine', '1.2.4.9').length === 1);
  assert.deepEqual(steps('mine', '1.2.3.4'), [['none', 'active', 'capture']]);
  assert.deepEqual(steps('mine', '1.2.4.9'), [['none', 'active', 'capture']]);
  assert.equal(messages('mine').length, 2, 'nothing about 1.2.9.9');

  const { headers, body } = received.find((one) => one.body.includes('1.2.3.4'))!;
  assert.equal(headers['webhook-id'], waiting.id, 'the same id at every attempt');
  const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${signed}`);
});

test('a test and a replay are sent; refusals name the fault; lists belong to their account', async () => {
  covers('WATCHLIST');
  assert.equal((await call('PUT', '/second', { name: 'n', entries: ['1.2.3.4'], webhook: { url } })).status, 201);
  assert.equal((await call<{ id: string }>('POST', '/second/test')).status, 202);
  const tested = await eventually(
    async () => messages('second').find(({ type }) => type === 'watchlist.test') ?? false,
  );
  assert.equal(tested.data.watchlist_id, 'second');
  const [first] = await eventually(async () => {
    const { deliveries } = (await call<WatchDeliveries>('GET', '/second/deliveries')).body;
    return deliveries[0]?.state === 'delivered' && deliveries;
  });
  assert.equal((await call('POST', `/second/deliveries/${first!.id}/replay`)).status, 202);
  await eventually(async () => messages('second').length === 2);
  assert.equal((await call('POST', '/second/deliveries/msg_none/replay')).status, 404);

  const good = { name: 'n', entries: ['1.2.3.4'], webhook: { url } };
  const bad: readonly unknown[] = [
    [],
    { ...good, name: '' },
    { ...good, entries: [] },
    { ...good, entries: ['1.2.3.4', 'x'] },
    { ...good, entries: ['10.0.0.1'] },
    { ...good, entries: ['1.0.0.0/15'] },
    { ...good, entries: Array.from({ length: 1001 }, (_, i) => `1.2.${i >> 8}.${i & 255}`) },
    { ...good, more: 1 },
    { ...good, webhook: { url, secret: 'mine' } },
    { ...good, on: ['colour'] },
    { ...good, min_level: 'none' },
    { ...good, webhook: { url: 'ftp://x.example/' } },
    ...['http://10.0.0.1/', 'https://192.168.1.1:9/x', 'http://[fd00::1]/'].map((inside) => ({
      ...good,
      webhook: { url: inside },
    })),
    { ...good, webhook: { url: 'https://user:word@x.example/' } },
  ];
  for (const body of bad) {
    const answer = await call<{ error: { code: string } }>('PUT', '/second', body);
    assert.deepEqual([answer.status, answer.body.error.code], [400, 'bad_request'], JSON.stringify(body).slice(0, 80));
  }
  assert.equal((await call('PUT', '/Upper', good)).status, 400);
  const stranger = createKey(server.dataDir, 'stranger', ['--plan', 'professional']).key;
  for (const path of ['/second', '/second/deliveries'])
    assert.equal((await call('GET', path, undefined, stranger)).status, 404);
  const free = createKey(server.dataDir, 'free', []).key;
  assert.equal((await call('GET', '', undefined, free)).status, 403);
  for (let i = 3; i <= 10; i++) assert.equal((await call('PUT', `/l${i}`, good)).status, 201);
  assert.equal((await call('PUT', '/eleventh', good)).status, 400);
  assert.equal((await call('DELETE', '/second')).status, 204);
  assert.equal((await call('GET', '/second')).status, 404);
});

test('a webhook calls no inside address, also by a name that changes its address, and follows no redirect', async () => {
  covers('WATCHLIST');
  const before = received.length;
  const send = (to: string, addresses: readonly string[], allow: readonly string[] = []) => {
    let asked = 0;
    const resolve = async () => [{ address: addresses[Math.min(asked++, addresses.length - 1)]!, family: 4 }];
    return webhookSender(allow, resolve)(to, {}, '{}');
  };
  const { port } = receiver.address() as AddressInfo;
  for (const [to, addresses] of [
    [`http://127.0.0.1:${port}/`, ['127.0.0.1']],
    [`http://2130706433:${port}/`, ['127.0.0.1']],
    [`http://rebind.example:${port}/`, ['127.0.0.1', '46.1.1.1']],
    ['http://[::ffff:10.0.0.1]/', ['::ffff:10.0.0.1']],
    ['http://[64:ff9b::7f00:1]/', ['64:ff9b::7f00:1']],
    ['http://metadata.example/', ['169.254.169.254']],
    ['http://x.example/', ['fe80::1%eth0']],
  ] as const)
    assert.equal(await send(to, addresses, ['192.168.1.0/24']), 'inside_address', to);
  assert.equal(received.length, before);
  assert.equal(await send(`http://rebind.example:${port}/`, ['127.0.0.1', '46.1.1.1'], ['127.0.0.1']), 204);
  assert.equal(received.length, before + 1, 'the connection goes to the address that was judged');
  answerStatus = 302;
  assert.equal(await send(`http://a.example:${port}/`, ['127.0.0.1'], ['127.0.0.0/8']), 302);
  answerStatus = 204;
});

const many = () => 100;
const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const LIST: Watchlist = {
  ...{ id: 'a', accountId: 'acc_1', nonce: 'n', createdAt: NOON, checkedAt: NOON, name: 'A' },
  ...{ entries: ['1.2.3.4/32'], on: ['state'], url: 'https://x.example/' },
};
const by = (at: UnixMs) => ({ actor: 'user:acc_1', at }) as const;
const state = (at: UnixMs): WatchState => ({ score: 50, level: 'medium', state: 'active', override: undefined, at });

for (const technology of TECHNOLOGIES)
  test(`watch lists over ${technology}: one node checks, one attempt at a time and address, a lost lease keeps nothing`, async (t) => {
    covers('WATCHLIST');
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const { db } = opened;
    const [store, other] = [new SqlWatchlistStore(db), new SqlWatchlistStore(db)];
    const account = { id: 'acc_1', email: 'a@example.com', plan: 'professional', dpa: true, phone: false };
    await new KyselyAccountStore(db).createAccount(account, { actor: 'cli', at: NOON });
    assert.notEqual(await store.put(LIST, new Map([['1.2.3.4', state(NOON)]]), () => true, by(NOON), 1), 'too_many');
    assert.equal(await store.put({ ...LIST, id: 'b' }, new Map(), () => true, by(NOON), 1), 'too_many');
    const claims = await Promise.all([store.claimDue(NOON, MINUTE_MS), other.claimDue(NOON, MINUTE_MS)]);
    const [claimed] = claims.filter((one) => one !== undefined);
    assert.equal(claims.filter((one) => one !== undefined).length, 1, 'one of two nodes');
    const delivery = (id: string, ip: string) => ({ id, ip, body: '{}', at: NOON });
    const outcome = {
      states: new Map([['1.2.3.4', { ...state(NOON), score: 60 }]]),
      deliveries: [delivery('m1', 'x'), delivery('m2', 'x'), delivery('m3', 'y')],
      ...{ checkedAt: unixMs(NOON + 1), dueAt: unixMs(NOON + HOUR_MS) },
    };
    assert.equal(await other.commit({ ...claimed!, claim: claimed!.claim + 1 }, outcome), false);
    assert.deepEqual(await store.deliveries(LIST, 9), [], 'nothing of a lost lease');
    assert.equal(await store.commit(claimed!, outcome), true);
    assert.equal((await store.states(LIST)).get('1.2.3.4')!.score, 60);

    const taken = (await Promise.all([store, other].map((one) => one.claimDeliveries(NOON, MINUTE_MS, many)))).flat();
    const later = unixMs(NOON + 1000);
    taken.push(...(await store.claimDeliveries(later, MINUTE_MS, many)));
    assert.deepEqual(taken.map(({ id }) => id).sort(), ['m1', 'm3'], 'each by one node; m2 waits for m1');
    const [again] = await store.claimDeliveries(unixMs(NOON + MINUTE_MS), MINUTE_MS, many);
    assert.deepEqual([again!.id, again!.attempts], ['m1', 2], 'a node that died is followed by another attempt');
    await store.settle(again!, 'delivered', '204', NOON);
    assert.deepEqual(
      (await store.claimDeliveries(later, MINUTE_MS, many)).map(({ id }) => id),
      ['m2'],
    );
    assert.equal(await store.replay(LIST, 'm1', later), true);
    assert.equal((await store.deliveries(LIST, 9)).find(({ id }) => id === 'm1')!.state, 'waiting');
    await store.put({ ...LIST, checkedAt: later }, new Map(), () => false, by(later), 1);
    assert.equal((await store.states(LIST)).size, 0);
    await db.deleteFrom('accounts').where('id', '=', 'acc_1').execute();
    assert.deepEqual([await store.list('acc_1'), await store.deliveries(LIST, 9)], [[], []], 'gone with the account');
  });

for (const technology of TECHNOLOGIES)
  test(`deliveries over ${technology}: silent receivers hold places of their account alone, a test is one attempt beside them, 410 ends`, async (t) => {
    covers('WATCHLIST');
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const store = new SqlWatchlistStore(opened.db);
    const lists = new Map<string, Watchlist>();
    const add = (id: string, ip: string) => store.add(lists.get(id[0]!)!, { id, ip, body: id, at: NOON });
    for (const [accountId, ids] of [
      ['acc_1', 'abcdef'],
      ['acc_2', 'gh'],
    ] as const) {
      const account = { id: accountId, email: `${accountId}@example.com`, plan: 'free', dpa: true, phone: false };
      await new KyselyAccountStore(opened.db).createAccount(account, by(NOON));
      for (const id of ids) {
        const list = { ...LIST, id, accountId, url: `https://${id}.example/` };
        await store.put(list, new Map(), () => true, by(NOON), 10);
        lists.set(id, list);
        await add(`${id}1`, 'x');
      }
    }
    const [called, silent] = [[] as string[], [] as ((answer: string) => void)[]];
    const answers: Record<string, number> = { g: 503, h: 204 };
    const send = (_url: string, _headers: unknown, body: string): Promise<number | string> => {
      called.push(body);
      return new Promise((resolve) => {
        const answer = answers[body[0]!];
        if (answer === undefined) silent.push(resolve);
        else resolve(answer);
      });
    };
    const ending = new AbortController();
    const clock = { now: () => NOON };
    const working = sendDeliveries({ store, send, secret: new Uint8Array(32), clock, signal: ending.signal });
    const becomes = (id: string, ...expected: readonly [state: string, result: string]) =>
      eventually(async () => {
        const found = (await store.deliveries(lists.get(id[0]!)!, 99)).find((one) => one.id === id)!;
        return `${[found.state, found.result, found.attempts]}` === `${[...expected, 1]}`;
      });
    const goneAt = async () => (await store.find('acc_2', 'g'))!.goneAt;

    await becomes('h1', 'delivered', '204');
    await becomes('g1', 'waiting', '503');
    assert.equal(silent.length, 4, 'a few places for each account');
    await add('h2', 'y');
    await becomes('h2', 'delivered', '204');
    await add('a-test', '');
    await eventually(() => called.includes('a-test'));
    for (const [id, answer, state] of [
      ['g-test', 404, 'failed'],
      ['g-test-2', 204, 'delivered'],
    ] as const) {
      answers['g'] = answer;
      await add(id, '');
      await becomes(id, state, String(answer));
    }
    await becomes('g1', 'waiting', '503');
    answers['g'] = 410;
    await add('g2', 'y');
    for (const id of ['g2', 'g1']) await becomes(id, 'failed', '410');
    await eventually(async () => (await goneAt()) === NOON);
    const old = lists.get('g')!;
    await store.put({ ...old, url: 'https://new.example/' }, new Map(), () => true, by(NOON), 10);
    await store.end(old, '410', NOON);
    assert.equal(await goneAt(), undefined, 'set again it begins anew, whatever the old receiver still says');
    for (const resolve of silent) resolve('timeout');
    await becomes('a-test', 'failed', 'timeout');
    await eventually(() => silent.length === 7);
    ending.abort();
    for (const resolve of silent) resolve('timeout');
    await working;
  });
