/** Plans, allowances, assistants and /v1/me over the running service: accounts change by the command line, answers come over HTTP. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { clearOfMinuteEnd, pulseCommand, seenByThreads } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

/** Keys of /v1/me and of errors that the tests read. */
interface Body extends Readonly<Record<string, unknown>> {
  readonly reset_unix: number;
  readonly key_prefix: string;
  readonly error?: { readonly code: string; readonly next_step?: string; readonly resets_at?: string };
}

interface Seen {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Body;
  readonly header: (name: string) => string | null;
}

const mirror = mkdtempSync(join(tmpdir(), 'pulse-mirror-'));
let server: ServeProcess;
const get = async (path: string, headers: Record<string, string> = {}): Promise<Seen> => {
  const response = await fetch(server.base + path, { headers: { 'X-Forwarded-For': '198.51.100.200', ...headers } });
  const body = (await response.json()) as Body;
  return { status: response.status, code: body.error?.code, body, header: (name) => response.headers.get(name) };
};
const as = (key: string): Record<string, string> => ({ 'X-API-Key': key });
const by = (made: { readonly key: string }): Record<string, string> => as(made.key);

before(async () => {
  server = await serveProcess({
    env: { PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_QUOTA_TZ: 'America/St_Johns', PULSE_SALES_CONTACT: 'mailto:sales@example.com' },
    clockAt: Date.now(),
  });
});
after(async () => {
  await server.dispose();
  rmSync(mirror, { recursive: true });
});

describe('accounts and plans', () => {
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
    assert.deepEqual([body['plan'], body['per_min'], body['per_day'], body['overage_pct']], ['professional', 600, 100_000, 10]);
    pulseJson(server.dataDir, ['account', 'set', made.accountId, '--plan', 'free']);
    assert.equal((await seenByThreads(ask, ({ status }) => status === 403)).code, 'professional_required');
  });

  test('plans have the decided limits', async () => {
    covers('LIM-PLAN', 'LIM-FREE-DAY');
    const limits = pulseJson(server.dataDir, ['plan', 'list']) as unknown as readonly Record<string, unknown>[];
    const of = (name: string) => {
      const plan = limits.find((one) => one['name'] === name)!;
      return [plan['per_min'], plan['per_day'], plan['overage_pct'], plan['data_tier']];
    };
    assert.deepEqual(of('free'), [60, 5000, 0, 'basic']);
    assert.deepEqual(of('professional'), [600, 100_000, 10, 'professional']);
    assert.deepEqual(of('enterprise'), [6000, 2_000_000, 10, 'professional']);
  });

  test('overage: a day runs past per_day by its share and not one look-up more; over_today counts it', async () => {
    covers('ME-OVERAGE', 'ERR-quota_exceeded', 'LIM-HEADERS');
    const made = createKey(server.dataDir, 'overage', ['--plan', 'professional']);
    pulseJson(server.dataDir, ['account', 'set', made.accountId, '--per-day', '5', '--overage-pct', '40']);
    await seenByThreads(
      () => get('/v1/me', by(made)),
      ({ body }) => body['per_day'] === 5,
    );
    const seen = await Promise.all(Array.from({ length: 20 }, (_, i) => get(i % 2 === 0 ? '/v1/ip/8.8.8.8' : '/pulse/v1/ip/8.8.8.8', by(made))));
    assert.equal(seen.filter(({ status }) => status === 200).length, 7);
    for (const refused of seen.filter(({ status }) => status !== 200)) {
      assert.deepEqual([refused.status, refused.code], [429, 'quota_exceeded']);
      for (const name of ['x-daily-limit', 'x-daily-remaining', 'x-daily-reset', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'])
        assert.notEqual(refused.header(name), null, name);
      assert.deepEqual([refused.header('x-daily-limit'), refused.header('x-daily-remaining')], ['5', '0']);
      assert.ok(refused.body.error?.next_step !== undefined && refused.body.error.resets_at !== undefined);
    }
    const { body } = await get('/v1/me', by(made));
    assert.deepEqual([body['used_today'], body['over_today'], body['remaining'], body['per_day']], [7, 2, 0, 5]);
  });

  test('two keys of one account share its day and its minute; one key’s cap is its own', async () => {
    covers('LIM-PLAN', 'LIM-BINDING');
    await clearOfMinuteEnd(server, 5);
    const made = createKey(server.dataDir, 'shared', [], ['--per-day', '2']);
    const second = pulseJson(server.dataDir, ['key', 'create', '--account', made.accountId])['key']!;
    const first = await get('/v1/ip/8.8.8.8', by(made));
    assert.deepEqual([first.header('x-daily-limit'), first.header('x-daily-remaining')], ['2', '1'], 'the cap binds');
    const other = await get('/v1/ip/8.8.8.8', as(second));
    assert.deepEqual([other.header('x-daily-limit'), other.header('x-daily-remaining'), other.header('x-ratelimit-remaining')], ['5000', '4998', '58']);
    await get('/v1/ip/8.8.8.8', by(made));
    assert.equal((await get('/v1/ip/8.8.8.8', by(made))).code, 'key_quota_exceeded');
    assert.equal((await get('/v1/ip/8.8.8.8', as(second))).header('x-daily-remaining'), '4996', 'a refused look-up took nothing from the account');
  });

  test('what fails after its charge gives it back; per minute every request counts', async () => {
    covers('LIM-FREE-400', 'LIM-MINUTE-ALL');
    await clearOfMinuteEnd(server, 5);
    const made = createKey(server.dataDir, 'refund', ['--plan', 'professional']);
    await get('/v1/ip/8.8.8.8', by(made));
    for (const path of [
      '/v1/ip/7.7.7.7',
      '/pulse/v1/ip/7.7.7.7',
      '/v1/ip/x',
      '/pulse/v1/ip/10.1.2.3',
      '/pulse/v1/ip/8.8.8.8?at=x',
      '/pulse/v1/ip/2001:4860::1?at=2026-01-01T00:00:00Z',
    ])
      assert.ok((await get(path, by(made))).status >= 400, path);
    const last = await get('/v1/ip/8.8.8.8', by(made));
    assert.deepEqual([last.header('x-daily-remaining'), last.header('x-ratelimit-remaining')], ['99998', '592']);
    assert.equal((await get('/v1/me', by(made))).body['used_today'], 2);
  });
});

describe('GET /v1/me', () => {
  test('has exactly the documented keys with their types', async () => {
    covers('ME-200', 'ME-KEYS', 'ME-CAPABILITIES', 'ERR-phone_disabled');
    const made = createKey(server.dataDir, 'me', ['--plan', 'enterprise', '--phone'], ['--per-day', '100']);
    const { body, status, header } = await get('/v1/me', by(made));
    assert.equal(status, 200);
    assert.ok(header('x-request-id'));
    const types = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, Number.isInteger(value) ? 'integer' : typeof value]));
    assert.deepEqual(types, {
      tier: 'string',
      quota_scope: 'string',
      plan: 'string',
      per_min: 'integer',
      per_day: 'integer',
      overage_pct: 'integer',
      quota_day_tz: 'string',
      used_today: 'integer',
      remaining: 'integer',
      over_today: 'integer',
      reset_unix: 'integer',
      key_prefix: 'string',
      created_at: 'string',
      key_per_day: 'integer',
      capabilities: 'object',
      sales_contact: 'string',
    });
    assert.equal(body['sales_contact'], 'mailto:sales@example.com');
    assert.deepEqual(
      [body['tier'], body['plan'], body['quota_day_tz'], body['key_per_day'], body['remaining']],
      ['key', 'enterprise', 'America/St_Johns', 100, 100],
    );
    assert.ok(made.key.startsWith(body.key_prefix) && body.key_prefix.length < 12);
    assert.deepEqual(body['capabilities'], {}, 'this deployment has no phone look-ups');
    const phone = await fetch(`${server.base}/v1/phone/lookup`, {
      method: 'POST',
      headers: { ...by(made), 'Content-Type': 'application/json' },
      body: '{"number":"+8613800138000"}',
    });
    assert.deepEqual([phone.status, ((await phone.json()) as Body).error?.code], [503, 'phone_disabled'], 'nor for a key that is entitled to them');
  });

  test('a missing, unknown or malformed key is key_required', async () => {
    covers('ME-401');
    for (const headers of [{}, as('pk_unknown'), as('nonsense'), { Authorization: 'Bearer ' }, { Authorization: 'Basic abc' }] as Record<string, string>[])
      assert.deepEqual((({ status, code }) => [status, code])(await get('/v1/me', headers)), [401, 'key_required'], JSON.stringify(headers));
  });

  test('the quota day follows PULSE_QUOTA_TZ', async () => {
    covers('ME-TZ', 'LIM-RESET');
    const made = createKey(server.dataDir, 'tz', []);
    const { body } = await get('/v1/me', by(made));
    const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/St_Johns', hour: '2-digit', minute: '2-digit', second: '2-digit' });
    assert.equal(local.format(body.reset_unix * 1000), '00:00:00');
    assert.ok(body.reset_unix * 1000 > Date.now() && body.reset_unix * 1000 <= Date.now() + 25 * 3_600_000);
    assert.equal((await get('/v1/ip/8.8.8.8', by(made))).header('x-daily-reset'), String(body.reset_unix));
  });
});

describe('verified AI assistants', () => {
  const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)';
  const from = (address: string, agent: string): Record<string, string> => ({ 'X-Forwarded-For': address, 'User-Agent': agent });

  test('name and address together have an allowance of their family; a false claim is an ordinary caller', async () => {
    covers('AUTH-ASSISTANT', 'CLI-SEEN');
    const ordinary = await get('/v1/ip/8.8.8.8', from('45.77.9.9', gptbot));
    assert.deepEqual([ordinary.header('x-daily-limit'), ordinary.header('x-daily-remaining')], ['1000', '999'], 'no list, no verification');
    mkdirSync(mirror, { recursive: true });
    writeFileSync(
      join(mirror, 'gptbot.json'),
      JSON.stringify({ creationTime: '2026-08-01T00:00:00', prefixes: [{ ipv4Prefix: '45.77.9.0/24' }, { ipv4Prefix: '45.77.10.0/24' }] }),
    );
    const imported = pulseCommand(['feeds', 'import', mirror, '--json'], { env: { PULSE_DATA_DIR: server.dataDir } });
    assert.equal(imported.status, 0, imported.stdout + imported.stderr);
    const verified = await seenByThreads(
      () => get('/v1/ip/8.8.8.8', from('45.77.9.9', gptbot)),
      ({ header }) => header('x-daily-limit') === '5000',
    );
    assert.equal(verified.header('x-daily-limit'), '5000');
    const left = Number(verified.header('x-daily-remaining'));
    const second = await get('/v1/ip/8.8.8.8', from('45.77.10.7', 'ChatGPT-User/1.0'));
    assert.equal(Number(second.header('x-daily-remaining')), left - 1, 'counted for the family, not for the address');
    for (const [address, agent] of [
      ['45.77.11.9', gptbot],
      ['45.77.9.9', 'curl/8'],
      ['45.77.9.9', 'NotGPTBot/1'],
    ] as const)
      assert.equal((await get('/v1/ip/8.8.8.8', from(address, agent))).header('x-daily-limit'), '1000', `${agent} from ${address}`);
  });

  test('no exception for assistants elsewhere: the professional endpoint and /v1/me ask for a key', async () => {
    covers('AUTH-ASSISTANT-NONE', 'AUTH-ELSEWHERE');
    const assistant = from('45.77.9.9', gptbot);
    assert.equal((await get('/pulse/v1/ip/8.8.8.8', assistant)).code, 'key_required');
    assert.equal((await get('/v1/me', assistant)).code, 'key_required');
    const made = createKey(server.dataDir, 'robot', []);
    assert.equal((await get('/v1/ip/8.8.8.8', { ...assistant, ...by(made) })).header('x-daily-limit'), '5000');
    assert.equal((await get('/v1/me', by(made))).body['used_today'], 1, 'a key takes precedence over the claim');
  });
});

test('a source past its bound makes every verdict degraded: the flag on the basic endpoint, the header on both', async () => {
  covers('IPRISK-DEGRADED', 'PULSE-NO-DEGRADED', 'PULSE-DEGRADED-HEADER');
  const lists = join(mirror, 'old');
  mkdirSync(lists);
  const path = join(lists, 'tor-exits.csv');
  writeFileSync(path, `ipaddr\n${Array.from({ length: 600 }, (_, i) => `45.9.${i >> 8}.${i & 255}`).join('\n')}\n`);
  const old = new Date(Date.now() - 40 * 86_400_000);
  utimesSync(path, old, old);
  const late = await serveProcess({ env: { PULSE_FEEDS: lists } });
  try {
    const made = createKey(late.dataDir, 'degraded', ['--plan', 'professional']);
    const ask = async (url: string): Promise<{ readonly body: Record<string, unknown>; readonly header: string | null }> => {
      const response = await fetch(late.base + url, { headers: by(made) });
      return { body: (await response.json()) as Record<string, unknown>, header: response.headers.get('x-pulse-degraded') };
    };
    const says = (header: string | null) => eventually(async () => (await ask('/v1/ip/8.8.8.8')).header === header, { everyMs: 100, hint: late.output });
    await says('1');
    const basic = await ask('/v1/ip/8.8.8.8');
    assert.deepEqual([basic.body['degraded'], basic.header], [true, '1'], late.output());
    const pulse = await ask('/pulse/v1/ip/8.8.8.8');
    assert.deepEqual(['degraded' in pulse.body, pulse.header], [false, '1']);
    assert.equal((pulseJson(late.dataDir, ['lookup', '8.8.8.8']) as { readonly degraded?: unknown }).degraded, true, 'pulse lookup knows it as well');
    const at = new Date().toISOString();
    assert.equal((await ask(`/pulse/v1/ip/8.8.8.8?at=${at}`)).header, '1', 'and so does the past');
    // A publisher that is gone is written off, and missed again when it is expected again.
    for (const [to, header] of [
      ['off', null],
      ['on', '1'],
    ] as const) {
      pulseJson(late.dataDir, ['feeds', to, 'tor-nodes']);
      await says(header);
      assert.equal((await ask(`/pulse/v1/ip/8.8.8.8?at=${at}`)).header, '1', 'what was so stays so');
    }
  } finally {
    await late.dispose();
  }
  const sound = await fetch(`${server.base}/v1/ip/8.8.8.8`);
  assert.equal(sound.headers.get('x-pulse-degraded'), null);
  assert.equal('degraded' in ((await sound.json()) as object), false);
});

test('PULSE_ANON_PER_DAY=0 closes anonymous look-ups, PULSE_ANON_PER_MIN counts per clock minute, PULSE_AI_PER_DAY is a family’s day', async () => {
  covers('LIM-ANON-DAY', 'LIM-ANON-MIN', 'AUTH-ASSISTANT');
  const closed = await serveProcess({ env: { PULSE_WORKERS: '1', PULSE_ANON_PER_DAY: '0', PULSE_AI_PER_DAY: '7', PULSE_TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const refused = await fetch(`${closed.base}/v1/ip/8.8.8.8`);
    assert.deepEqual([refused.status, refused.headers.get('x-daily-limit'), refused.headers.get('x-daily-remaining')], [429, '0', '0']);
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'quota_exceeded_anon');
    assert.equal(refused.headers.get('x-ratelimit-limit'), '60');
    const gptbot = await fetch(`${closed.base}/v1/ip/8.8.8.8`, { headers: { 'X-Forwarded-For': '132.196.86.1', 'User-Agent': 'GPTBot/1.3' } });
    assert.deepEqual([gptbot.status, gptbot.headers.get('x-daily-limit'), gptbot.headers.get('x-daily-remaining')], [200, '7', '6']);
  } finally {
    await closed.dispose();
  }
});
