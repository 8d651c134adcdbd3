/** The command line as decided: every command with its options, its help, its exit status, and JSON where it prints. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const dataDir = mkdtempSync(join(tmpdir(), 'pulse-commands-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));
writeSyntheticGeo(dataDir);
const env = { PULSE_DATA_DIR: dataDir, COLUMNS: '200' };
const pulse = (args: readonly string[]) => pulseCommand(args, { env });

const file = (name: string, text: string): string => {
  const path = join(dataDir, name);
  writeFileSync(path, text);
  return path;
};
const mirror = join(dataDir, 'mirror');
mkdirSync(mirror);
writeFileSync(join(mirror, 'gptbot.json'), JSON.stringify({ creationTime: '2026-08-01T00:00:00', prefixes: [{ ipv4Prefix: '20.171.206.0/24' }] }));
const phones = file(
  'phones.ndjson',
  '{"number":"+8613800138000","risk":5,"tags":[101],"primary_tag":101,"first_seen":"2026-01-01T00:00:00Z","last_active":"2026-06-01T00:00:00Z","observed_days":5}\n',
);

// biome-ignore format: a table, one row a command
const COMMANDS: readonly (readonly [command: string, ...options: string[]])[] = [
  ['serve'], ['lookup', '<ip>', '--at', '--professional', '--json'], ['feeds'], ['feeds list', '--json'], ['feeds show', '<name>', '--json'], ['feeds accept', '<name>', '--digest', '--json'], ['feeds refresh', '[name...]', '--json'],
  ['feeds off', '<name>', '--json'], ['feeds on', '<name>', '--json'], ['feeds import', '<dir>', '--captured-at', '--json'], ['evidence'], ['evidence import', '<file>', '--source', '--risk-type', '--captured-at', '--pool', '--since', '--json'], ['account'],
  ['account create', '--email', '--password', '--password-stdin', '--plan', '--dpa', '--phone', '--json'],
  ['account set', '<id>', '--plan', '--per-min', '--per-day', '--overage-pct', '--phone-per-min', '--phone-per-day', '--dpa <on|off>', '--phone <on|off>', '--history-days', '--json'],
  ['account list', '--json'], ['key'], ['key create', '--account', '--name', '--per-day', '--expires-at', '--no-phone', '--json'], ['key revoke', '<id>', '--json'], ['key list', '--json'],
  ['phone'], ['phone import', '<file>', '--library', '--data-version', '--full', '--json'], ['phone generate', '--library', '--records', '--seed', '--json'],
];

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

  test('pulse help COMMAND says what pulse COMMAND --help says', () => {
    covers('CLI-HELP', 'CLI-STATUS');
    for (const command of ['key', 'lookup', 'feeds']) assert.equal(pulse(['help', command]).stdout, pulse([command, '--help']).stdout, command);
    assert.equal(pulse(['help', 'nonsense']).status, 2);
  });
});

describe('JSON', () => {
  const json = (command: string, ...more: string[]): Record<string, unknown> => {
    const { status, stdout, stderr } = pulseProcess([...command.split(' '), ...more, '--json'], { env, input: '8.8.8.8\n' });
    assert.equal(status, 0, `${command}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  test('every command that prints has it, with the decided keys', () => {
    covers('CLI-JSON', 'CLI-STATUS', 'CLI-COMMANDS');
    const account = json('account create', '--email', 'a@example.com', '--password', 'correct horse battery', '--plan', 'enterprise', '--dpa', '--phone');
    const id = String(account['account_id']);
    assert.notEqual(account['account_id'], undefined);
    assert.deepEqual(Object.keys(json('key create', '--account', id, '--name', 'n', '--per-day', '5', '--expires-at', '2099-01-01T00:00:00Z', '--no-phone')), [
      'key_id',
      'key',
      'key_prefix',
    ]);
    assert.equal(json('account set', id, '--history-days', '40')['history_days'], 40);
    for (const list of ['account list', 'key list', 'feeds list']) assert.ok(Array.isArray(json(list)), list);
    assert.deepEqual(Object.keys(json('evidence import', '-', '--source', 's', '--risk-type', 'proxy', '--pool', 'p')), [
      'lines',
      'accepted',
      'added',
      'refused',
    ]);
    assert.deepEqual(Object.keys(json('feeds import', mirror, '--captured-at', new Date().toISOString())), ['source', 'status', 'rows', 'run_at', 'changed']);
    assert.equal(json('lookup', '8.8.8.8')['evidence_state'], 'active');
    assert.ok('evidence' in json('lookup', '8.8.8.8', '--professional'));
    assert.equal(json('phone import', phones, '--library', 'sg', '--data-version', 'v1')['data_version'], 'v1');
    assert.equal(json('phone generate', '--library', 'cn', '--records', '10', '--seed', '1')['records'], 10);
  });

  test('a password comes on standard input as one line; more lines, none, and two ways at once are refused', () => {
    const create = (input: string, ...more: string[]) =>
      pulseCommand(['account', 'create', '--email', `length-${input.length}@example.com`, '--password-stdin', ...more], { env, input });
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
    skip: spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ? false : 'script of util-linux is not installed',
  };
  test('on a terminal a password is asked for twice and never shown', scripted, async (t) => {
    const secret = 'horse battery of mine';
    for (const [again, status] of [
      [secret, 0],
      ['horse battery of hers', 1],
    ] as const) {
      const command = [process.execPath, MAIN, 'account', 'create', '--email', `t${status}@example.com`, '--password'];
      const terminal = spawn('script', ['--quiet', '--return', '--command', command.join(' '), '/dev/null'], { env: { ...pulseEnvironment, ...env } });
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
    const feeds = json('feeds list') as unknown as readonly Record<string, unknown>[];
    assert.ok(feeds.length >= 30);
    for (const feed of feeds) for (const name of ['id', 'licence', 'rows', 'url']) assert.notEqual(feed[name], undefined, `${feed['id']} ${name}`);
    const read = feeds.find(({ id }) => id === 'openai-gptbot')!;
    assert.ok(Date.parse(String(read['last_success'])) > Date.now() - 3_600_000);
    assert.equal(read['rows'], 1);
  });

  test('feeds off and feeds on switch a source, which the list shows; a name that is not in the catalogue is wrong usage', () => {
    const isOff = () => (json('feeds list') as unknown as readonly Record<string, unknown>[]).filter(({ off }) => off === true).map(({ id }) => id);
    assert.deepEqual(json('feeds off', 'openai-gptbot'), { source: 'openai-gptbot', off: true });
    assert.deepEqual(isOff(), ['openai-gptbot']);
    assert.deepEqual(json('feeds on', 'openai-gptbot'), { source: 'openai-gptbot', off: false });
    assert.deepEqual(isOff(), []);
  });
});

describe('exit status', () => {
  // biome-ignore format: a table, one row a case
  const CASES: readonly (readonly [status: number, ...args: string[]])[] = [
    [2, 'lookup'], [2, 'lookup', '8.8.8.8', '9.9.9.9'], [2, 'lookup', '8.8.8.8', '--nonsense'], [2, 'lookup', '8.8.8.8', '--at'], [1, 'lookup', '10.0.0.1'], [2, 'serve', 'extra'],
    [2, 'feeds'], [2, 'feeds', 'off', 'nonsense'], [2, 'feeds', 'off'], [2, 'feeds', 'show', 'nonsense'], [2, 'feeds', 'accept', 'nonsense'], [1, 'feeds', 'accept', 'threatfox'], [2, 'feeds', 'refresh', 'nonsense'], [2, 'feeds', 'refresh'], [2, 'feeds', 'import'], [1, 'feeds', 'import', '/nothing/here'], [2, 'feeds', 'import', '/tmp', '--captured-at', 'x'],
    [2, 'phone', 'import', 'x'], [2, 'phone', 'import', 'x', '--library', 'us'], [1, 'phone', 'import', '/nothing/here', '--library', 'cn'], [2, 'phone', 'generate', '--library', 'cn', '--records', 'x', '--seed', '1'],
    [2, 'key', 'create', '--account', 'x', '--expires-at', '2027-02-30T00:00:00Z'], [2, 'key', 'create', '--account', 'x', '--expires-at', '2027-01-01'], [1, 'key', 'create', '--account', 'acc_none'],
  ];
  for (const [status, ...args] of CASES) {
    test(`pulse ${args.join(' ')} ends with ${status} and says why`, () => {
      covers('CLI-STATUS');
      const run = pulse(args);
      assert.equal(run.status, status, run.stderr);
      assert.equal(run.stdout, '');
      assert.notEqual(run.stderr, '');
    });
  }
});
