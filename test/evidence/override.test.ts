/**
 * An operator's override over the running service: on every thread and interface, exact with `at`, and gone
 * when it ends.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import type { IPRisk, PulseIPRisk } from '../../src/contract/documents.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

let server: ServeProcess;
let key: string;
const UNTIL = new Date(Date.now() + 86_400_000).toISOString();
const REASON = 'our own customers';

before(async () => {
  server = await serveProcess({ env: { PULSE_WORKERS: '2' } });
  ({ key } = createKey(server.dataDir, 'own', ['--plan', 'enterprise', '--dpa']));
  const { status, stderr } = pulseOver(
    server.dataDir,
    `evidence import - --source trap --risk-type proxy --since ${new Date(Date.now() - 3_600_000).toISOString()} --allow-known-good`,
    '1.2.3.4\n',
  );
  assert.equal(status, 0, stderr);
});
after(() => server.dispose());

const get = async <Body>(path: string): Promise<Body> => {
  const response = await fetch(server.base + path, { headers: { 'X-API-Key': key, connection: 'close' } });
  return (await response.json()) as Body;
};
const basic = (ip: string): Promise<IPRisk> => get(`/v1/ip/${ip}`);
/** As every lookup thread says, over several connections. */
const everywhere = (ip: string, isSo: (answer: IPRisk) => boolean): Promise<unknown> =>
  eventually(async () => (await Promise.all(Array.from({ length: 8 }, () => basic(ip)))).every(isSo));
const add = (...args: string[]): { readonly override_id: string } =>
  pulseJson(server.dataDir, ['override', 'add', ...args, '--reason', REASON, '--until', UNTIL]) as never;

test('an allowed address scores 1 and says so; before it and after its end nothing is different', async () => {
  await everywhere('1.2.3.4', ({ risk }) => risk.score > 1);
  const { override_id } = add('1.2.3.0/24', '--allow');
  await everywhere(
    '1.2.3.4',
    ({ risk, evidence_state, meta }) => risk.score === 1 && evidence_state === 'active' && meta.override === true,
  );
  const now = await get<PulseIPRisk>('/pulse/v1/ip/1.2.3.4');
  assert.deepEqual([now.risk.score, now.evidence.length, now.meta.override], [1, 1, true]);
  const listed = pulseJson(server.dataDir, ['override', 'list']) as unknown as { override_id: string; from: string }[];
  const overrideIds = listed.map((one) => one.override_id);
  assert.deepEqual(overrideIds, [override_id]);
  const before = new Date(Date.parse(listed[0]!.from) - 1).toISOString();
  const past = await get<PulseIPRisk>(`/pulse/v1/ip/1.2.3.4?at=${before}`);
  assert.equal(past.meta.override, undefined);
  const batch = await fetch(`${server.base}/v1/ip/batch`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ips: ['1.2.3.4', '1.2.3.9', '8.8.8.8'] }),
  });
  const { results } = (await batch.json()) as { results: IPRisk[] };
  assert.deepEqual(
    results.map(({ meta }) => meta.override),
    [true, true, undefined],
  );
  const local = pulseJson(server.dataDir, ['lookup', '1.2.3.4', '--explain']) as unknown as {
    readonly risk: { readonly score: number };
    readonly explain: { readonly overridden: object };
  };
  assert.equal(local.risk.score, 1);
  assert.deepEqual(
    { ...local.explain.overridden, from: 0, until: 0 },
    {
      ...{ id: override_id, prefix: '1.2.3.0/24', allow: true, reason: REASON, from: 0, until: 0 },
    },
  );
  pulseJson(server.dataDir, ['override', 'remove', override_id]);
  await everywhere('1.2.3.4', ({ risk, meta }) => risk.score > 1 && meta.override === undefined);
  const during = await get<PulseIPRisk>(`/pulse/v1/ip/1.2.3.4?at=${listed[0]!.from}`);
  assert.deepEqual([during.risk.score, during.meta.override], [1, true], 'the past keeps it');
});

test('a denied address that was never seen is active in every answer, and its change is in the audit log', async () => {
  const { override_id } = add('8.8.8.0/24', '--deny', 'proxy');
  await everywhere('8.8.8.8', ({ risk, evidence_state }) => risk.level === 'high' && evidence_state === 'active');
  const pulse = await get<PulseIPRisk>('/pulse/v1/ip/8.8.8.8');
  const shown = pulse.evidence.map(({ risk_type, freshness }) => [risk_type, freshness]);
  assert.deepEqual(shown, [['proxy', 'within_2h']]);
  const call = await fetch(`${server.base}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } },
    }),
  });
  assert.match(await call.text(), /\\"override\\":true/);
  pulseJson(server.dataDir, ['override', 'remove', override_id]);
  await everywhere('8.8.8.8', ({ evidence_state }) => evidence_state === 'none');
  const database = new DatabaseSync(join(server.dataDir, 'pulse.db'), { readOnly: true });
  const rows = database.prepare('select actor, action from audit_log where subject = ? order by seq').all(override_id);
  database.close();
  assert.deepEqual(
    rows.map(({ actor, action }) => [actor, action]),
    [
      ['cli', 'override.add'],
      ['cli', 'override.remove'],
    ],
  );
});

for (const [name, args] of [
  ['a broken prefix', ['8.8.8', '--allow', '--until', UNTIL]],
  ['a prefix that is too wide', ['0.0.0.0/1', '--allow', '--until', UNTIL]],
  ['an end that is past', ['8.8.8.8', '--allow', '--until', '2020-01-01T00:00:00Z']],
  ['a kind of IPv6 for IPv4', ['8.8.8.8', '--deny', 'ipv6_range', '--until', UNTIL]],
] as const)
  test(`${name} is refused with its reason`, () => {
    const { status, stderr } = pulseOver(server.dataDir, ['override', 'add', ...args, '--reason', 'x']);
    assert.deepEqual([status, /bad_request: (?:The|ipv6)/.test(stderr)], [1, true], stderr);
  });
