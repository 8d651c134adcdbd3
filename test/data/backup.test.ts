/** `pulse backup` and `pulse restore` over SQLite, as an operator uses them: under load, cut short, altered. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { requireSpace } from '../../src/adapters/backup/write-backup.ts';
import { restoreMarker } from '../../src/adapters/data-folder/restore-marker.ts';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const PER_DELIVERY = 100;
/** Copied slowly enough that a process can be killed meanwhile. */
const FILLER = 'lists/filler.bin';
const FILLER_BYTES = 96 * 1024 * 1024;

const folder = testFolder('backup');
const place = (name: string): string => join(folder, name);
let server: ServeProcess;
let operator: ReturnType<typeof createKey>;
let customer: ReturnType<typeof createKey>;
before(async () => {
  server = await serveProcess();
  operator = createKey(server.dataDir, 'operator', ['--plan', 'private', '--operator'], ['--evidence']);
  customer = createKey(server.dataDir, 'customer', ['--plan', 'private']);
  mkdirSync(join(server.dataDir, 'lists'), { recursive: true });
  writeFileSync(join(server.dataDir, FILLER), '');
  truncateSync(join(server.dataDir, FILLER), FILLER_BYTES);
});
after(() => server.dispose());

const over = (dataDir: string, ...words: readonly string[]) =>
  pulseCommand(words, { env: { PULSE_DATA_DIR: dataDir } });
const started = (dataDir: string, ...words: readonly string[]) =>
  spawn(process.execPath, [MAIN, ...words], { env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir }, stdio: 'ignore' });

const addressOf = (n: number): string => `45.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;

/** Sends delivery after delivery until it is stopped. Each is one transaction of the store. */
function startIntake(): { readonly acknowledged: () => number; readonly stop: () => Promise<void> } {
  let sent = 0;
  let isStopped = false;
  const work = (async () => {
    while (!isStopped) {
      const captured_at = new Date().toISOString();
      const rows = Array.from({ length: PER_DELIVERY }, (_, row) =>
        JSON.stringify({ ip: addressOf(sent * PER_DELIVERY + row), risk_type: 'proxy', captured_at }),
      );
      const answer = await fetch(`${server.base}/v1/evidence?source=trap`, {
        method: 'POST',
        headers: { 'X-API-Key': operator.key, 'Content-Type': 'application/x-ndjson' },
        body: rows.join('\n'),
      });
      assert.ok(answer.ok, await answer.text());
      sent++;
    }
  })();
  return {
    acknowledged: () => sent,
    stop: () => {
      isStopped = true;
      return work;
    },
  };
}

const count = (path: string, table: string): number => {
  const database = new DatabaseSync(path, { readOnly: true });
  const { rows } = database.prepare(`select count(*) as rows from ${table}`).get() as { rows: number };
  database.close();
  return rows;
};

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

test('a backup under intake ends, holds everything before its moment, and runs as the same installation elsewhere', async (t) => {
  covers('BACKUP');
  for (let n = 0; n < 7; n++) await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': customer.key } });
  const intake = startIntake();
  await eventually(() => intake.acknowledged() > 10);
  const [before, beganAt] = [intake.acknowledged(), Date.now()];
  // In a process of its own: the intake of this one goes on.
  const [status] = await once(started(server.dataDir, 'backup', place('whole')), 'exit');
  const [after, tookSec] = [intake.acknowledged(), (Date.now() - beganAt) / 1000];
  await intake.stop();
  assert.equal(status, 0);
  assert.ok(after > before, 'captures came meanwhile');
  const captures = count(place('whole/evidence.db'), 'events');
  assert.equal(captures % PER_DELIVERY, 0, 'whole deliveries');
  assert.ok(
    captures >= before * PER_DELIVERY && captures <= (after + 1) * PER_DELIVERY,
    `${captures} of ${before}-${after}`,
  );
  t.diagnostic(`${tookSec.toFixed(1)} s under ${Math.round(((after - before) * PER_DELIVERY) / tookSec)} captures/s`);
  for (const path of filesIn(place('whole'))) assert.equal(statSync(path).mode & 0o777, 0o600, path);

  const restored = over(place('elsewhere'), 'restore', place('whole'), '--json');
  assert.equal(restored.status, 0, restored.stderr);
  const second = await serveProcess({ dataDir: place('elsewhere') });
  try {
    const ask = (path: string) => fetch(second.base + path, { headers: { 'X-API-Key': customer.key } });
    const me = (await (await ask('/v1/me')).json()) as { used_today: number };
    assert.equal(me.used_today, 7);
    const seen = await ask(`/v1/ip/${addressOf(0)}`);
    assert.equal(((await seen.json()) as { evidence_state: string }).evidence_state, 'active');
  } finally {
    await second.kill();
  }
});

test('a backup that was killed is not taken for one', async () => {
  covers('BACKUP');
  const child = started(server.dataDir, 'backup', place('cut'));
  await eventually(() => existsSync(join(place('cut'), FILLER)), { everyMs: 1 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(existsSync(place('cut/backup.json')), false);
  const refused = over(place('from-cut'), 'restore', place('cut'));
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /cut is not a whole backup: it has no backup\.json/);
  assert.equal(existsSync(place('from-cut')), false);
  const again = over(server.dataDir, 'backup', place('cut'));
  assert.equal(again.status, 1);
  assert.match(again.stderr, /cut is not empty/);
});

test('no service starts over a restore that was killed, and the same restore finishes it', async () => {
  covers('BACKUP');
  const dataDir = place('killed');
  const child = started(dataDir, 'restore', place('whole'));
  await eventually(() => existsSync(join(dataDir, 'restoring', FILLER)), { everyMs: 1 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const refused = over(dataDir, 'account', 'list');
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    /was cut short; run `pulse restore` \(or `pulse data import`\) with the same backup again/,
  );
  assert.equal(over(dataDir, 'restore', place('whole')).status, 0);
  assert.match(over(dataDir, 'account', 'list').stdout, /customer@example\.com/);

  // As it stands when the process ends between two moves.
  const marker = restoreMarker(dataDir);
  mkdirSync(dirname(marker));
  renameSync(join(dataDir, 'evidence.db'), join(dirname(marker), 'evidence.db'));
  cpSync(place('whole/backup.json'), marker);
  assert.match(over(dataDir, 'account', 'list').stderr, /was cut short/);
  assert.equal(over(dataDir, 'restore', place('whole')).status, 0);
  assert.equal(count(join(dataDir, 'evidence.db'), 'events'), count(place('whole/evidence.db'), 'events'));
  assert.equal(existsSync(dirname(marker)), false);
});

test('a restore refuses a folder in use, a folder with data, and a backup that is not what was written', () => {
  covers('BACKUP');
  const inUse = over(server.dataDir, 'restore', place('whole'));
  assert.equal(inUse.status, 1);
  assert.match(inUse.stderr, /a service uses .*; stop it first/);
  mkdirSync(place('used'));
  writeFileSync(place('used/pulse.db'), 'mine');
  const used = over(place('used'), 'restore', place('whole'));
  assert.equal(used.status, 1);
  assert.match(used.stderr, /used holds data; move it away first: mv \S+used \S+used\.before/);
  assert.equal(readFileSync(place('used/pulse.db'), 'utf8'), 'mine');

  for (const [name, alter] of [
    ['pulse.db', (path: string) => appendFileSync(path, 'x')],
    ['secret', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(/./, '~'))],
    ['data.json', (path: string) => rmSync(path)],
  ] as const) {
    const kept = readFileSync(place(`whole/${name}`));
    alter(place(`whole/${name}`));
    const refused = over(place('never'), 'restore', place('whole'));
    writeFileSync(place(`whole/${name}`), kept);
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      new RegExp(`whole is damaged; nothing was changed:\\n.*${name} is (missing|not what was written)`),
    );
    assert.equal(existsSync(place('never')), false);
  }
});

test('without the secret a backup holds none, and a start asks for the one of the installation', () => {
  covers('BACKUP');
  const secret = readFileSync(join(server.dataDir, 'secret'), 'utf8').trim();
  assert.equal(over(server.dataDir, 'backup', place('bare'), '--no-secret').status, 0);
  for (const path of filesIn(place('bare'))) assert.equal(readFileSync(path).includes(secret), false, path);
  const restored = over(place('second'), 'restore', place('bare'));
  assert.equal(restored.status, 0, restored.stderr);
  assert.match(restored.stdout, /the secret is not in this backup: put \S+secret back before the start/);
  assert.match(over(place('second'), 'account', 'list').stderr, /secret is missing/);
  writeFileSync(place('second/secret'), `${secret}x\n`);
  assert.match(over(place('second'), 'account', 'list').stderr, /secret is not the one/);
  writeFileSync(place('second/secret'), `${secret}\n`);
  assert.equal(over(place('second'), 'account', 'list').status, 0);
});

test('a backup refuses a folder without data, a damaged one, its own data folder and a disk that is too small', async () => {
  covers('BACKUP');
  const nowhere = over(place('nowhere'), 'backup', place('of-nothing'));
  assert.match(nowhere.stderr, /nowhere holds no data of a service/);
  assert.equal(existsSync(place('nowhere')), false);
  assert.match(over(server.dataDir, 'backup', join(server.dataDir, 'copy')).stderr, /is inside the data folder/);
  cpSync(place('second'), place('torn'), { recursive: true });
  truncateSync(place('torn/evidence.db'), 5000);
  assert.match(over(place('torn'), 'backup', place('of-torn')).stderr, /is not whole:\n.*evidence\.db is damaged/);
  assert.equal(existsSync(place('of-torn')), false);
  await assert.rejects(requireSpace(folder, 2 ** 60), /MiB are needed and \d+ MiB are free/);
});
