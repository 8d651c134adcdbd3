/** A log that is followed becomes evidence, over rotation, a killed process and a restart. No server: captures go into the data folder. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { unixMs } from '../../src/core/units.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = mkdtempSync(join(tmpdir(), 'pulse-follow-'));
const LOG = join(dataDir, 'auth.log');
const env = { PULSE_DATA_DIR: dataDir };
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const attempt = (n: number): string =>
  `${new Date().toISOString()} host sshd[${n}]: Failed password for invalid user admin from 198.14.7.${n} port 4000 ssh2\n`;
function follow(...more: readonly string[]): { readonly child: ChildProcess; readonly output: () => string } {
  const args = ['evidence', 'follow', LOG, '--format', 'sshd', '--attempts', '1', '--interval', '1', ...more];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...pulseEnvironment, ...env, PULSE_LOG: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  started.push(child);
  return { child, output: () => output };
}
const positionOf = (): number => {
  const file = join(dataDir, 'follow/sshd-log/position.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { offset: number }).offset : -1;
};
const isKept = (hint: () => string): Promise<true> =>
  eventually(() => positionOf() === readFileSync(LOG).length, { hint, withinMs: 60_000 });

test('lines become captures, over rotation, a killed process and a restart', async () => {
  writeFileSync(LOG, attempt(1));
  const first = follow('--local');
  await eventually(() => positionOf() >= 0, { hint: first.output, withinMs: 60_000 });
  appendFileSync(LOG, attempt(2));
  await isKept(first.output);
  renameSync(LOG, `${LOG}.1`);
  appendFileSync(`${LOG}.1`, attempt(3));
  writeFileSync(LOG, attempt(4));
  await isKept(first.output);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  appendFileSync(LOG, attempt(5));
  copyFileSync(LOG, `${LOG}.2`);
  truncateSync(LOG);
  // More than was read before, in whichever file.
  appendFileSync(LOG, attempt(6) + attempt(7) + attempt(8));
  const second = follow('--local');
  await isKept(second.output);
  const another = pulseProcess(['evidence', 'follow', LOG, '--format', 'sshd', '--local'], { env });
  assert.deepEqual([another.status, /another process follows/.test(another.stderr)], [1, true], another.stderr);
  second.child.kill('SIGTERM');
  const [status] = (await once(second.child, 'exit')) as [number | null];
  assert.equal(status, 0, second.output());
  const store = new SqliteHistory(join(dataDir, 'evidence.db'));
  const found = [1, 2, 3, 4, 5, 6, 7, 8].map((n) =>
    store.observationsAt(parseAnyAddress(`198.14.7.${n}`)!, unixMs(Date.now())),
  );
  await store.close();
  const brief = found.map((all) => all.map(({ riskType, source }) => `${source} ${riskType}`));
  const seen = ['sshd-log honeypot_credential'];
  assert.deepEqual(
    brief,
    [[], ...Array(7).fill(seen)],
    'the first line stood there before: a log is followed from its end',
  );
});

test('a trial prints what would be reported, keeps nothing and takes wrong usage for what it is', async () => {
  const trial = follow('--try', '--from-start', '--source', 'trial');
  await eventually(() => /"ip":"198\.14\.7\.6".*"protocol":"ssh"/.test(trial.output()), {
    hint: trial.output,
    withinMs: 60_000,
  });
  trial.child.kill('SIGTERM');
  await once(trial.child, 'exit');
  assert.ok(!trial.output().includes('admin'), 'no name that a client chose');
  assert.ok(!existsSync(join(dataDir, 'follow/trial')));
  for (const wrong of [
    ['--format', 'sshd'],
    ['--format', 'sshd', '--report', 'https://pulse.example'],
    ['--format', 'syslog', '--try'],
    ['--format', 'sshd', '--try', '--zone', 'Nowhere/At_all'],
    ['--format', 'nginx', '--try', '--statuses', '404,x'],
  ])
    assert.equal(pulseCommand(['evidence', 'follow', LOG, ...wrong], { env }).status, 2, wrong.join(' '));
});
