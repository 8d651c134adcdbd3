/** `pulse trial` and `pulse enrich --at line`: each record judged by what was known at its own time. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { TrialDocument } from '../../src/core/trial/trial-document.ts';
import { covers } from '../spec/covers.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('trial');
const path = (name: string): string => join(dataDir, name);
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

/** A line of an access log. */
function line(ip: string, minutes: number): string {
  const [, month, day, year, time] = /^\w+ (\w+) (\d+) (\d+) ([\d:]+)/.exec(
    minutesAgo(minutes)
      .toUTCString()
      .replace(/^(\w+), (\d+) (\w+)/, '$1 $3 $2'),
  )!;
  return `${ip} - - [${day}/${month}/${year}:${time} +0000] "GET / HTTP/1.1" 200 1 "-" "x"\n`;
}

before(() => {
  writeSyntheticGeo(dataDir);
  const row = (ip: string, minutes: number): string =>
    JSON.stringify({ ip, risk_type: 'proxy', captured_at: minutesAgo(minutes).toISOString() });
  writeFileSync(path('captures.ndjson'), [row('1.2.3.4', 60), row('2001:4860::7', 60)].join('\n'));
  const since = minutesAgo(600).toISOString();
  const run = pulseOver(dataDir, ['evidence', 'import', path('captures.ndjson'), '--source', 'own', '--since', since]);
  assert.equal(run.status, 0, run.stderr);
  writeFileSync(
    path('access.log'),
    [
      line('1.2.3.4', 50),
      line('1.2.3.4', 90),
      line('1.2.3.5', 50),
      line('2001:4860::7', 50),
      line('10.0.0.1', 50),
      line('1.2.3.4', 700),
      'no address in this line\n',
    ].join(''),
  );
  const login = (user: string, ip: string, minutes: number): string =>
    `${user},${ip},${minutesAgo(minutes).toISOString()}`;
  writeFileSync(
    path('logins.csv'),
    ['user,ip,time', login('ann', '1.2.3.4', 50), login('ann', '1.2.3.5', 40), login('bob', '1.2.3.4', 90)].join('\n'),
  );
  writeFileSync(path('policy.json'), JSON.stringify({ deny: 70 }));
});

function trial(...args: readonly string[]): TrialDocument {
  const run = pulseOver(dataDir, ['trial', path('access.log'), '--policy', path('policy.json'), '--json', ...args]);
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout) as TrialDocument;
}

test('a record is judged at its own time; none is lost without a number', () => {
  covers('TRIAL');
  const found = trial('--at', 'line', '--good', path('logins.csv'));
  assert.deepEqual(found.records, {
    total: 7,
    judged: 3,
    without_address: 1,
    reserved_address: 1,
    without_time: 0,
    time_to_come: 0,
    before_history: 1,
    without_history: 1,
  });
  assert.deepEqual(found.requests, { allow: 2, challenge: 0, deny: 1 });
  assert.deepEqual(found.addresses, { allow: 1, challenge: 0, deny: 1 });
  assert.deepEqual(found.shared_addresses, { allow: 0, challenge: 0, deny: 0 });
  assert.equal(
    found.hours.reduce((sum, { deny }) => sum + deny, 0),
    1,
  );
  const [top] = found.top;
  assert.deepEqual([top?.ip, top?.requests, top?.action], ['1.2.3.4', 2, 'deny']);
  assert.match(top!.reason, /^proxy, (9|10) minutes ago, on 1 of 14 days$/);
  const { logins, people, stopped } = found.logins!;
  assert.deepEqual(
    [logins, people],
    [
      { allow: 2, challenge: 0, deny: 1 },
      { allow: 1, challenge: 0, deny: 1 },
    ],
  );
  assert.deepEqual(
    stopped.map(({ user, ip }) => [user, ip]),
    [['ann', '1.2.3.4']],
  );
});

test('without a time the verdicts are those of now, of IPv6 too', () => {
  covers('TRIAL');
  const { at, records, requests } = trial();
  assert.ok(Date.now() - Date.parse(at) < 120_000);
  assert.deepEqual([records.judged, records.reserved_address, records.without_address], [5, 1, 1]);
  assert.deepEqual(requests, { allow: 1, challenge: 0, deny: 4 });
});

test('the text names what was counted', () => {
  const args = [
    'trial',
    path('access.log'),
    '--policy',
    path('policy.json'),
    '--good',
    path('logins.csv'),
    '--at',
    'line',
  ];
  const { stdout } = pulseOver(dataDir, args);
  assert.match(stdout, /^3 of 7 records judged\nnot judged, without address: 1\n/);
  assert.match(stdout, /^requests: allow 2 \(66\.7 %\), challenge 0 \(0\.0 %\), deny 1 \(33\.3 %\)$/m);
  assert.match(stdout, /^ {2}deny {6}ann {2}1\.2\.3\.4/m);
});

test('a policy that is none is refused with its fault', () => {
  writeFileSync(path('wrong.json'), '{"denny": 70}');
  const run = pulseOver(dataDir, ['trial', path('access.log'), '--policy', path('wrong.json')]);
  assert.notEqual(run.status, 0);
  assert.match(run.stderr, /no field "denny"/);
});

test('enrich --at line gives each line the verdict of its own time', () => {
  covers('TRIAL');
  const fields = ['--fields', 'evidence_state,error.code', '--output', 'ndjson'];
  const run = pulseOver(dataDir, ['enrich', path('access.log'), '--at', 'line', ...fields]);
  assert.equal(run.status, 0, run.stderr);
  const found = run.stdout
    .trimEnd()
    .split('\n')
    .map((text) => (JSON.parse(text) as { pulse?: { evidence_state: string; error: { code: string } } }).pulse);
  assert.deepEqual(
    found.map((fields) => fields && (fields.evidence_state ?? fields.error.code)),
    ['active', 'none', 'none', 'history_no_ipv6', 'reserved_ip', 'at_out_of_window', undefined],
  );
  for (const more of [
    ['--report', path('x.html')],
    ['--server', 'http://127.0.0.1:1'],
  ])
    assert.equal(pulseOver(dataDir, ['enrich', path('access.log'), '--at', 'line', ...more]).status, 2);
});
