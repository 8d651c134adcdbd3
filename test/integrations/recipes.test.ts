/** Recipes of integrations/, each called as its host calls it. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../integrations');
const folder = testFolder('recipes');
let server: ServeProcess;
let key: string;

before(async () => {
  server = await sharedService();
  key = createKey(server.dataDir, 'recipes', []).key;
  writeFileSync(join(folder, 'rows.txt'), '1.2.77.7\n');
  pulseJson(server.dataDir, [
    'evidence',
    'import',
    join(folder, 'rows.txt'),
    '--source',
    'recipes',
    '--risk-type',
    'proxy',
  ]);
  await eventually(async () => (await (await fetch(`${server.base}/v1/ip/1.2.77.7`)).text()).includes('"active"'));
});

describe('Wazuh', () => {
  /** Runs the script in a folder like Wazuh's and returns what came into the queue. */
  async function queued(alert: object, url = server.base): Promise<string> {
    const ossec = join(folder, `ossec-${Math.random().toString(36).slice(2)}`);
    mkdirSync(join(ossec, 'queue/sockets'), { recursive: true });
    mkdirSync(join(ossec, 'integrations'));
    cpSync(join(ROOT, 'wazuh/custom-pulse'), join(ossec, 'integrations/custom-pulse'));
    const file = join(ossec, 'alert.json');
    writeFileSync(file, JSON.stringify(alert));
    const listen = `import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); s.settimeout(20); print("ready", flush=True)
print(s.recv(65536).decode(), flush=True)`;
    const queue = spawn('python3', ['-c', listen, join(ossec, 'queue/sockets/queue')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    queue.stdout.on('data', (chunk) => (said += String(chunk)));
    const ended = once(queue, 'exit');
    await eventually(() => said.includes('ready'));
    const script = spawn(join(ossec, 'integrations/custom-pulse'), [file, key, url], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let faults = '';
    script.stderr.on('data', (chunk) => (faults += String(chunk)));
    assert.deepEqual(await once(script, 'exit'), [0, null], faults);
    if (!JSON.stringify(alert).includes('10.0.0.1')) await ended;
    else queue.kill();
    return said.replace('ready\n', '');
  }
  const alert = (srcip: string, agent = { id: '000', name: 'manager' }) => ({
    id: '1.2',
    rule: { id: '5716' },
    agent,
    data: { srcip },
  });

  test('an alert becomes an event with the verdict, of the agent it came from', async () => {
    const event = await queued(alert('1.2.77.7', { id: '007', name: 'web' }));
    assert.match(event, /^1:\[007\] \(web\) any->pulse:\{/);
    const { integration, pulse, source } = JSON.parse(event.slice(event.indexOf('{')));
    assert.deepEqual([integration, pulse.evidence_state, pulse.risk.level], ['custom-pulse', 'active', 'high']);
    assert.deepEqual(source, { alert_id: '1.2', rule: '5716' });
  });

  test('a private address makes no event, a service that is away one that says so', async () => {
    assert.equal(await queued(alert('10.0.0.1')), '');
    assert.match(await queued(alert('1.2.77.7'), 'http://127.0.0.1:1'), /"error": "unreachable/);
  });
});

test('MISP: the module answers as misp-modules asks', () => {
  const script = `import json, sys; sys.path.insert(0, sys.argv[1]); import pulse
print(json.dumps([pulse.introspection(), pulse.version()["config"]] + [pulse.handler(q) for q in sys.argv[2:]]))`;
  const config = { url: server.base, key };
  const questions = [
    { module: 'pulse', 'ip-src': '1.2.77.7', config },
    { module: 'pulse', 'ip-dst': '1.2.77.8', config },
    { module: 'pulse', 'ip-dst': '10.0.0.1', config },
    { module: 'pulse', 'ip-dst': '1.2.77.7', config: {} },
  ].map((question) => JSON.stringify(question));
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script, join(ROOT, 'misp'), ...questions], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  assert.equal(status, 0, stderr);
  const [attributes, settings, active, unseen, reserved, unset] = JSON.parse(stdout);
  assert.deepEqual(
    [attributes.input, settings],
    [
      ['ip-src', 'ip-dst'],
      ['url', 'key'],
    ],
  );
  assert.match(active.results[0].values[0], /^Pulse: score \d+ \(high\), evidence active, proxy, as of 20/);
  assert.match(unseen.results[0].values[0], /no evidence about 1\.2\.77\.8/);
  assert.match(reserved.error, /^Pulse: /);
  assert.match(unset.error, /url/);
});

test('Splunk and ClickHouse: the columns that the recipes name are those of the file', () => {
  const out = join(folder, 'pulse.csv');
  assert.equal(pulseOver(server.dataDir, ['export', '--format', 'csv', '--out', out]).status, 0);
  const columns = readFileSync(out, 'utf8').split('\n', 1)[0]!.split(',');
  const splunk = readFileSync(join(ROOT, 'splunk/README.md'), 'utf8');
  const clickhouse = readFileSync(join(ROOT, 'clickhouse/README.md'), 'utf8');
  const named = [
    /CIDR\((\w+)\)/.exec(splunk)![1]!,
    .../OUTPUT ([\w ]+) \|/.exec(splunk)![1]!.split(' '),
    ...[...clickhouse.matchAll(/^ {4}(\w+) (?:String|UInt8)/gm)].map(([, name]) => name!),
  ];
  assert.ok(named.length > 8);
  assert.deepEqual(
    named.filter((name) => !columns.includes(name)),
    [],
  );
});

test('OpenCTI, IntelOwl and Keycloak: the fields and headers that the recipes name are those of answers', async () => {
  const text = (name: string): string => readFileSync(join(ROOT, name, 'README.md'), 'utf8');
  const pro = createKey(server.dataDir, 'recipes-pro', ['--plan', 'professional']).key;
  const ask = (path: string) => fetch(`${server.base}${path}`, { headers: { 'X-API-Key': pro } });
  const verdict = (await (await ask('/pulse/v1/ip/1.2.77.7')).json()) as Record<string, unknown>;
  const named = ['opencti', 'intelowl'].flatMap((name) =>
    [...text(name).matchAll(/`((?:risk|evidence|evidence_state|computed_at)[\w.[\]]*)`/g)].map(([, path]) => path!),
  );
  assert.ok(named.length > 5);
  for (const path of named) {
    const value = path
      .replaceAll('[]', '.0')
      .split('.')
      .reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], verdict);
    assert.notEqual(value, undefined, path);
  }
  const decided = await ask('/v1/decide?ip=1.2.77.7&challenge=403');
  assert.equal(decided.status, 403);
  for (const [header] of text('keycloak').matchAll(/X-Pulse-(?:Action|Reason|Score|State)/g))
    assert.notEqual(decided.headers.get(header), null, header);
});
