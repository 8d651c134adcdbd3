/** Every rule of `at` on GET /pulse/v1/ip/{ip}, over the running service. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { pulseCommand, seenByThreads } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly windowFrom: string | undefined;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly error?: { readonly code: string; readonly window_from?: string };
  };
  readonly headers: Headers;
}

let server: ServeProcess;
let key: string;
let account: string;
const now = Date.now();
const earliest = now - 10 * DAY;
const iso = (at: number): string => new Date(at).toISOString();

async function ask(path: string): Promise<Answer> {
  const response = await fetch(server.base + path, { headers: { 'X-API-Key': key } });
  const body = (await response.json()) as Answer['body'];
  return {
    status: response.status,
    code: body.error?.code,
    windowFrom: body.error?.window_from,
    body,
    headers: response.headers,
  };
}
const at = (value: string, ip = '8.8.8.8'): Promise<Answer> => ask(`/pulse/v1/ip/${ip}?at=${value}`);
const used = async (): Promise<unknown> => (await ask('/v1/me')).body['used_today'];

/** @param since from when on the record is complete; left out, a capture says nothing of the watching at its time */
function importAt(ms: number, { since, ip = '8.8.8.8' }: { readonly since?: number; readonly ip?: string } = {}): void {
  const more = since === undefined ? [] : ['--since', iso(since)];
  const { status, stderr } = pulseCommand(
    [
      ...`evidence import - --source trap --risk-type proxy --captured-at ${iso(ms)} --allow-known-good`.split(' '),
      ...more,
    ],
    {
      env: { PULSE_DATA_DIR: server.dataDir },
      input: `${ip}\n`,
    },
  );
  assert.equal(status, 0, stderr);
}

before(async () => {
  server = await serveProcess();
  const made = createKey(server.dataDir, 'past', ['--plan', 'professional', '--dpa']);
  key = made.key;
  account = made.accountId;
  pulseJson(server.dataDir, ['account', 'set', account, '--per-min', '100000']);
  importAt(earliest, { since: earliest });
  importAt(now - DAY);
  await seenByThreads(
    () => at(iso(now - DAY)),
    ({ body }) => body['evidence_state'] === 'active',
  );
});
after(() => server.dispose());

describe('how at is read', () => {
  const moment = now - 2 * DAY - (now % 1000);
  const utc = iso(moment).slice(0, 19);
  const east = iso(moment + 8 * 3_600_000).slice(0, 19);
  // What is a date-time of RFC 3339 at all is proved in src/core/evidence/parse-rfc3339.test.ts.
  const accepted: readonly (readonly [name: string, value: string, computed: string])[] = [
    ['Z', `${utc}Z`, `${utc}.000Z`],
    ['milliseconds', `${utc}.123Z`, `${utc}.123Z`],
    ['an encoded plus', `${east}%2B08:00`, `${utc}.000Z`],
    ['an encoded plus, small letters', `${east}%2b08:00`, `${utc}.000Z`],
    ['encoded colons', `${utc.replaceAll(':', '%3A')}Z`, `${utc}.000Z`],
  ];
  for (const [name, value, computed] of accepted) {
    test(`${name} is accepted and computed_at is that moment in UTC`, async () => {
      covers('PULSE-AT', 'PULSE-AT-COMPUTED', 'PULSE-AT-PLUS', 'PULSE-AT-RFC3339');
      const { status, body } = await at(value);
      assert.deepEqual([status, body['computed_at']], [200, computed]);
    });
  }

  test('what is malformed, in itself or in the address, is invalid_time, free, and never a live verdict', async () => {
    covers('ERR-invalid_time', 'PULSE-AT-PLUS', 'PULSE-AT-NO-FALLBACK', 'PULSE-AT-FREE');
    const inItself = ['', 'now', utc, '1787200000', '2026-02-30T00:00:00Z', `${utc}%2B24:00`];
    const plusIsSpace = [`${utc}+08:00`, `${utc}%2008:00`, `${utc} Z`, `${utc.replace('T', '%20')}Z`, `%20${utc}Z`];
    const broken = [`${utc}Z%00`, `${utc}Z&at=${utc}Z`, `x&at=${utc}Z`, '%FF', '%'];
    const before = await used();
    for (const value of [...inItself, ...plusIsSpace, ...broken]) {
      const { status, code, body, headers } = await at(value);
      assert.deepEqual([status, code, 'risk' in body], [400, 'invalid_time', false], value);
      assert.deepEqual([headers.get('x-daily-limit'), headers.get('retry-after')], [null, null], value);
    }
    assert.equal(await used(), before);
  });

  test('the future is invalid_time, the present instant is not', async () => {
    covers('ERR-invalid_time', 'PULSE-AT-NO-FALLBACK');
    for (const ms of [MINUTE, DAY, 3000 * DAY, 355_000 * DAY])
      assert.equal((await at(iso(Date.now() + ms))).code, 'invalid_time');
    const live = (await ask('/pulse/v1/ip/8.8.8.8')).body;
    assert.equal((await at(String(live['computed_at']))).status, 200);
  });
});

describe('the window', () => {
  test('a capture that is older than the watch does not open it', async () => {
    covers('PULSE-AT-WINDOW');
    importAt(now - 4000 * DAY, { ip: '9.9.9.9' });
    await seenByThreads(
      () => ask('/pulse/v1/ip/9.9.9.9'),
      ({ body }) => body['evidence_state'] === 'stale',
    );
    const { status, code, windowFrom } = await at(iso(earliest - DAY));
    assert.deepEqual([status, code, windowFrom], [400, 'at_out_of_window', iso(earliest)]);
  });

  test('before the record begins: at_out_of_window with window_from; at window_from itself there is an answer', async () => {
    covers('ERR-at_out_of_window', 'PULSE-AT-WINDOW');
    const { status, code, windowFrom } = await at(iso(earliest - 1));
    assert.deepEqual([status, code, windowFrom], [400, 'at_out_of_window', iso(earliest)]);
    const first = await at(windowFrom ?? '');
    assert.deepEqual(
      [first.status, first.body['evidence_state'], first.body['computed_at']],
      [200, 'active', iso(earliest)],
    );
    assert.equal((await at('1970-01-01T00:00:00Z')).code, 'at_out_of_window');
    assert.equal((await at('0000-01-01T00:00:00Z')).code, 'at_out_of_window');
  });

  test('thirty days bound it, a contract of the account moves the bound, and window_from can be asked for at once', async () => {
    covers('PULSE-AT-WINDOW', 'LIM-HISTORY', 'CLI-SEEN');
    importAt(now - 50 * DAY, { since: now - 50 * DAY });
    const old = iso(now - 40 * DAY);
    const refused = await seenByThreads(
      () => at(old),
      ({ windowFrom }) => windowFrom !== iso(earliest),
    );
    assert.equal(refused.code, 'at_out_of_window');
    const from = Date.parse(refused.windowFrom!);
    assert.ok(Math.abs(from - (Date.now() - 30 * DAY)) <= 2 * MINUTE, String(refused.windowFrom));
    const again = await at((await at(old)).windowFrom ?? '');
    assert.equal(again.status, 200);
    pulseJson(server.dataDir, ['account', 'set', account, '--history-days', '45']);
    const opened = await seenByThreads(
      () => at(old),
      ({ status }) => status === 200,
    );
    assert.deepEqual([opened.status, opened.body['evidence_state']], [200, 'active']);
    pulseJson(server.dataDir, ['account', 'set', account, '--history-days', '2']);
    const closed = await seenByThreads(
      () => at(iso(now - 3 * DAY)),
      ({ status }) => status === 400,
    );
    assert.equal(closed.code, 'at_out_of_window');
    pulseJson(server.dataDir, ['account', 'set', account, '--history-days', 'plan']);
    await seenByThreads(
      () => at(iso(now - 3 * DAY)),
      ({ status }) => status === 200,
    );
  });
});

describe('refusals in their order, all free', () => {
  test('a bad address is reported before a bad moment, a bad moment before IPv6', async () => {
    covers('PULSE-AT-FREE', 'PULSE-AT-ORDER', 'ERR-history_no_ipv6', 'ERR-invalid_ip', 'ERR-reserved_ip');
    const before = await used();
    assert.equal((await at('x', 'nonsense')).code, 'invalid_ip');
    assert.equal((await at('x', '10.0.0.1')).code, 'reserved_ip');
    assert.equal((await at('x', '2001:4860::1')).code, 'invalid_time');
    assert.deepEqual((({ status, code }) => [status, code])(await at(iso(now - DAY), '2001:4860::1')), [
      400,
      'history_no_ipv6',
    ]);
    assert.equal((await at(iso(now - 100 * DAY))).code, 'at_out_of_window');
    assert.equal((await at(`${iso(now - DAY)}&key=1`)).code, 'key_in_query');
    assert.equal((await at(iso(now - DAY), '7.7.7.7')).code, 'not_found', 'judged on current data');
    assert.equal(await used(), before);
    assert.equal((await at(iso(now - DAY), '::ffff:8.8.8.8')).status, 200, 'a mapped address is its IPv4 address');
    assert.equal(await used(), Number(before) + 1);
  });

  test('at on the basic endpoint is 400, never ignored', async () => {
    covers('IP-AT');
    for (const path of ['/v1/ip/8.8.8.8?at=', `/v1/ip/8.8.8.8?at=${iso(now - DAY)}`])
      assert.deepEqual((({ status, code }) => [status, code])(await ask(path)), [400, 'bad_request']);
  });
});

test('pulse lookup says the same as the server, live and at a moment', async () => {
  covers('CLI-LOOKUP');
  const env = { PULSE_DATA_DIR: server.dataDir };
  const command = (...args: string[]): Record<string, unknown> => {
    const { status, stdout, stderr } = pulseCommand(['lookup', ...args], { env });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const then = iso(now - 2 * DAY);
  const past = (await at(then)).body;
  assert.deepEqual(
    { ...command('8.8.8.8', '--at', then), resource_pools: undefined },
    { ...past, resource_pools: undefined },
  );
  assert.deepEqual(
    { ...command('8.8.8.8', '--professional', '--at', then), resource_pools: undefined },
    { ...past, resource_pools: undefined },
  );
  for (const ip of ['8.8.8.8', '1.2.3.4', '11.0.0.1', '2001:4860::1']) {
    const printed = command(ip);
    const answered = (await ask(`/v1/ip/${ip}`)).body;
    const apart = (body: Readonly<Record<string, unknown>>) => ({ ...body, computed_at: undefined });
    assert.deepEqual(apart(printed), apart(answered), ip);
    assert.deepEqual(Object.keys(printed), Object.keys(answered), ip);
  }
  for (const [args, status, code] of [
    [['10.0.0.1'], 1, 'reserved_ip'],
    [['nonsense'], 1, 'invalid_ip'],
    [['7.7.7.7'], 1, 'not_found'],
    [['8.8.8.8', '--at', 'yesterday'], 1, 'invalid_time'],
    [['8.8.8.8', '--at', iso(Date.now() + DAY)], 1, 'invalid_time'],
    [['8.8.8.8', '--at', iso(now - 100 * DAY)], 1, 'at_out_of_window'],
    [['2001:4860::1', '--at', then], 1, 'history_no_ipv6'],
  ] as const) {
    const run = pulseCommand(['lookup', ...args], { env });
    assert.deepEqual([run.status, run.stdout], [status, ''], args.join(' '));
    assert.ok(run.stderr.includes(code), run.stderr);
    if (code === 'at_out_of_window') assert.match(run.stderr, /window_from \d{4}-\d\d-\d\dT/);
  }
});

test('without history every moment is refused', async () => {
  covers('ERR-history_not_enabled');
  const { dataDir } = server;
  await server.stop();
  server = await serveProcess({ dataDir, env: { PULSE_HISTORY: 'off' } });
  const { status, code } = await at(iso(now - DAY));
  assert.deepEqual([status, code], [400, 'history_not_enabled']);
});
