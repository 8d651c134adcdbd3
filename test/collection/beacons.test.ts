/** Beacons over a real server with two threads, behind a proxy that is trusted: which address counts, its capture, and when a token works. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import Value from 'typebox/value';
import type { ConsoleCollection } from '../../src/contract/console.ts';
import { DOCUMENTS } from '../../src/contract/documents.ts';
import { createAccount, createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const run = promisify(execFile);

let server: ServeProcess;
let proxy: Server;
let proxyUrl = '';
/** The address that the proxy says its clients have. */
let exit = '198.14.9.1';
let key = '';
before(async () => {
  server = await serveProcess({ env: { PULSE_TRUSTED_PROXIES: '127.0.0.1/32' } });
  key = createKey(server.dataDir, 'reader', ['--plan', 'enterprise', '--dpa']).key;
  // As a load balancer does: entries of clients stand left of the address they have.
  proxy = createServer((from, to) => {
    const headers = {
      ...from.headers,
      'x-forwarded-for': [from.headers['x-forwarded-for'], exit].filter(Boolean).join(', '),
    };
    const onward = request(server.base + from.url, { method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => to.destroy());
    from.pipe(onward);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
after(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await server?.dispose();
});

interface Made {
  readonly id: string;
  readonly token: string;
}
function makeBeacon(...options: readonly string[]): Made {
  const made = pulseJson(server.dataDir, ['beacon', 'create', ...options]);
  return { id: made['beacon_id']!, token: made['token']! };
}

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: { readonly code: string }; readonly [name: string]: unknown };
  readonly headers: Headers;
}
async function call(
  token: string | undefined,
  ip: string,
  more: RequestInit = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${server.base}/v1/beacon`, {
    method: 'POST',
    ...more,
    headers: {
      'x-forwarded-for': ip,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers };
}
const codeOf = async (answer: Promise<Answer>): Promise<readonly [number, string | undefined]> => {
  const { status, body } = await answer;
  return [status, body.error?.code];
};

/** A lookup is charged, so none is made more often than needed. */
const SEEN = { everyMs: 200 };

interface Verdict {
  readonly risk: { readonly signals?: readonly string[] };
  readonly evidence_state: string;
  readonly evidence: readonly { readonly risk_type: string; readonly captured_at?: string }[];
}
async function verdictOf(ip: string): Promise<Verdict> {
  const response = await fetch(`${server.base}/pulse/v1/ip/${ip}`, { headers: { 'X-API-Key': key } });
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as Verdict;
}

test('captures of a beacon go when it is revoked for poisoning, and its source is let in no more', async () => {
  const { id, token } = makeBeacon('--risk-type', 'vpn');
  assert.equal((await call(token, '198.14.9.40')).status, 202);
  await eventually(async () => (await verdictOf('198.14.9.40')).evidence_state === 'active', SEEN);
  pulseJson(server.dataDir, ['evidence', 'trust', `beacon.${id}`, '--none', '--reason', 'odd exits']);
  assert.deepEqual(await codeOf(call(token, '198.14.9.41')), [403, 'forbidden'], 'its source is not trusted');
  const revoked = pulseJson(server.dataDir, ['beacon', 'revoke', id, '--retract']) as Readonly<Record<string, unknown>>;
  const { captures, trust } = revoked['retracted'] as Readonly<Record<string, unknown>>;
  assert.deepEqual([revoked['state'], captures, trust], ['revoked', 1, 'none']);
  const lookUp = () => fetch(`${server.base}/pulse/v1/ip/198.14.9.40`, { headers: { 'X-API-Key': key } });
  await eventually(async () => (await lookUp()).status === 404, SEEN);
  assert.deepEqual(await codeOf(call(token, '198.14.9.41')), [401, 'revoked_key']);
  const unused = pulseJson(server.dataDir, [
    'beacon',
    'revoke',
    makeBeacon('--risk-type', 'vpn').id,
    '--retract',
  ]) as Readonly<Record<string, unknown>>;
  assert.equal((unused['retracted'] as Readonly<Record<string, unknown>>)['captures'], 0);
});

test('an exit becomes a capture of the beacon’s type and pool, at the moment of the call', async () => {
  const { id, token } = makeBeacon('--risk-type', 'cloud_phone', '--pool', 'farm-7');
  const before = server.now();
  const { status, body, headers } = await call(token, '198.14.9.10');
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual([...Value.Errors(DOCUMENTS.BeaconExit, body)], []);
  assert.deepEqual(
    { ...body, captured_at: undefined },
    { ip: '198.14.9.10', risk_type: 'cloud_phone', pool: 'farm-7', captured_at: undefined },
  );
  const at = Date.parse(String(body['captured_at']));
  assert.ok(at >= before && at <= server.now());
  assert.equal(headers.get('access-control-allow-origin'), null);
  const verdict = await eventually(async () => {
    const found = await verdictOf('198.14.9.10');
    return found.evidence_state === 'active' && found;
  }, SEEN);
  assert.deepEqual(verdict.risk.signals, ['cloud_phone']);
  const shown = verdict.evidence.map((row) => [row.risk_type, row.captured_at]);
  assert.deepEqual(shown, [['cloud_phone', body['captured_at']]]);
  const listed = pulseJson(server.dataDir, 'beacon list') as unknown as Record<string, unknown>[];
  const row = listed.find(({ beacon_id }) => beacon_id === id)!;
  assert.equal(row['last_seen_at'], body['captured_at']);
  assert.equal(row['source'], `beacon.${id}`);
  assert.deepEqual([row['distinct_exits'], (row['days'] as unknown[]).length], [1, 7]);
  assert.ok(!JSON.stringify(listed).includes(token.slice(9)), 'no list shows a token');
});

test('calls of one exit at the same moment are all answered with the capture', async () => {
  const { token } = makeBeacon('--risk-type', 'proxy');
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(token, `198.14.8.${round}`)));
    assert.deepEqual(
      new Set(answers.map(({ status }) => status)),
      new Set([202]),
      JSON.stringify(answers.map(({ body }) => body)),
    );
  }
});

test('one exit is captured once a minute; another exit of the same minute is its own capture', async () => {
  const { id, token } = makeBeacon('--risk-type', 'proxy');
  const first = await call(token, '198.14.9.20');
  const times = new Set([first.body['captured_at']]);
  for (let n = 0; n < 5; n++) times.add((await call(token, '198.14.9.20')).body['captured_at']);
  assert.ok(times.size <= 2, 'six calls fall into one minute or two');
  assert.equal((await call(token, '198.14.9.21')).status, 202);
  assert.equal('pool' in first.body, false);
  const listed = pulseJson(server.dataDir, 'beacon list') as unknown as Record<string, unknown>[];
  const days = listed.find(({ beacon_id }) => beacon_id === id)!['days'] as {
    captures: number;
    exits: number;
    new_exits: number;
  }[];
  assert.equal(
    days.reduce((sum, { captures }) => sum + captures, 0),
    times.size + 1,
  );
  assert.equal(
    days.reduce((sum, day) => sum + day.new_exits, 0),
    2,
  );
});

describe('refusals', () => {
  test('no token, a wrong one, a key, one that differs, one in the query', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    assert.deepEqual(await codeOf(call(undefined, '198.14.9.30')), [401, 'key_required']);
    assert.deepEqual(await codeOf(call(`${token.slice(0, -1)}~`, '198.14.9.30')), [401, 'invalid_key']);
    assert.deepEqual(await codeOf(call(key, '198.14.9.30')), [401, 'invalid_key']);
    assert.deepEqual(await codeOf(call(token, '198.14.9.30', {}, { 'x-api-key': key })), [401, 'invalid_key']);
    const query = await fetch(`${server.base}/v1/beacon?key=${token}`, { method: 'POST' });
    assert.equal(query.status, 400);
    // And the token opens nothing else.
    assert.equal((await fetch(`${server.base}/v1/me`, { headers: { 'X-API-Key': token } })).status, 401);
    assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': token } })).status, 401);
  });

  test('an address that is not public', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    for (const ip of ['10.1.2.3', '192.0.2.7', 'fe80::1', '::ffff:192.168.1.1'])
      assert.deepEqual(await codeOf(call(token, ip)), [400, 'reserved_ip'], ip);
    const direct = await fetch(`${server.base}/v1/beacon`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(direct.status, 400, 'the tests themselves come from loopback');
  });

  test('an address that the caller writes: the one the proxy saw counts', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    exit = '198.14.9.40';
    const response = await fetch(`${proxyUrl}/v1/beacon`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '198.14.9.41' },
    });
    assert.equal(((await response.json()) as { ip: string }).ip, '198.14.9.40');
    await eventually(async () => (await verdictOf('198.14.9.40')).evidence_state === 'active', SEEN);
    const written = await fetch(`${server.base}/pulse/v1/ip/198.14.9.41`, { headers: { 'X-API-Key': key } });
    assert.equal(written.status, 404, 'nothing is known of it');
  });

  test('a body of more than a few bytes; a short one is not read, whatever it says it is', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain'];
    for (const type of types)
      assert.equal(
        (await call(token, '198.14.9.50', { body: '{"ip":"1.2.3.4"}' }, { 'content-type': type })).body['ip'],
        '198.14.9.50',
      );
    assert.deepEqual(await codeOf(call(token, '198.14.9.50', { body: 'x'.repeat(2000) })), [413, 'payload_too_large']);
    assert.equal((await fetch(`${server.base}/v1/beacon`)).status, 405);
  });

  test('a beacon that reports too often, on whatever thread', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    const answers = await Promise.all(Array.from({ length: 70 }, (_, n) => call(token, `198.15.0.${n}`)));
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(answers.filter(({ status }) => status === 202).length, 60);
    assert.equal(refused.length, 10);
    for (const { headers, body } of refused)
      assert.ok(Number(headers.get('retry-after')) >= 1 && body.error?.code === 'rate_limited');
  });

  test('a client that makes tokens up, before the store is asked', async () => {
    const { token } = makeBeacon('--risk-type', 'proxy');
    const wrong = `${token.slice(0, 8)}${token[8] === 'a' ? 'b' : 'a'}${token.slice(9)}`;
    const answers = await Promise.all(Array.from({ length: 125 }, () => codeOf(call(wrong, '198.14.9.60'))));
    const codes = Map.groupBy(answers, ([, code]) => code ?? '');
    assert.deepEqual([codes.get('invalid_key')?.length, codes.get('rate_limited')?.length], [120, 5]);
    assert.equal((await call(token, '198.14.9.61')).status, 202, 'another client is not counted with it');
  });
});

test('a token works at once when it is made, ends when it is revoked, and its captures stay', async () => {
  const { id, token } = makeBeacon('--risk-type', 'vpn');
  assert.equal((await call(token, '198.14.9.70')).status, 202);
  const revoked = pulseJson(server.dataDir, ['beacon', 'revoke', id]);
  assert.equal(revoked['state'], 'revoked');
  // No thread remembers a token: twice as many calls as threads, over connections of their own.
  for (let n = 0; n < 4; n++)
    assert.deepEqual(await codeOf(call(token, '198.14.9.71', {}, { connection: 'close' })), [401, 'revoked_key']);
  await eventually(async () => (await verdictOf('198.14.9.70')).evidence_state === 'active', SEEN);
  const past = makeBeacon('--risk-type', 'vpn', '--expires', new Date(server.now() - 1000).toISOString());
  assert.deepEqual(await codeOf(call(past.token, '198.14.9.71')), [401, 'key_expired']);
  const { status, stderr } = pulseOver(server.dataDir, ['beacon', 'revoke', 'bcn_unknown']);
  assert.deepEqual([status, stderr.includes('not_found')], [1, true]);
  assert.equal(pulseOver(server.dataDir, ['beacon', 'create', '--risk-type', 'honeypot_scan']).status, 2);
});

test('no token stands in the log or in the files of the data folder', async () => {
  const { token } = makeBeacon('--risk-type', 'proxy', '--pool', 'searched');
  assert.equal((await call(token, '198.14.9.80')).status, 202);
  assert.ok(!server.output().includes(token.slice(3)));
  const found = await run('grep', ['-rlF', token.slice(3), server.dataDir]).catch(
    (error: { readonly code: number }) => error.code,
  );
  assert.equal(found, 1, 'grep found nothing');
});

test('operators make and revoke beacons in the console, and see own collection', async () => {
  const password = 'correct horse battery';
  createAccount(server.dataDir, 'op', ['--password', password, '--operator']);
  const signIn = await fetch(`${server.base}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'op@example.com', password }),
  });
  const { csrf } = (await signIn.json()) as { csrf: string };
  const headers = { cookie: signIn.headers.getSetCookie()[0]!.split(';')[0]!, 'x-csrf-token': csrf };
  const operator = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server.base}/console/api/operator/${path}`, {
      method,
      ...(body === undefined
        ? { headers }
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  for (const wish of [
    {},
    { risk_type: 'honeypot_scan' },
    { risk_type: 'vpn', pool: 7 },
    { risk_type: 'vpn', expires_at: 'soon' },
    { risk_type: 'vpn', pool: 'a\u0000b' },
  ])
    assert.equal((await operator('POST', 'beacons', wish)).status, 400, JSON.stringify(wish));
  const made = await operator('POST', 'beacons', {
    risk_type: 'dialup_pool',
    pool: 'line-1',
    expires_at: new Date(server.now() + 60_000).toISOString(),
  });
  assert.equal(made.status, 201);
  const { id, token } = (await made.json()) as { id: string; token: string };
  assert.equal((await call(token, '8.8.8.9')).status, 202);

  const page = await eventually(async () => {
    const seen = (await (await operator('GET', 'collection')).json()) as ConsoleCollection;
    return seen.newest.some(({ source }) => source === `beacon.${id}`) && seen;
  });
  const beacon = page.beacons.find((one) => one.id === id)!;
  assert.deepEqual(
    [beacon.state, beacon.risk_type, beacon.pool, beacon.exits, beacon.days.length],
    ['active', 'dialup_pool', 'line-1', 1, 14],
  );
  assert.deepEqual(beacon.days.at(-1), {
    date: new Date(server.now()).toISOString().slice(0, 10),
    captures: 1,
    exits: 1,
    new_exits: 1,
  });
  assert.ok(page.hours.length === 48 && page.hours.at(-1)!.captures + page.hours.at(-2)!.captures > 0);
  assert.deepEqual(page.sensors, [], 'beacons are listed apart');
  assert.equal(page.newest.find(({ ip }) => ip === '8.8.8.9')?.country, 'US');
  assert.ok(!JSON.stringify(page).includes(token.slice(9)));

  assert.equal((await operator('DELETE', `beacons/${id}`)).status, 204);
  assert.equal((await operator('DELETE', 'beacons/bcn_unknown')).status, 404);
  assert.deepEqual(await codeOf(call(token, '8.8.8.9')), [401, 'revoked_key']);
  const { entries } = (await (await operator('GET', 'audit')).json()) as {
    entries: readonly { action: string; subject: string }[];
  };
  assert.deepEqual(
    entries.filter(({ subject }) => subject === id).map(({ action }) => action),
    ['beacon.revoke', 'beacon.create'],
  );
});

test('the line of the docs page reports the exit, and a refusal is not a success', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/beacons.md'), 'utf8');
  const line = /^```sh\n(echo .*)$/m.exec(page)?.[1];
  assert.ok(line !== undefined, 'docs/beacons.md has the line');
  const { token } = makeBeacon('--risk-type', 'proxy');
  const report = (PULSE_BEACON: string) =>
    run('/bin/sh', ['-c', line], { env: { PATH: process.env['PATH']!, PULSE_URL: proxyUrl, PULSE_BEACON } });
  exit = '198.14.9.90';
  assert.equal((JSON.parse((await report(token)).stdout) as { ip: string }).ip, exit);
  const refused = await report('pb_wrong').catch((error: { code: number; stdout: string }) => error);
  assert.notEqual((refused as { code?: number }).code ?? 0, 0);
  assert.match(refused.stdout, /invalid_key/);
});
