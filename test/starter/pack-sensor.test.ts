/** The sensor's own package, installed and run as on a machine of its own, on every Node here that it supports. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { sensorProcess } from '../support/sensor-process.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const UNPACKED_MAX_BYTES = 15 * 1024 * 1024;
const folder = testFolder('pack-sensor');
const installed = join(folder, 'node_modules/pulse-sensor');
const program = join(installed, 'pulse-sensor.mjs');
const NODES = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((node) => {
  if (!existsSync(node)) return false;
  const [major = 0, minor = 0] = spawnSync(node, ['--version'], { encoding: 'utf8' })
    .stdout.slice(1)
    .split('.')
    .map(Number);
  return major > 22 || (major === 22 && minor >= 15);
});

before(() => {
  const packed = spawnSync(process.execPath, [join(ROOT, 'scripts/pack.mjs'), 'sensor', folder], { encoding: 'utf8' });
  assert.equal(packed.status, 0, packed.stderr);
  // Offline: the package has everything that it needs.
  const npm = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, packed.stdout.trim()];
  const done = spawnSync('npm', npm, { encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 0, done.stderr);
});

describe('npm run pack -- sensor', () => {
  test('the package is small, and holds one program with its manual, unit and licences', () => {
    const files = globSync('**/*', { cwd: installed }).filter((file) => statSync(join(installed, file)).isFile());
    assert.deepEqual(files.sort(), [
      ...['LICENSE', 'README.md', 'THIRD-PARTY-LICENCES', 'package.json', 'pulse-sensor.mjs', 'pulse-sensor.service'],
    ]);
    const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
    assert.ok(bytes < UNPACKED_MAX_BYTES, String(bytes));
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    assert.equal(manifest['dependencies'], undefined);
    const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENCES'), 'utf8');
    for (const library of ['ssh2', 'pino', 'commander']) assert.match(licences, new RegExp(`^${library} \\d`, 'm'));
    assert.match(
      readFileSync(join(installed, 'pulse-sensor.service'), 'utf8'),
      /^ExecStart=\/usr\/bin\/node \/opt\/pulse-sensor\/pulse-sensor\.mjs sensor --report /m,
    );
  });

  test('it has no server, store or data: other commands and --local are wrong usage', () => {
    const run = (...args: readonly string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
    assert.match(run('--help').stdout, /sensor [\s\S]*follow /);
    for (const args of [['serve'], ['lookup', '8.8.8.8'], ['sensor', '--local']])
      assert.equal(run(...args).status, 2, args.join(' '));
  });

  for (const node of NODES)
    test(`its captures are evidence of the service, and a followed log is read (${node})`, async (t) => {
      covers('SENSOR-PACKAGE');
      const [dataDir, sensorDir] = [testFolder('service'), testFolder('sensor')];
      writeSyntheticGeo(dataDir);
      const { key } = createKey(
        dataDir,
        'operator',
        ['--plan', 'professional', '--operator', '--dpa'],
        ['--send-only', '--source', 'trap-1'],
      );
      const keyFile = join(sensorDir, 'key');
      writeFileSync(keyFile, key);
      const server: ServeProcess = await serveProcess({ dataDir });
      t.after(() => server.stop());
      const args = ['--report', server.base, '--key-file', keyFile, '--name', 'trap-1'];
      const sensor = await sensorProcess(['telnet', 'ssh'], sensorDir, args, [node, program]);
      t.after(() => sensor.stop('SIGKILL'));
      for (const [protocol, address, bytes] of [
        ['telnet', '5.5.5.5', 'root\r\n'],
        ['ssh', '5.5.5.6', 'SSH-2.0-probe\r\n'],
      ] as const) {
        const client = connect(await sensor.relay(protocol, address), '127.0.0.1');
        client.on('error', () => undefined).end(bytes);
        const seen = async (): Promise<boolean> => {
          const verdict = (await (await fetch(`${server.base}/v1/ip/${address}`)).json()) as { evidence_state: string };
          return verdict.evidence_state === 'active';
        };
        await eventually(seen, { withinMs: 30_000, everyMs: 200, hint: () => sensor.logged() });
        client.destroy();
      }
      assert.equal(await sensor.stop(), 0);
      const line = 'Nov 20 10:00:00 h sshd[1]: Failed password for root from 5.5.5.7 port 4242 ssh2\n';
      const followed = spawnSync(
        node,
        [program, 'follow', '-', '--format', 'sshd', '--attempts', '1', '--zone', 'UTC', '--try'],
        {
          input: line,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], PULSE_DATA_DIR: sensorDir },
        },
      );
      assert.equal(followed.status, 0, followed.stderr);
      assert.match(followed.stdout, /"ip":"5\.5\.5\.7"/);
    });
});
