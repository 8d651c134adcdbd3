import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { fetchWhole, sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';
import { CLOSED_TO_BASIC, OPEN_TO_BASIC, UNREADABLE } from './decide.fixture.ts';

const [TRIED, VPN, CLEAN] = ['45.77.21.1', '45.77.21.2', '45.77.21.3'];

let server: ServeProcess;
let owner: ReturnType<typeof createKey>;
let basic: ReturnType<typeof createKey>;

before(async () => {
  server = await sharedService();
  owner = createKey(server.dataDir, 'decide', ['--plan', 'professional', '--dpa']);
  basic = createKey(server.dataDir, 'decide-basic', ['--plan', 'free']);
  const at = new Date(server.now() - 90 * 60_000).toISOString();
  const rows = [`${TRIED},honeypot_credential,${at}`, `${VPN},vpn,${at}`].join('\n');
  const made = pulseOver(
    server.dataDir,
    ['evidence', 'import', '-', '--source', 'decide-test', '--json'],
    `ip,risk_type,captured_at\n${rows}\n`,
  );
  assert.equal(made.status, 0, made.stderr);
  await eventually(async () => (await decide({ ip: TRIED! })).score === '75');
});

interface Decision {
  readonly status: number;
  readonly action: string | null;
  readonly reason: string | null;
  readonly score: string | null;
  readonly headers: Headers;
  readonly body: string;
}

async function decide(
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', path = '/v1/decide' } = {},
): Promise<Decision> {
  const search = new URLSearchParams(query).toString();
  const response = await fetchWhole(`${server.base}${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: { 'X-API-Key': owner.key, ...headers },
  });
  const said = (name: string): string | null => response.headers.get(`x-pulse-${name}`);
  return {
    status: response.status,
    action: said('action'),
    reason: said('reason'),
    score: said('score'),
    headers: response.headers,
    body: await response.text(),
  };
}

/** Changes the policy of the test's key and waits until the service has it. */
async function setPolicy(flags: readonly string[], isThere: () => Promise<boolean>): Promise<void> {
  pulseJson(server.dataDir, ['policy', 'set', owner.keyId, ...flags]);
  await eventually(isThere);
}

describe('GET /v1/decide', () => {
  test('answers the client of a trusted proxy, or ip, with action, reason, score and state', async () => {
    covers('DECIDE');
    const denied = await decide({}, { 'X-Forwarded-For': `198.18.0.1, ${TRIED}` });
    assert.deepEqual(
      [denied.status, denied.action, denied.score, denied.headers.get('x-pulse-state')],
      [403, 'deny', '75', 'active'],
    );
    assert.match(denied.reason!, /^honeypot credential, 1 hour ago, on 1 of 14 days$/);
    assert.match(denied.body, /"code":"denied"/);
    assert.equal(denied.headers.get('cache-control'), 'no-store');
    const clean = await decide({ ip: CLEAN! });
    assert.deepEqual([clean.status, clean.action, clean.reason, clean.body], [204, 'allow', 'no evidence', '']);
    const shared = await decide({ ip: VPN! });
    assert.deepEqual([shared.status, shared.action], [204, 'challenge']);
    assert.equal((await decide({ ip: VPN!, challenge: '403' })).status, 403);
  });

  test('is charged as a lookup', async () => {
    covers('DECIDE');
    const left = async (): Promise<number> => Number((await decide({ ip: CLEAN! })).headers.get('x-daily-remaining'));
    const before = await left();
    const refused = await decide({ ip: 'nonsense' });
    assert.match(`${refused.status} ${refused.body}`, /^400 .*"invalid_ip"/);
    assert.equal(await left(), before - 1, 'a fault of the input costs no day');
  });

  test('allows a client of a private network without a charge, and refuses a reserved ip', async () => {
    const before = Number((await decide({ ip: CLEAN! })).headers.get('x-daily-remaining'));
    const local = await decide({}, { 'X-Forwarded-For': '192.168.1.7' });
    assert.deepEqual([local.status, local.action, local.reason], [204, 'allow', 'private or reserved address']);
    assert.equal(Number((await decide({ ip: CLEAN! })).headers.get('x-daily-remaining')), before - 1);
    assert.equal((await decide({ ip: '192.168.1.7' })).status, 400);
  });

  test('needs a key, and beside X-API-Key the headers of a visitor count for nothing', async () => {
    covers('DECIDE-VISITOR');
    const keyless = await fetchWhole(`${server.base}/v1/decide?ip=${CLEAN}`);
    assert.equal(keyless.status, 401);
    assert.equal((await decide({ ip: CLEAN! }, { Authorization: 'Bearer of-the-application' })).status, 204);
    assert.equal((await decide({ ip: CLEAN! }, { 'X-API-Key': 'pk_wrong' })).status, 401);
    assert.equal((await decide({ ip: CLEAN!, key: 'pk_x' })).status, 400);
  });

  test('below its path it takes what Envoy appends, by any method, and reads nothing of it', async () => {
    covers('DECIDE');
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const asked = await decide(
        { ip: CLEAN!, token: 'of-the-application' },
        { 'X-Forwarded-For': TRIED! },
        { method, path: '/v1/decide/cart/17' },
      );
      assert.deepEqual([asked.status, asked.action], [403, 'deny'], method);
    }
    assert.equal((await decide({ ip: CLEAN! }, {}, { method: 'POST' })).status, 405);
  });

  test('has no verdict on a client that is not named by an address, and counts it; a private one is allowed', async () => {
    covers('DECIDE-FAIL');
    const counted = async (): Promise<number> =>
      Number(/^pulse_decisions_without_client_total (\d+)/m.exec(await server.metrics())![1]);
    const before = await counted();
    const ask = async (isClosed: boolean): Promise<void> => {
      for (const value of UNREADABLE) {
        const asked = await decide({}, value === undefined ? {} : { 'X-Forwarded-For': value });
        if (isClosed) assert.equal(asked.status, 503, String(value));
        else
          assert.deepEqual(
            [asked.status, asked.action, asked.reason, asked.headers.get('x-pulse-degraded')],
            [204, 'allow', 'no verdict', '1'],
            String(value),
          );
      }
    };
    await ask(false);
    assert.equal(await counted(), before + 6);
    await setPolicy(['--fail', 'closed'], async () => (await decide({})).status === 503);
    await ask(true);
    for (const value of ['192.168.1.7', '10.0.0.1:50123', '127.0.0.1'])
      assert.equal((await decide({}, { 'X-Forwarded-For': value })).reason, 'private or reserved address', value);
    pulseJson(server.dataDir, ['policy', 'remove', owner.keyId]);
    await eventually(async () => (await decide({})).status === 204);
  });

  test('a basic key reads no field of the professional document, here and on every other surface', async () => {
    const answers: Record<string, string> = {};
    const ask = async (path: string, body?: object): Promise<void> => {
      const response = await fetchWhole(server.base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'X-API-Key': basic.key, 'Content-Type': 'application/json', Accept: 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { 'x-pulse-reason': reason = '', ...headers } = Object.fromEntries(response.headers);
      answers[path] = `${response.status} ${reason} ${JSON.stringify(headers)} ${await response.text()}`;
    };
    for (const [path, body] of OPEN_TO_BASIC) await ask(path, body);
    for (const [path, answer] of Object.entries(answers)) {
      assert.match(answer, /^(?:2\d\d|403) /, `${path}: ${answer}`);
      assert.doesNotMatch(
        answer,
        /honeypot|captured_at|age_min|freshness|obs_days|within_|of 14 days|share_tier|sharing|T[0-3]\b|pool/,
        `${path}: ${answer}`,
      );
    }
    for (const path of CLOSED_TO_BASIC) {
      await ask(path);
      assert.match(answers[path]!, /^403 .*professional_required/, path);
    }
  });

  test('a policy observes, raises, spares and is removed, without a restart', async () => {
    covers('DECIDE-POLICY');
    await setPolicy(['--observe', 'on'], async () => (await decide({ ip: TRIED! })).status === 204);
    const observed = await decide({ ip: TRIED! });
    assert.deepEqual([observed.action, observed.headers.get('x-pulse-observe')], ['deny', '1']);
    assert.match(await server.metrics(), /pulse_decisions_total\{action="deny",observed="true"\} [1-9]/);
    await setPolicy(
      ['--observe', 'off', '--signal', 'vpn=deny', '--tier', 'T2=deny'],
      async () => (await decide({ ip: VPN! })).status === 403,
    );
    const explained = (...more: readonly string[]): string =>
      pulseOver(server.dataDir, ['policy', 'show', owner.keyId, '--explain', VPN!, ...more]).stdout;
    const denied = `${VPN}  Deny: the policy names its signal VPN. (with the policy of key ${owner.keyId})\n`;
    assert.equal(explained(), denied);
    await setPolicy(['--allow', '45.77.21.0/24'], async () => (await decide({ ip: VPN! })).status === 204);
    const shown = pulseJson(server.dataDir, ['policy', 'show', owner.keyId]);
    assert.partialDeepStrictEqual(shown['policy'], { tiers: { T1: 'deny', T2: 'deny' }, allow: ['45.77.21.0/24'] });
    assert.equal(JSON.parse(explained('--json')).by, 'allow_list');
    pulseJson(server.dataDir, ['policy', 'remove', owner.keyId]);
    await eventually(async () => (await decide({ ip: TRIED! })).status === 403);
    const wrong = pulseOver(server.dataDir, ['policy', 'set', owner.keyId, '--deny', 'sometimes']);
    assert.deepEqual([wrong.status, /deny is a level/.test(wrong.stderr)], [1, true]);
  });
});

test('while no verdict can be given, requests pass unless the policy is closed', async () => {
  covers('DECIDE-FAIL');
  const waiting = await serveProcess({ geo: 'withheld', env: { PULSE_TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const { key, keyId } = createKey(waiting.dataDir, 'closed', ['--plan', 'free']);
    const ask = () => fetchWhole(`${waiting.base}/v1/decide?ip=8.8.8.8`, { headers: { 'X-API-Key': key } });
    const open = await eventually(async () => {
      const answer = await ask();
      return answer.status !== 401 && answer;
    });
    assert.deepEqual(
      [open.status, open.headers.get('x-pulse-action'), open.headers.get('x-pulse-degraded')],
      [204, 'allow', '1'],
    );
    pulseJson(waiting.dataDir, ['policy', 'set', keyId, '--fail', 'closed']);
    await eventually(async () => (await ask()).status === 503);
  } finally {
    await waiting.dispose();
  }
});

test('proxies without a key ask with the one the operator lent them, whatever their visitors send', async () => {
  covers('DECIDE-VISITOR');
  const file = `${testFolder('lent')}/key`;
  writeFileSync(file, 'pk_not_yet\n');
  const first = await serveProcess({ env: { PULSE_TRUSTED_PROXIES: '127.0.0.1' } });
  const { key } = createKey(first.dataDir, 'lent', ['--plan', 'free']);
  const visitor = createKey(first.dataDir, 'visitor', ['--plan', 'free']);
  pulseJson(first.dataDir, ['policy', 'set', visitor.keyId, '--observe', 'on']);
  await first.kill();
  writeFileSync(file, `${key}\n`);
  const lent = await serveProcess({
    dataDir: first.dataDir,
    env: { PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_DECIDE_KEY_FILE: file },
  });
  try {
    const ask = (headers: Readonly<Record<string, string>>) =>
      fetchWhole(`${lent.base}/v1/decide`, { headers: { 'X-Forwarded-For': '8.8.8.8', ...headers } });
    assert.equal((await ask({})).status, 204);
    const own = await ask({ 'X-API-Key': visitor.key });
    assert.deepEqual([own.status, own.headers.get('x-pulse-observe')], [204, null], 'the policy is the operator’s');
    assert.equal((await ask({ Authorization: 'Bearer of-the-application' })).status, 204);
    const about = await fetchWhole(`${lent.base}/v1/decide?ip=8.8.8.8`, { headers: { 'X-API-Key': visitor.key } });
    assert.equal(about.status, 400, 'it answers about the visitor alone');
    const flooding = { 'X-Forwarded-For': '9.9.9.9' };
    const seen = await Promise.all(Array.from({ length: 200 }, async () => (await ask(flooding)).status));
    assert.ok(seen.includes(429), 'one visitor has a share');
    assert.equal((await ask({ 'X-Forwarded-For': '1.1.1.1' })).status, 204, 'and leaves the others theirs');
    await fetchWhole(`${lent.base}/v1/decide`);
    const { stdout } = pulseCommand('doctor --json', {
      env: {
        ...{ PULSE_DATA_DIR: first.dataDir, PULSE_METRICS: `127.0.0.1:${lent.metricsPort}` },
        ...{ PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_DECIDE_KEY_FILE: file },
      },
    });
    assert.match(stdout, /must close that path to visitors/);
    assert.match(stdout, /1 question to \/v1\/decide since the start had no client/);
  } finally {
    await lent.dispose();
  }
});
