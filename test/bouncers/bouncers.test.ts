/** CrowdSec's bouncer protocol, asked as its clients ask, and by two clients of Debian. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { FILTERED, FORBIDDEN, UNKNOWN_PARAMETERS } from './bouncers.fixture.ts';

const HOUR_MS = 3_600_000;
/** A key asks once a second. */
const SLOWLY = { everyMs: 1100 };
const folder = testFolder('bouncers');
let server: ServeProcess;
/** A key that is told everything once and asks again at the end. */
let other: string;
const started: ChildProcess[] = [];
let pipe: Server | undefined;

before(async () => {
  server = await serveProcess({ clockAt: Date.now() });
});
after(async () => {
  for (const child of started) {
    const isRunning = child.exitCode === null && child.signalCode === null;
    const ended = isRunning && once(child, 'exit');
    // Each client has a process group of its own, with its relay and its loop.
    process.kill(-child.pid!, 'SIGKILL');
    await ended;
  }
  pipe?.close();
  await server.dispose();
});

const bouncer = (name: string, ...flags: readonly string[]): string =>
  createKey(server.dataDir, name, ['--plan', 'professional'], ['--bouncer', ...flags]).key;

function capture(...rows: readonly (readonly [ip: string, riskType: string, agoMs?: number])[]): void {
  const lines = rows.map(([ip, type, agoMs = 0]) => `${ip},${type},${new Date(server.now() - agoMs).toISOString()}`);
  const made = pulseOver(
    server.dataDir,
    ['evidence', 'import', '-', '--source', 'bouncer-test', '--json'],
    `ip,risk_type,captured_at\n${lines.join('\n')}\n`,
  );
  assert.equal(made.status, 0, made.stderr);
}

interface Item {
  readonly id: number;
  readonly value: string;
  readonly type: string;
  readonly scope: string;
  readonly scenario: string;
  readonly origin: string;
  readonly duration: string;
}
interface Changes {
  readonly new: readonly Item[] | null;
  readonly deleted: readonly Item[] | null;
}

async function ask<Body>(key: string, path: string, method = 'GET'): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${server.base}/v1/${path}`, { method, headers: { 'X-Api-Key': key } });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}
const changes = async (key: string, startup = false): Promise<Changes> =>
  (await ask<Changes>(key, `decisions/stream?startup=${startup}`)).body;
const values = (items: readonly Item[] | null): readonly string[] => (items ?? []).map(({ value }) => value).sort();

describe('the protocol', () => {
  test('answers with decisions that end when the verdict falls below the least score', async () => {
    covers('BOUNCER');
    const key = bouncer('protocol');
    capture(['45.78.1.1', 'honeypot_credential'], ['45.78.1.2', 'proxy']);
    const one = await eventually(
      async () => (await ask<Item[] | null>(key, 'decisions?ip=45.78.1.1')).body?.[0] ?? false,
    );
    assert.deepEqual(
      { ...one, id: 0, uuid: '', duration: '' },
      {
        ...{ id: 0, uuid: '', origin: 'pulse', scenario: 'pulse/honeypot_credential', scope: 'Ip', type: 'ban' },
        ...{ value: '45.78.1.1', duration: '' },
      },
    );
    assert.match(one!.duration, /^5h\d+m\d+s$/);
    assert.equal((await ask<Item[]>(key, 'decisions?ip=45.78.1.2')).body[0]!.type, 'ban', 'a proxy chose it');
    assert.equal((await ask(key, 'decisions?ip=8.8.8.8')).body, null);
    assert.deepEqual(values((await ask<Item[]>(key, 'decisions?range=45.78.1.0/24')).body), ['45.78.1.1', '45.78.1.2']);
    for (const [query, found] of FILTERED)
      assert.deepEqual(values((await ask<Item[] | null>(key, `decisions?${query}`)).body), found, query);
    for (const [method, path] of UNKNOWN_PARAMETERS) assert.equal((await ask(key, path, method)).status, 400, path);
    assert.equal(
      (await ask(key, 'decisions/stream?startup=true&community_pull=false&additional_pull=false')).status,
      200,
    );
    assert.deepEqual(await ask(key, 'heartbeat'), { status: 200, body: {} });
    assert.equal((await ask(key, 'decisions', 'HEAD')).status, 200);
    assert.equal((await ask(key, 'usage-metrics', 'POST')).status, 201);
  });

  test('a bouncer’s key lies on firewalls: it fetches decisions and does nothing else', async () => {
    const { key } = createKey(
      server.dataDir,
      'rights',
      ['--plan', 'enterprise', '--phone', '--operator'],
      ['--bouncer'],
    );
    await eventually(async () => (await ask(key, 'heartbeat')).status === 200);
    for (const [method, path] of FORBIDDEN) {
      const headers = { 'X-API-Key': key, ...(method === 'POST' && { 'Content-Type': 'application/json' }) };
      const answer = await fetch(server.base + path, { method, headers, ...(method === 'POST' && { body: '{}' }) });
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.match(await answer.text(), /"forbidden"/, path);
    }
  });

  test('decisions are whole lists: a basic plan has none', async () => {
    const { key } = createKey(server.dataDir, 'basic', ['--plan', 'free'], ['--bouncer']);
    for (const path of ['decisions', 'decisions?ip=45.78.1.1', 'decisions/stream?startup=true', 'heartbeat'])
      await eventually(
        async () => JSON.stringify((await ask(key, path)).body).includes('"professional_required"'),
        SLOWLY,
      );
  });

  test('a key that is missing, wrong or no bouncer’s is 403 here', async () => {
    covers('BOUNCER');
    const plain = createKey(server.dataDir, 'plain', ['--plan', 'professional']).key;
    for (const path of ['decisions', 'decisions/stream?startup=true', 'heartbeat'])
      for (const key of ['pk_wrong', plain]) assert.equal((await ask(key, path)).status, 403, path);
    assert.equal((await fetch(`${server.base}/v1/decisions`)).status, 403);
    assert.equal((await fetch(`${server.base}/v1/me`)).status, 401, 'and 401 everywhere else');
  });

  test('least score, cap and single addresses belong to the key', async () => {
    covers('BOUNCER-BOUNDS');
    const [low, few] = [bouncer('low', '--min-score', '30'), bouncer('few', '--max', '2')];
    const single = bouncer('single', '--min-score', '50', '--single-addresses');
    capture(['45.78.3.0/24', 'honeypot_credential'], ['45.78.3.7', 'honeypot_credential']);
    const ranges = await eventually(async () => {
      const found = (await changes(low, true)).new ?? [];
      return found.some(({ scope }) => scope === 'Range') && found;
    }, SLOWLY);
    assert.ok(values(ranges).some((value) => value.startsWith('45.78.3.')));
    assert.equal((await changes(few, true)).new!.length, 2);
    const addresses = values((await changes(single, true)).new).filter((value) => value.startsWith('45.78.3.'));
    assert.equal(addresses.length, 256);
    assert.ok(addresses.every((value) => !value.includes('/')));
  });

  test('after the start it tells each key what is new and gone for it: by capture and override', async () => {
    covers('BOUNCER-CHANGES');
    const key = bouncer('changes');
    other = bouncer('other');
    capture(['45.78.2.1', 'honeypot_credential'], ['45.78.2.2', 'honeypot_credential', 4 * HOUR_MS]);
    const all = await eventually(async () => {
      const first = await changes(key, true);
      return values(first.new).includes('45.78.2.2') && first;
    }, SLOWLY);
    assert.equal(all.deleted, null);
    assert.deepEqual(await changes(key), { new: null, deleted: null });
    capture(['45.78.2.3', 'honeypot_credential']);
    await eventually(async () => values((await changes(key)).new).join() === '45.78.2.3', SLOWLY);
    pulseJson(server.dataDir, [
      ...['override', 'add', '45.78.2.3', '--allow', '--reason', 'ours', '--until'],
      new Date(server.now() + 900 * HOUR_MS).toISOString(),
    ]);
    await eventually(async () => values((await changes(key)).deleted).join() === '45.78.2.3', SLOWLY);
    const before = values((await changes(other, true)).new);
    assert.ok(before.includes('45.78.2.2'));
  });
});

/** The clients' own network: they reach the service over a socket in the file system. */
async function inNamespace(script: string): Promise<ChildProcess> {
  const path = join(folder, 'pulse.sock');
  if (pipe === undefined) {
    pipe = createServer((socket) => {
      const to = connect(server.port, '127.0.0.1');
      socket.pipe(to).pipe(socket);
      socket.on('error', () => to.destroy());
      to.on('error', () => socket.destroy());
    }).listen(path);
    await once(pipe, 'listening');
  }
  const relay = `const net=require('net');net.createServer(s=>{const t=net.connect('${path}');s.pipe(t).pipe(s);s.on('error',()=>t.destroy());t.on('error',()=>s.destroy())}).listen(8080,'127.0.0.1')`;
  const child = spawn(
    'unshare',
    ['--net', 'sh', '-c', `ip link set lo up; "${process.execPath}" -e "${relay}" & sleep 1; ${script}`],
    { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  started.push(child);
  return child;
}

const CANNOT = spawnSync('unshare', ['--net', 'true']).status === 0 ? false : 'network namespaces cannot be made here';

describe('clients of Debian, unchanged', () => {
  test('crowdsec-custom-bouncer hands each decision to a program of the operator', { skip: CANNOT }, async (t) => {
    covers('BOUNCER-CLIENTS');
    const program = findProgram('crowdsec-custom-bouncer', 'crowdsec-custom-bouncer');
    if (program === undefined) return t.skip('crowdsec-custom-bouncer is not installed');
    const key = bouncer('custom');
    capture(['45.78.6.1', 'honeypot_credential']);
    const heard = join(folder, 'heard');
    const script = join(folder, 'heard.sh');
    writeFileSync(script, `#!/bin/sh\necho "$@" >> ${heard}\n`);
    chmodSync(script, 0o755);
    const config = readFileSync('/etc/crowdsec/bouncers/crowdsec-custom-bouncer.yaml', 'utf8')
      .replace(/\$\{BINARY_PATH\}/, script)
      .replace(/\$\{API_KEY\}/, key)
      .replace(/update_frequency: .*/, 'update_frequency: 1s')
      .replace(/daemonize: .*/, 'daemonize: false')
      .replace(/log_mode: .*/, 'log_mode: stdout')
      .replace('http://localhost:8080/', 'http://127.0.0.1:8080/')
      .replace(/piddir: .*/, `piddir: ${folder}/`);
    writeFileSync(join(folder, 'custom.yaml'), config);
    const client = await inNamespace(`exec ${program} -c ${folder}/custom.yaml`);
    let output = '';
    for (const stream of [client.stdout!, client.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
    const said = (): string => (existsSync(heard) ? readFileSync(heard, 'utf8') : '');
    await eventually(() => /^add 45\.78\.6\.1 \d+ pulse\/honeypot_credential/m.test(said()), {
      hint: () => output + said(),
    });
    pulseJson(server.dataDir, [
      ...['override', 'add', '45.78.6.1', '--allow', '--reason', 'ours', '--until'],
      new Date(server.now() + 900 * HOUR_MS).toISOString(),
    ]);
    await eventually(() => /^del 45\.78\.6\.1 /m.test(said()), { hint: () => output + said() });
  });

  test('crowdsec-firewall-bouncer blocks with nftables, a range whole by its addresses, and unblocks', {
    skip: CANNOT,
  }, async (t) => {
    covers('BOUNCER-CLIENTS');
    const program = findProgram('crowdsec-firewall-bouncer', 'crowdsec-firewall-bouncer');
    const nft = findProgram('nft', 'nftables');
    if (program === undefined || nft === undefined) return t.skip('crowdsec-firewall-bouncer or nft is not installed');
    const bounds = ['--bouncer', '--min-score', '50', '--single-addresses'];
    const { key, keyId } = createKey(server.dataDir, 'firewall', ['--plan', 'professional'], bounds);
    pulseJson(server.dataDir, ['policy', 'set', keyId, '--deny', '50']);
    capture(['45.78.4.1', 'honeypot_credential'], ['45.78.5.0/24', 'honeypot_credential']);
    await eventually(
      async () => values((await ask<Item[]>(key, 'decisions?range=45.78.5.0/24')).body).length === 256,
      SLOWLY,
    );
    const config = readFileSync('/etc/crowdsec/bouncers/crowdsec-firewall-bouncer.yaml', 'utf8')
      .replace(/\$\{BACKEND\}/, 'nftables')
      .replace(/\$\{API_KEY\}/, key)
      .replace(/update_frequency: .*/, 'update_frequency: 1s')
      .replace(/daemonize: .*/, 'daemonize: false')
      .replace(/log_mode: .*/, 'log_mode: stdout')
      .replace(/pid_dir: .*/, `pid_dir: ${folder}/`);
    writeFileSync(join(folder, 'firewall.yaml'), config);
    const rules = join(folder, 'rules');
    const client = await inNamespace(
      `while :; do nft -j list ruleset > ${rules}.new 2>/dev/null && mv ${rules}.new ${rules}; sleep 0.3; done & exec ${program} -c ${folder}/firewall.yaml`,
    );
    let output = '';
    for (const stream of [client.stdout!, client.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
    const isBlocked = (...ips: readonly string[]): boolean => {
      const text = existsSync(rules) ? readFileSync(rules, 'utf8') : '';
      return ips.every((ip) => text.includes(`"${ip}"`));
    };
    await eventually(() => isBlocked('45.78.4.1', '45.78.5.0', '45.78.5.255'), { hint: () => output });
    pulseJson(server.dataDir, [
      ...['override', 'add', '45.78.4.1', '--allow', '--reason', 'ours', '--until'],
      new Date(server.now() + 900 * HOUR_MS).toISOString(),
    ]);
    await eventually(() => !isBlocked('45.78.4.1') && isBlocked('45.78.5.9'), { hint: () => output });
    await server.moveClock(48 * HOUR_MS);
    await eventually(() => !isBlocked('45.78.5.9'), { hint: () => output });
  });
});

test('a decision is gone for each key when its verdict falls below the least score', async () => {
  covers('BOUNCER-CHANGES');
  await server.moveClock(3 * HOUR_MS);
  const gone = values((await changes(other)).deleted);
  assert.ok(gone.includes('45.78.2.2'), gone.join());
  assert.deepEqual(await changes(other), { new: null, deleted: null });
});
