/**
 * Rights: every endpoint against every kind of caller (interface, Authentication and Errors). Written as a
 * table; one running service.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Accounts, openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { formatKey } from '../../src/core/caller/sent-key.ts';
import { unixMs } from '../../src/core/units.ts';
import { createAccount, setAccount } from '../../src/service/accounts/account.ts';
import type { AccountChanges, By } from '../../src/service/accounts/account-store.ts';
import { createKey, type KeyOptions, revokeKey } from '../../src/service/accounts/keys.ts';
import { covers } from '../spec/covers.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { accountWithPassword, PASSWORD } from '../support/mcp-service.ts';
import { seenByThreads } from '../support/pulse-command.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';
import { PHONE_TABLE, TABLE } from './key-rules.fixture.ts';

let service: ServeProcess;
/** Length of the log at the beginning of this file. */
let logged = 0;
let accounts: Accounts;
const keys: Record<string, string> = {};
const CLIENT = newClient();
const by = (): By => ({ actor: 'cli', at: unixMs(service.now()) });

async function keyOn(plan: string, wish: Partial<KeyOptions> = {}, changes: AccountChanges = {}, phone = false) {
  const { id } = await createAccount(
    accounts.store,
    { email: `a${Object.keys(keys).length}@example.com`, plan, phone },
    by(),
  );
  await setAccount(accounts.store, id, changes, by());
  const { key, secret } = await createKey(accounts.store, accounts.hasher, { accountId: id, ...wish }, by());
  if (wish.name === 'revoked') await revokeKey(accounts.store, key.id, by());
  return secret;
}

before(async () => {
  service = await sharedService();
  logged = service.output().length;
  accounts = await openAccounts({ dataDir: service.dataDir, databaseUrl: undefined, secret: undefined });
  keys.free = await keyOn('free');
  keys.professional = await keyOn('professional');
  keys.enterprise = await keyOn('enterprise');
  keys.phone = await keyOn('enterprise', {}, {}, true);
  keys['no phone'] = await keyOn('enterprise', { phone: false }, {}, true);
  keys['free phone'] = await keyOn('free', {}, {}, true);
  keys.revoked = await keyOn('enterprise', { name: 'revoked' }, {}, true);
  keys.expired = await keyOn('enterprise', { expiresAt: unixMs(service.now() - 1) }, {}, true);
  keys.disabled = await keyOn('enterprise', {}, { disabled: true }, true);
  keys.unknown = formatKey(new Uint8Array(20).fill(9));
  keys.mistyped = keys.phone.slice(0, -1) + (keys.phone.endsWith('0') ? '1' : '0');
  keys.nonsense = 'hello';
});
after(() => accounts?.close());

const ask = (endpoint: Endpoint, headers: Record<string, string>): Promise<Response> =>
  fetchWhole(`${service.base}${endpoint.path}`, {
    method: endpoint.body === undefined ? 'GET' : 'POST',
    headers: {
      'X-Forwarded-For': CLIENT,
      ...headers,
      ...(endpoint.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
  });
const codeOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { error?: { code: string; message: string } };
  if (response.ok) assert.equal(body.error, undefined);
  else assert.equal(typeof body.error?.message, 'string');
  return body.error === undefined ? 'ok' : `${response.status} ${body.error.code}`;
};

interface Endpoint {
  readonly path: string;
  readonly body?: string;
}
/** The tier is checked before any fault of `at`. */
const ENDPOINTS = {
  ip: [{ path: '/v1/ip/8.8.8.8' }, { path: '/v1/ip/batch', body: '{"ips":["8.8.8.8"]}' }],
  pulse: [{ path: '/pulse/v1/ip/8.8.8.8' }, { path: '/pulse/v1/ip/batch', body: '{"ips":["8.8.8.8"]}' }],
  at: ['2020-01-01T00:00:00Z', 'x', ''].map((at) => ({ path: `/pulse/v1/ip/8.8.8.8?at=${at}` })),
  me: [{ path: '/v1/me' }],
} as const satisfies Record<string, readonly Endpoint[]>;

/** Let through to the rules of history: before the earliest moment, no history at all, or not a time. */
const PAST = ['400 at_out_of_window', '400 history_not_enabled', '400 invalid_time'];

const GOOD_NUMBER = '{"number":"+8613800138000","numbers":["+8613800138000"]}';
const LOOKUPS = ['/v1/phone/lookup', '/v1/phone/batch'].flatMap((path) => [
  { path, body: GOOD_NUMBER },
  { path, body: '{"number":' },
]);
const DICTIONARIES = [
  { path: '/v1/phone/meta/tags' },
  { path: '/v1/phone/meta/coverage' },
] as const satisfies readonly Endpoint[];

const waysToSend = (key: string | undefined): readonly Record<string, string>[] =>
  key === undefined
    ? [{}]
    : [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }, { 'X-API-Key': key, Authorization: `bearer ${key}` }];
const numbersUsed = async (): Promise<unknown> => (await me('phone')).capabilities.phone;
const me = async (caller: string): Promise<{ readonly capabilities: Readonly<Record<string, unknown>> }> =>
  (await (await ask(ENDPOINTS.me[0], { 'X-API-Key': keys[caller]! })).json()) as {
    capabilities: Record<string, unknown>;
  };

describe('key rules', () => {
  for (const [caller, ...expected] of TABLE) {
    test(`${caller}: ${expected.join(', ')}`, async () => {
      covers(
        'ERR-revoked_key ERR-key_expired ERR-key_required ERR-invalid_key ERR-professional_required ERR-history_requires_professional',
      );
      covers('AUTH-FAILURES', 'AUTH-ELSEWHERE', 'AUTH-JUDGED', 'PULSE-AUTH', 'PULSE-200', 'ME-401');
      for (const headers of waysToSend(keys[caller]))
        for (const [index, endpoints] of Object.values(ENDPOINTS).entries())
          for (const endpoint of endpoints) {
            const response = await ask(endpoint, headers);
            if (response.status === 401) assert.equal(response.headers.get('x-daily-limit'), null);
            const code = await codeOf(response);
            if (expected[index] === 'past') assert.ok(PAST.includes(code), `${endpoint.path}: ${code}`);
            else assert.equal(code, expected[index], `${endpoint.path} ${Object.keys(headers).join('+')}`);
          }
    });
  }

  for (const [caller, lookups, dictionaries] of PHONE_TABLE) {
    test(`${caller}: phone lookups ${lookups}, dictionaries ${dictionaries}; refused before the body is read, and free`, async () => {
      covers('PHONE-AUTH', 'ERR-capability_not_eligible', 'ERR-capability_not_enabled', 'AUTH-FAILURES');
      const before = await numbersUsed();
      for (const headers of waysToSend(keys[caller])) {
        for (const endpoint of LOOKUPS) {
          const answer = await ask(endpoint, headers);
          assert.equal(answer.headers.get('x-quota-unit'), 'phone_number');
          assert.ok(answer.headers.get('x-request-id'));
          if (lookups !== 'ok') assert.equal(answer.headers.get('x-billable-units'), '0');
          assert.equal(
            await codeOf(answer),
            lookups === 'ok' && endpoint.body !== GOOD_NUMBER ? '400 bad_request' : lookups,
            endpoint.path,
          );
        }
        for (const endpoint of DICTIONARIES)
          assert.equal(await codeOf(await ask(endpoint, headers)), dictionaries, endpoint.path);
      }
      if (lookups !== 'ok') assert.deepEqual(await numbersUsed(), before);
    });
  }

  test('two keys that differ are refused, good ones too', async () => {
    covers('AUTH-DIFFER', 'ERR-invalid_key');
    const headers = { 'X-API-Key': keys.enterprise!, Authorization: `Bearer ${keys.phone}` };
    for (const endpoint of [ENDPOINTS.ip[0], ENDPOINTS.pulse[0]])
      assert.equal(await codeOf(await ask(endpoint, headers)), '401 invalid_key');
    assert.equal(await codeOf(await ask(ENDPOINTS.me[0], headers)), '401 key_required');
  });

  test('an Authorization header that holds no key counts for nothing', async () => {
    covers('ME-401');
    for (const value of ['Bearer ', 'Basic abc'])
      assert.equal(await codeOf(await ask(ENDPOINTS.me[0], { Authorization: value })), '401 key_required', value);
  });

  test('the tier is checked before the address', async () => {
    covers('ERR-professional_required');
    assert.equal(
      await codeOf(await ask({ path: '/pulse/v1/ip/nonsense' }, { 'X-API-Key': keys.free! })),
      '403 professional_required',
    );
  });

  test('a key in the query is refused on every endpoint and not processed, whatever else is sent or wrong', async () => {
    covers('AUTH-QUERY', 'ERR-key_in_query');
    const named = ['key', 'api_key', 'token', 'X-API-Key', 'q'].map((name) => `${name}=${keys.enterprise}`);
    const spelt = [
      'key=abc',
      'API_KEY=abc',
      'apikey=',
      'api-key=1',
      'x-api-key=1',
      'token=1',
      'access_token=1',
      '%6bey=1',
      'q=pk_live_AbCdEfGhIjKlMnOpQr',
    ];
    for (const { path } of [...Object.values(ENDPOINTS).flat(), ...DICTIONARIES, { path: '/v1/ip/nonsense' }])
      for (const query of [...named, ...spelt])
        for (const headers of [{}, { 'X-API-Key': keys.enterprise! }, { 'X-API-Key': 'pk_wrong' }] as Record<
          string,
          string
        >[]) {
          const url = `${path}${path.includes('?') ? '&' : '?'}${query}`;
          assert.equal(await codeOf(await ask({ path: url }, headers)), '400 key_in_query', url);
        }
    const posted = await ask({ path: `/v1/phone/lookup?key=${keys.phone}`, body: '{}' }, {});
    assert.deepEqual([await codeOf(posted), posted.headers.get('x-billable-units')], ['400 key_in_query', '0']);
  });

  test('refusals never carry the key, and an unknown one reads like a mistyped one', async () => {
    const bodies = [];
    for (const caller of ['unknown', 'mistyped']) {
      const response = await ask(ENDPOINTS.pulse[0], { 'X-API-Key': keys[caller]! });
      const text = await response.text();
      assert.doesNotMatch(text, /pk_/);
      bodies.push(text);
    }
    assert.equal(bodies[0], bodies[1]);
    assert.doesNotMatch(service.output().slice(logged), /pk_[0-9A-Za-z]{10}/);
  });

  test('/v1/me counts nothing and agrees with the headers of lookups', async () => {
    covers('ME-FREE', 'ME-200', 'LIM-RESET');
    const headers = { 'X-API-Key': await keyOn('professional', { perDay: 50 }) };
    const own = async () => {
      const response = await ask(ENDPOINTS.me[0], headers);
      return { body: (await response.json()) as Record<string, unknown>, headers: response.headers };
    };
    const first = await own();
    assert.deepEqual(
      [first.body.used_today, first.body.remaining, first.body.key_per_day, first.body.per_day],
      [0, 50, 50, 100_000],
    );
    assert.equal((await own()).body.used_today, 0);
    const lookup = await ask(ENDPOINTS.pulse[0], headers);
    await lookup.arrayBuffer();
    assert.equal(lookup.headers.get('cache-control'), 'no-store');
    const then = await own();
    assert.deepEqual([then.body.used_today, then.body.remaining, then.body.over_today], [1, 49, 0]);
    for (const name of 'X-Daily-Limit X-Daily-Remaining X-Daily-Reset X-RateLimit-Limit X-RateLimit-Remaining'.split(
      ' ',
    ))
      assert.equal(then.headers.get(name), lookup.headers.get(name), name);
    assert.equal(then.headers.get('X-Daily-Reset'), String(then.body.reset_unix));
    assert.deepEqual(
      [then.body.quota_day_tz, (Number(then.body.reset_unix) + 8 * 3600) % 86_400],
      ['Asia/Shanghai', 0],
      'the day ends at midnight in Shanghai',
    );
    assert.equal(then.headers.get('Cache-Control'), 'no-store');
    assert.equal(then.headers.get('Access-Control-Allow-Origin'), null);
  });

  test('/v1/me shows the phone capability to those who have it', async () => {
    covers('ME-CAPABILITIES');
    const phone = (await me('phone')).capabilities['phone'] as {
      used_today: number;
      refunded_today: number;
      remaining: number;
    };
    assert.equal(phone.remaining, 100_000 - phone.used_today);
    assert.equal(phone.refunded_today, 0);
    for (const caller of ['free', 'enterprise', 'no phone', 'free phone'])
      assert.deepEqual((await me(caller)).capabilities, {}, caller);
  });
});

test('a key made in the console is shown once, has the allowance of its account, and ends when it is revoked there', async () => {
  covers('CONSOLE-KEYS', 'LIM-FREE-DAY');
  const email = 'maker@example.com';
  await accountWithPassword(accounts, { email, plan: 'free' }, by());
  const jar = new BrowserJar(service.base);
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const json = body && { 'content-type': 'application/json' };
    const init = { method, headers: { ...json, ...headers }, ...(body && { body: JSON.stringify(body) }) };
    const { status, text } = await jar.request(`/console/api/${path}`, init);
    return { status, text, json: () => JSON.parse(text) as Record<string, string> };
  };
  const { csrf } = (await ask('POST', 'session/sign-in', { email, password: PASSWORD })).json();
  const own = { 'x-csrf-token': csrf! };
  const made = await ask('POST', 'keys', { name: 'Login service' }, own);
  const { key_id, key } = made.json();
  const lookup = () => fetchWhole(`${service.base}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key! } });
  const answer = await seenByThreads(lookup, ({ status }) => status === 200);
  assert.deepEqual([made.status, answer.headers.get('x-daily-limit')], [201, '5000']);
  const { text } = await ask('GET', 'keys');
  assert.deepEqual([text.includes(key_id!), text.includes(key!)], [true, false]);
  assert.equal((await ask('DELETE', `keys/${key_id}`, undefined, own)).status, 204);
  await seenByThreads(lookup, ({ status }) => status === 401);
});
