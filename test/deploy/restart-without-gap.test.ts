/** SIGUSR2: a successor takes the sockets and the ledger over, while callers wait and none is refused. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join, resolve } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { morningZone } from '../support/morning-zone.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { startRedis } from '../support/redis.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const REQUESTS = 6000;
const CALLERS = 4;
const skip = process.platform === 'win32' && 'sockets are not passed on';

const dataDir = testFolder('restart');
let port: number;
let key: string;
let env: Record<string, string | undefined>;
/** Every process of the service, the newest last. */
const pids: number[] = [];
let output = '';

before(async () => {
  port = await freePort();
  writeSyntheticGeo(dataDir);
  env = {
    ...pulseEnvironment,
    PULSE_DATA_DIR: dataDir,
    PULSE_PORT: String(port),
    PULSE_WORKERS: '2',
    PULSE_FEEDS: 'off',
    PULSE_PHONE: 'off',
    PULSE_METRICS: 'off',
    PULSE_LOG: 'info',
    PULSE_QUOTA_TZ: morningZone(),
  };
  const made = createKey(dataDir, 'caller', ['--plan', 'private']);
  pulseJson(dataDir, ['account', 'set', made.accountId, '--per-min', '1000000']);
  key = made.key;
  start();
  await eventually(async () => (await ask('/readyz')).status === 200, { withinMs: 120_000, hint: () => output });
});
after(() => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

function start(more: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => take(String(chunk)));
  pids.push(child.pid!);
  return child;
}

function take(text: string): void {
  output += text;
  for (const [, pid] of text.matchAll(/"successor":(\d+),"msg":"a successor was started/g)) pids.push(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });

const ask = (path: string): Promise<Answer> =>
  new Promise((settle) => {
    const request = get({ port, host: '127.0.0.1', path, agent, headers: { 'X-API-Key': key ?? '' } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => settle({ status: response.statusCode!, body }));
      response.on('error', (error) => settle({ status: 0, body: String(error) }));
    });
    request.on('error', (error) => settle({ status: 0, body: String(error) }));
  });

const current = (): number => pids.findLast(isAlive)!;

async function succeeded(): Promise<void> {
  const [pid, known] = [current(), pids.length];
  process.kill(pid, 'SIGUSR2');
  await eventually(() => pids.length > known && !isAlive(pid), { withinMs: 240_000, hint: () => output });
}

async function restartUnderLoad(t: TestContext): Promise<void> {
  const failed: Answer[] = [];
  const asked = { lookups: 0, others: 0 };
  let isRestarted = false;
  let longestMs = 0;
  const caller = async (): Promise<void> => {
    while (!isRestarted || asked.lookups < REQUESTS) {
      const isLookup = asked.lookups % 50 !== 0 || asked.others * 50 > asked.lookups;
      asked[isLookup ? 'lookups' : 'others']++;
      const began = performance.now();
      const answer = await ask(isLookup ? '/v1/ip/1.2.3.4' : '/robots.txt');
      longestMs = Math.max(longestMs, performance.now() - began);
      if (answer.status !== 200) failed.push(answer);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  for (const from of [REQUESTS / 10, REQUESTS / 2]) {
    await eventually(() => asked.lookups > from, { withinMs: 120_000 });
    await succeeded();
  }
  isRestarted = true;
  await callers;
  t.diagnostic(`${asked.lookups + asked.others} requests, the longest took ${longestMs.toFixed(0)} ms`);
  assert.deepEqual(failed, []);
  const { used_today } = JSON.parse((await ask('/v1/me')).body) as { used_today: number };
  assert.equal(used_today, asked.lookups);
}

test('of 6,000 requests and more over two restarts none fails, and each lookup is counted once', {
  skip,
}, async (t) => {
  covers('RESTART-GAP');
  await restartUnderLoad(t);
});

test('a successor that cannot start changes nothing, and the reason is in the log', { skip }, async () => {
  covers('RESTART-GAP');
  const pid = current();
  const record = readFileSync(join(dataDir, 'data.json'));
  writeFileSync(join(dataDir, 'data.json'), '{"format":99}');
  process.kill(pid, 'SIGUSR2');
  await eventually(() => output.includes('this process goes on answering'), { withinMs: 120_000, hint: () => output });
  writeFileSync(join(dataDir, 'data.json'), record);
  assert.match(output, /was written by a newer release of pulse/);
  await eventually(() => current() === pid);
  assert.equal((await ask('/v1/ip/1.2.3.4')).status, 200);
  await succeeded();
  assert.equal((await ask('/v1/ip/1.2.3.4')).status, 200);
});

test('ten quick reloads refuse nothing, whichever process gets them', { skip }, async () => {
  covers('RESTART-GAP');
  const known = pids.length;
  const failed: Answer[] = [];
  let isDone = false;
  const asking = (async () => {
    while (!isDone) {
      const answer = await ask('/v1/ip/1.2.3.4');
      if (answer.status !== 200) failed.push(answer);
    }
  })();
  for (let reload = 0; reload < 10; reload++) {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGUSR2');
    await setTimeout(500);
  }
  await eventually(() => pids.length > known && pids.filter(isAlive).length === 1, {
    withinMs: 240_000,
    hint: () => output,
  });
  isDone = true;
  await asking;
  assert.deepEqual(failed, []);
});

const UNHEARD = `data:text/javascript,import { registerHooks } from 'node:module';
  let files = 0; process.on('exit', () => console.log(files));
  registerHooks({ load(...a) { if (process.listenerCount('SIGUSR2') < 1) files++; return a[2](a[0], a[1]) } })`;

test('a restart is heard before the service is loaded', { skip }, () => {
  covers('RESTART-GAP');
  const { stdout } = spawnSync(process.execPath, ['--import', UNHEARD, MAIN, 'serve', '--help'], { encoding: 'utf8' });
  assert.match(stdout, /\n[1-9]\n$/);
});

const PROGRAMS = ['systemd-notify', 'perl'];
const lacking = PROGRAMS.find((program) => spawnSync(program, ['--version']).error !== undefined);
/** Prints each datagram that arrives, as systemd reads them. */
const LISTENER = `use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0); bind(S, pack_sockaddr_un($ARGV[0])); $| = 1; print "bound\n";
  while (defined recv(S, my $text, 4096, 0)) { print "$text\n" }`;

test('systemd hears once that the service answers, and the process id of a successor', {
  skip: skip || (lacking !== undefined && `${lacking} is not installed`),
}, async (t) => {
  covers('RESTART-GAP');
  const socket = join(testFolder('notify'), 'socket');
  const listener = spawn('perl', ['-e', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => listener.kill('SIGKILL'));
  let heard = '';
  listener.stdout.on('data', (chunk) => (heard += String(chunk)));
  await eventually(() => heard.includes('bound'));
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  const { pid } = start({ NOTIFY_SOCKET: socket });
  await eventually(() => heard.includes('READY=1'), { withinMs: 120_000, hint: () => output });
  assert.equal((await ask('/readyz')).status, 200);
  await succeeded();
  const told = [...heard.matchAll(/^MAINPID=(\d+)$/gm)].map(([, number]) => Number(number));
  assert.deepEqual(told, [pid, current()]);
  assert.equal(heard.match(/^READY=1$/gm)?.length, 2);
});

test('the same over PostgreSQL and Redis', { skip }, async (t) => {
  covers('RESTART-GAP');
  const [postgres, redis] = [await sharedPostgres(), await startRedis()];
  if ('skip' in postgres) return t.skip(postgres.skip);
  if ('skip' in redis) return t.skip(redis.skip);
  t.after(() => redis.dispose());
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  const folder = testFolder('restart-shared');
  writeSyntheticGeo(folder);
  const stores = { PULSE_DATABASE_URL: await postgres.createDatabase(), PULSE_REDIS_URL: redis.url };
  const made = createKey(folder, 'shared', ['--plan', 'private'], [], stores);
  pulseJson(folder, ['account', 'set', made.accountId, '--per-min', '1000000'], stores);
  key = made.key;
  start({ PULSE_DATA_DIR: folder, ...stores });
  await eventually(async () => (await ask('/readyz')).status === 200, { withinMs: 120_000, hint: () => output });
  await restartUnderLoad(t);
});
