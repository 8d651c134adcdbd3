/**
 * A log that is followed becomes evidence, over rotation, a killed process and a restart. No server: captures
 * go into the data folder.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { unixMs } from '../../src/core/units.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = testFolder('follow');
const LOG = join(dataDir, 'auth.log');
const env = { PULSE_DATA_DIR: dataDir };
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill('SIGKILL');
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
/** State of the store about the clients of attempts 1 to `n`. */
async function capturesOf(n: number): Promise<readonly string[]> {
  const store = new SqliteHistory(join(dataDir, 'evidence.db'));
  try {
    return Array.from({ length: n }, (_, i) =>
      store
        .observationsAt(parseAnyAddress(`198.14.7.${i + 1}`)!, unixMs(Date.now()))
        .map(({ riskType, source, capturedAt }) => `${source} ${riskType} ${new Date(capturedAt).toISOString()}`)
        .join(),
    );
  } finally {
    await store.close();
  }
}
const areKept = (n: number, hint: () => string): Promise<true> =>
  eventually(async () => (await capturesOf(n)).every((one) => one !== ''), { hint, withinMs: 60_000, everyMs: 200 });
/** Sends a command its end. @returns exit status */
async function ended({ child }: ReturnType<typeof follow>, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  return ((await once(child, 'exit')) as [number | null])[0];
}

test('lines become captures, over rotation, a killed process and a restart; a line that is read again adds none', async () => {
  writeFileSync(LOG, attempt(1));
  const first = follow('--local');
  await areKept(1, first.output);
  appendFileSync(LOG, attempt(2));
  await areKept(2, first.output);
  renameSync(LOG, `${LOG}.1`);
  writeFileSync(LOG, attempt(3));
  await areKept(3, first.output);
  await ended(first, 'SIGKILL');

  const before = await capturesOf(3);
  appendFileSync(LOG, attempt(4));
  const second = follow('--local');
  await areKept(4, second.output);
  assert.deepEqual((await capturesOf(4)).slice(0, 3), before);
  const another = pulseProcess(['evidence', 'follow', LOG, '--format', 'sshd', '--local'], { env });
  assert.deepEqual([another.status, /another process follows/.test(another.stderr)], [1, true], another.stderr);
  assert.equal(await ended(second, 'SIGTERM'), 0, second.output());
  assert.match((await capturesOf(1))[0]!, /^sshd-log honeypot_credential /);
});

test('a stream is read to its end; a log that cannot be followed is a sentence', () => {
  const read = (path: string, input: string, more = {}) =>
    pulseProcess(['evidence', 'follow', path, '--format', 'sshd', '--attempts', '1', '--try'], {
      input,
      env: { ...env, ...more },
    });
  const { status, stdout, stderr } = read('-', attempt(5));
  assert.match(stdout, /^\{"ip":"198\.14\.7\.5".*\}\n$/, stderr);
  assert.equal(status, 0);
  const foreign = read('-', '{"client_ip":"198.14.0.1"}\n');
  assert.match(foreign.stderr, /^no line of the format sshd in 1 line; --format/m);
  assert.equal(foreign.status, 1);
  for (const [path, more, sentence] of [
    [LOG, { PATH: dataDir }, /"there is no command `tail` here: bring the log to standard input/],
    [dataDir, {}, /"msg":"the log is followed no more: tail: /],
  ] as const) {
    const { status, stderr } = read(path, '', more);
    assert.match(stderr, sentence);
    assert.equal(status, 1);
  }
});

test('a trial prints its captures, keeps nothing and refuses wrong usage', async () => {
  const trial = follow('--try', '--source', 'trial');
  await eventually(() => /"ip":"198\.14\.7\.4".*"protocol":"ssh"/.test(trial.output()), {
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
