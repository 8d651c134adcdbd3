/** The command line as decided: every command with its options, its help, its exit status, and JSON where it prints. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { isKeyText } from '../../src/core/caller/sent-key.ts';
import { covers } from '../spec/covers.ts';
import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = testFolder('commands');
writeSyntheticGeo(dataDir);
writeEmptyEvidence(dataDir);
const env = { PULSE_DATA_DIR: dataDir, COLUMNS: '200' };
const pulse = (args: readonly string[]) => pulseCommand(args, { env });
const json = (...args: readonly string[]) => {
  const { status, stdout, stderr } = pulse([...args, '--json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
};

const file = (name: string, text: string): string => {
  const path = join(dataDir, name);
  writeFileSync(path, text);
  return path;
};
const mirror = join(dataDir, 'mirror');
mkdirSync(mirror);
writeFileSync(
  join(mirror, 'gptbot.json'),
  JSON.stringify({ creationTime: '2026-08-01T00:00:00', prefixes: [{ ipv4Prefix: '20.171.206.0/24' }] }),
);
const phones = file(
  'phones.ndjson',
  '{"number":"+8613800138000","risk":5,"tags":[101],"primary_tag":101,"first_seen":"2026-01-01T00:00:00Z","last_active":"2026-06-01T00:00:00Z","observed_days":5}\n',
);
const captures = file('captures.txt', '20.1.2.3\n20.1.2.4\n');

/** One line a command, with its arguments and options. */
const COMMANDS = `
  serve
  doctor: --role, --bundle, --json
  lookup: <ip...>, --at, --professional, --json, --lang
  myip: --json, --lang
  mcp: --lang
  completion: <shell>
  feeds
  feeds list: --json
  feeds show: <name>, --json
  feeds accept: <name>, --digest, --json
  feeds refresh: [name...], --json
  feeds off: <name>, --json
  feeds on: <name>, --json
  feeds import: <dir>, --captured-at, --json
  evidence
  evidence import: <file>, --source, --risk-type, --captured-at, --pool, --since, --json
  account
  account create: --email, --password, --password-stdin, --plan, --dpa, --phone, --json
  account set: <id>, --plan, --per-min, --per-day, --overage-pct, --phone-per-min, --phone-per-day, --dpa <on|off>, --phone <on|off>, --history-days, --json
  account list: --json
  key
  key create: --account, --name, --per-day, --expires-at, --no-phone, --json
  key revoke: <id>, --json
  key list: --json
  phone
  phone lookup: <number...>, --region, --field, --json, --output, --out, --allow-partial, --lang
  phone import: <file>, --library, --data-version, --full, --json
  phone generate: --library, --records, --seed, --json
`
  .trim()
  .split('\n')
  .map((line) => {
    const [command = '', ...options] = line.trim().split(/: |, /);
    return [command, ...options] as const;
  });

describe('help', () => {
  for (const [command, ...options] of COMMANDS) {
    test(`pulse ${command} --help is status 0 and names ${options.join(', ') || 'itself'}`, () => {
      covers('CLI-COMMANDS', 'CLI-HELP', 'CLI-JSON');
      const { status, stdout, stderr } = pulse([...command.split(' '), '--help']);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, new RegExp(`^Usage: pulse ${command}\\b`));
      for (const option of options) assert.ok(stdout.includes(option), `${option} in:\n${stdout}`);
    });
  }

  test('pulse --help names every command; without a command it is wrong usage', () => {
    covers('CLI-HELP', 'CLI-STATUS');
    const { status, stdout } = pulse(['--help']);
    assert.equal(status, 0);
    for (const [command] of COMMANDS) assert.match(stdout, new RegExp(`^  ${command.split(' ')[0]} `, 'm'));
    assert.equal(pulse([]).status, 2);
    assert.equal(pulse(['nonsense']).status, 2);
    assert.equal(pulse(['--nonsense']).status, 2);
  });

  test('pulse help COMMAND says the same as pulse COMMAND --help', () => {
    covers('CLI-HELP', 'CLI-STATUS');
    for (const command of ['key', 'lookup', 'feeds'])
      assert.equal(pulse(['help', command]).stdout, pulse([command, '--help']).stdout, command);
    assert.equal(pulse(['help', 'nonsense']).status, 2);
  });
});

describe('JSON', () => {
  const printed = (command: string, ...more: string[]): Record<string, unknown> => {
    const { status, stdout, stderr } = pulseCommand([...command.split(' '), ...more, '--json'], {
      env,
      input: '8.8.8.8\n',
    });
    assert.equal(status, 0, `${command}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  test('every command that prints has it, with the decided keys', () => {
    covers('CLI-JSON', 'CLI-STATUS', 'CLI-COMMANDS');
    const account = printed(
      'account create',
      '--email',
      'a@example.com',
      '--password',
      'correct horse battery',
      '--plan',
      'enterprise',
      '--dpa',
      '--phone',
    );
    const id = String(account['account_id']);
    assert.notEqual(account['account_id'], undefined);
    assert.deepEqual(Object.keys(printed('key create', '--account', id)), ['key_id', 'key', 'key_prefix']);
    assert.equal(printed('account set', id, '--history-days', '40')['history_days'], 40);
    for (const list of ['account list', 'key list', 'feeds list']) assert.ok(Array.isArray(printed(list)), list);
    assert.deepEqual(
      Object.keys(
        printed('evidence import', '-', '--source', 's', '--risk-type', 'proxy', '--pool', 'p', '--allow-known-good'),
      ),
      ['lines', 'accepted', 'added', 'refused'],
    );
    assert.deepEqual(
      Object.keys(printed('feeds import', mirror, '--captured-at', new Date().toISOString())),
      'source status rows run_at changed'.split(' '),
    );
    assert.equal(printed('lookup', '8.8.8.8')['evidence_state'], 'active');
    assert.ok('evidence' in printed('lookup', '8.8.8.8', '--professional'));
    assert.equal(printed('phone import', phones, '--library', 'sg', '--data-version', 'v1')['data_version'], 'v1');
    assert.equal(printed('phone generate', '--library', 'cn', '--records', '10', '--seed', '1')['records'], 10);
  });

  test('of a folder with phone lists alone `feeds import` says which command takes them', () => {
    const folder = join(dataDir, 'numbers');
    mkdirSync(folder);
    writeFileSync(join(folder, 'number-list.json'), '{}');
    const { status, stderr } = pulseCommand(['feeds', 'import', folder], { env });
    assert.deepEqual([status, /number-list\.json.*`pulse phone import FILE`/.test(stderr)], [1, true], stderr);
  });

  test('a password comes on standard input as one line; more lines, none, and two ways at once are refused', () => {
    const create = (input: string, ...more: string[]) =>
      pulseCommand(
        ['account', 'create', '--email', `length-${input.length}@example.com`, '--password-stdin', ...more],
        { env, input },
      );
    assert.equal(create('a password of mine\n').status, 0);
    assert.equal(create('a password of mine\r\n').status, 0);
    for (const input of ['', '\n', 'a password\nof two lines\n']) {
      const { status, stderr } = create(input);
      assert.equal(status, 1);
      assert.match(stderr, /must be the password, on one line/);
    }
    assert.match(create('short\n').stderr, /too short/);
    assert.equal(create('a password of mine\n', '--password', 'another password').status, 2);
  });

  test('without a terminal a password cannot be asked for', () => {
    const { status, stderr } = pulse(['account', 'create', '--email', 'asked@example.com', '--password']);
    assert.equal(status, 2);
    assert.match(stderr, /use --password-stdin/);
  });

  const scripted = {
    skip: spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
      ? false
      : 'script of util-linux is not installed',
  };
  test('on a terminal a password is asked for twice and never shown', scripted, async (t) => {
    const secret = 'horse battery of mine';
    for (const [again, status] of [
      [secret, 0],
      ['horse battery of hers', 1],
    ] as const) {
      const command = [process.execPath, MAIN, 'account', 'create', '--email', `t${status}@example.com`, '--password'];
      const terminal = spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], {
        env: { ...pulseEnvironment, ...env },
      });
      t.after(() => terminal.kill());
      let shown = '';
      terminal.stdout.on('data', (chunk) => (shown += String(chunk)));
      await eventually(() => shown.includes('New password: '), { hint: () => shown });
      terminal.stdin.write(`${secret}\r`);
      await eventually(() => shown.includes('The same again: '), { hint: () => shown });
      terminal.stdin.write(`${again}\r`);
      assert.deepEqual(await once(terminal, 'exit'), [status, null], shown);
      assert.doesNotMatch(shown, /battery/);
      assert.match(shown, status === 0 ? /acc_/ : /the two passwords differ/);
    }
  });

  test('feeds list shows last success, rows and licence of every source', () => {
    covers('CLI-COMMANDS');
    const feeds = printed('feeds list') as unknown as readonly Record<string, unknown>[];
    assert.ok(feeds.length >= 30);
    for (const feed of feeds)
      for (const name of ['id', 'licence', 'rows', 'url'])
        assert.notEqual(feed[name], undefined, `${feed['id']} ${name}`);
    const read = feeds.find(({ id }) => id === 'openai-gptbot')!;
    assert.ok(Date.parse(String(read['last_success'])) > Date.now() - 3_600_000);
    assert.equal(read['rows'], 1);
  });

  test('feeds off and feeds on switch a source, which the list shows; a name that is not in the catalogue is wrong usage', () => {
    const isOff = () =>
      (printed('feeds list') as unknown as readonly Record<string, unknown>[])
        .filter(({ state }) => state === 'off')
        .map(({ id }) => id);
    assert.deepEqual(printed('feeds off', 'openai-gptbot'), { source: 'openai-gptbot', off: true });
    assert.deepEqual(isOff(), ['openai-gptbot']);
    assert.deepEqual(printed('feeds on', 'openai-gptbot'), { source: 'openai-gptbot', off: false });
    assert.deepEqual(isOff(), []);
  });
});

describe('accounts, keys and plans', () => {
  test('account create prints account_id, and list and set show the limits in force', () => {
    const made = json('account', 'create', '--email', 'ops@example.com', '--plan', 'enterprise', '--dpa', '--phone');
    assert.match(made.account_id, /^acc_/);
    assert.deepEqual([made.plan, made.dpa, made.phone, made.phone_per_day], ['enterprise', true, true, 100_000]);
    const limits =
      '--per-min 5 --per-day 7 --overage-pct 20 --phone-per-min 3 --phone-per-day 4 --history-days 60 --dpa off --phone off';
    const set = json('account', 'set', made.account_id, ...limits.split(' '));
    assert.deepEqual(
      [
        set.per_min,
        set.per_day,
        set.overage_pct,
        set.phone_per_min,
        set.phone_per_day,
        set.history_days,
        set.dpa,
        set.phone,
      ],
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
    const made = json(
      'key',
      'create',
      '--account',
      account_id,
      '--name',
      'n',
      '--per-day',
      '3',
      '--expires-at',
      '2099-01-01T00:00:00+08:00',
      '--no-phone',
    );
    assert.deepEqual(Object.keys(made), ['key_id', 'key', 'key_prefix']);
    assert.ok(isKeyText(made.key) && made.key.startsWith(made.key_prefix));
    const [listed] = json('key', 'list', '--account', account_id);
    assert.deepEqual(
      [listed.key_id, listed.state, listed.per_day, listed.expires_at, listed.phone],
      [made.key_id, 'active', 3, '2098-12-31T16:00:00.000Z', false],
    );
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(made.key.slice(9)));
    for (const file of ['pulse.db', 'pulse.db-wal'])
      assert.equal(
        existsSync(join(dataDir, file)) && readFileSync(join(dataDir, file)).includes(made.key),
        false,
        file,
      );
    assert.equal(json('key', 'revoke', made.key_id).state, 'revoked');
    assert.deepEqual(json('key', 'list').filter(({ key_id }: { key_id: string }) => key_id === made.key_id).length, 1);
  });

  test('account delete asks on a terminal or wants --yes, and removes keys with the account', () => {
    const { account_id } = json('account', 'create', '--email', 'leaving@example.com');
    json('key', 'create', '--account', account_id);
    const refused = pulse(['account', 'delete', account_id]);
    assert.deepEqual([refused.status, /--yes/.test(refused.stderr)], [2, true]);
    assert.equal(json('key', 'list', '--account', account_id).length, 1);
    assert.deepEqual(json('account', 'delete', account_id, '--yes'), { account_id, deleted: true });
    assert.deepEqual(json('key', 'list', '--account', account_id), []);
    assert.ok(!pulse(['account', 'list']).stdout.includes(account_id));
    assert.equal(pulse(['account', 'delete', account_id, '--yes']).status, 1);
  });

  test('a name that stands in the records cannot act on the terminal', async () => {
    const { account_id } = json('account', 'create', '--email', 'escapes@example.com');
    const { key_id } = json('key', 'create', '--account', account_id, '--name', 'n');
    const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
    const name = '\u001b[2J\u009b1m\nkey_forged  acc_forged';
    await accounts.db.updateTable('api_keys').set({ name }).where('id', '=', key_id).execute();
    await accounts.close();
    const { stdout } = pulse(['key', 'list', '--account', account_id]);
    assert.deepEqual([stdout.trimEnd().split('\n').length, /\p{C}/u.test(stdout.trimEnd())], [1, false]);
    assert.ok(stdout.includes('\\u001b[2J\\u009b1m\\u000akey_forged'), stdout);
    assert.equal(json('key', 'list', '--account', account_id)[0].name, name);
  });

  test('plans can be changed and added', () => {
    assert.equal(json('plan', 'set', 'free', '--per-day', '6000').per_day, 6000);
    assert.equal(json('plan', 'set', 'trial', '--per-day', '10', '--per-min', '2').data_tier, 'basic');
    assert.deepEqual(
      json('plan', 'list').map(({ name }: { name: string }) => name),
      ['trial', 'free', 'professional', 'enterprise', 'private'],
    );
  });
});

describe('for a reader of Chinese', () => {
  test('sources have Chinese headings, kinds, states, licences and reasons; their names stay', () => {
    const rows = zh('feeds', 'list')
      .split('\n')
      .map((row) => row.split(/ {2,}/).slice(1).join('  '));
    for (const row of [...rows, zh('feeds', 'show', 'urlhaus')])
      assert.doesNotMatch(
        row,
        /\b(?:source|says|last|never|late|off|left|its|network|proxy|reference|terms|none|failures|of)\b/i,
      );
  });

  test('layers and lists of networks are named in Chinese', () =>
    assert.match(
      zh('data', 'list'),
      /^数据版本 .*\n\n数据层，.*\n(?:.* 全球 .*\n)+.* 中国 .*（数据：[\s\S]*\n网络名单\n[\s\S]* 个网段 +\d+ 个 AS 号 {2}爬虫$/m,
    ));

  const zh = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = pulseCommand(args, { env: { ...env, LANG: 'zh_CN.UTF-8' } });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  /** Without ids, times, file names, words to type, and names that the test gave. */
  const bare = (text: string): string =>
    text
      .replaceAll(new RegExp(`${dataDir}\\S*`, 'g'), '')
      .replace(/`[^`]+`|\b\w+_\w+\b…?|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\S+@\S+/g, '')
      .replace(/\b(openai-gptbot|trial|free|professional|enterprise|private|zh-\w+|zh|VPN)\b/g, '');
  const isChinese = (...args: readonly string[]): void => {
    const text = bare(zh(...args));
    assert.doesNotMatch(text, /[a-z]{2,}/i, `${args.join(' ')}: ${text}`);
    assert.match(text, /[\u4e00-\u9fff]/, args.join(' '));
  };

  test('lists, states and remarks of commands are Chinese; ids and words to type stay', () => {
    const { account_id } = json('account', 'create', '--email', 'zh@example.com', '--operator');
    json('account', 'set', account_id, '--disabled', 'on');
    const until = '2099-01-01T00:00:00Z';
    const { key_id } = json('key', 'create', '--account', account_id, '--send-only', '--source', 'zh-sensor');
    const { override_id } = json('override', 'add', '9.9.9.0/24', '--deny', 'vpn', '--reason', 'zh', '--until', until);
    const { beacon_id } = json('beacon', 'create', '--risk-type', 'proxy', '--expires', until);
    json('evidence', 'import', captures, '--source', 'zh-list', '--risk-type', 'proxy');
    for (const list of ['account', 'plan', 'key', 'override', 'beacon']) isChinese(list, 'list');
    isChinese('plan', 'set', 'trial', '--per-day', '11');
    isChinese('key', 'revoke', key_id);
    isChinese('override', 'remove', override_id);
    isChinese('beacon', 'revoke', beacon_id);
    isChinese('secret', 'status');
    isChinese('evidence', 'trust', 'zh-list', '--none', '--since', '2020-01-01T00:00:00Z', '--reason', 'zh');
    isChinese('evidence', 'trust', 'zh-list', '--full');
    isChinese('evidence', 'retract', 'zh-list', '--reason', 'zh');
    isChinese('evidence', 'sources');
    isChinese('account', 'reset-factors', account_id);
    isChinese('feeds', 'off', 'openai-gptbot');
    isChinese('feeds', 'on', 'openai-gptbot');
    isChinese('account', 'delete', account_id, '--yes');
  });
});

const { account_id: someone } = json('account', 'create', '--email', 'someone@example.com');

describe('exit status', () => {
  // biome-ignore format: a table, one row a case
  const CASES: readonly (readonly [status: number, ...args: string[]])[] = [
    [2, 'lookup'], [2, 'lookup', '8.8.8.8', '--nonsense'], [2, 'lookup', '8.8.8.8', '--at'], [1, 'lookup', '10.0.0.1'], [2, 'serve', 'extra'],
    [2, 'feeds'], [2, 'feeds', 'off', 'nonsense'], [2, 'feeds', 'off'], [2, 'feeds', 'show', 'nonsense'], [2, 'feeds', 'accept', 'nonsense'], [1, 'feeds', 'accept', 'threatfox'], [2, 'feeds', 'refresh', 'nonsense'], [2, 'feeds', 'refresh'], [2, 'feeds', 'import'], [1, 'feeds', 'import', '/nothing/here'], [2, 'feeds', 'import', '/tmp', '--captured-at', 'x'],
    [2, 'phone', 'import', 'x'], [2, 'phone', 'import', 'x', '--library', 'us'], [1, 'phone', 'import', '/nothing/here', '--library', 'cn'], [2, 'phone', 'generate', '--library', 'cn', '--records', 'x', '--seed', '1'],
    [2, 'key', 'create', '--account', 'x', '--expires-at', '2027-02-30T00:00:00Z'], [2, 'key', 'create', '--account', 'x', '--expires-at', '2027-01-01'],
    [2, 'key', 'create'], [2, 'key', 'create', '--account', someone, '--expires-at', 'tomorrow'], [2, 'key', 'create', '--account', someone, '--per-day', 'many'], [2, 'key', 'revoke'],
    [2, 'account'], [2, 'account', 'nonsense'], [2, 'account', 'create'], [2, 'account', 'create', '--email'], [2, 'account', 'create', '--email', 'a@example.com', '--nonsense'],
    [2, 'account', 'set'], [2, 'account', 'set', someone], [2, 'account', 'set', someone, '--per-day', '-1'], [2, 'account', 'set', someone, '--per-day', '1e3'],
    [2, 'account', 'set', someone, '--dpa', 'maybe'], [2, 'account', 'set', someone, '--overage-pct', '1001'], [2, 'plan', 'set', 'Gold!', '--per-day', '1'], [2, 'plan', 'set', 'free', '--data-tier', 'golden'],
    [2, 'evidence', 'import', '-'], [2, 'evidence', 'import'], [2, 'evidence', 'import', '-', '--source', 's p a c e'], [2, 'evidence', 'import', '-', '--source', 's', '--risk-type', 'evil'],
    [2, 'evidence', 'import', '-', '--source', 's', '--captured-at', 'yesterday'], [1, 'evidence', 'import', '/nothing/here', '--source', 's'],
  ];
  const NAMED: readonly (readonly [named: RegExp, ...args: string[]])[] = [
    [/no plan "gold".*enterprise/, 'account', 'create', '--email', 'x@example.com', '--plan', 'gold'],
    [/already/, 'account', 'create', '--email', 'someone@example.com'],
    [/address/, 'account', 'create', '--email', 'nobody'],
    [/no account "acc_none"/, 'account', 'set', 'acc_none', '--per-day', '1'],
    [/no account "acc_none"/, 'key', 'create', '--account', 'acc_none'],
    [/no key "key_none"/, 'key', 'revoke', 'key_none'],
  ];
  const accounts = () => pulse(['account', 'list', '--json']).stdout;
  let accountsBefore: string;
  before(() => {
    accountsBefore = accounts();
  });
  for (const [status, why, ...args] of [
    ...CASES.map(([status, ...args]) => [status, /./, ...args] as const),
    ...NAMED.map((named) => [1, ...named] as const),
  ]) {
    test(`pulse ${args.join(' ').replace(someone, 'acc_…')} ends with ${status} and says why`, () => {
      covers('CLI-STATUS');
      const run = pulse(args);
      assert.equal(run.status, status, run.stderr);
      assert.equal(run.stdout, '');
      assert.match(run.stderr, why);
    });
  }

  test('what ended so changed nothing', () => assert.equal(accounts(), accountsBefore));
});

test('a reader who had enough of the output does not make the command fail', async () => {
  const child = spawn(process.execPath, [MAIN, 'account', 'list', '--json'], { env: { ...pulseEnvironment, ...env } });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (part) => (complaint += String(part)));
  const [status] = await once(child, 'close');
  assert.deepEqual([status, complaint], [0, '']);
});
