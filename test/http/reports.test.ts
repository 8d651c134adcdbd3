/** Reports and checks in AbuseIPDB's form, by hand and by Debian's fail2ban with its shipped action and one changed line. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { type Body, FORMS, REFUSED } from './reports.fixture.ts';

const folder = testFolder('reports');
let server: ServeProcess;
let reporter: string;
let scans: string;
let customer: string;

before(async () => {
  server = await serveProcess();
  const sends = (source: string, ...more: string[]) =>
    createKey(server.dataDir, source, ['--operator'], ['--send-only', '--source', source, ...more]).key;
  reporter = sends('fail2ban');
  scans = sends('scans', '--kinds', 'honeypot_scan');
  customer = createKey(server.dataDir, 'customer', []).key;
});
after(() => server?.dispose());

interface Answer {
  readonly status: number;
  readonly data: { readonly abuseConfidenceScore: number; readonly [name: string]: unknown };
  readonly error: { readonly code: string };
}

async function report(key: string, query = '', body?: Body): Promise<Answer> {
  const answer = await fetch(`${server.base}/api/v2/report${query}`, {
    method: 'POST',
    headers: { Key: key, Accept: 'application/json' },
    body: body ?? null,
  });
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) };
}

async function check(ip: string, key = customer): Promise<Answer> {
  const answer = await fetch(`${server.base}/api/v2/check?ipAddress=${ip}&maxAgeInDays=90`, { headers: { Key: key } });
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) };
}

const scoreOf = async (ip: string): Promise<number> => (await check(ip)).data?.abuseConfidenceScore ?? 0;

test('a report is a capture of own collection, of the kind of its categories, and check answers with the score', async () => {
  covers('REPORT-IN');
  for (const [ip, body] of FORMS) {
    const { status, data } = await report(reporter, '', body);
    assert.deepEqual([status, data?.['ipAddress']], [200, ip]);
  }
  const query = `?ip=1.2.4.3&categories=21&timestamp=${encodeURIComponent(new Date(server.now() - 1000).toISOString())}`;
  assert.equal((await report(reporter, query)).status, 200, 'fields in the query, as AbuseIPDB’s own example has it');
  await eventually(async () => (await scoreOf('1.2.4.3')) === 45);
  for (const [ip, , score] of FORMS) assert.equal(await scoreOf(ip), score, ip);
  const { data } = await check('1.2.4.1');
  assert.deepEqual(data, {
    ipAddress: '1.2.4.1',
    isPublic: true,
    ipVersion: 4,
    abuseConfidenceScore: 80,
    countryCode: 'BR',
    level: 'high',
    evidenceState: 'active',
  });
  assert.doesNotMatch(server.output(), /Failed password/);
});

test('rules of the intake hold: kinds and sources of the key, addresses, times', async () => {
  covers('REPORT-IN');
  const keys = { customer, wrong: 'pk_wrong', scans, reporter };
  for (const [key, body, ...expected] of REFUSED) {
    const { status, error } = await report(keys[key], '', body);
    assert.deepEqual([status, error.code], expected);
  }
  assert.equal((await check('1.2.4.9')).data.abuseConfidenceScore, 0);
  assert.equal((await check('1.2.4.9', reporter)).status, 403, 'a send-only key asks nothing');
  assert.equal((await check('x')).status, 400);
  assert.equal((await fetch(`${server.base}/api/v2/check?ipAddress=1.2.4.1`)).status, 401);
});

test('Debian’s fail2ban reports with its own action, whose address alone is changed', async (t) => {
  covers('REPORT-IN');
  const program = findProgram('fail2ban-server', 'fail2ban');
  if (program === undefined || findProgram('curl', 'curl') === undefined)
    return t.skip('fail2ban or curl is not installed and cannot be installed here');
  const config = join(folder, 'fail2ban');
  mkdirSync(config);
  for (const part of ['action.d', 'filter.d', 'fail2ban.conf', 'paths-common.conf', 'paths-debian.conf'])
    cpSync(join('/etc/fail2ban', part), join(config, part), { recursive: true });
  const shipped = readFileSync('/etc/fail2ban/action.d/abuseipdb.conf', 'utf8');
  const changed = shipped.replace('https://api.abuseipdb.com', server.base);
  assert.notEqual(changed, shipped);
  writeFileSync(join(config, 'action.d/pulse.conf'), changed);
  const log = join(folder, 'auth.log');
  writeFileSync(log, '');
  const at = (name: string): string => join(folder, name);
  writeFileSync(
    join(config, 'fail2ban.local'),
    `[Definition]\nlogtarget = ${at('fail2ban.log')}\nsocket = ${at('fail2ban.sock')}\npidfile = ${at('fail2ban.pid')}\ndbfile = None\n`,
  );
  writeFileSync(
    join(config, 'jail.conf'),
    `[ssh]\nenabled = true\nfilter = sshd\nbackend = polling\nlogpath = ${log}\nmaxretry = 3\nfindtime = 600\nbantime = 600\naction = pulse[abuseipdb_apikey="${reporter}", abuseipdb_category="18,22"]\n`,
  );
  const child = spawn(program, ['-f', '-x', '-c', config, 'start'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const said = (): string => (existsSync(at('fail2ban.log')) ? readFileSync(at('fail2ban.log'), 'utf8') : '');
    await eventually(() => said().includes("Jail 'ssh' started"), { hint: said });
    const stamp = new Date()
      .toString()
      .slice(4, 24)
      .replace(/^(\w+ \d+) \d+ /, '$1 ');
    for (let i = 0; i < 4; i++)
      appendFileSync(
        log,
        `${stamp} host sshd[${900 + i}]: Failed password for root from 1.2.4.77 port 4${i}000 ssh2\n`,
      );
    let seen: Answer | undefined;
    const isReported = async (): Promise<boolean> => {
      seen = await check('1.2.4.77');
      return seen.data?.abuseConfidenceScore === 80;
    };
    // The key may ask sixty times a minute.
    await eventually(isReported, {
      everyMs: 1000,
      hint: () => `${JSON.stringify(seen)}\n${said()}\n${server.output()}`,
    });
  } finally {
    spawnSync('fail2ban-client', ['-s', at('fail2ban.sock'), 'stop']);
    child.kill('SIGTERM');
    await ended;
  }
});
