/**
 * Own collection over a real server: sensors and a followed log send, and verdicts, the past and `pulse
 * lookup --explain` show captures and derived ones.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { DERIVATION_RULES } from '../../src/core/collection/derive/derivation-rules.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const folder = testFolder('derived');
let server: ServeProcess;
let key = '';
before(async () => {
  server = await serveProcess();
  key = createKey(
    server.dataDir,
    'operator',
    ['--plan', 'private', '--dpa', '--operator'],
    ['--evidence', '--networks'],
  ).key;
});
after(() => server?.dispose());

interface Row {
  readonly ip: string;
  readonly at: number;
  readonly riskType?: string;
}
const linesOf = (rows: readonly Row[]): string =>
  rows
    .map(
      ({ ip, at, riskType }) =>
        `${JSON.stringify({ ip, risk_type: riskType ?? 'honeypot_credential', captured_at: new Date(at).toISOString() })}\n`,
    )
    .join('');

async function send(rows: readonly Row[], source = 'trap'): Promise<readonly [number, Record<string, unknown>]> {
  const response = await fetch(`${server.base}/v1/evidence?source=${source}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson' },
    body: linesOf(rows),
  });
  return [response.status, (await response.json()) as Record<string, unknown>];
}

async function typesOf(ip: string, at?: number): Promise<readonly string[]> {
  const response = await fetch(
    `${server.base}/pulse/v1/ip/${ip}${at === undefined ? '' : `?at=${new Date(at).toISOString()}`}`,
    {
      headers: { 'x-api-key': key },
    },
  );
  const body = (await response.json()) as { evidence?: readonly { risk_type: string }[] };
  return (body.evidence ?? []).map(({ risk_type: type }) => type).sort();
}
const derivedOf = (ip: string) =>
  (
    JSON.parse(pulseOver(server.dataDir, ['lookup', ip, '--explain']).stdout) as {
      explain: { derived?: readonly Record<string, unknown>[] };
    }
  ).explain.derived;

test('an attack from a listed address of an access network makes it a hijacked proxy, from the moment of the attack on', async () => {
  const now = Date.now();
  const at = now - 60_000;
  for (const ip of ['1.2.3.4', '8.8.8.77']) await send([{ ip, at: at - 60_000, riskType: 'proxy' }], 'exits');
  assert.equal(
    (
      await send([
        { ip: '1.2.3.4', at },
        { ip: '8.8.8.77', at },
        { ip: '1.2.3.5', at },
      ])
    )[0],
    202,
  );
  await eventually(async () =>
    assert.deepEqual(await typesOf('1.2.3.4'), ['hijacked_proxy', 'honeypot_credential', 'proxy']),
  );
  assert.deepEqual(await typesOf('8.8.8.77'), ['honeypot_credential', 'proxy'], 'hosting is not a home');
  assert.deepEqual(await typesOf('1.2.3.5'), ['honeypot_credential'], 'nothing lists it');
  assert.deepEqual(derivedOf('1.2.3.4'), [
    {
      risk_type: 'hijacked_proxy',
      prefix: '1.2.3.4/32',
      at: new Date(at).toISOString(),
      reason: `trap saw it attack while exits listed it, on unnamed space (rules ${DERIVATION_RULES.version})`,
      seen_by: ['trap'],
    },
  ]);
  assert.equal(derivedOf('8.8.8.77'), undefined);
});

test('an address that a list of proxy bots names where a usage code says DYN is a hijacked proxy, and explain says why', async () => {
  const others = Array.from({ length: 1000 }, (_, i) => `8.8.${i % 100}.${9 + Math.floor(i / 100)};GOOGLE`);
  writeFileSync(
    join(folder, 'avastel-1day.txt'),
    ['# proxy bots', '', 'ip;as', '12.0.7.7;HOME', '1.2.77.7;UNNAMED', ...others].join('\n'),
  );
  const listedAt = Date.now() - 60_000;
  const { status, stderr } = pulseOver(server.dataDir, [
    'feeds',
    'import',
    folder,
    '--captured-at',
    new Date(listedAt).toISOString(),
  ]);
  assert.equal(status, 0, stderr);
  await eventually(async () => assert.deepEqual(await typesOf('12.0.7.7'), ['hijacked_proxy']));
  assert.deepEqual(await typesOf('8.8.8.9'), ['proxy'], 'hosting is not a home');
  assert.deepEqual(await typesOf('1.2.77.7'), ['proxy'], 'nor is space without a code');
  assert.deepEqual(
    [await typesOf('12.0.7.7', listedAt), await typesOf('12.0.7.7', listedAt - 1)],
    [['hijacked_proxy'], []],
  );
  assert.deepEqual(derivedOf('12.0.7.7'), [
    {
      risk_type: 'hijacked_proxy',
      prefix: '12.0.7.7/32',
      at: new Date(listedAt).toISOString(),
      reason: `avastel-1day lists proxy bots, and network data said DYN or MOB of the address when this was accepted (rules ${DERIVATION_RULES.version})`,
      seen_by: ['avastel-1day'],
    },
  ]);
  assert.equal(derivedOf('1.2.77.7'), undefined);
});

test('an import from a file derives as the intake does', async () => {
  const now = Date.now();
  await send([{ ip: '1.2.4.4', at: now - 60_000, riskType: 'proxy' }], 'exits');
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, linesOf([{ ip: '1.2.4.4', at: now - 30_000 }]));
  pulseJson(server.dataDir, ['evidence', 'import', file, '--source', 'logs']);
  await eventually(async () =>
    assert.deepEqual(await typesOf('1.2.4.4'), ['hijacked_proxy', 'honeypot_credential', 'proxy']),
  );
});

test('a heartbeat without rows shows that a sensor is alive and how its clock goes', async () => {
  const beat = (source: string, sentAt: number) =>
    fetch(`${server.base}/v1/evidence?source=${source}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson', 'x-pulse-sent-at': String(sentAt) },
    });
  const response = await beat('quiet', Date.now() - 600_000);
  assert.deepEqual([response.status, await response.json()], [202, { lines: 0, accepted: 0, added: 0, refused: {} }]);
  interface Shown {
    readonly source: string;
    readonly seen_at?: string;
    readonly silent?: boolean;
    readonly clock_offset_ms?: number;
    readonly newest_at?: string;
  }
  await eventually(() => {
    const shown = (pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly Shown[]).find(
      ({ source }) => source === 'quiet',
    );
    assert.ok(
      shown?.clock_offset_ms !== undefined && shown.clock_offset_ms >= 600_000 && shown.clock_offset_ms < 700_000,
      JSON.stringify(shown),
    );
    assert.deepEqual(
      [shown.silent, shown.newest_at, Date.parse(shown.seen_at!) > Date.now() - 100_000],
      [false, undefined, true],
    );
  });
  const { stdout } = pulseOver(server.dataDir, ['evidence', 'sources']);
  assert.match(stdout, /^quiet {2}never\n {2}heard \S+, its clock is 600 s behind$/m);
});

test('a log that is followed reports to the service, shows that it is alive, and ends on a signal', async (t) => {
  const [log, keyFile] = [join(folder, 'auth.log'), join(folder, 'key')];
  writeFileSync(keyFile, `${key}\n`);
  writeFileSync(
    log,
    `${new Date().toISOString()} host sshd[7]: Failed password for invalid user admin from 198.14.7.77 port 4000 ssh2\n`,
  );
  const args = `evidence follow ${log} --format sshd --attempts 1 --interval 1 --source followed`.split(' ');
  const child = spawn(
    process.execPath,
    [MAIN, ...args, '--folder', join(folder, 'follow'), '--report', server.base, '--key-file', keyFile],
    {
      env: { ...pulseEnvironment, PULSE_DATA_DIR: folder, PULSE_LOG: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await eventually(async () => assert.deepEqual(await typesOf('198.14.7.77'), ['honeypot_credential']), {
    hint: () => output,
    withinMs: 60_000,
  });
  await eventually(() => {
    const shown = pulseJson(server.dataDir, ['evidence', 'sources']) as unknown as readonly {
      readonly source: string;
      readonly seen_at?: string;
    }[];
    assert.ok(shown.find(({ source }) => source === 'followed')?.seen_at !== undefined);
  });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.equal((await ended)[0], 0, output);
  assert.ok(!output.includes(key) && !output.includes('admin'), output);
});

test('the names of derived captures and of beacons are the service’s own', async () => {
  for (const source of ['derived', 'beacon.bcn_0123456789abcdef']) {
    const [status, body] = await send([{ ip: '1.2.3.9', at: Date.now() }], source);
    assert.deepEqual([status, (body['error'] as { code: string }).code], [400, 'bad_request']);
    for (const command of [
      ['import', '-', '--source', source],
      ['follow', 'auth.log', '--format', 'sshd', '--local', '--source', source],
    ]) {
      const { status: ended, stderr } = pulseOver(server.dataDir, ['evidence', ...command], '');
      assert.equal(ended, 2);
      assert.match(stderr, /captures under the name/);
    }
  }
});
