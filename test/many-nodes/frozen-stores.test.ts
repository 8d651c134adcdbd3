/**
 * Stores that freeze or go away under a running service: every family of endpoints answers in time, in the
 * contract's words, and heals without a restart.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { ROUTES } from '../../src/apps/http/routes.ts';
import { unixMs } from '../../src/core/units.ts';
import { createAccount, setAccount } from '../../src/service/accounts/account.ts';
import { createKey } from '../../src/service/accounts/keys.ts';
import { eventually } from '../support/eventually.ts';
import type { PostgresServer, SlowWay } from '../support/postgres.ts';
import type { RedisServer } from '../support/redis.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { type Stores, sharedStores } from '../support/stores.ts';

const SECRET = 'one-secret-for-the-test-of-frozen-stores';
const SIGN_IN = { email: 'owner@example.com', password: 'correct horse battery' };
/** Three seconds are promised. Twice as long counts as hanging. */
const HANGS_MS = 6000;

let why: string | undefined;
let stores: Stores | undefined;
let node: ServeProcess | undefined;
let way: SlowWay | undefined;
let known = '';
let cookie = '';
/** Keys that the service has never seen, one for each time it is asked about one. */
const fresh: string[] = [];

before(async () => {
  const started = await sharedStores();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  stores = started;
  await administer([
    'create role pulse_app login',
    `alter database ${new URL(stores.databaseUrl).pathname.slice(1)} owner to pulse_app`,
  ]);
  way = await stores.postgres.slowWay(0);
  const databaseUrl = stores.databaseUrl.replace(
    `//pulse@127.0.0.1:${stores.postgres.port}`,
    `//pulse_app@127.0.0.1:${way.port}`,
  );
  node = await serveProcess({
    env: {
      ...stores.env,
      PULSE_DATABASE_URL: databaseUrl,
      PULSE_SECRET: SECRET,
      PULSE_PHONE: 'on',
    },
  });
  const { store, hasher, close } = await openAccounts({ dataDir: '/nonexistent', databaseUrl, secret: SECRET });
  const by = { actor: 'cli', at: unixMs(Date.now()) } as const;
  const { id } = await createAccount(store, { ...SIGN_IN, plan: 'enterprise', phone: true, dpa: true }, by);
  await setAccount(store, id, { operator: true, perMin: 100_000, phonePerMin: 100_000 }, by);
  known = (await createKey(store, hasher, { accountId: id, evidence: 'addresses' }, by)).secret;
  for (let n = 0; n < 45; n += 1)
    fresh.push((await createKey(store, hasher, { accountId: id, evidence: 'addresses' }, by)).secret);
  await close();
  await heals();
  // The code of every family is loaded: on a busy machine that takes longer than a refusal.
  await refusals();
  const signedIn = await ask('/console/api/session/sign-in', {
    body: JSON.stringify(SIGN_IN),
    type: 'application/json',
  });
  cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
});
after(async () => {
  await node?.dispose();
  way?.close();
});

interface Question {
  readonly key?: string;
  readonly cookie?: string;
  readonly bearer?: string;
  readonly body?: string;
  readonly type?: string;
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: number;
  readonly text: string;
  readonly headers: Headers;
}

/** @throws when nothing comes in time */
async function ask(path: string, { key, cookie, bearer, body, type }: Question = {}): Promise<Answer> {
  const headers = {
    ...(key === undefined ? {} : { 'X-API-Key': key }),
    ...(cookie === undefined ? {} : { Cookie: cookie }),
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    ...(type === undefined ? {} : { 'Content-Type': type }),
  };
  const init = {
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(HANGS_MS),
    ...(body === undefined ? {} : { method: 'POST', body }),
  } as const;
  const response = await fetch(`${node!.base}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    code: codeOf(text),
    retryAfter: Number(response.headers.get('Retry-After') ?? Number.NaN),
    text,
    headers: response.headers,
  };
}

/** Code of an error body, of RFC 6749's form, or of a tool result. */
function codeOf(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  const { error, result } = JSON.parse(text) as {
    error?: string | { code: string };
    result?: { isError?: boolean; content: { text: string }[] };
  };
  if (typeof error === 'string') return error;
  if (result?.isError === true) return codeOf(result.content[0]!.text);
  return error?.code;
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const justNow = (): string => encodeURIComponent(new Date().toISOString());
const capture = (): string =>
  `${JSON.stringify({ ip: '5.5.5.5', risk_type: 'proxy', captured_at: new Date(Date.now() - 2 * 86_400_000).toISOString() })}\n`;
const toolCall = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } },
});

/** Requests that need PostgreSQL and work while it is there. */
const heal = (): Promise<Answer[]> =>
  Promise.all([
    ask('/v1/ip/8.8.8.8', { key: known }),
    ask(`/pulse/v1/ip/8.8.8.8?at=${justNow()}`, { key: known }),
    ask('/v1/evidence?source=test', { key: known, body: capture(), type: 'application/x-ndjson' }),
    ask('/v1/phone/lookup', { key: known, body: '{"number":"+8613800138000"}', type: JSON_TYPE }),
  ]);

const heals = (): Promise<true> =>
  eventually(async () => (await heal()).every(({ status }) => status < 300), { everyMs: 200 }) as Promise<true>;

/** Every family of endpoints that needs PostgreSQL, asked at once, and their answers without it. */
async function refusals(except: readonly string[] = []) {
  const register = JSON.stringify({ client_name: 'app', redirect_uris: ['http://127.0.0.1:3999/callback'] });
  const questions: readonly (readonly [string, string, Question])[] = [
    ['at', `/pulse/v1/ip/8.8.8.8?at=${justNow()}`, { key: known }],
    ['intake', '/v1/evidence?source=test', { key: known, body: capture(), type: 'application/x-ndjson' }],
    ['phone', '/v1/phone/lookup', { key: known, body: '{"number":"+8613800138000"}', type: JSON_TYPE }],
    ['unknown key', '/v1/ip/8.8.8.8', { key: fresh.pop()! }],
    ['console', '/console/api/keys', { cookie }],
    ['sign-in', '/console/api/session/sign-in', { body: JSON.stringify(SIGN_IN), type: JSON_TYPE }],
    ['token', '/oauth/token', { body: 'grant_type=refresh_token&refresh_token=x&client_id=x', type: FORM }],
    ['register', '/en/oauth/register', { body: register, type: JSON_TYPE }],
    ['tool with an unknown key', '/mcp', { key: fresh.pop()!, body: toolCall, type: JSON_TYPE }],
    ['tool of an account', '/en/mcp/account', { bearer: 'an-access-token', body: toolCall, type: JSON_TYPE }],
  ];
  return Promise.all(
    questions
      .filter(([what]) => !except.includes(what))
      .map(async ([what, path, question]) => {
        const { status, code, retryAfter } = await ask(path, question);
        return [what, status, code, retryAfter] as const;
      }),
  );
}

const REFUSED = [
  ['at', 503, 'history_unavailable', 10],
  ['intake', 503, 'history_unavailable', 10],
  ['phone', 502, 'upstream_unavailable', 5],
  ['unknown key', 503, 'not_ready', 2],
  ['console', 503, 'not_ready', 2],
  ['sign-in', 503, 'not_ready', 2],
  ['token', 503, 'temporarily_unavailable', 2],
  ['register', 503, 'temporarily_unavailable', 2],
  ['tool with an unknown key', 200, 'not_ready', 2],
  ['tool of an account', 200, 'not_ready', 2],
];

/**
 * Asks for every route with the credential that leads past its first step, and with a body that holds
 * something for most of them.
 */
async function everyRoute(): Promise<
  readonly { readonly route: string; readonly status: number; readonly text: string }[]
> {
  const { email, password } = SIGN_IN;
  const names = {
    name: 'x',
    token: 'x',
    language: 'en',
    step: 'x',
    code: '123456',
    id: 'x',
    client_name: 'x',
    redirect_uris: ['http://127.0.0.1:3999/'],
  };
  const body = JSON.stringify({
    email,
    password,
    next: password,
    current: 'x',
    ips: ['8.8.8.8'],
    number: '+8613800138000',
    numbers: ['+8613800138000'],
    ...names,
  });
  const asked: Promise<{ readonly route: string; readonly status: number; readonly text: string }>[] = [];
  for (const { methods, path: pattern } of ROUTES)
    for (const method of methods.split(', ')) {
      const credentials = pattern.includes('/console')
        ? { Cookie: cookie, Origin: node!.base }
        : pattern.includes('/mcp/account')
          ? { Authorization: 'Bearer an-access-token' }
          : { 'X-API-Key': known };
      const isIntake = pattern === '/v1/evidence';
      const sent = method === 'GET' || method === 'OPTIONS' ? {} : { body: isIntake ? capture() : body };
      const type = isIntake ? 'application/x-ndjson' : pattern.includes('/oauth/') ? FORM : JSON_TYPE;
      const path = pattern
        .replace(':ip', '8.8.8.8')
        .replace(/:\w+/g, 'nothing')
        .replace('/v1/evidence', '/v1/evidence?source=test');
      const headers = { ...credentials, 'Content-Type': type };
      const asking = fetch(`${node!.base}${path}`, { method, headers, redirect: 'manual', ...sent });
      asked.push(
        asking.then(async (answer) => ({
          route: `${method} ${pattern}`,
          status: answer.status,
          text: (await answer.text()).slice(0, 200),
        })),
      );
    }
  return Promise.all(asked);
}

/** Statements of the operator of the database, one at a time. */
async function administer(statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: stores!.databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function assertPages(): Promise<void> {
  const query =
    'response_type=code&client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%2F&code_challenge=x&code_challenge_method=S256';
  const pages = await Promise.all(['', '/en'].map((prefix) => ask(`${prefix}/oauth/authorize?${query}`)));
  for (const { status, retryAfter } of pages) assert.deepEqual([status, retryAfter], [503, 2]);
  assert.match(pages[0]!.text, /<h1>请稍后再试<\/h1>/);
  assert.match(pages[1]!.text, /<h1>Please try again shortly<\/h1>/);
}

describe('without a store that answers', () => {
  const outage = (title: string, body: (postgres: PostgresServer, redis: RedisServer) => Promise<void>): void => {
    test(title, async (t) => {
      if (why !== undefined) return t.skip(why);
      await body(stores!.postgres, stores!.redis);
    });
  };
  const isDegraded = async (): Promise<boolean> => {
    const { status, headers } = await ask('/v1/ip/8.8.8.8', { key: known });
    assert.equal(status, 200);
    return headers.get('X-Pulse-Degraded') === '1';
  };
  const assertHealed = async (): Promise<void> => {
    await heals();
    assert.equal((await ask('/v1/ip/8.8.8.8', { key: fresh.pop()! })).status, 200);
    assert.equal((await ask('/console/api/keys', { cookie })).status, 200);
    assert.equal(
      (await ask('/oauth/token', { body: 'grant_type=refresh_token&refresh_token=x&client_id=x', type: FORM })).code,
      'invalid_client',
    );
    await eventually(async () => !(await isDegraded()), { everyMs: 100 });
  };

  outage(
    'PostgreSQL frozen: everything that needs it is refused in time, lookups go on, and all heals when it thaws',
    async (database) => {
      database.freeze();
      assert.deepEqual(await refusals(), REFUSED);
      await assertPages();
      // A pool whose connections are all taken makes no request wait longer.
      const crowd = await Promise.all(Array.from({ length: 20 }, () => ask('/v1/ip/8.8.8.8', { key: fresh.pop()! })));
      assert.deepEqual(new Set(crowd.map(({ status, code }) => `${status} ${code}`)), new Set(['503 not_ready']));
      await eventually(isDegraded, { everyMs: 100 });
      database.resume();
      await assertHealed();
    },
  );

  outage('PostgreSQL killed: the same answers, and the same healing', async (database) => {
    await database.stop();
    assert.deepEqual(await refusals(), REFUSED);
    await assertPages();
    await eventually(isDegraded, { everyMs: 100 });
    await database.start();
    await assertHealed();
  });

  outage(
    'PostgreSQL slow, 4 s from a question to its answer: every request is refused in time, however many questions it asks',
    async () => {
      // More than a request waits: with less, one that asks a single question is answered just in time, or not.
      way!.delay(2000);
      const slow = ['intake', 'sign-in', 'phone'];
      try {
        // An intake may wait for other writers, a password for its turn to be hashed; a phone number is one
        // question, which may be answered.
        const [intake, others] = await Promise.all([
          fetch(`${node!.base}/v1/evidence?source=test`, {
            method: 'POST',
            headers: { 'X-API-Key': known, 'Content-Type': 'application/x-ndjson' },
            body: capture(),
            signal: AbortSignal.timeout(3 * HANGS_MS),
          }),
          refusals(slow),
        ]);
        assert.equal(intake.status, 503);
        assert.deepEqual(
          others,
          REFUSED.filter(([what]) => !slow.includes(String(what))),
        );
      } finally {
        way!.delay(0);
      }
      await assertHealed();
    },
  );

  const SETTING = 'default_transaction_read_only';
  /** How the database refuses while it answers, and how it is put right. */
  const spoilt: readonly (readonly [what: string, spoil: readonly string[], mend: readonly string[]])[] = [
    [
      'takes rights away',
      ['revoke all on all tables in schema public from pulse_app'],
      ['grant all on all tables in schema public to pulse_app'],
    ],
    [
      'has an empty schema',
      ['alter schema public rename to away', 'create schema public', 'grant all on schema public to public'],
      ['drop schema public cascade', 'alter schema away rename to public'],
    ],
    [
      'is read-only',
      [`alter system set ${SETTING} = on`, 'select pg_reload_conf()'],
      [`set ${SETTING} = off`, `alter system reset ${SETTING}`, 'select pg_reload_conf()'],
    ],
  ];
  for (const [what, spoil, mend] of spoilt)
    outage(`PostgreSQL ${what}: nothing answers 500, lookups go on, and all heals when it is put right`, async () => {
      await administer(spoil);
      try {
        // Without rights a question fails as without tables: one of the two asks every route.
        if (what !== 'is read-only') assert.deepEqual(await refusals(), REFUSED);
        if (what !== 'takes rights away') {
          const faults = (await everyRoute()).filter(({ status }) => status === 500);
          assert.deepEqual(faults, []);
        }
        await isDegraded();
      } finally {
        await administer(mend);
      }
      await assertHealed();
    });

  outage(
    'Redis frozen: lookups are answered, phone numbers refused, and both count again when it thaws',
    async (_database, counters) => {
      counters.freeze();
      assert.equal((await ask('/v1/ip/8.8.8.8', { key: known })).status, 200);
      const number = { key: known, body: '{"number":"+8613800138000"}', type: JSON_TYPE };
      const { status, code } = await ask('/v1/phone/lookup', number);
      assert.deepEqual([status, code], [503, 'quota_unavailable']);
      assert.deepEqual((({ status, code }) => [status, code])(await ask('/v1/me', { key: known })), [
        503,
        'quota_unavailable',
      ]);
      counters.resume();
      await eventually(async () => (await ask('/v1/phone/lookup', number)).status === 200);
    },
  );

  outage('nothing of it is logged as a fault of the service', async () =>
    assert.doesNotMatch(node!.output(), /internal_error/),
  );
});
