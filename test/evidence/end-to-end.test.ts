/**
 * Evidence from the outside in: other processes, sensors and list files bring it, a running server answers
 * with it, and a killed one has lost none of it.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { ROUTES } from '../../src/apps/http/routes.ts';
import type { PulseIPRisk } from '../../src/contract/documents.ts';
import type { RiskType } from '../../src/contract/risk.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { unixMs } from '../../src/core/units.ts';
import { openEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseOver } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS, pulseEnvironment } from '../support/pulse-environment.ts';
import { rowsOfScan } from '../support/rows-of-scan.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const DATA = resolve(import.meta.dirname, '../../../shared/data');
const absent = existsSync(join(DATA, 'MANIFEST.md')) ? false : `${DATA} is not there`;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const folder = testFolder('end-to-end');
let server: ServeProcess;
let operator: ReturnType<typeof createKey>;
let customer: ReturnType<typeof createKey>;
before(async () => {
  // The compaction a minute after the start must not come between an import and the longer contract.
  server = await serveProcess({ env: { ...MANY_ANONYMOUS, PULSE_WORKERS: '2', PULSE_HISTORY_DAYS: '3650' } });
  const limits = ['--per-min', '1000000', '--per-day', '1000000'];
  operator = createKey(
    server.dataDir,
    'operator',
    ['--plan', 'private', '--dpa', '--operator'],
    ['--evidence', '--networks'],
  );
  customer = createKey(server.dataDir, 'customer', ['--plan', 'private', '--dpa']);
  for (const { accountId } of [operator, customer]) pulseJson(server.dataDir, ['account', 'set', accountId, ...limits]);
  await onEveryThread('8.8.8.8', ({ evidence_state }) => evidence_state === 'none');
});
after(() => server.dispose());

interface Answer {
  readonly status: number;
  /** First letters of the request id, which are the answering thread's own. */
  readonly thread: string;
  readonly body: PulseIPRisk & { readonly error?: { readonly code: string; readonly window_from?: string } };
}

interface Asking {
  readonly key?: string;
  /** Agent of one kept connection, which is one thread's; any by default. */
  readonly agent?: Agent;
  /** Sent as a batch that does not say its length: the thread that has the stores answers it. */
  readonly body?: object;
}

function ask(path: string, { key = operator.key, agent, body }: Asking = {}): Promise<Answer> {
  return new Promise((done, failed) => {
    const headers = { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
    const options = { method: body === undefined ? 'GET' : 'POST', headers, ...(agent !== undefined && { agent }) };
    const asking = request(server.base + path, options, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () =>
        done({
          status: response.statusCode!,
          thread: String(response.headers['x-request-id']).split('-')[0]!,
          body: JSON.parse(text),
        }),
      );
    }).on('error', failed);
    if (body !== undefined) asking.write(JSON.stringify(body));
    asking.end();
  });
}
const pulse = async (ip: string, at?: number): Promise<Answer['body']> =>
  (await ask(`/pulse/v1/ip/${ip}${at === undefined ? '' : `?at=${iso(at)}`}`)).body;
const iso = (at: number): string => new Date(at).toISOString();
const capturedAt = (body: Answer['body'], type: string): number =>
  Date.parse(body.evidence.find(({ risk_type }) => risk_type === type)?.captured_at ?? '');

/** Lookup threads of the server. */
let threads = 2;

/**
 * Asks until each lookup thread, over a connection that stays with it, and then the thread that has the
 * stores have answered as wanted.
 */
async function onEveryThread(ip: string, wanted: (body: Answer['body']) => boolean): Promise<void> {
  const agents = new Map<string, Agent>();
  const isSo = (asking: () => Promise<Answer['body']>): Promise<unknown> =>
    eventually(async () => {
      const body = await asking();
      assert.ok(wanted(body), `last said ${JSON.stringify(body)}`);
    });
  try {
    while (agents.size < threads) {
      const agent = new Agent({ keepAlive: true });
      const { thread } = await ask('/healthz', { agent });
      if (agents.has(thread)) agent.destroy();
      else agents.set(thread, agent);
    }
    const path = `/pulse/v1/ip/${ip}`;
    for (const [thread, agent] of agents)
      await isSo(async () => {
        const answer = await ask(path, { agent });
        assert.equal(answer.thread, thread, 'a connection stays with its thread');
        return answer.body;
      });
    await isSo(async () => {
      const { body } = await ask('/pulse/v1/ip/batch', { body: { ips: [ip] } });
      return (body as unknown as { readonly results: readonly [Answer['body']] }).results[0];
    });
  } finally {
    for (const agent of agents.values()) agent.destroy();
  }
}
const isUnknown = (body: Answer['body']): boolean => body.error?.code === 'not_found';

interface Outcome {
  readonly lines: number;
  readonly accepted: number;
  readonly added: number;
  readonly replayed?: boolean;
  readonly refused: Readonly<Record<string, { readonly count: number; readonly first_lines?: readonly number[] }>>;
}

/** Runs a command and returns the last line it printed, as JSON. */
function importJson(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Outcome {
  const { status, stdout, stderr } = pulseCommand([...args, '--json'], {
    env: { PULSE_DATA_DIR: server.dataDir, ...env },
    input,
  });
  assert.equal(status, 0, `${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Outcome;
}

interface Sending {
  readonly key?: string | undefined;
  readonly type?: string;
  readonly source?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusalOf = async (sending: ReturnType<typeof send>): Promise<readonly [number, string | undefined]> => {
  const { status, body } = await sending;
  return [status, body.error?.code];
};

async function send(
  body: string | Uint8Array<ArrayBuffer>,
  { key, type = 'application/x-ndjson', source = 'sensor', headers: more = {} }: Sending,
): Promise<{ readonly status: number; readonly body: Outcome & { readonly error?: { readonly code: string } } }> {
  const headers = { 'Content-Type': type, ...more, ...(key === undefined ? {} : { 'X-API-Key': key }) };
  const response = await fetch(`${server.base}/v1/evidence?source=${encodeURIComponent(source)}`, {
    method: 'POST',
    headers,
    body,
  });
  return { status: response.status, body: (await response.json()) as Outcome };
}

/** Begins a body of so many bytes and sends none of them. */
function announce(bytes: number): Promise<{ readonly status: number; readonly body: object }> {
  return new Promise((done, failed) => {
    const headers = { 'X-API-Key': operator.key, 'Content-Type': 'application/x-ndjson', 'Content-Length': bytes };
    const sending = request(
      `${server.base}/v1/evidence?source=sensor`,
      { method: 'POST', agent: false, headers },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += String(chunk);
        sending.destroy();
        done({ status: response.statusCode!, body: JSON.parse(text) as object });
      },
    ).on('error', failed);
    sending.flushHeaders();
  });
}
const row = (ip: string, more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ ip, risk_type: 'proxy', ...more })}\n`;

describe('captures from another process', () => {
  test('pulse evidence import is visible within two seconds on every thread; the same again changes nothing', async () => {
    covers('GEN-NO-CACHE', 'CLI-SEEN');
    const at = iso(Date.now() - HOUR);
    for (const [i, args] of [
      ['--risk-type', 'proxy'],
      ['--risk-type', 'honeypot_credential'],
      ['--risk-type', 'hijacked_proxy', '--pool', 'herd'],
    ].entries()) {
      const [whole, half] = [`45.1.${i}.7`, `45.1.${i}.100`];
      const bring = () =>
        importJson(
          ['evidence', 'import', '-', '--source', 'own', '--captured-at', at, ...args],
          `${whole}\n45.1.${i}.64/26 # half\n`,
        );
      assert.equal((await ask(`/pulse/v1/ip/${whole}`)).status, 404);
      assert.deepEqual(bring(), { lines: 2, accepted: 2, added: 2, refused: {} });
      for (const ip of [whole, half])
        await onEveryThread(
          ip,
          (body) =>
            body.evidence_state === 'active' &&
            body.evidence[0]?.risk_type === args[1] &&
            (body.resource_pools?.length ?? 0) === (args.includes('--pool') ? 1 : 0),
        );
      assert.equal(bring().added, 0);
    }
    assert.equal((await pulse('45.1.2.7')).risk.level, 'high');
    assert.equal((await ask('/pulse/v1/ip/45.1.0.128')).status, 404, 'the address after the prefix');
  });

  test('a batch too large to be sent is merged into the image, which says the same and is kept for the next start', async () => {
    const SIZE = 100_100;
    const bring = (riskType: RiskType): void => {
      const batch = new CaptureBatchBuilder();
      for (let i = 0; i < SIZE; i++) batch.addIpv4(0x2d10_0000 + i, 32);
      batch.addIpv4(0x2d14_0000, 16);
      const store = new SqliteHistory(join(server.dataDir, 'evidence.db'));
      const now = unixMs(Date.now());
      store.recordCaptures({ id: 'many', family: 'many', mode: 'events', riskType }, now, batch.build(), now);
      store.close();
    };
    bring('proxy');
    for (const ip of ['45.16.0.0', '45.17.134.3', '45.20.255.255', '45.1.0.7'])
      await onEveryThread(ip, ({ evidence }) => evidence[0]?.risk_type === 'proxy');
    await eventually(() => {
      const { image, meta } = openEvidence(
        readFileSync(join(server.dataDir, 'images', 'evidence.img')).buffer as ArrayBuffer,
      );
      return meta.sequence > 0 && image.buffer.byteLength > 16 * SIZE;
    });
    // The merging thread is asked again, with its result as base.
    bring('vpn');
    await onEveryThread('45.17.134.3', ({ evidence }) => evidence.length === 2);
  });
});

describe('POST /v1/evidence', () => {
  test('takes good rows, refuses each other row by reason with its line, and is visible on every thread', async () => {
    covers('EV-AHEAD');
    const now = Date.now();
    const body = [
      row('45.2.0.1', { captured_at: iso(now - 3 * HOUR), pool: 'vendor' }),
      row('45.2.0.0/28', { risk_type: 'honeypot_scan' }),
      row('45.2.0.3', { captured_at: iso(now + 4 * MINUTE) }),
      row('45.2.0.4', { captured_at: iso(now + 6 * MINUTE) }),
      row('45.2.0.5', { captured_at: 'yesterday' }),
      row('45.2.0.6', { risk_type: 'rumour' }),
      row('10.0.0.1'),
      row('45.0.0.0/7'),
      row('45.2.0.256'),
      '{"ip":\n',
      '{"ip":"45.2.0.7"}\n',
    ].join('');
    const { status, body: outcome } = await send(body, { key: operator.key });
    assert.equal(status, 202, JSON.stringify(outcome));
    assert.deepEqual([outcome.lines, outcome.accepted, outcome.added], [11, 3, 3]);
    assert.deepEqual(outcome.refused, {
      not_a_time: { count: 1, first_lines: [5] },
      unknown_risk_type: { count: 1, first_lines: [6] },
      reserved_address: { count: 1, first_lines: [7] },
      prefix_too_wide: { count: 1, first_lines: [8] },
      not_an_address: { count: 1, first_lines: [9] },
      not_json: { count: 1, first_lines: [10] },
      ahead_of_clock: { count: 1 },
      no_risk_type: { count: 1 },
    });
    await onEveryThread(
      '45.2.0.1',
      ({ evidence, resource_pools }) => evidence.length === 2 && resource_pools?.length === 1,
    );
    assert.equal(capturedAt(await pulse('45.2.0.1'), 'proxy'), now - 3 * HOUR);
    const counted = await pulse('45.2.0.3');
    assert.equal(counted.evidence.find(({ risk_type }) => risk_type === 'proxy')?.freshness, 'within_2h');
    const ahead = capturedAt(counted, 'proxy');
    assert.ok(ahead >= now && ahead <= Date.now(), 'four minutes ahead of our clock counts from its acceptance');
    assert.deepEqual(
      (await pulse('45.2.0.4')).evidence.map(({ risk_type }) => risk_type),
      ['honeypot_scan'],
      'six minutes ahead is refused',
    );
    assert.equal(
      (await send(row('45.2.0.1', { captured_at: iso(now - 3 * HOUR), pool: 'vendor' }), { key: operator.key })).body
        .added,
      0,
      'known already',
    );
  });

  const gzipped = (): Sending => ({ key: operator.key, headers: { 'Content-Encoding': 'gzip' } });
  const operatorKey = () =>
    pulseJson(server.dataDir, ['key', 'create', '--account', operator.accountId, '--evidence', '--networks'])['key']!;
  /** Such a body has a sender of its own, because it takes a third of the bound of one key in a minute. */
  const ofItsOwn = (): Sending => ({ ...gzipped(), key: operatorKey() });
  const refused: readonly (readonly [
    what: string,
    code: string,
    status: number,
    send: () => Promise<{ status: number; body: object }>,
  ])[] = [
    ['more than 8 MiB', 'payload_too_large', 413, () => announce(8 * 2 ** 20 + 1)],
    [
      'more than 100,000 rows',
      'payload_too_large',
      413,
      () => send(row('45.2.1.1').repeat(100_001), { key: operatorKey() }),
    ],
    [
      'gzip that unpacks to more than 64 MiB',
      'payload_too_large',
      413,
      () => send(gzipSync(Buffer.alloc(64 * 2 ** 20 + 1, row('45.2.1.1')), { level: 1 }), ofItsOwn()),
    ],
    ['gzip that is cut off', 'bad_request', 400, () => send(gzipSync(row('45.2.1.1')).subarray(0, -9), ofItsOwn())],
  ];
  for (const [what, code, status, sending] of refused) {
    test(`${what} is ${status} ${code} and stores nothing`, async () => {
      const answer = await sending();
      assert.deepEqual([answer.status, (answer.body as { error?: { code: string } }).error?.code], [status, code]);
      assert.equal((await ask('/pulse/v1/ip/45.2.1.1')).status, 404);
    });
  }

  test('a send-only key sends captures, gzip and CSV too, and gets nothing else of the service', async () => {
    const sensor = pulseJson(
      server.dataDir,
      `key create --account ${operator.accountId} --send-only --source sensor-1`,
    )['key']!;
    const seen = iso(Date.now() - MINUTE);
    const csv = `ip,risk_type,captured_at,port,protocol,count,actor\n45.4.0.1,honeypot_credential,${seen},22,ssh,9,x\n`;
    const { status, body } = await send(gzipSync(csv), {
      key: sensor,
      source: 'sensor-1',
      type: 'text/csv',
      headers: { 'Content-Encoding': 'gzip' },
    });
    assert.deepEqual([status, body], [202, { lines: 2, accepted: 1, added: 1, refused: {} }]);
    await onEveryThread('45.4.0.1', ({ evidence }) => evidence[0]?.risk_type === 'honeypot_credential');
    for (const { methods, path, chain: column } of ROUTES) {
      // Without a column there is no caller, and the sandbox reads no key; a beacon has a token of its own; a
      // browser is known by its cookie, and MCP answers a credential's fault inside its own answer.
      if (
        column === undefined ||
        column === 'evidence' ||
        column === 'report' ||
        column === 'beacon' ||
        column === 'mcp' ||
        /^(?:console|sandbox)/.test(column)
      )
        continue;
      const method = methods.split(', ')[0]!;
      const body = method === 'POST' ? { body: '{}' } : {};
      const headers = {
        'X-API-Key': sensor,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      };
      const response = await fetch(server.base + path.replace(':ip', '8.8.8.8'), { method, headers, ...body });
      assert.deepEqual(
        [response.status, ((await response.json()) as { error?: { code: string } }).error?.code],
        [403, 'forbidden'],
        `${method} ${path}`,
      );
    }
  });

  test('a send-only key reports its kinds, about single addresses, under its own name', async () => {
    const keyOf = (...limits: readonly string[]) =>
      pulseJson(server.dataDir, [
        ...`key create --account ${operator.accountId} --send-only --source bound`.split(' '),
        ...limits,
      ])['key']!;
    const said = (ip: string, risk_type: string) => `${JSON.stringify({ ip, risk_type })}\n`;
    const rows = '45.4.4.1 45.4.4.0/31 45.4.4.0/24 45.4.0.0/16 2a00:4::1 2a00:4::/64 2a00:4::/48 2a00:4::/47'.split(
      ' ',
    );
    const body = [
      ...rows.map((ip) => said(ip, 'honeypot_scan')),
      said('45.4.4.2', 'hijacked_proxy'),
      said('45.4.4.3', 'proxy'),
    ].join('');
    const taken = async (key: string) => {
      const { accepted, refused } = (await send(body, { key, source: 'bound' })).body;
      return [
        accepted,
        Object.fromEntries(Object.entries(refused).map(([reason, { first_lines }]) => [reason, first_lines])),
      ];
    };
    assert.deepEqual(await taken(keyOf()), [3, { prefix_not_allowed: [2, 3, 4], kind_not_allowed: [9, 10] }]);
    assert.deepEqual(await taken(keyOf('--kinds', 'proxy,honeypot_scan', '--prefixes')), [
      7,
      { prefix_not_allowed: [4, 8], kind_not_allowed: [9] },
    ]);
    const key = keyOf();
    assert.deepEqual(await refusalOf(send(said('45.4.9.9', 'honeypot_scan'), { key, source: 'sensor-2' })), [
      403,
      'forbidden',
    ]);
    assert.deepEqual(await refusalOf(send(said('45.4.9.9', 'honeypot_scan'), { key: operator.key, source: 'feodo' })), [
      400,
      'bad_request',
    ]);
    for (const options of [[], ['--source', 'feodo'], ['--source', 'derived'], ['--source', 'x', '--kinds', 'spam']]) {
      const { status, stderr } = pulseOver(server.dataDir, [
        'key',
        'create',
        '--account',
        operator.accountId,
        '--send-only',
        ...options,
      ]);
      assert.notEqual(status, 0, options.join(' '));
      assert.notEqual(stderr, '');
    }
    assert.equal((await ask('/pulse/v1/ip/45.4.9.9')).status, 404);
  });

  test('lines that are refused are counted, and a sender without budget is refused before its body is unpacked', async () => {
    const key = operatorKey();
    const lines = gzipSync('{}\n'.repeat(100_000));
    const of = (source: string) => ({ ...gzipped(), key, source });
    for (const source of ['bad-1', 'bad-2'])
      assert.equal((await send(lines, of(source))).body.refused['not_an_address']?.count, 100_000);
    assert.deepEqual(await refusalOf(send(lines.subarray(0, -9), of('bad-3'))), [400, 'bad_request'], 'damaged, too');
    assert.deepEqual(await refusalOf(send(lines, of('bad-4'))), [429, 'rate_limited']);
    // Each thread learns it by itself.
    await eventually(
      async () => assert.deepEqual(await refusalOf(send(lines.subarray(0, -9), of('bad-5'))), [429, 'rate_limited']),
      { everyMs: 20 },
    );
    assert.equal((await send(row('45.4.7.1'), { key: operator.key })).status, 202, 'another key has its own budget');
    const known = pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly {
      readonly source: string;
    }[];
    assert.deepEqual(
      known.filter(({ source }) => source.startsWith('bad-')),
      [],
    );
  });

  test('a batch that is sent again under its name adds nothing and gets the answer of the first time', async () => {
    const body = `${row('45.4.1.1')}${row('10.0.0.1')}`;
    const named = { key: operator.key, headers: { 'Idempotency-Key': 'batch-1' } };
    const first = await send(body, named);
    assert.deepEqual([first.status, first.body.added, first.body.replayed], [202, 1, undefined]);
    const again = await Promise.all([send(body, named), send(body, named)]);
    for (const answer of again)
      assert.deepEqual([answer.status, answer.body], [202, { ...first.body, replayed: true }]);
    for (const other of [send(row('45.4.1.2'), named), send(body, { ...named, source: 'another' })])
      assert.deepEqual([(await other).status, (await other).body.error?.code], [400, 'bad_request']);
    assert.equal((await ask('/pulse/v1/ip/45.4.1.2')).status, 404);
    const foreign = { key: customer.key, headers: named.headers };
    assert.equal((await send(body, foreign)).status, 403, 'the name is not asked about before the caller');
  });

  test('while another process holds the store, lookups go on and only so much of the largest bodies waits: the rest is refused with a time to come back, and nothing is lost', async () => {
    // Few rows, each with a long field that is not looked at.
    const body = Array.from({ length: 128 }, (_, i) => row(`46.128.0.${i}`, { note: 'x'.repeat(65_000) })).join('');
    const key = operatorKey();
    const other = new DatabaseSync(join(server.dataDir, 'evidence.db'));
    other.exec('begin immediate');
    const sendings = Array.from({ length: 6 }, (_, i) =>
      send(body, { key, source: 'held', headers: { 'Idempotency-Key': `held-${i}` } }),
    );
    // Four of the largest bodies wait; the first refusal says that there are.
    const refused = await Promise.any(
      sendings.map(async (sending) => ((await sending).status === 429 ? sending : Promise.reject(new Error('taken')))),
    );
    assert.deepEqual([refused.status, refused.body.error?.code], [429, 'rate_limited']);
    for (let n = 0; n < 20; n++) assert.equal((await ask('/v1/ip/8.8.8.8')).status, 200);
    other.exec('rollback');
    other.close();
    const taken = (await Promise.all(sendings)).filter(({ status }) => status === 202);
    assert.ok(taken.length >= 4, String(taken.length));
    for (const [i, sending] of sendings.entries()) {
      if ((await sending).status === 202) continue;
      const again = await eventually(async () => {
        const answer = await send(body, {
          key,
          source: 'held',
          headers: { 'Idempotency-Key': `held-${i}` },
        });
        return answer.status === 202 && answer;
      });
      assert.equal(again.body.replayed, undefined, 'a refused batch was not taken in');
    }
  });
});

test('pulse evidence retract: a sensor that was taken over is believed no more, `at` still answers as was said, and the record names who did it', async () => {
  const now = Date.now();
  const [from, to] = [iso(now - 2 * HOUR), iso(now - HOUR)];
  const sensor = { key: operator.key, source: 'taken-over' };
  const body =
    row('45.5.0.1', { captured_at: iso(now - 90 * MINUTE) }) +
    row('45.5.0.1', { captured_at: iso(now - 3 * HOUR) }) +
    row('45.5.0.2', { captured_at: from });
  assert.equal((await send(body, sensor)).body.added, 3);
  await onEveryThread('45.5.0.1', (answer) => capturedAt(answer, 'proxy') === now - 90 * MINUTE);
  const saidAt = Date.now();
  const said = await pulse('45.5.0.1', saidAt);
  for (const wrong of [
    ['stranger', '--from', from, '--to', to, '--reason', 'r'],
    ['taken-over', '--from', to, '--to', from, '--reason', 'r'],
    ['taken-over', '--from', from, '--to', iso(Date.now() + HOUR), '--reason', 'r'],
    ['taken-over', '--from', from, '--to', to],
  ])
    assert.notEqual(pulseOver(server.dataDir, ['evidence', 'retract', ...wrong]).status, 0, wrong.join(' '));
  const done = pulseJson(
    server.dataDir,
    `evidence retract taken-over --from ${from} --to ${to} --reason stolen`,
  ) as Readonly<Record<string, unknown>>;
  assert.deepEqual([done['captures'], done['derived_alone'], done['from'], done['to']], [2, 0, from, to]);
  await onEveryThread('45.5.0.1', (answer) => capturedAt(answer, 'proxy') === now - 3 * HOUR);
  await onEveryThread('45.5.0.2', isUnknown);
  assert.deepEqual((await pulse('45.5.0.1', saidAt)).risk, said.risk);
  assert.equal(capturedAt(await pulse('45.5.0.1', saidAt), 'proxy'), now - 90 * MINUTE);
  assert.deepEqual((await send(body, sensor)).body.refused, { retracted: { count: 2 } });
  const listed = pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly {
    source: string;
    retracted: readonly object[];
  }[];
  assert.deepEqual(listed.find(({ source }) => source === 'taken-over')?.retracted, [
    { from, to, made_at: done['made_at'] },
  ]);
  const audit = new DatabaseSync(join(server.dataDir, 'pulse.db'), { readOnly: true });
  assert.deepEqual(
    { ...audit.prepare(`select actor, subject, detail from audit_log where action = 'evidence.retract'`).get() },
    {
      actor: 'cli',
      subject: 'taken-over',
      detail: JSON.stringify({ source: 'taken-over', from, to, captures: 2, reason: 'stolen' }),
    },
  );
  audit.close();
  assert.equal(
    pulseJson(server.dataDir, ['evidence', 'retract', 'taken-over', '--reason', 'all of it'])['captures'] as unknown,
    3,
  );
  await onEveryThread('45.5.0.1', isUnknown);
});

test('a key without the right writes nothing, one without networks none of these; what came by one key is taken back, and the past stays', async () => {
  covers('EV-RIGHT', 'EV-BY-KEY');
  const keyOf = (...rights: readonly string[]) =>
    pulseJson(server.dataDir, ['key', 'create', '--account', operator.accountId, ...rights]);
  const lookups = keyOf()['key']!;
  assert.deepEqual(await refusalOf(send(row('91.7.0.1'), { key: lookups, source: 'a' })), [403, 'forbidden']);
  assert.equal((await ask('/pulse/v1/ip/8.8.8.8', { key: lookups })).status, 200);
  const { key_id: leakedId, key: leaked } = keyOf('--evidence') as { key_id: string; key: string };
  for (const wide of ['91.7.7.0/24', '91.7.0.0/20', '2a00:91::/48', '2a00:91::/32'])
    assert.deepEqual(
      await refusalOf(send(row('91.7.0.1') + row(wide), { key: leaked, source: 'a' })),
      [403, 'forbidden'],
      wide,
    );
  const [now, before] = [Date.now(), Date.now() - 3 * HOUR];
  const older = row('91.7.0.2', { captured_at: iso(before) });
  const narrow = ['91.7.0.1', '91.7.0.128/25', '2a00:91::1', '2a00:91::/49'].map((ip) => row(ip)).join('');
  const taken = await send(narrow, { key: leaked, source: 'a' });
  assert.equal(taken.body.accepted, 4, JSON.stringify(taken));
  assert.equal((await send(row('91.7.0.2', { captured_at: iso(now) }), { key: leaked, source: 'b' })).body.accepted, 1);
  assert.equal(
    (await send(row('91.7.0.1') + row('91.7.9.0/24') + older, { ...operator, source: 'a' })).body.accepted,
    3,
  );
  await onEveryThread('91.7.0.2', (answer) => capturedAt(answer, 'proxy') === now);
  await onEveryThread('91.7.9.1', ({ evidence_state }) => evidence_state === 'active');
  const saidAt = Date.now();
  for (const wrong of [
    ['--reason', 'r'],
    ['--key', 'key_stranger', '--reason', 'r'],
    ['--key', leakedId],
  ])
    assert.notEqual(pulseOver(server.dataDir, ['evidence', 'retract', ...wrong]).status, 0, wrong.join(' '));
  const done = pulseJson(server.dataDir, ['evidence', 'retract', '--key', leakedId, '--reason', 'leaked']);
  assert.deepEqual([done['key'], done['source'], done['captures'] as unknown], [leakedId, undefined, 5]);
  await onEveryThread('91.7.0.2', (answer) => capturedAt(answer, 'proxy') === before);
  for (const gone of ['91.7.0.200', '2a00:91::1']) await onEveryThread(gone, isUnknown);
  await onEveryThread('91.7.0.1', ({ evidence_state }) => evidence_state === 'active');
  assert.equal(capturedAt(await pulse('91.7.0.2', saidAt), 'proxy'), now, 'as was said');
  const listed = pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly {
    source: string;
    retracted: readonly { readonly key?: string }[];
  }[];
  for (const name of ['a', 'b'])
    assert.deepEqual(
      listed.find(({ source }) => source === name)?.retracted.map(({ key }) => key),
      [leakedId],
    );
  const rights = (pulseJson(server.dataDir, ['key', 'list']) as unknown as readonly Record<string, unknown>[])
    .filter(({ key_id }) => key_id === leakedId || key_id === operator.keyId)
    .map(({ evidence, networks }) => [evidence, networks]);
  assert.deepEqual(rights.sort(), [
    [true, false],
    [true, true],
  ]);
  for (const wrong of [['--networks'], ['--evidence', '--send-only', '--source', 'x']])
    assert.equal(
      pulseOver(server.dataDir, ['key', 'create', '--account', operator.accountId, ...wrong]).status,
      2,
      wrong.join(' '),
    );
});

test('pulse evidence trust: a source without trust is refused until it has it again, and so are its captures of the meantime', async () => {
  const start = Date.now();
  const sensor = { key: operator.key, source: 'doubted' };
  assert.equal(
    (
      await send(
        row('45.6.0.1', { captured_at: iso(start - HOUR) }) + row('45.6.0.1', { captured_at: iso(start - 3 * HOUR) }),
        sensor,
      )
    ).body.added,
    2,
  );
  await onEveryThread('45.6.0.1', (answer) => capturedAt(answer, 'proxy') === start - HOUR);
  const env = { PULSE_DATA_DIR: server.dataDir };
  for (const wrong of [
    ['doubted', '--none'],
    ['doubted'],
    ['stranger', '--none', '--reason', 'r'],
    ['derived', '--none', '--reason', 'r'],
  ])
    assert.notEqual(pulseCommand(['evidence', 'trust', ...wrong], { env }).status, 0, wrong.join(' '));
  const change = (...flags: string[]) =>
    pulseJson(server.dataDir, ['evidence', 'trust', 'doubted', ...flags]) as Readonly<Record<string, unknown>>;
  const none = change('--none', '--reason', 'it was taken over', '--since', iso(start - 2 * HOUR));
  assert.deepEqual([none['trust'], none['captures'], none['from']], ['none', 1, iso(start - 2 * HOUR)]);
  await onEveryThread('45.6.0.1', (answer) => capturedAt(answer, 'proxy') === start - 3 * HOUR);
  const kept = row('45.6.0.2', { captured_at: iso(Date.now()) });
  const refused = await send(kept, sensor);
  assert.deepEqual(
    [refused.status, (refused.body as unknown as { error: { code: string } }).error.code],
    [403, 'forbidden'],
  );
  const listed = pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly Readonly<
    Record<string, unknown>
  >[];
  const shown = listed.find(({ source }) => source === 'doubted')!;
  assert.deepEqual(
    [shown['trust'], shown['trust_since'], shown['trust_reason']],
    ['none', none['made_at'], 'it was taken over'],
  );
  const full = change('--full');
  assert.deepEqual([full['trust'], full['from'], full['captures']], ['full', none['made_at'], 0]);
  assert.deepEqual((await send(kept, sensor)).body.refused, { retracted: { count: 1 } });
  assert.equal((await send(row('45.6.0.2'), sensor)).body.added, 1);
  const audit = new DatabaseSync(join(server.dataDir, 'pulse.db'), { readOnly: true });
  const noted = audit
    .prepare(`select subject, detail from audit_log where action = 'evidence.trust' order by seq`)
    .all();
  assert.deepEqual(
    noted.map(({ subject, detail }) => [subject, JSON.parse(String(detail)).trust]),
    [
      ['doubted', 'none'],
      ['doubted', 'full'],
    ],
  );
  audit.close();
});

describe('lists', () => {
  /** A folder with one list of the catalogue: 60 entries less the dropped ones. */
  const mirror = (name: string, dropped: readonly number[] = []): string => {
    const path = join(folder, name);
    mkdirSync(path);
    const entries = Array.from({ length: 60 }, (_, i) => `2a0e:${i.toString(16)}::/32`).filter(
      (_, i) => !dropped.includes(i),
    );
    writeFileSync(join(path, 'x4bnet-vpn-ipv6.txt'), `${entries.join('\n')}\n`);
    const proxies = Array.from({ length: 120 }, (_, i) => `http://45.3.0.${i}:8080`).filter(
      (_, i) => !dropped.includes(i),
    );
    writeFileSync(join(path, 'iplocate-all-proxies.txt'), `${proxies.join('\n')}\n`);
    return path;
  };

  test('a reading without an entry ends its spell, live and in the past, and a later one without change re-sights the others', async () => {
    const now = Date.now();
    const [first, second, third] = [now - 30 * HOUR, now - 20 * HOUR, now - HOUR];
    importJson(['feeds', 'import', mirror('whole'), '--captured-at', iso(first)]);
    const less = mirror('less', [7]);
    importJson(['feeds', 'import', less, '--captured-at', iso(second)]);
    importJson(['feeds', 'import', less, '--captured-at', iso(third)]);
    await onEveryThread('45.3.0.8', (body) => capturedAt(body, 'proxy') === third);
    const [dropped, held] = [await pulse('45.3.0.7'), await pulse('45.3.0.8')];
    assert.equal(capturedAt(dropped, 'proxy'), first);
    assert.equal(dropped.evidence[0]?.freshness, 'older');
    assert.ok(held.risk.score > dropped.risk.score && dropped.risk.score > 0);
    for (const [at, ip, expected] of [
      [first + HOUR, '45.3.0.7', first],
      [second + HOUR, '45.3.0.7', first],
      [second - 1, '45.3.0.8', first],
      [second, '45.3.0.8', second],
      [third + 1, '45.3.0.8', third],
    ] as const) {
      assert.equal(capturedAt(await pulse(ip, at), 'proxy'), expected, `${ip} at ${iso(at)}`);
    }
    const live = await pulse('45.3.0.7');
    assert.deepEqual((await pulse('45.3.0.7', Date.parse(live.computed_at))).risk, live.risk);
    assert.equal(capturedAt(await pulse('2a0e:7::1'), 'vpn'), first, 'IPv6 too');
  });

  test('a dated history answers at its own times once the contract reaches back that far', {
    skip: absent,
  }, async () => {
    const path = join(folder, 'history');
    mkdirSync(path);
    const log = join(DATA, 'feeds/history/tor-exits.2026q3.feedlog.jsonl.gz');
    // Its first days.
    const [header, ...lines] = gunzipSync(readFileSync(log)).toString('utf8').split('\n', 61);
    const shorter = JSON.stringify({ ...JSON.parse(header!), versions: lines.length });
    writeFileSync(join(path, 'tor-exits.feedlog.jsonl'), [shorter, ...lines].join('\n'));
    importJson(['feeds', 'import', path]);
    const versions = lines.map((line) => JSON.parse(line) as Version);
    const present = new Set<string>();
    const story = versions.map(({ t, full, add = [], del = [] }) => {
      for (const entry of [...(full ?? []), ...add]) present.add(entry);
      for (const entry of del) present.delete(entry);
      return { at: Date.parse(t), present: new Set(present) };
    });
    // An exit that left the list in the middle of the series: its last capture is the reading before the one
    // without it.
    const middle = Math.floor(story.length / 2);
    const gone = [...story[middle]!.present].find(
      (ip) => /^\d+\./.test(ip) && story.slice(middle + 3).every((later) => !later.present.has(ip)),
    )!;
    const left = story.findIndex(({ present: listed }, i) => i > middle && !listed.has(gone));
    assert.ok(gone !== undefined && left > middle);
    assert.equal(
      (await ask(`/pulse/v1/ip/${gone}?at=${iso(story[middle]!.at)}`)).body.error?.code,
      'at_out_of_window',
      '30 days are the usual contract',
    );
    pulseJson(server.dataDir, ['account', 'set', operator.accountId, '--history-days', '4000']);
    await eventually(async () => (await ask(`/pulse/v1/ip/${gone}?at=${iso(story[middle]!.at)}`)).status === 200);
    const within = await pulse(gone, story[middle]!.at + 1);
    assert.deepEqual(
      [within.evidence_state, within.share_tier, capturedAt(within, 'vpn')],
      ['active', 'T3', story[middle]!.at],
    );
    assert.equal(capturedAt(await pulse(gone, story[left]!.at + MINUTE), 'vpn'), story[left - 1]!.at);
    assert.equal(capturedAt(await pulse(gone, story.at(-1)!.at), 'vpn'), story[left - 1]!.at);
    const begin = await ask(`/pulse/v1/ip/${gone}?at=${iso(story[0]!.at - 1000)}`);
    assert.equal(begin.body.error?.code, 'at_out_of_window');
    assert.ok(begin.body.error?.window_from !== undefined);
  });

  test('real proxies, Tor exits and probes answer with the signals of their lists', { skip: absent }, async () => {
    const path = join(folder, 'real');
    mkdirSync(path);
    const files = [
      'proxy/iplocate-all-proxies.txt',
      'vpn/tor-exits.csv.gz',
      'honeypot/shadowwhisperer-Probes.txt.gz',
      'osint/threatfox-ips.txt.gz',
    ];
    for (const file of files) copyFileSync(join(DATA, 'feeds/current', file), join(path, file.split('/')[1]!));
    importJson(['feeds', 'import', path, '--captured-at', iso(Date.now() - MINUTE)]);
    const listed = (file: string): string[] => {
      const bytes = readFileSync(join(path, file));
      return [
        ...(file.endsWith('.gz') ? gunzipSync(bytes) : bytes)
          .toString('utf8')
          .matchAll(/(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.])/g),
      ].map((match) => match[1]!);
    };
    for (const [file, type, signal] of [
      ['iplocate-all-proxies.txt', 'proxy', 'proxy'],
      ['tor-exits.csv.gz', 'vpn', 'vpn'],
      ['threatfox-ips.txt.gz', 'osint', 'osint'],
      // Another operator's honeypots: threat intelligence, not this service's own collection.
      ['shadowwhisperer-Probes.txt.gz', 'osint', 'osint'],
    ] as const) {
      const addresses = listed(file);
      assert.ok(addresses.length > 500, file);
      for (const ip of addresses.filter((_, i) => i % Math.floor(addresses.length / 25) === 0)) {
        await eventually(async () => {
          const body = await pulse(ip);
          assert.ok(
            body.evidence?.some(({ risk_type, freshness }) => risk_type === type && freshness === 'within_2h'),
            `${ip} of ${file}: ${JSON.stringify(body)}`,
          );
          assert.equal(body.evidence_state, 'active');
          assert.ok(body.risk.signals?.includes(signal), ip);
          if (type === 'vpn') assert.deepEqual([body.share_tier, (body.resource_pools?.length ?? 0) > 0], ['T3', true]);
        });
      }
    }
  });
});

interface Version {
  readonly t: string;
  readonly full?: readonly string[];
  readonly add?: readonly string[];
  readonly del?: readonly string[];
}

describe('a server that is killed', () => {
  test('has lost nothing it accepted, holds no half batch, and answers the same when it is back', async () => {
    covers('EV-DURABLE');
    const { dataDir } = server;
    const at = Date.now() - MINUTE;
    const fixed = Date.now();
    const ips = ['45.1.0.7', '45.2.0.1', '45.3.0.7', '45.3.0.8'];
    const answers = async (): Promise<object[]> =>
      (await Promise.all(ips.map((ip) => pulse(ip, fixed)))).map((body) => ({ ...body, meta: undefined }));
    const before = await answers();
    const live = ({ evidence_state, evidence }: Answer['body']) => [
      evidence_state,
      evidence.map(({ risk_type, captured_at }) => [risk_type, captured_at]),
    ];
    const known = live(await pulse('45.3.0.8'));
    const SIZE = 3000;
    const bodyOf = (n: number): string =>
      Array.from({ length: SIZE }, (_, i) => row(`47.${n}.${i >> 8}.${i & 255}`, { captured_at: iso(at) })).join('');
    const accepted = new Set<number>();
    let next = 0;
    const sender = async (): Promise<void> => {
      for (;;) {
        const n = next++;
        const answer = await send(bodyOf(n), { key: operator.key, source: `burst-${n}` }).catch(() => undefined);
        if (answer === undefined) return;
        assert.deepEqual([answer.status, answer.body.accepted], [202, SIZE]);
        accepted.add(n);
      }
    };
    const importer: ChildProcess = spawn(
      process.execPath,
      [MAIN, 'evidence', 'import', '-', '--source', 'killed-import', '--risk-type', 'proxy'],
      {
        env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    importer.stdin!.on('error', () => {});
    const IMPORTED = 40_000;
    importer.stdin!.end(Array.from({ length: IMPORTED }, (_, i) => `46.200.${i >> 8}.${i & 255}\n`).join(''));
    const senders = [sender(), sender()];
    // Small batches share transactions.
    const SMALL = 7;
    const smallOf = (n: number): string =>
      Array.from({ length: SMALL }, (_, i) => row(`49.${n >> 8}.${n & 255}.${i}`, { captured_at: iso(at) })).join('');
    const together = new Set<number>();
    let nextSmall = 0;
    const smallSender = async (): Promise<void> => {
      for (;;) {
        const n = nextSmall++;
        const answer = await send(smallOf(n), { key: operator.key, source: `small-${n}` }).catch(() => undefined);
        if (answer === undefined || answer.status === 429) return;
        assert.deepEqual([answer.status, answer.body.accepted], [202, SMALL]);
        together.add(n);
      }
    };
    const smallSenders = Array.from({ length: 12 }, smallSender);
    await eventually(() => accepted.size >= 4 && together.size >= 24);
    importer.kill('SIGKILL');
    await server.kill();
    await Promise.all([
      ...senders,
      ...smallSenders,
      importer.exitCode === null && importer.signalCode === null ? once(importer, 'exit') : undefined,
    ]);
    const counts = new Map<string, number>();
    const store = new SqliteHistory(join(dataDir, 'evidence.db'));
    for (const { source } of await store.scan(rowsOfScan)) counts.set(source, (counts.get(source) ?? 0) + 1);
    store.close();
    for (const n of accepted) assert.equal(counts.get(`burst-${n}`), SIZE, `batch ${n} was accepted`);
    for (const n of together) assert.equal(counts.get(`small-${n}`), SMALL, `small batch ${n} was accepted`);
    for (const [source, count] of counts) {
      if (source.startsWith('burst-')) assert.equal(count, SIZE, `${source} is a half batch`);
      if (source.startsWith('small-')) assert.equal(count, SMALL, `${source} is a half batch`);
    }
    const imported = counts.get('killed-import');
    assert.ok(imported === undefined || imported === IMPORTED, `half an import: ${imported}`);

    threads = 1;
    server = await serveProcess({ dataDir, env: MANY_ANONYMOUS });
    assert.deepEqual(live(await pulse('45.3.0.8')), known, 'a service that is ready knows its evidence');
    assert.deepEqual(await answers(), before);
    for (const n of accepted) await onEveryThread(`47.${n}.0.9`, (body) => capturedAt(body, 'proxy') === at);
  });

  test('without history live verdicts rest on the same evidence, new captures come in, and every at is refused: nothing falls back', async () => {
    covers('ERR-history_not_enabled', 'PULSE-AT-NO-FALLBACK');
    const { dataDir } = server;
    const live = await pulse('45.2.0.1');
    await server.stop();
    const off = { PULSE_HISTORY: 'off' };
    server = await serveProcess({ dataDir, env: off });
    assert.deepEqual(
      (await pulse('45.2.0.1')).evidence.map(({ captured_at }) => captured_at),
      live.evidence.map(({ captured_at }) => captured_at),
    );
    for (const [ip, at, code] of [
      ['45.2.0.1', iso(Date.now() - HOUR), 'history_not_enabled'],
      ['2001:4860::1', iso(Date.now() - HOUR), 'history_not_enabled'],
      ['45.2.0.1', 'x', 'invalid_time'],
    ] as const) {
      const refused = await ask(`/pulse/v1/ip/${ip}?at=${at}`);
      assert.deepEqual([refused.status, refused.body.error?.code], [400, code], ip);
    }
    importJson(
      ['evidence', 'import', '-', '--source', 's', '--risk-type', 'proxy', '--allow-known-good'],
      '8.8.8.8',
      off,
    );
    await onEveryThread('8.8.8.8', ({ evidence_state }) => evidence_state === 'active');
    assert.equal((await send(row('45.4.0.1'), { key: operator.key })).status, 202);
    await onEveryThread('45.4.0.1', ({ evidence }) => evidence[0]?.risk_type === 'proxy');
  });
});
