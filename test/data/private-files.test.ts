/** The data folder holds e-mail addresses, password hashes and evidence: nothing that the program makes may be readable by another user of the machine. */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pulseProcess } from '../support/pulse-command.ts';
import { serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const root = testFolder('private');
let inherited = 0;
before(() => {
  inherited = process.umask(0o022);
});
after(() => process.umask(inherited));

const under = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const open = (folder: string, names: readonly string[]): string[] =>
  names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);

test('a command makes the data folder, and all in it, for its own user', () => {
  const dataDir = join(root, 'of-a-command');
  const made = pulseProcess(['account', 'create', '--email', 'owner@example.com', '--plan', 'free'], {
    env: { PULSE_DATA_DIR: dataDir },
  });
  assert.equal(made.status, 0, made.stderr);
  const names = under(dataDir);
  assert.ok(names.includes('pulse.db'));
  assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  assert.deepEqual(open(dataDir, names), []);
});

test('a served run makes every file for its own user, in a folder that was open too, and says which command closes that', async () => {
  const dataDir = join(root, 'served');
  writeSyntheticGeo(dataDir);
  chmodSync(dataDir, 0o755);
  const given = under(dataDir);
  const server = await serveProcess({ dataDir, env: { PULSE_WORKERS: '1', PULSE_PHONE: 'on' } });
  try {
    assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`)).status, 200);
    const imported = ['evidence', 'import', '-', '--source', 'own', '--risk-type', 'proxy'];
    assert.equal(pulseProcess(imported, { env: { PULSE_DATA_DIR: dataDir }, input: '45.1.1.1\n' }).status, 0);
    const made = under(dataDir).filter((name) => !given.includes(name));
    for (const name of ['pulse.db', 'pulse.db-wal', 'evidence.db', 'secret', 'ledger/seed', 'phone.db'])
      assert.ok(made.includes(name), `${name}: ${made}`);
    assert.deepEqual(open(dataDir, made), []);
    assert.equal(server.output().split(`close it with: chmod -R go= ${dataDir}"`).length, 2, server.output());
  } finally {
    await server.stop();
  }
});
