/** Why, since when and who its neighbours are, over the running service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type {
  Explanation,
  IPRisk,
  IPTimeline,
  NetworkRisk,
  PulseIPRisk,
  ScoreTable,
} from '../../src/contract/documents.ts';
import type { Status } from '../../src/contract/status.ts';
import { covers } from '../spec/covers.ts';
import { callTool } from '../support/call-tool.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const IP = '1.2.3.4';
const now = Date.now();
const iso = (at: number): string => new Date(at).toISOString();

let server: ServeProcess;
const keys: Record<'dpa' | 'withheld' | 'operator' | 'free', string> = {
  dpa: '',
  withheld: '',
  operator: '',
  free: '',
};

const capture = (riskType: string, at: number, source = 'trap'): void => {
  const words = `evidence import - --source ${source} --risk-type ${riskType} --captured-at ${iso(at)} --since ${iso(now - 20 * DAY)}`;
  const { status, stderr } = pulseOver(server.dataDir, words, `${IP}\n`);
  assert.equal(status, 0, stderr);
};
async function ask<Body>(path: string, key = keys.dpa): Promise<{ readonly status: number; readonly body: Body }> {
  const response = await fetch(server.base + path, { headers: key === '' ? {} : { 'X-API-Key': key } });
  return { status: response.status, body: (await response.json()) as Body };
}
const used = async (key: string): Promise<number> => (await ask<{ used_today: number }>('/v1/me', key)).body.used_today;
const codeOf = async (path: string, key = keys.dpa): Promise<string | undefined> =>
  (await ask<{ error?: { code: string } }>(path, key)).body.error?.code;

before(async () => {
  server = await serveProcess();
  keys.dpa = createKey(server.dataDir, 'dpa', ['--plan', 'professional', '--dpa']).key;
  keys.withheld = createKey(server.dataDir, 'withheld', ['--plan', 'professional']).key;
  keys.operator = createKey(server.dataDir, 'op', ['--plan', 'enterprise', '--dpa', '--operator']).key;
  keys.free = createKey(server.dataDir, 'free', []).key;
  capture('dialup_pool', now - 12 * DAY - 1234);
  capture('proxy', now - 9 * DAY - 4321);
  capture('proxy', now - 6 * HOUR);
  capture('honeypot_scan', now - 5 * HOUR);
  await eventually(async () => {
    const { body } = await ask<PulseIPRisk>(`/pulse/v1/ip/${IP}`);
    return body.evidence.length === 3;
  });
});
after(() => server.dispose());

test('an explanation is charged as one lookup, explains the very verdict, also of a past moment, and is the command’s', async () => {
  covers('EXPLAIN');
  const before = await used(keys.dpa);
  const { body } = await ask<Explanation>(`/pulse/v1/ip/${IP}/explain`);
  assert.equal(await used(keys.dpa), before + 1);
  const verdict = (await ask<PulseIPRisk>(`/pulse/v1/ip/${IP}?at=${body.computed_at}`)).body;
  assert.deepEqual([body.score, body.level, body.evidence_state], [verdict.risk.score, verdict.risk.level, 'active']);
  const past = iso(now - 8 * DAY);
  const [then, thenVerdict] = [
    (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain?at=${past}`)).body,
    (await ask<PulseIPRisk>(`/pulse/v1/ip/${IP}?at=${past}`)).body,
  ];
  assert.deepEqual([then.computed_at, then.score], [past, thenVerdict.risk.score]);
  const printed = pulseJson(server.dataDir, ['lookup', IP, '--at', past, '--explain']) as unknown as {
    explain: Explanation;
  };
  const { vpn_lists: _lists, ...explained } = printed.explain as Explanation & { vpn_lists?: string };
  assert.deepEqual(explained, (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain?at=${past}`, keys.operator)).body);
});

test('explanations and timelines refuse who may not ask, and refused moments cost nothing', async () => {
  const path = `/pulse/v1/ip/${IP}`;
  const before = await used(keys.dpa);
  const refused: readonly (readonly [string, string, string?])[] = [
    [`${path}/explain`, 'key_required', ''],
    [`${path}/explain`, 'professional_required', keys.free],
    [`${path}/timeline`, 'professional_required', keys.free],
    ['/pulse/v1/ip/10.0.0.1/explain', 'reserved_ip'],
    ['/pulse/v1/ip/x/timeline', 'invalid_ip'],
    ['/pulse/v1/ip/2001:4860::1/timeline', 'history_no_ipv6'],
    [`${path}/explain?at=yesterday`, 'invalid_time'],
    [`${path}/timeline?from=2020-01-01T00:00:00Z`, 'at_out_of_window'],
    [`${path}/timeline?to=${iso(now + DAY)}`, 'invalid_time'],
    [`${path}/timeline?from=${iso(now - HOUR)}&to=${iso(now - DAY)}`, 'bad_request'],
    [`${path}/timeline?at=${iso(now - HOUR)}`, 'bad_request'],
    [`/pulse/v1/network/1.2.3.0%2F24?at=${iso(now - HOUR)}`, 'bad_request'],
    [`/pulse/v1/network/1.2.3.0%2F24?at=${iso(now - HOUR)}`, 'history_requires_professional', keys.free],
    [`/api/v2/check?ipAddress=${IP}&at=${iso(now - HOUR)}`, 'bad_request'],
    [`/v1/decide?ip=${IP}&at=${iso(now - HOUR)}`, 'bad_request'],
  ];
  for (const [asked, code, key] of refused) assert.equal(await codeOf(asked, key), code, asked);
  assert.equal(await used(keys.dpa), before);
});

test('the table of parameters is free, needs no key, and is the one that scores are made with', async () => {
  const { status, body } = await ask<ScoreTable>('/v1/score/parameters', '');
  assert.equal(status, 200);
  const explanation = (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain`)).body;
  assert.equal(body.version, explanation.parameters_version);
  for (const row of explanation.rows) {
    const type = body.types[row.risk_type]!;
    assert.equal(row.base, type.base);
    assert.equal(row.window_ms, type.window_ms * (1 + (type.persistence * (row.obs_days - 1)) / 13));
  }
});

test('a timeline has every change to the millisecond, and between two of them nothing changes; it costs one lookup', async () => {
  covers('TIMELINE');
  const before = await used(keys.dpa);
  const { body } = await ask<IPTimeline>(`/pulse/v1/ip/${IP}/timeline`);
  assert.equal(await used(keys.dpa), before + 1);
  assert.ok(body.changes.length >= 6, JSON.stringify(body.changes));
  const stateAt = async (at: number) => {
    const { risk, evidence_state } = (await ask<PulseIPRisk>(`/pulse/v1/ip/${IP}?at=${iso(at)}`)).body;
    const { rows } = (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain?at=${iso(at)}`)).body;
    const types = [...new Set(rows.filter(({ strength }) => strength > 0).map((row) => row.risk_type))].sort();
    return [risk.level, evidence_state, ...types].join(' ');
  };
  const text = ({ level, evidence_state, types }: IPTimeline['start']): string =>
    [level, evidence_state, ...types].join(' ');
  let known = text(body.start);
  for (const change of body.changes) {
    const at = Date.parse(change.at);
    assert.deepEqual([await stateAt(at - 1), await stateAt(at)], [known, text(change)], change.at);
    known = text(change);
  }
  const moments = body.changes.map(({ at }) => at);
  for (const captured of [now - 12 * DAY - 1234, now - 9 * DAY - 4321, now - 6 * HOUR])
    assert.ok(moments.includes(iso(captured)));
  const { from, to } = { from: moments[1]!, to: moments[3]! };
  const part = (await ask<IPTimeline>(`/pulse/v1/ip/${IP}/timeline?from=${from}&to=${to}`)).body;
  assert.deepEqual(part.changes, body.changes.slice(2, 4));
  assert.equal(text(part.start), text(body.changes[1]!));
});

test('agents get the very documents: history of a moment, changes of a time, explanation and network, one lookup each', async () => {
  covers('MCP-ACCOUNT-TOOLS', 'MCP-STRUCTURED');
  const tool = <Body>(name: string, args: object, key = keys.dpa): Promise<Body> =>
    callTool({ url: `${server.base}/mcp/account`, key, name, args });
  const [past, from] = [iso(now - 8 * DAY), iso(now - 10 * DAY)];
  const before = await used(keys.dpa);
  const then = await tool<PulseIPRisk>('ip_risk_history', { ip: '1.2.3[.]4', at: past });
  const whole = await tool<IPTimeline>('ip_risk_history', { ip: IP });
  const part = await tool<IPTimeline>('ip_risk_history', { ip: IP, from, to: past });
  const network = await tool<NetworkRisk>('network_risk', { network: '1.2.3.0/24' });
  const why = await tool<Explanation>('ip_risk_explain', { ip: IP, at: past });
  assert.equal(await used(keys.dpa), before + 5);
  assert.deepEqual(then, (await ask(`/pulse/v1/ip/${IP}?at=${past}`)).body);
  assert.deepEqual(then.evidence.map(({ risk_type }) => risk_type).sort(), ['dialup_pool', 'proxy']);
  assert.deepEqual(part, (await ask(`/pulse/v1/ip/${IP}/timeline?from=${from}&to=${past}`)).body);
  assert.ok(part.changes.length >= 1 && whole.changes.length > part.changes.length);
  assert.deepEqual(
    part.changes,
    whole.changes.filter(({ at }) => at > from && at <= past),
  );
  const { computed_at: _later, ...shown } = (await ask<NetworkRisk>('/pulse/v1/network/1.2.3.0%2F24')).body;
  const { computed_at: _at, ...summed } = network;
  assert.deepEqual(summed, shown);
  assert.deepEqual([network.addresses, network.riskiest[0]?.ip], [1, IP]);
  assert.deepEqual(why, (await ask(`/pulse/v1/ip/${IP}/explain?at=${past}`)).body);
  const charged = await used(keys.dpa);
  const { error } = await tool<{ error: { code: string } }>('ip_risk_history', { ip: IP, from: past, to: from });
  assert.deepEqual([error.code, await used(keys.dpa)], ['bad_request', charged], 'a refusal costs nothing');
});

test('resources of agents are the page about scores and the sources of the status page', async () => {
  covers('MCP-RESOURCES');
  const read = async (uri: string): Promise<string> => {
    const response = await fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }),
    });
    const { result } = (await response.json()) as { result: { contents: readonly { text: string }[] } };
    return result.contents[0]!.text;
  };
  const [page, { body }] = [
    await fetch(`${server.base}/en/docs/score.md`),
    await ask<Status>('/console/api/status', ''),
  ];
  assert.equal(await read('pulse://score'), await page.text());
  const { sources } = JSON.parse(await read('pulse://feeds')) as Pick<Status, 'sources'>;
  assert.deepEqual(sources, body.sources);
  assert.ok(sources.length > 10 && !JSON.stringify(sources).includes('last_error'));
});

test('without an agreement changes stand on whole hours', async () => {
  const { body } = await ask<IPTimeline>(`/pulse/v1/ip/${IP}/timeline`, keys.withheld);
  assert.equal(body.professional_degraded, 'dpa_required');
  assert.ok(body.changes.length >= 4);
  for (const { at } of body.changes) assert.match(at, /T\d\d:00:00\.000Z$/);
});

test('an override is a change of its own, and its end another', async () => {
  const until = new Date(Date.now() + DAY).toISOString();
  const { override_id: id } = pulseJson(server.dataDir, [
    'override',
    'add',
    IP,
    '--allow',
    '--reason',
    'r',
    '--until',
    until,
  ]);
  await eventually(async () => (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain`)).body.overridden !== undefined);
  pulseJson(server.dataDir, ['override', 'remove', id!]);
  await eventually(async () => (await ask<Explanation>(`/pulse/v1/ip/${IP}/explain`)).body.overridden === undefined);
  const { changes } = (await ask<IPTimeline>(`/pulse/v1/ip/${IP}/timeline`)).body;
  assert.deepEqual(
    changes.slice(-2).map(({ override, score }) => [override, score === 1]),
    [
      [true, true],
      [undefined, false],
    ],
  );
});

test('a network counts its addresses as their lookups judge them, changes since the image and captured prefixes too', async () => {
  covers('NETWORKS');
  const add = (lines: string, riskType: string): void => {
    const words = `evidence import - --source neighbours --risk-type ${riskType}`;
    assert.equal(pulseOver(server.dataDir, words, lines).status, 0);
  };
  add('1.2.4.1\n1.2.4.2\n1.2.200.9\n', 'proxy');
  add('1.2.4.0/25\n', 'vpn');
  await eventually(async () => (await ask<PulseIPRisk>('/pulse/v1/ip/1.2.4.77')).body.evidence.length === 1);
  const before = await used(keys.dpa);
  const { body } = await ask<NetworkRisk>('/pulse/v1/network/1.2.4.0%2F24');
  assert.equal(await used(keys.dpa), before + 1);
  assert.deepEqual(
    [body.network, body.addresses, body.active, body.by_state, body.by_type],
    ['1.2.4.0/24', 128, 128, { active: 128, stale: 0 }, { vpn: 128, proxy: 2 }],
  );
  assert.deepEqual(
    body.riskiest.map(({ ip }) => ip),
    ['1.2.4.1', '1.2.4.2'],
  );
  for (const { ip, score, signals } of body.riskiest) {
    const { risk } = (await ask<IPRisk>(`/v1/ip/${ip}`)).body;
    assert.deepEqual([risk.score, risk.signals], [score, signals]);
  }
  const levels = Object.values(body.by_level).reduce((sum, one) => sum + one, 0);
  assert.equal(levels, body.addresses);
  const wide = (await ask<NetworkRisk>('/pulse/v1/network/1.0.0.0/8')).body;
  assert.ok(wide.addresses >= 130 && wide.inside.some(({ network }) => network === '1.2.0.0/16'), JSON.stringify(wide));
  const asn = body.around.at(-1)!;
  assert.match(asn, /^AS\d+$/);
  const as = (await ask<NetworkRisk>(`/pulse/v1/network/${asn}`)).body;
  assert.ok(as.addresses >= body.addresses && as.inside.some(({ network }) => network === '1.2.4.0/24'));
  for (const [path, code] of [
    ['1.2.3.4', 'invalid_ip'],
    ['1.0.0.0%2F7', 'invalid_ip'],
    ['2001:db9::%2F80', 'invalid_ip'],
    ['10.0.0.0/8', 'reserved_ip'],
    ['AS0', 'invalid_ip'],
    ['AS4200000000', 'not_found'],
  ] as const)
    assert.equal(await codeOf(`/pulse/v1/network/${path}`), code, path);
  assert.equal(await codeOf('/pulse/v1/network/1.2.4.0/24', keys.free), 'professional_required');
});
