import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { isKeyText } from '../../src/core/caller/key-text.ts';
import { unixMs } from '../../src/core/units.ts';
import { openAccounts } from '../../src/main/accounts/open-accounts.ts';
import { openKeys } from '../../src/main/accounts/open-keys.ts';
import { openRecordChanges } from '../../src/main/accounts/record-changes-job.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = mkdtempSync(join(tmpdir(), 'pulse-cli-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const pulse = (...args: string[]) => pulseCommand(args, { env: { PULSE_DATA_DIR: dataDir } });
const json = (...args: string[]) => {
  const { status, stdout, stderr } = pulse(...args, '--json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
};

test('account create prints account_id, and list and set show the limits in force', () => {
  const made = json('account', 'create', '--email', 'ops@example.com', '--plan', 'enterprise', '--dpa', '--phone');
  assert.match(made.account_id, /^acc_/);
  assert.deepEqual([made.plan, made.dpa, made.phone, made.phone_per_day], ['enterprise', true, true, 100_000]);
  const set = json(
    'account',
    'set',
    made.account_id,
    '--per-min',
    '5',
    '--per-day',
    '7',
    '--overage-pct',
    '20',
    '--phone-per-min',
    '3',
    '--phone-per-day',
    '4',
    '--history-days',
    '60',
    '--dpa',
    'off',
    '--phone',
    'off',
  );
  assert.deepEqual(
    [set.per_min, set.per_day, set.overage_pct, set.phone_per_min, set.phone_per_day, set.history_days, set.dpa, set.phone],
    [5, 7, 20, 3, 4, 60, false, false],
  );
  assert.deepEqual(
    json('account', 'list').filter((one: { email: string }) => one.email === 'ops@example.com'),
    [set],
  );
  assert.equal(json('account', 'set', made.account_id, '--per-day', 'plan').per_day, 2_000_000);
  assert.equal(json('account', 'create', '--email', 'free@example.com').plan, 'free');
});

test('key create prints key_id, key and key_prefix exactly, and neither list nor the database holds the key', () => {
  const { account_id } = json('account', 'create', '--email', 'keys@example.com');
  const made = json('key', 'create', '--account', account_id, '--name', 'n', '--per-day', '3', '--expires-at', '2099-01-01T00:00:00+08:00', '--no-phone');
  assert.deepEqual(Object.keys(made), ['key_id', 'key', 'key_prefix']);
  assert.ok(isKeyText(made.key) && made.key.startsWith(made.key_prefix));
  const [listed] = json('key', 'list', '--account', account_id);
  assert.deepEqual(
    [listed.key_id, listed.state, listed.per_day, listed.expires_at, listed.phone],
    [made.key_id, 'active', 3, '2098-12-31T16:00:00.000Z', false],
  );
  assert.doesNotMatch(JSON.stringify(listed), new RegExp(made.key.slice(9)));
  for (const file of ['pulse.db', 'pulse.db-wal']) assert.equal(safeRead(join(dataDir, file)).includes(made.key), false, file);
  assert.equal(json('key', 'revoke', made.key_id).state, 'revoked');
  assert.equal(json('key', 'list').length, 1);
});

test('account delete asks on a terminal or wants --yes, and removes keys with the account', () => {
  const { account_id } = json('account', 'create', '--email', 'leaving@example.com');
  json('key', 'create', '--account', account_id);
  const refused = pulse('account', 'delete', account_id);
  assert.deepEqual([refused.status, /--yes/.test(refused.stderr)], [2, true]);
  assert.equal(json('key', 'list', '--account', account_id).length, 1);
  assert.deepEqual(json('account', 'delete', account_id, '--yes'), { account_id, deleted: true });
  assert.deepEqual(json('key', 'list', '--account', account_id), []);
  assert.ok(!pulse('account', 'list').stdout.includes(account_id));
  assert.equal(pulse('account', 'delete', account_id, '--yes').status, 1);
});

test('a name that an earlier version took cannot act on the terminal', async () => {
  const { account_id } = json('account', 'create', '--email', 'escapes@example.com');
  const { key_id } = json('key', 'create', '--account', account_id, '--name', 'n');
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  const name = '\u001b[2J\u009b1m\nkey_forged  acc_forged';
  await accounts.db.updateTable('api_keys').set({ name }).where('id', '=', key_id).execute();
  await accounts.close();
  const { stdout } = pulse('key', 'list', '--account', account_id);
  assert.deepEqual([stdout.trimEnd().split('\n').length, /\p{C}/u.test(stdout.trimEnd())], [1, false]);
  assert.ok(stdout.includes('\\u001b[2J\\u009b1m\\u000akey_forged'), stdout);
  assert.equal(json('key', 'list', '--account', account_id)[0].name, name);
});

test('what a command writes reaches a running reader without a restart', async () => {
  const config = { dataDir, databaseUrl: undefined, secret: undefined };
  await (await openAccounts(config)).close();
  const keys = await openKeys(config);
  const changes = await openRecordChanges(config);
  changes.feed.subscribe((seen) => keys.changed(seen));
  await changes.feed.poll();
  try {
    const { account_id } = json('account', 'create', '--email', 'live@example.com');
    const made = json('key', 'create', '--account', account_id);
    const status = async () => (await keys.directory.find(made.key, unixMs(Date.now()))).status;
    assert.equal(await status(), 'ok', 'a new key works at once');
    json('key', 'revoke', made.key_id);
    await changes.feed.poll();
    assert.equal(await status(), 'revoked');
  } finally {
    changes.feed.stop();
    await changes.close();
    await keys.close();
  }
});

const { account_id: someone } = json('account', 'create', '--email', 'someone@example.com');
const WRONG_USAGE: readonly (readonly string[])[] = [
  ['account'],
  ['account', 'nonsense'],
  ['account', 'create'],
  ['account', 'create', '--email'],
  ['account', 'create', '--email', 'a@example.com', '--nonsense'],
  ['account', 'set'],
  ['account', 'set', someone],
  ['account', 'set', someone, '--per-day', '-1'],
  ['account', 'set', someone, '--per-day', '1e3'],
  ['account', 'set', someone, '--dpa', 'maybe'],
  ['account', 'set', someone, '--overage-pct', '1001'],
  ['key', 'create'],
  ['key', 'create', '--account', someone, '--expires-at', 'tomorrow'],
  ['key', 'create', '--account', someone, '--per-day', 'many'],
  ['key', 'revoke'],
  ['plan', 'set', 'Gold!', '--per-day', '1'],
  ['plan', 'set', 'free', '--data-tier', 'golden'],
];
test('wrong usage ends with status 2, says why, and changes nothing', () => {
  const before = pulse('account', 'list', '--json').stdout;
  for (const args of WRONG_USAGE) {
    const { status, stdout, stderr } = pulse(...args);
    assert.equal(status, 2, `${args.join(' ')}: ${stdout}${stderr}`);
    assert.notEqual(stderr, '', args.join(' '));
  }
  assert.equal(pulse('account', 'list', '--json').stdout, before);
});

test('what cannot be done ends with status 1 and names it', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['account', 'create', '--email', 'x@example.com', '--plan', 'gold'], /no plan "gold".*enterprise/],
    [['account', 'create', '--email', 'someone@example.com'], /already/],
    [['account', 'create', '--email', 'nobody'], /address/],
    [['account', 'set', 'acc_none', '--per-day', '1'], /no account "acc_none"/],
    [['key', 'create', '--account', 'acc_none'], /no account "acc_none"/],
    [['key', 'revoke', 'key_none'], /no key "key_none"/],
  ];
  for (const [args, message] of cases) {
    const { status, stderr } = pulse(...args);
    assert.equal(status, 1, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
  }
});

test('plans can be changed and added', () => {
  assert.equal(json('plan', 'set', 'free', '--per-day', '6000').per_day, 6000);
  assert.equal(json('plan', 'set', 'trial', '--per-day', '10', '--per-min', '2').data_tier, 'basic');
  assert.deepEqual(
    json('plan', 'list').map(({ name }: { name: string }) => name),
    ['trial', 'free', 'professional', 'enterprise', 'private'].sort((a, b) => order(a) - order(b)),
  );
});

const order = (name: string): number => ['trial', 'free', 'professional', 'enterprise', 'private'].indexOf(name);
const safeRead = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
};

test('a reader who had enough of the output does not make the command fail', async () => {
  const child = spawn(process.execPath, [MAIN, 'account', 'list', '--json'], { env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir } });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (part) => (complaint += String(part)));
  const [status] = await once(child, 'close');
  assert.deepEqual([status, complaint], [0, '']);
});
