/** `pulse doctor` about everything outside the data folder, and its support bundle. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Redis } from 'iovalkey';
import { covers } from '../spec/covers.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';
import { pulseCommand, pulseOver } from '../support/pulse-command.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { testFolder } from '../support/test-folder.ts';

let server: RedisServer | undefined;
let why = '';
before(async () => {
  const started = await startRedis();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  server = started;
  const redis = new Redis(server.url);
  await redis.call('CONFIG', 'SET', 'requirepass', 'open-sesame');
  redis.disconnect();
});
after(() => server?.dispose());

const NOTHING_LISTENS = 'nothing listens at the address. Start it, or correct the address';

interface Finding {
  readonly subject: string;
  readonly state: string;
  readonly text: string;
}

/** Findings of one subject, with further settings. */
function found(subject: string, env: Readonly<Record<string, string>>, words = 'doctor --json'): readonly string[] {
  const { stdout } = pulseCommand(words, { env: { PULSE_DATA_DIR: testFolder('doctor'), ...env } });
  assert.doesNotMatch(stdout, /sesame|secret-word/);
  return (JSON.parse(stdout) as readonly Finding[])
    .filter((one) => one.subject === subject)
    .map(({ state, text }) => `${state} ${text}`);
}

const redisSaid = (url: string): string => found('stores', { PULSE_REDIS_URL: url })[0]!;

test('the doctor says which Redis cannot count, and why, without the password', async (t) => {
  if (server === undefined) return t.skip(why);
  covers('DOCTOR-STORES');
  const { port } = new URL(server.url);
  const closed = await freePort();
  assert.equal(
    redisSaid(`redis://user:secret-word@127.0.0.1:${closed}/2`),
    `fault Redis at 127.0.0.1:${closed}/2 (PULSE_REDIS_URL) cannot be used: ${NOTHING_LISTENS}. Meanwhile lookups are counted by each node alone, phone lookups are refused`,
  );
  for (const user of ['', ':secret-word@'])
    assert.match(
      redisSaid(`redis://${user}127.0.0.1:${port}`),
      /^fault .*127\.0\.0\.1:\d+ .* refuses user or password of the address\. Correct user and password .* Meanwhile/,
    );
  const right = `redis://:open-sesame@127.0.0.1:${port}`;
  for (const policy of ['allkeys-lru', 'volatile-ttl', 'noeviction']) {
    const redis = new Redis(right);
    await redis.call('CONFIG', 'SET', 'maxmemory-policy', policy);
    redis.disconnect();
    assert.match(
      redisSaid(right),
      policy === 'noeviction' ? /^ok in order$/ : new RegExp(`^warning .* ${policy}: .* Set noeviction$`),
    );
  }
});

test('the doctor says which PostgreSQL cannot be used, and why, without the password', async () => {
  covers('DATABASE-REASONS');
  const closed = await freePort();
  const { status, stdout } = pulseCommand('doctor --json', {
    env: {
      PULSE_DATA_DIR: testFolder('doctor'),
      PULSE_DATABASE_URL: `postgres://user:secret-word@127.0.0.1:${closed}/pulse`,
    },
  });
  const named = (JSON.parse(stdout) as readonly Finding[]).filter(({ text }) => /ECONN|DATABASE_URL/.test(text));
  assert.deepEqual(
    [status, named.map(({ state, text }) => `${state} ${text}`)],
    [
      1,
      [
        `fault PostgreSQL at 127.0.0.1:${closed}/pulse (PULSE_DATABASE_URL) cannot be used: ${NOTHING_LISTENS}. Meanwhile lookups and keys used lately are answered, everything else that needs it is refused`,
      ],
    ],
    'one fault has one line',
  );
});

test('the doctor says why published images cannot be read, and why no mail can be sent', async (t) => {
  covers('DOCTOR-STORES');
  const closed = await freePort();
  const bucket = {
    PULSE_SNAPSHOT_URL: 's3://images/of-pulse',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${closed}`,
    AWS_REGION: 'x',
    AWS_ACCESS_KEY_ID: 'known',
    AWS_SECRET_ACCESS_KEY: 'secret-word',
  };
  assert.deepEqual(found('stores', bucket), [
    `fault the place of images at s3://images/of-pulse (PULSE_SNAPSHOT_URL) cannot be used: ${NOTHING_LISTENS}. Meanwhile nodes answer from the images that they have`,
  ]);
  for (const folder of [testFolder('images'), '/nonexistent/images'])
    assert.match(
      found('stores', { PULSE_SNAPSHOT_URL: folder })[0]!,
      /^warning .* does not exist or holds no image: start an ingest node, .* or correct the setting$/,
    );
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { readonly port: number };
  const company = { PULSE_OIDC_CLIENT_ID: 'pulse', PULSE_OIDC_CLIENT_SECRET: 'secret-word' };
  for (const [at, why] of [
    [`127.0.0.1:${closed}`, NOTHING_LISTENS],
    [`127.0.0.1:${port}`, 'it does not answer. Look at its log, and at the network and firewalls in between'],
  ] as const) {
    assert.deepEqual(found('stores', { PULSE_SMTP_URL: `smtp://user:secret-word@${at}` }), [
      `fault the mail server at ${at} (PULSE_SMTP_URL) cannot be used: ${why}. Meanwhile no mail is sent`,
    ]);
    assert.deepEqual(found('stores', { ...company, PULSE_OIDC_ISSUER: `http://${at}/realms/company` }), [
      `fault company sign-on at http://${at} (PULSE_OIDC_ISSUER) cannot be used: ${why}. Meanwhile people sign in by password alone`,
    ]);
  }
});

test('the doctor says that the receiver of audit rows is not there, and who has a port that the service needs', async (t) => {
  covers('DOCTOR-STORES');
  const closed = await freePort();
  assert.match(
    found('stores', { PULSE_AUDIT_LOG: 'udp://receiver.invalid:514' })[0]!,
    /^fault the receiver of audit rows at receiver\.invalid:514 \(PULSE_AUDIT_LOG\) .* is not known\. Correct the name/,
  );
  assert.match(found('stores', { PULSE_AUDIT_LOG: `tcp://127.0.0.1:${closed}` })[0]!, /^fault .* nothing listens/);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { readonly port: number };
  for (const [setting, env] of [
    ['PULSE_PORT', { PULSE_PORT: String(port), PULSE_METRICS: 'off' }],
    ['PULSE_METRICS', { PULSE_PORT: '0', PULSE_METRICS: `127.0.0.1:${port}` }],
  ] as const)
    assert.deepEqual(found('port', env), [
      `warning port ${port} on 127.0.0.1 is in use; choose another with ${setting}, unless it is this service that listens there`,
    ]);
});

test('settings that cannot be used are findings of one document, each with what to do', () => {
  covers('DOCTOR-STORES');
  const file = join(testFolder('doctor'), 'missing.key');
  const { status, stdout, stderr } = pulseCommand('doctor --json', {
    env: {
      PULSE_PROT: '1',
      PULSE_QUOTA_TZ: 'Mars/Base',
      PULSE_TRUSTED_PROXIES: '300.0.0.1',
      PULSE_DECIDE_KEY_FILE: file,
      PULSE_AUDIT_LOG: join(file, 'audit.ndjson'),
    },
  });
  assert.deepEqual([status, stderr], [1, '']);
  const findings = JSON.parse(stdout) as readonly Finding[];
  assert.deepEqual(new Set(findings.map(({ subject, state }) => `${subject} ${state}`)), new Set(['settings fault']));
  const text = findings.map((one) => one.text).join('\n');
  for (const wanted of [
    'PULSE_PROT: there is no such setting; the nearest is PULSE_PORT',
    'PULSE_QUOTA_TZ: expected an IANA time zone',
    'PULSE_TRUSTED_PROXIES: "300.0.0.1" is not an address',
    `PULSE_DECIDE_KEY_FILE: ${file} cannot be read (ENOENT); put the file there`,
    'PULSE_AUDIT_LOG: expected a file in a folder that exists (make it)',
  ])
    assert.ok(text.includes(wanted), text);
  assert.match(pulseCommand('doctor', { env: { PULSE_PROT: '1' } }).stdout, /^fault +settings: PULSE_PROT: /);
});

test('the doctor names the versions of stores that answer', async (t) => {
  covers('DOCTOR-MACHINE');
  const postgres = await startPostgres();
  if ('skip' in postgres || server === undefined) return t.skip(why || 'PostgreSQL cannot be had here');
  const url = await postgres.createDatabase();
  t.after(() => postgres.dispose());
  const env = { PULSE_DATABASE_URL: url, PULSE_REDIS_URL: server.url.replace('//', '//:open-sesame@') };
  assert.match(found('versions', env)[0]!, /^ok Pulse [\d.]+, Node v[\d.]+, PostgreSQL \d+\.\d+, Redis \d+\.\d+\.\d+$/);
  assert.deepEqual(found('machine', env), ['ok in order']);
});

/** Writes states of sources as a node keeps them. */
function sourcesIn(states: Readonly<Record<string, object>>): string {
  const folder = testFolder('sources');
  mkdirSync(join(folder, 'feeds'));
  for (const [id, state] of Object.entries(states))
    writeFileSync(
      join(folder, 'feeds', `${id}.state.json`),
      JSON.stringify({ failures: 0, rows: 1, refused: {}, ...state }),
    );
  return folder;
}

test('the doctor compares the clock with those of publishers, and with times of the folder', () => {
  covers('DOCTOR-MACHINE');
  const now = Date.now();
  const read = (clockOffsetMs: number) => ({ lastAttemptAt: now, lastSuccessAt: now, lastRunAt: now, clockOffsetMs });
  const behind = sourcesIn({ 'tor-bulk-exits': read(172_800_000), mullvad: read(172_800_000) });
  assert.match(found('machine', { PULSE_DATA_DIR: behind })[0]!, /^warning this clock is 172800 s behind publishers: /);
  const one = sourcesIn({ 'tor-bulk-exits': read(-600_000) });
  assert.match(found('machine', { PULSE_DATA_DIR: one })[0]!, /^warning this clock is 600 s ahead of publishers: /);
  const early = sourcesIn({ 'tor-bulk-exits': { lastAttemptAt: now + 86_400_000 } });
  assert.match(
    found('machine', { PULSE_DATA_DIR: early })[0]!,
    /^warning sources were read 86[34]\d\d s in the future: /,
  );
  const right = sourcesIn({ 'tor-bulk-exits': read(2000) });
  assert.deepEqual(found('machine', { PULSE_DATA_DIR: right }), ['ok in order']);
});

test('sources that fail for one reason are one remark, whatever host each names', () => {
  covers('DOCTOR-MACHINE');
  const failed = (host: string, why: string) => ({
    lastAttemptAt: Date.now(),
    lastErrorAt: Date.now(),
    failures: 3,
    error: { text: '{host}: {why}', values: { host, why: { text: '{why}', values: { why } } } },
  });
  const folder = sourcesIn({
    'tor-bulk-exits': failed('a.example', 'ENOTFOUND'),
    'spamhaus-drop-4': failed('b.example', 'ENOTFOUND'),
    'et-compromised': failed('c.example', 'ECONNRESET'),
  });
  const fails = found('feeds', { PULSE_DATA_DIR: folder, PULSE_FEEDS: 'auto' }).filter((text) =>
    / fails?: /.test(text),
  );
  assert.equal(fails.length, 2, fails.join('\n'));
  assert.ok(
    fails.some((text) =>
      /^warning (?:tor-bulk-exits, spamhaus-drop-4|spamhaus-drop-4, tor-bulk-exits) fail: ENOTFOUND$/.test(text),
    ),
    fails.join('\n'),
  );
});

test('a source that is late is named with the command that says more', () => {
  covers('DOCTOR-MACHINE');
  const old = Date.now() - 5 * 86_400_000;
  const folder = sourcesIn({ 'iplocate-proxies': { lastAttemptAt: old, lastSuccessAt: old, lastRunAt: old } });
  const said = found('feeds', { PULSE_DATA_DIR: folder, PULSE_FEEDS: 'auto' });
  assert.ok(said.includes('warning late, see `pulse feeds show NAME`: iplocate-proxies'), said.join('\n'));
});

test('an api node is not told to build data or to read sources', () => {
  covers('DOCTOR-MACHINE');
  assert.deepEqual(found('place data', {}, 'doctor --role api --json'), [
    'warning no published image was taken yet: an ingest node publishes them',
  ]);
  assert.deepEqual(found('feeds', {}, 'doctor --role api --json'), []);
});

test('a support bundle is a new file for its owner, with settings, files and findings, and without anything secret', async () => {
  covers('SUPPORT-BUNDLE');
  const folder = sourcesIn({
    'tor-bulk-exits': {
      lastAttemptAt: Date.now(),
      failures: 1,
      error: {
        text: '{why}',
        values: { why: 'call +86 138 1234 5678 or pk_abcdefghijklmnopqrstuvwxyz0123 at boss@example.com' },
      },
    },
  });
  const key = join(folder, 'decide.key');
  writeFileSync(key, 'pk_decide-secret-word-0123456789');
  const port = await freePort();
  const file = join(testFolder('bundle'), 'bundle.json');
  const env = {
    PULSE_DATA_DIR: folder,
    PULSE_SECRET: 'secret-word-of-thirty-two-characters-at-least',
    PULSE_DATABASE_URL: `postgres://user-name:secret-word@127.0.0.1:${port}/records?password=secret-word`,
    PULSE_REDIS_URL: `redis://user-name:secret-word@127.0.0.1:${port}`,
    PULSE_SMTP_URL: `smtp://user-name:secret-word@127.0.0.1:${port}?from=boss%40example.com`,
    PULSE_SNAPSHOT_URL: folder,
    PULSE_FEEDS: `http://user-name:secret-word@127.0.0.1:${port}/lists?token=secret-word`,
    PULSE_DECIDE_KEY_FILE: key,
    PULSE_CONTACT: 'boss@example.com',
    PULSE_ADDRESS_LINKS: 'Desk=https://desk.example.com/{ip}?token=secret-word',
    PULSE_METRICS: 'off',
  };
  const written = pulseCommand(['doctor', '--bundle', file], { env });
  assert.equal(written.stderr, '');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  for (const hidden of [/secret-word/, /user-name/, /138.?1234/, /abcdefghij/, /decide-secret/, /boss@/])
    assert.doesNotMatch(text, hidden);
  const bundle = JSON.parse(text) as {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly files: readonly { readonly file: string }[];
    readonly findings: readonly Finding[];
    readonly sources: readonly { readonly id: string; readonly error: string }[];
  };
  assert.deepEqual(
    ['secret', 'decideKey', 'databaseUrl', 'redisUrl', 'feeds', 'logLevel'].map((name) => bundle.settings[name]),
    [
      ...['set', 'set', `postgres://127.0.0.1:${port}/records`, `redis://127.0.0.1:${port}`],
      ...[{ mirror: `http://127.0.0.1:${port}/lists` }, 'info'],
    ],
  );
  assert.ok(bundle.files.some((one) => one.file === 'feeds/tor-bulk-exits.state.json'));
  assert.match(bundle.sources.find(({ id }) => id === 'tor-bulk-exits')!.error, /^call \*\*\* or pk_\*\*\* at /);
  assert.ok(bundle.findings.some(({ subject }) => subject === 'stores'));
  const again = pulseCommand(['doctor', '--bundle', file], { env });
  assert.equal(again.status, 1, 'an existing file stays');
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('the doctor says in one line that no source was read here, with the command of the demonstration, until one was', () => {
  covers('SITE-NO-EVIDENCE');
  const dataDir = testFolder('doctor');
  const mirror = testFolder('mirror');
  const said = (PULSE_FEEDS: string): readonly string[] =>
    (
      JSON.parse(
        pulseCommand('doctor --json', { env: { PULSE_DATA_DIR: dataDir, PULSE_FEEDS } }).stdout,
      ) as readonly Finding[]
    ).flatMap(({ subject, text }) => (subject === 'feeds' ? [text] : []));
  for (const feeds of ['auto', mirror, 'off']) {
    const unread = said(feeds).filter((text) => text.startsWith('no source was read yet'));
    assert.equal(unread.length, 1, feeds);
    assert.match(unread[0]!, /npm start -- --demo$/);
    assert.ok(!said(feeds).some((text) => text.startsWith('never read')), 'nobody needs the names of all sources');
  }
  writeFileSync(
    join(mirror, 'iplocate-all-proxies.txt'),
    Array.from({ length: 1000 }, (_, n) => `45.1.${n >> 8}.${n & 255}\n`).join(''),
  );
  assert.equal(pulseOver(dataDir, ['feeds', 'import', mirror]).status, 0);
  assert.ok(!said(mirror).some((text) => text.startsWith('no source was read yet')));
});
