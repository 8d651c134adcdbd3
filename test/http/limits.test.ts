import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { clearOfMinuteEnd, seenByThreads } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

let server: ServeProcess;
let professional: ReturnType<typeof createKey>;
let free: ReturnType<typeof createKey>;
let capped: ReturnType<typeof createKey>;
let small: ReturnType<typeof createKey>;
let refusedOften: ReturnType<typeof createKey>;
const agent = new Agent({ keepAlive: true });

interface Seen {
  readonly status: number;
  readonly code: string | undefined;
  readonly extras: Record<string, unknown>;
  readonly header: (name: string) => string | null;
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
  const response = await fetch(server.base + path, { headers });
  const body = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: body.error?.code, extras: { ...body.error }, header: (name) => response.headers.get(name) };
}

const from = (client: string): Record<string, string> => ({ 'X-Forwarded-For': client });

before(async () => {
  server = await serveProcess({
    env: { PULSE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8', PULSE_ANON_PER_DAY: '100', PULSE_ANON_PER_MIN: '1000' },
    clockAt: Date.now(),
  });
  professional = createKey(server.dataDir, 'professional', ['--plan', 'professional']);
  free = createKey(server.dataDir, 'free', ['--plan', 'free']);
  capped = createKey(server.dataDir, 'capped', ['--plan', 'free'], ['--per-day', '3']);
  small = createKey(server.dataDir, 'small', ['--plan', 'free']);
  refusedOften = createKey(server.dataDir, 'refused-often', ['--plan', 'free']);
  await seenByThreads(
    () => get('/v1/me', { 'X-API-Key': refusedOften.key }),
    ({ status }) => status === 200,
  );
});
after(async () => {
  agent.destroy();
  await server.dispose();
});

describe('anonymous allowance', () => {
  test('exactly the daily allowance passes, also when everything comes at once on all threads', async () => {
    covers('LIM-ANON-DAY', 'LIM-EXACT', 'GEN-ANON', 'ERR-quota_exceeded_anon', 'LIM-HEADERS');
    const seen = await Promise.all(Array.from({ length: 250 }, () => get('/v1/ip/8.8.8.8', from('198.51.100.1'))));
    assert.equal(seen.filter(({ status }) => status === 200).length, 100);
    const refused = seen.filter(({ status }) => status === 429);
    assert.equal(refused.length, 150);
    const remaining = seen.filter(({ status }) => status === 200).map(({ header }) => Number(header('x-daily-remaining')));
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
      assert.ok(extras['signup_url']);
    }
  });

  test('the day ends at midnight in Shanghai', async () => {
    covers('LIM-HEADERS');
    const { header } = await get('/v1/ip/8.8.8.8', from('198.51.100.2'));
    const reset = Number(header('x-daily-reset')) * 1000;
    assert.equal((reset + 8 * 3_600_000) % 86_400_000, 0);
    assert.ok(reset > Date.now() && reset <= Date.now() + 86_400_000);
  });

  test('refused input and unknown addresses cost the minute and not the day', async () => {
    covers('LIM-FREE-400');
    const client = from('198.51.100.3');
    for (const ip of ['x', '10.0.0.1', '7.7.7.7', '8.8.8.8?at=1']) assert.notEqual((await get(`/v1/ip/${ip}`, client)).status, 200);
    const { header } = await get('/v1/ip/8.8.8.8', client);
    assert.equal(header('x-daily-remaining'), '99');
    assert.ok(Number(header('x-ratelimit-remaining')) <= 999);
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
    for (let i = 0; i < 70; i++) assert.equal((await get('/pulse/v1/ip/8.8.8.8', stranger)).code, 'professional_required');
    assert.equal((await get('/v1/ip/8.8.8.8', stranger)).code, 'rate_limited');
    assert.equal(await minuteLeft(from('198.51.100.10')), 999);
  });

  test('IPv6 is counted per /64, the right-most untrusted hop is the client, and an invented left part changes nothing', async () => {
    covers('LIM-CLIENT', 'LIM-IPV6', 'LIM-PROXY');
    const left = async (hops: string): Promise<number> => Number((await get('/v1/ip/8.8.8.8', from(hops))).header('x-daily-remaining'));
    assert.equal(await left('2001:db8:7:7::1'), 99);
    assert.equal(await left('2001:db8:7:7:ffff::2'), 98);
    assert.equal(await left('2001:db8:7:8::1'), 99);
    assert.equal(await left('1.1.1.1, 198.51.100.4'), 99);
    assert.equal(await left('2.2.2.2, 198.51.100.4, 10.0.0.7'), 98);
    assert.equal(await left('::ffff:198.51.100.4'), 97);
  });
});

describe('keys', () => {
  test('X-API-Key and Bearer are equal, and both count for the account, whatever the address', async () => {
    covers('AUTH-HEADERS', 'LIM-PLAN', 'GEN-SAME-ALLOWANCE');
    const first = await get('/v1/ip/8.8.8.8', { 'X-API-Key': free.key, ...from('198.51.100.5') });
    assert.deepEqual(
      [first.status, first.header('x-daily-limit'), first.header('x-daily-remaining'), first.header('x-ratelimit-limit')],
      [200, '5000', '4999', '60'],
    );
    const second = await get('/v1/ip/8.8.8.8', { Authorization: `Bearer ${free.key}`, ...from('198.51.100.6') });
    assert.equal(second.header('x-daily-remaining'), '4998');
    const third = await get('/v1/ip/8.8.8.8', { Authorization: `bearer ${free.key}`, 'X-API-Key': free.key });
    assert.equal(third.header('x-daily-remaining'), '4997');
  });

  const bad: readonly (readonly [name: string, headers: () => Record<string, string>])[] = [
    ['an unknown key', () => ({ 'X-API-Key': 'pk_unknown' })],
    ['a key with one character changed', () => ({ 'X-API-Key': `${free.key.slice(0, -1)}${free.key.endsWith('a') ? 'b' : 'a'}` })],
    ['two different keys', () => ({ 'X-API-Key': free.key, Authorization: `Bearer ${professional.key}` })],
  ];
  for (const [name, headers] of bad) {
    test(`${name} is invalid_key, also where no key is needed`, async () => {
      covers('ERR-invalid_key', 'AUTH-FAILURES', 'AUTH-JUDGED', 'AUTH-DIFFER');
      for (const path of ['/v1/ip/8.8.8.8', '/pulse/v1/ip/8.8.8.8']) {
        const seen = await get(path, headers());
        assert.deepEqual([seen.status, seen.code, seen.header('x-daily-limit')], [401, 'invalid_key', null]);
      }
    });
  }

  test('a key with a cap stops at its cap with key_quota_exceeded and shows the cap as the binding allowance', async () => {
    covers('ERR-key_quota_exceeded');
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push(await get('/v1/ip/8.8.8.8', { 'X-API-Key': capped.key }));
    assert.deepEqual(
      seen.map(({ status }) => status),
      [200, 200, 200, 429],
    );
    assert.deepEqual(
      seen.map(({ header }) => header('x-daily-remaining')),
      ['2', '1', '0', '0'],
    );
    assert.deepEqual([seen[3]!.code, seen[3]!.header('x-daily-limit')], ['key_quota_exceeded', '3']);
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
      assert.deepEqual([refused.header('x-daily-limit'), refused.header('x-daily-remaining'), refused.header('x-daily-reset')], [null, null, null]);
      const wait = Number(refused.header('retry-after'));
      assert.ok(wait >= 1 && wait <= 60);
    }
    assert.equal((await get('/v1/ip/not-an-address', { 'X-API-Key': small.key })).code, 'rate_limited', 'the minute comes before the input');
  });
});

describe('GET /pulse/v1/ip/{ip}', () => {
  test('no key, a basic key, at below the tier, and a professional key', async () => {
    covers('PULSE-AUTH', 'ERR-key_required', 'ERR-professional_required', 'ERR-history_requires_professional', 'PULSE-200');
    assert.deepEqual((({ status, code }) => [status, code])(await get('/pulse/v1/ip/8.8.8.8')), [401, 'key_required']);
    assert.deepEqual((({ status, code }) => [status, code])(await get('/pulse/v1/ip/8.8.8.8', { 'X-API-Key': free.key })), [403, 'professional_required']);
    assert.deepEqual((({ status, code }) => [status, code])(await get('/pulse/v1/ip/8.8.8.8?at=x', { 'X-API-Key': free.key })), [
      403,
      'history_requires_professional',
    ]);
    const seen = await get('/pulse/v1/ip/8.8.8.8', { 'X-API-Key': professional.key });
    assert.deepEqual([seen.status, seen.header('x-daily-limit'), seen.header('cache-control')], [200, '100000', 'no-store']);
  });
});

test('a restart, by SIGKILL too, forgets no answered charge', async () => {
  covers('LIM-DURABLE');
  const client = from('198.51.100.77');
  let left = 0;
  for (let i = 0; i < 5; i++) left = Number((await get('/v1/ip/8.8.8.8', client)).header('x-daily-remaining'));
  assert.equal(left, 95);
  const { dataDir } = server;
  await server.kill();
  const env = { PULSE_WORKERS: '1', PULSE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8', PULSE_ANON_PER_DAY: '100', PULSE_ANON_PER_MIN: '1000' };
  server = await serveProcess({ dataDir, env });
  assert.equal((await get('/v1/ip/8.8.8.8', client)).header('x-daily-remaining'), '94');
  assert.equal(await server.stop(), 0);
  server = await serveProcess({ dataDir, env });
  assert.equal((await get('/v1/ip/8.8.8.8', client)).header('x-daily-remaining'), '93');
});
