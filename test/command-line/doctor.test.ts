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

interface Finding {
  readonly subject: string;
  readonly state: string;
  readonly text: string;
}

function storesSaid(url: string, setting = 'PULSE_REDIS_URL'): readonly [string, string] {
  const { stdout } = pulseCommand('doctor --json', {
    env: { PULSE_DATA_DIR: testFolder('doctor'), PULSE_FEEDS: 'off', [setting]: url },
  });
  const { state, text } = (JSON.parse(stdout) as readonly Finding[]).find(({ subject }) => subject === 'stores')!;
  assert.doesNotMatch(stdout, /sesame|secret-word/);
  return [state, text];
}

test('the doctor says which Redis cannot count, and why, without the password', async (t) => {
  if (server === undefined) return t.skip(why);
  covers('DOCTOR-STORES');
  const { port } = new URL(server.url);
  const closed = await freePort();
  assert.deepEqual(storesSaid(`redis://user:secret-word@127.0.0.1:${closed}/2`), [
    'warning',
    `Redis at 127.0.0.1:${closed}/2 (PULSE_REDIS_URL) cannot count: nothing listens at the address`,
  ]);
  assert.match(storesSaid(`redis://:secret-word@127.0.0.1:${port}`)[1], /refuses user or password/);
  assert.match(storesSaid(`redis://127.0.0.1:${port}`)[1], /refuses user or password/);
  assert.deepEqual(storesSaid(`redis://:open-sesame@127.0.0.1:${port}`), ['ok', 'in order']);
});

test('the doctor says which PostgreSQL cannot be used, and why, without the password', async () => {
  covers('DATABASE-REASONS');
  const closed = await freePort();
  assert.deepEqual(storesSaid(`postgres://user:secret-word@127.0.0.1:${closed}/pulse`, 'PULSE_DATABASE_URL'), [
    'warning',
    `PostgreSQL at 127.0.0.1:${closed}/pulse (PULSE_DATABASE_URL) cannot be used: nothing listens at the address`,
  ]);
});

/** Findings of one subject, with further settings. */
function found(subject: string, env: Readonly<Record<string, string>>, words = 'doctor --json'): readonly string[] {
  const { stdout } = pulseCommand(words, { env: { PULSE_DATA_DIR: testFolder('doctor'), ...env } });
  return (JSON.parse(stdout) as readonly Finding[])
    .filter((one) => one.subject === subject)
    .map(({ state, text }) => `${state} ${text}`);
}

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
    'warning s3://images/of-pulse (PULSE_SNAPSHOT_URL) cannot be read: nothing listens at the address',
  ]);
  assert.match(found('stores', { PULSE_SNAPSHOT_URL: testFolder('images') })[0]!, /holds no image: an ingest node/);
  assert.deepEqual(found('stores', { PULSE_SMTP_URL: `smtp://user:secret-word@127.0.0.1:${closed}` }), [
    `warning mail server 127.0.0.1:${closed} (PULSE_SMTP_URL) cannot be used: nothing listens at the address`,
  ]);
  const company = { PULSE_OIDC_CLIENT_ID: 'pulse', PULSE_OIDC_CLIENT_SECRET: 'secret-word' };
  assert.deepEqual(found('stores', { ...company, PULSE_OIDC_ISSUER: `http://127.0.0.1:${closed}/realms/company` }), [
    `warning company sign-on at http://127.0.0.1:${closed} (PULSE_OIDC_ISSUER) cannot be used: nothing listens at the address`,
  ]);
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { readonly port: number };
  assert.deepEqual(found('stores', { PULSE_SMTP_URL: `smtp://127.0.0.1:${port}` }), [
    `warning mail server 127.0.0.1:${port} (PULSE_SMTP_URL) cannot be used: it does not answer`,
  ]);
  assert.deepEqual(found('stores', { ...company, PULSE_OIDC_ISSUER: `http://127.0.0.1:${port}` }), [
    `warning company sign-on at http://127.0.0.1:${port} (PULSE_OIDC_ISSUER) cannot be used: it does not answer`,
  ]);
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
    const unread = said(feeds).filter((text) => text.startsWith('no source has been read here'));
    assert.equal(unread.length, 1, feeds);
    assert.match(unread[0]!, /npm start -- --demo$/);
    assert.ok(!said(feeds).some((text) => text.startsWith('never read')), 'nobody needs the names of all sources');
  }
  writeFileSync(
    join(mirror, 'iplocate-all-proxies.txt'),
    Array.from({ length: 1000 }, (_, n) => `45.1.${n >> 8}.${n & 255}\n`).join(''),
  );
  assert.equal(pulseOver(dataDir, ['feeds', 'import', mirror]).status, 0);
  assert.ok(!said(mirror).some((text) => text.startsWith('no source has been read here')));
});
