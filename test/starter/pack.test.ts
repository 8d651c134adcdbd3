import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('npm run pack: unpacked, the file serves the API and the built site by npm start, and holds no tests or tools', async (t) => {
  const folder = testFolder('pack');
  const packed = spawnSync(process.execPath, [join(ROOT, 'scripts/pack.mjs'), folder], { encoding: 'utf8' });
  assert.equal(packed.status, 0, packed.stderr);
  spawnSync('tar', ['-xzf', packed.stdout.trim(), '-C', folder]);
  const service = join(folder, 'pulse-0.2.0');
  assert.deepEqual(globSync(['**/*.test.*', '**/*.contract.ts', 'console/src', 'bench', 'test'], { cwd: service }), []);
  // In place of the installation that the first command makes.
  symlinkSync(join(ROOT, 'node_modules'), join(service, 'node_modules'));
  const dataDir = join(folder, 'data');
  writeSyntheticGeo(dataDir);
  const port = await freePort();
  const server = spawn(process.execPath, [join(service, 'scripts/start.mjs')], {
    env: {
      ...{ PATH: process.env['PATH'], PULSE_NO_INSTALL: '1', PULSE_DATA_DIR: dataDir, PULSE_PORT: String(port) },
      ...{ PULSE_FEEDS: 'off', PULSE_PHONE: 'off', PULSE_WORKERS: '1', PULSE_LOG: 'warn' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => server.kill('SIGKILL'));
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  await eventually(async () => (await get('/readyz')).ok, { withinMs: 120_000, everyMs: 200, hint: () => said });
  const verdict = (await (await get('/v1/ip/8.8.8.8')).json()) as { geo: { country: string } };
  assert.equal(verdict.geo.country, 'US');
  const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(await (await get('/en')).text())!;
  assert.equal((await get(script!)).status, 200);
  assert.ok(!existsSync(join(service, 'scripts/build-console.mjs')));
  server.kill();
  assert.deepEqual(await once(server, 'exit'), [0, null], said);
});
