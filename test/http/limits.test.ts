/**
 * Limits of anonymous clients, accounts and their keys, and verified assistants; plans change by the
 * command line, answers come over HTTP.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { callTool } from '../support/oauth-client.ts';
import { clearOfMinuteEnd, pulseOver, seenByThreads } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const ENV = {
  PULSE_WORKERS: '2',
  PULSE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
  PULSE_ANON_PER_DAY: '100',
  PULSE_ANON_PER_MIN: '1000',
  PULSE_QUOTA_TZ: 'America/St_Johns',
  PULSE_SALES_CONTACT: 'mailto:sales@example.com',
};
let server: ServeProcess;
let free: ReturnType<typeof createKey>;
let small: ReturnType<typeof createKey>;
let refusedOften: ReturnType<typeof createKey>;

interface Seen {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly code: string | undefined;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | null;
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await fetch(server.base + path, { headers });
  const body = (await response.json()) as Seen['body'] & { readonly error?: { readonly code: string } };
  return {
    status: response.status,
    body,
    code: body.error?.code,
    extras: { ...body.error },
    header: (name) => response.headers.get(name),
  };
}

const from = (client: string): Record<string, string> => ({ 'X-Forwarded-For': client });
const by = ({ key }: { readonly key: string }): Record<string, string> => ({ 'X-API-Key': key });
const day = ({ header }: Seen): readonly (string | null)[] => [header('x-daily-limit'), header('x-daily-remaining')];

before(async () => {
  server = await serveProcess({ env: ENV, clockAt: Date.now() });
  free = createKey(server.dataDir, 'free', ['--plan', 'free']);
  small = createKey(server.dataDir, 'small', ['--plan', 'free']);
  refusedOften = createKey(server.dataDir, 'refused-often', ['--plan', 'free']);
  await seenByThreads(
    () => get('/v1/me', { 'X-API-Key': refusedOften.key }),
    ({ status }) => status === 200,
  );
});
after(() => server.dispose());

describe('anonymous allowance', () => {
  test('exactly the daily allowance passes, also when everything comes at once on all threads', async () => {
    covers('LIM-ANON-DAY LIM-EXACT GEN-ANON ERR-quota_exceeded_anon ERR-EXTRAS LIM-HEADERS LIM-RETRY-AFTER');
    const seen = await Promise.all(Array.from({ length: 250 }, () => get('/v1/ip/8.8.8.8', from('198.51.100.1'))));
    assert.equal(seen.filter(({ status }) => status === 200).length, 100);
    const refused = seen.filter(({ status }) => status === 429);
    assert.equal(refused.length, 150);
    const remaining = seen
      .filter(({ status }) => status === 200)
      .map(({ header }) => Number(header('x-daily-remaining')));
    assert.deepEqual(
      remaining.sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, i) => i),
    );
    for (const { code, header, extras } of refused) {
      assert.equal(code, 'quota_exceeded_anon');
      assert.deepEqual([header('x-daily-limit'), header('x-daily-remaining')], ['100', '0']);
      assert.ok(header('x-ratelimit-limit') !== null && header('x-daily-reset') !== null);
      assert.equal(String(extras['retry_after']), header('retry-after'));
      assert.ok(Number(header('retry-after')) >= 1 && Number(header('retry-after')) <= 86_400);
      assert.equal(Date.parse(String(extras['resets_at'])) / 1000, Number(header('x-daily-reset')));
      assert.notEqual(extras['message'], '');
      assert.deepEqual(
        Object.keys(extras).sort(),
        'code message next_step resets_at retry_after signup_url'.split(' '),
      );
    }
    const headers = { ...from('198.51.100.1'), 'Content-Type': 'application/json' };
    const batch = await fetch(`${server.base}/v1/ip/batch`, { method: 'POST', headers, body: '{"ips":["8.8.8.8"]}' });
    assert.match(await batch.text(), /"code":"quota_exceeded_anon"/, 'nor a batch');
  });

  test('refused input and unknown addresses cost the minute and not the day', async () => {
    covers('LIM-FREE-400', 'LIM-MINUTE-ALL');
    await clearOfMinuteEnd(server, 5);
    const client = from('198.51.100.3');
    const key = by(createKey(server.dataDir, 'refund', ['--plan', 'professional']));
    const basic = ['/v1/ip/x', '/v1/ip/10.0.0.1', '/v1/ip/7.7.7.7', '/v1/ip/8.8.8.8?at=1'];
    const pulse = [
      '/pulse/v1/ip/7.7.7.7',
      '/pulse/v1/ip/10.1.2.3',
      '/pulse/v1/ip/8.8.8.8?at=x',
      '/pulse/v1/ip/2001:4860::1?at=2026-01-01T00:00:00Z',
    ];
    for (const [headers, paths, dayLeft, minuteLeft] of [
      [client, basic, '98', '994'],
      [key, [...basic, ...pulse], '99998', '590'],
    ] as const) {
      await get('/v1/ip/8.8.8.8', headers);
      for (const path of paths) assert.ok((await get(path, headers)).status >= 400, path);
      const { header } = await get('/v1/ip/8.8.8.8', headers);
      assert.deepEqual([header('x-daily-remaining'), header('x-ratelimit-remaining')], [dayLeft, minuteLeft]);
    }
    assert.equal((await get('/v1/me', key)).body['used_today'], 2);
  });

  test('a request refused for its method, its key or its tier costs the minute of its sender, and keeps its own refusal when the minute is full', async () => {
    covers('LIM-MINUTE-ALL', 'ERR-ORDER');
    const client = from('198.51.100.9');
    const minuteLeft = async (headers: Record<string, string>): Promise<number> =>
      Number((await get('/v1/ip/8.8.8.8', headers)).header('x-ratelimit-remaining'));
    const refusals: readonly (readonly [string, string, Record<string, string>])[] = [
      ['key_in_query', '/v1/ip/8.8.8.8?key=1', client],
      ['invalid_key', '/v1/ip/8.8.8.8', { ...client, 'X-API-Key': 'pk_wrong' }],
      ['key_required', '/pulse/v1/ip/8.8.8.8', client],
    ];
    await clearOfMinuteEnd(server);
    let before = await minuteLeft(client);
    for (const [code, path, headers] of refusals) {
      assert.equal((await get(path, headers)).code, code);
      assert.equal(await minuteLeft(client), before - 2, code);
      before -= 2;
    }
    await (await fetch(`${server.base}/v1/ip/8.8.8.8`, { method: 'POST', headers: client })).text();
    assert.equal(await minuteLeft(client), before - 2);

    // A key that stands pays from its account, however often it is refused, and the client's own minute is left alone.
    const stranger = { ...from('198.51.100.10'), 'X-API-Key': refusedOften.key };
    for (let i = 0; i < 70; i++)
      assert.equal((await get('/pulse/v1/ip/8.8.8.8', stranger)).code, 'professional_required');
    assert.equal((await get('/v1/ip/8.8.8.8', stranger)).code, 'rate_limited');
    assert.equal(await minuteLeft(from('198.51.100.10')), 999);
  });

  test('IPv6 is counted per /64, the right-most untrusted hop is the client, and an invented left part changes nothing', async () => {
    covers('LIM-CLIENT', 'LIM-IPV6', 'LIM-PROXY');
    const left = async (hops: string) => Number((await get('/v1/ip/8.8.8.8', from(hops))).header('x-daily-remaining'));
    assert.equal(await left('2001:db8:7:7::1'), 99);
    assert.equal(await left('2001:db8:7:7:ffff::2'), 98);
    assert.equal(await left('2001:db8:7:8::1'), 99);
    assert.equal(await left('1.1.1.1, 198.51.100.4'), 99);
    assert.equal(await left('2.2.2.2, 198.51.100.4, 10.0.0.7'), 98);
    assert.equal(await left('::ffff:198.51.100.4'), 97);
    assert.equal(await left('64:ff9b::198.51.100.4, ,'), 96);
    assert.equal(await left('64:ff9b::198.51.100.44'), 99);
  });
});

describe('keys', () => {
  test('X-API-Key and Bearer are equal, and both count for the account, whatever the address', async () => {
    covers('AUTH-HEADERS', 'LIM-PLAN', 'GEN-SAME-ALLOWANCE');
    const first = await get('/v1/ip/8.8.8.8', { 'X-API-Key': free.key, ...from('198.51.100.5') });
    assert.deepEqual(
      [
        first.status,
        first.header('x-daily-limit'),
        first.header('x-daily-remaining'),
        first.header('x-ratelimit-limit'),
      ],
      [200, '5000', '4999', '60'],
    );
    const second = await get('/v1/ip/8.8.8.8', { Authorization: `Bearer ${free.key}`, ...from('198.51.100.6') });
    assert.equal(second.header('x-daily-remaining'), '4998');
    const third = await get('/v1/ip/8.8.8.8', { Authorization: `bearer ${free.key}`, 'X-API-Key': free.key });
    assert.equal(third.header('x-daily-remaining'), '4997');
  });

  test('two keys of one account share its day and its minute; one key’s cap is its own, and binds where it is smaller', async () => {
    covers('LIM-PLAN', 'LIM-BINDING', 'ERR-key_quota_exceeded');
    await clearOfMinuteEnd(server, 5);
    const capped = createKey(server.dataDir, 'shared', [], ['--per-day', '3']);
    const second = { key: pulseJson(server.dataDir, ['key', 'create', '--account', capped.accountId])['key']! };
    assert.deepEqual(day(await get('/v1/ip/8.8.8.8', by(capped))), ['3', '2'], 'the cap binds');
    const other = await get('/v1/ip/8.8.8.8', by(second));
    assert.deepEqual([...day(other), other.header('x-ratelimit-remaining')], ['5000', '4998', '58']);
    for (const [status, left] of [
      [200, '1'],
      [200, '0'],
    ] as const) {
      const seen = await get('/v1/ip/8.8.8.8', by(capped));
      assert.deepEqual([seen.status, ...day(seen)], [status, '3', left]);
    }
    const refused = await get('/v1/ip/8.8.8.8', by(capped));
    assert.deepEqual([refused.status, refused.code, ...day(refused)], [429, 'key_quota_exceeded', '3', '0']);
    assert.equal((await get('/v1/ip/8.8.8.8', by(second))).header('x-daily-remaining'), '4995', 'nothing was taken');
  });

  test('a plan change opens and closes the professional endpoint within two seconds', async () => {
    covers('CLI-SEEN', 'LIM-PLAN', 'PULSE-AUTH');
    const made = createKey(server.dataDir, 'climber', []);
    assert.equal((await get('/pulse/v1/ip/8.8.8.8', by(made))).code, 'professional_required');
    pulseJson(server.dataDir, ['account', 'set', made.accountId, '--plan', 'professional']);
    const ask = () => get('/pulse/v1/ip/8.8.8.8', by(made));
    assert.equal((await seenByThreads(ask, ({ status }) => status === 200)).status, 200);
    // Each thread hears of it by itself: another one may answer this.
    const { body } = await seenByThreads(
      () => get('/v1/me', by(made)),
      (seen) => seen.body['plan'] === 'professional',
    );
    assert.deepEqual(
      [body['plan'], body['per_min'], body['per_day'], body['overage_pct']],
      ['professional', 600, 100_000, 10],
    );
    pulseJson(server.dataDir, ['account', 'set', made.accountId, '--plan', 'free']);
    assert.equal((await seenByThreads(ask, ({ status }) => status === 403)).code, 'professional_required');
  });

  test('a key made by another process works at once and its revocation reaches every thread', async () => {
    covers('CLI-SEEN', 'ERR-revoked_key');
    const made = createKey(server.dataDir, 'live', ['--plan', 'enterprise']);
    const ask = () => get('/pulse/v1/ip/8.8.8.8', by(made));
    assert.equal((await ask()).status, 200);
    pulseJson(server.dataDir, ['key', 'revoke', made.keyId]);
    await seenByThreads(ask, ({ code }) => code === 'revoked_key');
    for (let again = 0; again < 6; again++) assert.equal((await ask()).code, 'revoked_key');
  });

  test('overage: a day runs past per_day by its share and not one lookup more; over_today counts it', async () => {
    covers('ME-OVERAGE', 'ERR-quota_exceeded', 'LIM-HEADERS');
    const made = createKey(server.dataDir, 'overage', ['--plan', 'professional']);
    pulseJson(server.dataDir, ['account', 'set', made.accountId, '--per-day', '5', '--overage-pct', '40']);
    await seenByThreads(
      () => get('/v1/me', by(made)),
      ({ body }) => body['per_day'] === 5,
    );
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, i) => get(i % 2 === 0 ? '/v1/ip/8.8.8.8' : '/pulse/v1/ip/8.8.8.8', by(made))),
    );
    assert.equal(seen.filter(({ status }) => status === 200).length, 7);
    for (const refused of seen.filter(({ status }) => status !== 200)) {
      assert.deepEqual([refused.status, refused.code], [429, 'quota_exceeded']);
      for (const name of [
        'x-daily-limit',
        'x-daily-remaining',
        'x-daily-reset',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'retry-after',
      ])
        assert.notEqual(refused.header(name), null, name);
      assert.deepEqual(day(refused), ['5', '0']);
      assert.ok(refused.extras['next_step'] !== undefined && refused.extras['resets_at'] !== undefined);
    }
    const { body } = await get('/v1/me', by(made));
    assert.deepEqual([body['used_today'], body['over_today'], body['remaining'], body['per_day']], [7, 2, 0, 5]);
  });

  test('the minute: exactly per_min pass in it, then rate_limited with X-RateLimit-* and Retry-After only', async () => {
    covers('ERR-rate_limited', 'LIM-RATE-HEADERS', 'LIM-RETRY-AFTER');
    await clearOfMinuteEnd(server);
    const seen = await Promise.all(Array.from({ length: 80 }, () => get('/v1/ip/8.8.8.8', { 'X-API-Key': small.key })));
    assert.equal(seen.filter(({ status }) => status === 200).length, 60);
    for (const refused of seen.filter(({ status }) => status !== 200)) {
      assert.deepEqual(
        [refused.status, refused.code, refused.header('x-ratelimit-limit'), refused.header('x-ratelimit-remaining')],
        [429, 'rate_limited', '60', '0'],
      );
      assert.deepEqual(
        [refused.header('x-daily-limit'), refused.header('x-daily-remaining'), refused.header('x-daily-reset')],
        [null, null, null],
      );
      const wait = Number(refused.header('retry-after'));
      assert.ok(wait >= 1 && wait <= 60);
    }
    assert.equal((await get('/v1/ip/not-an-address', { 'X-API-Key': small.key })).code, 'rate_limited', 'minute first');
  });
});

describe('GET /v1/me', () => {
  test('speaks of the key and its plan, and of the capabilities of the deployment', async () => {
    covers('ME-200', 'ME-CAPABILITIES', 'ERR-phone_disabled');
    const made = createKey(server.dataDir, 'me', ['--plan', 'enterprise', '--phone'], ['--per-day', '100']);
    const { body, status, header } = await get('/v1/me', by(made));
    assert.equal(status, 200);
    assert.ok(header('x-request-id'));
    assert.equal(body['sales_contact'], 'mailto:sales@example.com');
    assert.deepEqual(
      [body['tier'], body['plan'], body['quota_day_tz'], body['key_per_day'], body['remaining']],
      ['key', 'enterprise', 'America/St_Johns', 100, 100],
    );
    assert.ok(made.key.startsWith(String(body['key_prefix'])) && String(body['key_prefix']).length < 12);
    assert.deepEqual(body['capabilities'], {}, 'this deployment has no phone lookups');
    const phone = await fetch(`${server.base}/v1/phone/lookup`, {
      method: 'POST',
      headers: { ...by(made), 'Content-Type': 'application/json' },
      body: '{"number":"+8613800138000"}',
    });
    assert.deepEqual(
      [phone.status, ((await phone.json()) as { error?: { code: string } }).error?.code],
      [503, 'phone_disabled'],
      'nor for a key that is entitled to them',
    );
  });

  test('the quota day follows PULSE_QUOTA_TZ', async () => {
    covers('ME-TZ', 'LIM-RESET');
    const made = createKey(server.dataDir, 'tz', []);
    const reset = Number((await get('/v1/me', by(made))).body['reset_unix']);
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'America/St_Johns',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    assert.equal(local.format(reset * 1000), '00:00:00');
    assert.ok(reset * 1000 > Date.now() && reset * 1000 <= Date.now() + 25 * 3_600_000);
    assert.equal((await get('/v1/ip/8.8.8.8', by(made))).header('x-daily-reset'), String(reset));
  });
});

const GPTBOT = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)';
const claiming = (address: string, agent: string): Record<string, string> => ({
  ...from(address),
  'User-Agent': agent,
});
const ASSISTANT = claiming('45.77.9.9', GPTBOT);

describe('verified AI assistants', () => {
  const lists = testFolder('lists');

  test('name and address together have an allowance of their family; a false claim is an ordinary caller', async () => {
    covers('AUTH-ASSISTANT', 'MCP-ASSISTANT', 'CLI-SEEN');
    assert.deepEqual(
      day(await get('/v1/ip/8.8.8.8', claiming('132.196.86.1', GPTBOT))),
      ['5000', '4999'],
      'the list that is shipped',
    );
    const ordinary = await get('/v1/ip/8.8.8.8', ASSISTANT);
    assert.deepEqual(day(ordinary), ['100', '99'], 'no list, no verification');
    writeFileSync(
      join(lists, 'gptbot.json'),
      JSON.stringify({
        creationTime: '2026-08-01T00:00:00',
        prefixes: [{ ipv4Prefix: '45.77.9.0/24' }, { ipv4Prefix: '45.77.10.0/24' }],
      }),
    );
    const imported = pulseOver(server.dataDir, ['feeds', 'import', lists, '--json']);
    assert.equal(imported.status, 0, imported.stdout + imported.stderr);
    const verified = await seenByThreads(
      () => get('/v1/ip/8.8.8.8', ASSISTANT),
      ({ header }) => header('x-daily-limit') === '5000',
    );
    assert.equal(verified.header('x-daily-limit'), '5000');
    const left = Number(verified.header('x-daily-remaining'));
    const asTool = (path: string) => callTool(server.base + path, ASSISTANT);
    assert.equal((await asTool('/mcp')).headers.get('x-daily-remaining'), String(left - 1), 'one counter with MCP');
    assert.equal((await asTool('/mcp/account')).status, 401);
    const second = await get('/v1/ip/8.8.8.8', claiming('45.77.10.7', 'ChatGPT-User/1.0'));
    assert.equal(Number(second.header('x-daily-remaining')), left - 2, 'counted for the family, not for the address');
    for (const [address, agent] of [
      ['45.77.11.9', GPTBOT],
      ['45.77.9.9', 'curl/8'],
      ['45.77.9.9', 'NotGPTBot/1'],
    ] as const)
      assert.equal(
        (await get('/v1/ip/8.8.8.8', claiming(address, agent))).header('x-daily-limit'),
        '100',
        `${agent} from ${address}`,
      );
  });

  test('no exception for assistants elsewhere: the professional endpoint and /v1/me ask for a key', async () => {
    covers('AUTH-ASSISTANT-NONE', 'AUTH-ELSEWHERE');
    assert.equal((await get('/pulse/v1/ip/8.8.8.8', ASSISTANT)).code, 'key_required');
    assert.equal((await get('/v1/me', ASSISTANT)).code, 'key_required');
    const made = createKey(server.dataDir, 'robot', []);
    assert.equal((await get('/v1/ip/8.8.8.8', { ...ASSISTANT, ...by(made) })).header('x-daily-limit'), '5000');
    assert.equal((await get('/v1/me', by(made))).body['used_today'], 1, 'a key takes precedence over the claim');
  });
});
