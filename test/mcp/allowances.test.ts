/** MCP and OAuth over the running service: low and used-up allowances of every kind of caller, one counter with REST, sign-in with a real account. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { PASSWORD } from '../support/mcp-service.ts';
import { callStatus, OAuthClient } from '../support/oauth-client.ts';
import { pulseCommand, seenByThreads } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON bodies under test
type Body = any;
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The texts of a tool result, read as the JSON they must be. */
  readonly texts: readonly Body[];
}

let server: ServeProcess;
before(async () => {
  server = await serveProcess({ env: { PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_ANON_PER_DAY: '35', PULSE_ANON_PER_MIN: '50' } });
});
after(() => server?.dispose());

async function call(headers: Record<string, string>, path = '/mcp', ip: unknown = '8.8.8.8', base = server.base): Promise<Answer> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ip_risk_lookup', arguments: ip === undefined ? {} : { ip } } };
  const response = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(message) });
  const body = (await response.json()) as Body;
  const content: readonly Body[] = body.result?.content ?? [];
  return { status: response.status, headers: response.headers, body, texts: content.map(({ text }) => JSON.parse(text)) };
}
const from = (client: string): Record<string, string> => ({ 'x-forwarded-for': client });
const day = ({ headers }: Answer): readonly (string | null)[] => [headers.get('x-daily-limit'), headers.get('x-daily-remaining')];

/** Calls until the day is used up and says after which remaining allowances a notice came; then the refusal. */
async function drain(
  limit: number,
  headers: Record<string, string>,
  path?: string,
): Promise<{ readonly noticed: readonly number[]; readonly last: Answer; readonly refused: Answer }> {
  const noticed: number[] = [];
  let last: Answer | undefined;
  for (let n = 1; n <= limit; n += 1) {
    last = await call(headers, path);
    assert.deepEqual([last.status, ...day(last)], [200, String(limit), String(limit - n)]);
    assert.equal(last.texts[0].ip, '8.8.8.8');
    if (last.texts.length === 2) noticed.push(last.texts[1].notice.remaining);
  }
  return { noticed, last: last!, refused: await call(headers, path) };
}

test('anonymous: the notice comes below 20 percent and not at it, then quota_exceeded_anon with every next step; REST is on the same counter', async () => {
  covers('MCP-QUOTA-LOW', 'MCP-NEXT-STEPS', 'MCP-LIMIT-ERRORS', 'MCP-HEADERS', 'MCP-OPEN', 'GEN-SAME-ALLOWANCE');
  const { noticed, last, refused } = await drain(35, from('198.51.100.1'));
  assert.deepEqual(noticed, [6, 5, 4, 3, 2, 1, 0], '7 of 35 is 20 percent');
  const { notice } = last.texts[1];
  assert.deepEqual(Object.keys(last.texts[1]), ['notice']);
  assert.deepEqual(Object.keys(notice).sort(), ['code', 'message', 'next_step', 'remaining', 'resets_at', 'signed_in_endpoint', 'signup_url']);
  assert.equal(notice.code, 'quota_low');
  assert.match(notice.next_step, /5000/);
  assert.deepEqual([refused.status, refused.body.result.isError, refused.texts.length], [200, true, 1]);
  const { error } = refused.texts[0];
  assert.deepEqual(
    [error.code, error.signed_in_endpoint, error.signup_url],
    ['quota_exceeded_anon', `${server.base}/mcp/account`, `${server.base}/en/console/sign-up`],
  );
  assert.match(error.next_step, /5000/);
  assert.equal(refused.headers.get('retry-after'), String(error.retry_after));
  assert.deepEqual(day(refused), ['35', '0']);
  assert.equal(Date.parse(error.resets_at), Number(refused.headers.get('x-daily-reset')) * 1000);
  const rest = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: from('198.51.100.1') });
  const { error: refusal } = (await rest.json()) as Body;
  assert.deepEqual([rest.status, refusal.code, refusal.resets_at], [429, error.code, error.resets_at]);
  assert.deepEqual(day(await call(from('198.51.100.2'))), ['35', '34'], 'another client');
});

test('a key: its cap and its account are counted with REST; the notice has the console and the plans, not the sign-up', async () => {
  covers('MCP-QUOTA-LOW', 'MCP-NEXT-STEPS', 'MCP-ACCOUNT-COUNT', 'MCP-ACCOUNT-KEY');
  const capped = createKey(server.dataDir, 'capped', [], ['--per-day', '5']);
  const headers = { 'x-api-key': capped.key };
  await seenByThreads(
    () => fetch(`${server.base}/v1/me`, { headers }),
    ({ status }) => status === 200,
  );
  const { noticed, last, refused } = await drain(5, headers);
  assert.deepEqual(noticed, [0], '1 of 5 is 20 percent');
  assert.deepEqual(Object.keys(last.texts[1].notice).sort(), ['code', 'console_url', 'message', 'next_step', 'pricing_url', 'remaining', 'resets_at']);
  const { error } = refused.texts[0];
  assert.deepEqual([error.code, typeof error.next_step, error.signup_url], ['key_quota_exceeded', 'string', undefined]);
  assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers })).status, 429);
  const account = await call({ authorization: `Bearer ${capped.key}` }, '/en/mcp/account');
  assert.deepEqual([account.texts[0].error.code, ...day(account)], ['key_quota_exceeded', '5', '0']);
});

test('a signed-in app: tokens of either console draw on the account; low, used up, and ended by a new password', async () => {
  covers('OAUTH-QUOTA', 'OAUTH-LANGUAGES', 'MCP-QUOTA-LOW', 'MCP-ACCOUNT-COUNT', 'CLI-PASSWORD');
  const owner = createKey(server.dataDir, 'owner', ['--password', PASSWORD]);
  pulseJson(server.dataDir, ['account', 'set', owner.accountId, '--per-day', '10']);
  const client = new OAuthClient(server.base, { prefix: '/en' });
  const tokens = await client.signIn('owner@example.com');
  const bearer = { authorization: `Bearer ${tokens.access_token}` };
  assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { 'x-api-key': owner.key } })).headers.get('x-daily-remaining'), '9');
  const remaining: (readonly [string | null | undefined, number])[] = [];
  for (let n = 0; n < 9; n += 1) {
    const answer = await call(bearer, n % 2 === 0 ? '/mcp/account' : '/en/mcp/account');
    remaining.push([answer.headers.get('x-daily-remaining'), answer.texts.length]);
  }
  assert.deepEqual(remaining.slice(5), [
    ['3', 1],
    ['2', 1],
    ['1', 2],
    ['0', 2],
  ]);
  const { error } = (await call(bearer, '/mcp/account')).texts[0];
  assert.deepEqual([error.code, error.console_url, error.pricing_url], ['quota_exceeded', `${server.base}/en/console`, `${server.base}/en/docs/quotas`]);
  assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: bearer })).status, 401, 'tokens open the account endpoints alone');

  const { password } = pulseJson(server.dataDir, ['account', 'password', owner.accountId]) as { password: string };
  assert.ok(password.length >= 20);
  assert.equal(await callStatus(`${server.base}/mcp/account`, tokens.access_token), 401);
  assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  const signIn = async (secret: string): Promise<number> =>
    (
      await fetch(`${server.base}/console/api/session/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.base },
        body: JSON.stringify({ email: 'owner@example.com', password: secret }),
      })
    ).status;
  assert.equal(await signIn(PASSWORD), 401);
  assert.equal(await signIn(password), 200);
  const chosen = pulseCommand(['account', 'password', owner.accountId, '--password', 'another long battery'], { env: { PULSE_DATA_DIR: server.dataDir } });
  assert.deepEqual([chosen.status, chosen.stdout], [0, '']);
  assert.deepEqual([await signIn(password), await signIn('another long battery')], [401, 200]);
  const piped = { env: { PULSE_DATA_DIR: server.dataDir }, input: 'a battery from a pipe\n' };
  assert.equal(pulseCommand(['account', 'password', owner.accountId, '--password-stdin'], piped).status, 0);
  assert.equal(await signIn('a battery from a pipe'), 200);
  for (const args of [
    ['account', 'password', 'acc_nobody'],
    ['account', 'password', owner.accountId, '--password', 'short'],
  ])
    assert.equal(pulseCommand(args, { env: { PULSE_DATA_DIR: server.dataDir } }).status, 1, args.join(' '));
  assert.equal(pulseCommand(['account', 'password'], { env: { PULSE_DATA_DIR: server.dataDir } }).status, 2);
});

test('verified assistants have one allowance for their family over MCP and REST, and none on the account endpoints', async () => {
  covers('MCP-ASSISTANT', 'AUTH-ASSISTANT');
  const lists = mkdtempSync(join(tmpdir(), 'pulse-lists-'));
  try {
    writeFileSync(join(lists, 'gptbot.json'), JSON.stringify({ creationTime: '2026-08-01T00:00:00', prefixes: [{ ipv4Prefix: '20.171.206.0/24' }] }));
    assert.equal(pulseCommand(['feeds', 'import', lists], { env: { PULSE_DATA_DIR: server.dataDir } }).status, 0);
  } finally {
    rmSync(lists, { recursive: true });
  }
  const assistant = { ...from('20.171.206.9'), 'user-agent': 'Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)' };
  const first = await seenByThreads(
    () => call(assistant),
    ({ headers }) => headers.get('x-daily-limit') === '5000',
  );
  assert.equal(first.headers.get('x-daily-limit'), '5000');
  const left = Number(first.headers.get('x-daily-remaining'));
  const rest = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: assistant });
  assert.deepEqual([rest.headers.get('x-daily-limit'), Number(rest.headers.get('x-daily-remaining'))], ['5000', left - 1]);
  assert.equal(Number((await call(assistant)).headers.get('x-daily-remaining')), left - 2);
  assert.equal((await call({ ...assistant, ...from('198.51.100.77') })).headers.get('x-daily-limit'), '35', 'a false claim is an ordinary caller');
  const account = await fetch(`${server.base}/mcp/account`, { method: 'POST', headers: { ...assistant, 'content-type': 'application/json' }, body: '{}' });
  assert.equal(account.status, 401);
});

test('bad credentials: a result on the open endpoint, a challenge on the account endpoints, each with its own code', async () => {
  covers('MCP-OPEN-NO-401', 'MCP-ACCOUNT-401', 'MCP-LIMIT-ERRORS', 'AUTH-FAILURES');
  const made = createKey(server.dataDir, 'ended', []);
  const justNow = new Date(Date.now() - 1000).toISOString();
  const expired = pulseJson(server.dataDir, ['key', 'create', '--account', made.accountId, '--expires-at', justNow])['key']!;
  pulseJson(server.dataDir, ['key', 'revoke', made.keyId]);
  for (const [headers, code] of [
    [{ 'x-api-key': 'pk_nobody' }, 'invalid_key'],
    [{ authorization: 'Bearer no-token-of-ours' }, 'invalid_key'],
    [{ 'x-api-key': made.key, authorization: 'Bearer pk_other' }, 'invalid_key'],
    [{ 'x-api-key': made.key }, 'revoked_key'],
    [{ authorization: `Bearer ${expired}` }, 'key_expired'],
  ] as readonly (readonly [Record<string, string>, string])[]) {
    const open = await call({ ...headers, ...from('198.51.100.9') });
    assert.deepEqual([open.status, open.body.result.isError, open.texts[0].error.code], [200, true, code]);
    assert.equal(open.headers.get('www-authenticate'), null);
    for (const [path, metadata] of [
      ['/mcp/account', '/mcp/account'],
      ['/en/mcp/account', '/en/mcp/account'],
    ] as const) {
      const account = await call(headers, path);
      assert.deepEqual([account.status, account.body.error.code], [401, code], path);
      assert.ok(account.headers.get('www-authenticate')?.includes(`resource_metadata="${server.base}/.well-known/oauth-protected-resource${metadata}"`));
      const discovered = (await (await fetch(`${server.base}/.well-known/oauth-protected-resource${metadata}`)).json()) as Body;
      assert.equal(discovered.resource, `${server.base}${path}`);
    }
  }
});

test('what is served for machines: llms.txt and the registry entry name this deployment, and nothing was printed about the runtime', async () => {
  covers('SITE-LLMS', 'MCP-SERVER-JSON');
  const entry = (await (await fetch(`${server.base}/server.json`)).json()) as Body;
  assert.deepEqual([entry.name, entry.remotes[0].url], ['localhost/pulse', `${server.base}/mcp`]);
  assert.ok((await (await fetch(`${server.base}/llms.txt`)).text()).includes(`${server.base}/mcp/account`));
  assert.equal(/unsupported runtime/i.test(server.output()), false);
});
