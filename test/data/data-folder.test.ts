/** The data folder: no other user can read it; where it lost something the start stops and says so, the command it names goes on, and nothing is reset in silence. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { createKey } from '../support/cli.ts';
import { type CommandResult, pulseCommand, pulseOver, pulseProcess } from '../support/pulse-command.ts';
import { serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const root = testFolder('folder');

/** A folder that was in use: an account with a key, evidence, and charges of one client and of the account. */
const used = join(root, 'used');
let key = '';
/** Lookups that were charged to the key. */
const CHARGED = 6;

let copies = 0;
function copy(): string {
  const dir = join(root, `copy-${copies++}`);
  cpSync(used, dir, { recursive: true });
  return dir;
}

const ENV = { PULSE_PORT: '0', PULSE_WORKERS: '1', PULSE_PHONE: 'off', PULSE_METRICS: 'off' };
const pulse = (dir: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): CommandResult =>
  pulseCommand(args, { env: { ...ENV, PULSE_DATA_DIR: dir, ...env } });
/** A start that must not come about, of the server. */
const refusedStart = (dir: string, env: Readonly<Record<string, string>> = {}): string => {
  const { status, stdout, stderr } = pulseProcess(['serve'], { env: { ...ENV, PULSE_DATA_DIR: dir, ...env } });
  assert.equal(status, 1, stdout + stderr);
  return stderr.replace(/^\{.*\}$/gm, (line) => JSON.parse(line).msg);
};
/** The same of a command: it says the same as the server. */
const refused = (dir: string, env: Readonly<Record<string, string>> = {}): string => {
  const { status, stdout, stderr } = pulse(dir, ['account', 'list'], env);
  assert.equal(status, 1, stdout + stderr);
  return stderr;
};
/** The line about a file, and the command that it ends with. */
const goOnWith = (said: string, file: string): string => {
  const found = new RegExp(
    `^.*${file}.*\\. Put back what was there, or go on without .*: (.* .*data\\.json)$`,
    'm',
  ).exec(said);
  assert.ok(found !== null, said);
  return found[1]!;
};
const shell = (command: string): void => void execFileSync('sh', ['-c', command]);
const zero = (path: string): void => writeFileSync(path, Buffer.alloc(statSync(path).size));
const logsOf = (dir: string) => readdirSync(join(dir, 'ledger')).filter((name) => name.startsWith('charges-'));
const recordOf = (dir: string) => JSON.parse(readFileSync(join(dir, 'data.json'), 'utf8'));

const EVERY_PART = ['accounts', 'evidence', 'ledger', 'secret'];
const partsIn = (dir: string): string[] => Object.keys(recordOf(dir).parts).sort();

/** Starts over a folder and asks with the key. @returns the status, the use of the account, and the log */
async function usage(dir: string, env: Readonly<Record<string, string>> = {}) {
  const server = await serveProcess({
    dataDir: dir,
    geo: false,
    env: { PULSE_METRICS: 'off', PULSE_LOG: 'info', ...env },
  });
  try {
    const answer = await fetch(`${server.base}/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
    const text = await answer.text();
    const counted = /"used_today":(\d+)/.exec(text)?.[1];
    return { status: answer.status, used: counted === undefined ? undefined : Number(counted), log: server.output() };
  } finally {
    await server.stop();
  }
}

/** A folder open to all, the names that a service added to it, those of them that are open, and its output. */
const served = { dataDir: join(root, 'served'), made: [] as string[], open: [] as string[], output: '' };
const open = (folder: string, names: readonly string[]): string[] =>
  names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
const under = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

before(async () => {
  const { dataDir } = served;
  const inherited = process.umask(0o022);
  writeSyntheticGeo(dataDir);
  chmodSync(dataDir, 0o755);
  const given = under(dataDir);
  const server = await serveProcess({
    dataDir,
    env: { PULSE_METRICS: 'off', PULSE_PHONE: 'on' },
  }).finally(() => process.umask(inherited));
  try {
    // The commands below run in this process, which keeps files open to readers.
    served.made = under(dataDir).filter((name) => !given.includes(name));
    served.open = open(dataDir, served.made);
    served.output = server.output();
    ({ key } = createKey(server.dataDir, 'owner', []));
    pulseOver(server.dataDir, ['evidence', 'import', '-', '--source', 'own', '--risk-type', 'proxy'], '45.1.1.1\n');
    for (let i = 0; i < CHARGED; i++) {
      const { status } = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { Authorization: `Bearer ${key}` } });
      assert.equal(status, 200);
    }
  } finally {
    await server.stop();
  }
  cpSync(dataDir, used, { recursive: true });
});

describe('no other user of the machine can read', () => {
  test('a data folder that a command made, and all in it', () => {
    const dataDir = join(root, 'of-a-command');
    const inherited = process.umask(0o022);
    const made = pulseProcess('account create --email owner@example.com --plan free', {
      env: { PULSE_DATA_DIR: dataDir },
    });
    process.umask(inherited);
    assert.equal(made.status, 0, made.stderr);
    const names = under(dataDir);
    assert.ok(names.includes('pulse.db'));
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.deepEqual(open(dataDir, names), []);
  });

  test('a file that a service made, in a folder that was open too; it says which command closes that', () => {
    const { dataDir, made, output } = served;
    for (const name of ['pulse.db', 'pulse.db-wal', 'evidence.db', 'secret', 'ledger/seed', 'phone.db'])
      assert.ok(made.includes(name), `${name}: ${made}`);
    assert.deepEqual(served.open, []);
    assert.equal(output.split(`close it with: chmod -R go= ${dataDir}"`).length, 2, output);
  });
});

describe('a folder that is whole', () => {
  test('names the parts of it without the secret or the seed', () => {
    const text = readFileSync(join(used, 'data.json'), 'utf8');
    assert.deepEqual(partsIn(used), EVERY_PART);
    assert.equal(text.includes(readFileSync(join(used, 'secret'), 'utf8').trim()), false);
    assert.equal(text.includes(readFileSync(join(used, 'ledger', 'seed')).toString('hex')), false);
  });

  test('without data.json, as a restored backup, goes on with its counters and records them; so does one whose secret moved to PULSE_SECRET', async () => {
    const dir = copy();
    rmSync(join(dir, 'data.json'));
    const answer = await usage(dir);
    assert.deepEqual([answer.status, answer.used], [200, CHARGED]);
    assert.doesNotMatch(answer.log, /data\.json/);
    const before = recordOf(dir);
    assert.deepEqual(partsIn(dir), EVERY_PART);
    const secret = readFileSync(join(dir, 'secret'), 'utf8').trim();
    rmSync(join(dir, 'secret'));
    assert.equal(pulse(dir, ['account', 'list'], { PULSE_SECRET: secret }).status, 0);
    assert.deepEqual(recordOf(dir).parts['secret'], { ...before.parts['secret'], store: 'environment' });
    assert.equal(existsSync(join(dir, 'secret')), false);
  });
});

describe('a part that is lost stops the start and every writing command', () => {
  test('zeroed secret, emptied accounts, seed gone: one sentence each', () => {
    const dir = copy();
    zero(join(dir, 'secret'));
    truncateSync(join(dir, 'pulse.db'), 0);
    rmSync(join(dir, 'ledger', 'seed'));
    const before = readdirSync(dir);
    for (const said of [
      refusedStart(dir),
      refused(dir),
      pulse(dir, ['evidence', 'import', '-', '--source', 'own', '--risk-type', 'proxy']).stderr,
    ]) {
      assert.match(said, /secret holds bytes that are not text/);
      assert.match(said, /pulse\.db is empty/);
      assert.match(said, /seed is missing/);
      for (const file of ['secret', 'pulse.db', 'seed']) goOnWith(said, file);
    }
    assert.deepEqual(
      readdirSync(dir).filter((name) => name !== 'lock'),
      before.filter((name) => name !== 'lock'),
      'a refused start changes nothing',
    );
  });

  test('secret gone, accounts zeroed, seed zeroed, evidence cut', () => {
    const dir = copy();
    rmSync(join(dir, 'secret'));
    zero(join(dir, 'pulse.db'));
    zero(join(dir, 'ledger', 'seed'));
    truncateSync(join(dir, 'evidence.db'), statSync(join(dir, 'evidence.db')).size >> 1);
    const said = refused(dir);
    for (const part of [
      /secret is missing/,
      /pulse\.db is damaged/,
      /seed holds eight equal bytes/,
      /evidence\.db is damaged/,
    ])
      assert.match(said, part);
    assert.notEqual(pulse(dir, ['lookup', '45.1.1.1', '--professional']).status, 0);
    assert.equal(existsSync(join(dir, 'secret')), false, 'reading makes no new secret');
  });

  test('parts of another installation, and a page of the accounts overwritten', () => {
    const dir = copy();
    const other = join(root, 'other');
    assert.equal(pulse(other, ['account', 'create', '--email', 'other@example.com']).status, 0);
    for (const name of ['secret', 'pulse.db']) cpSync(join(other, name), join(dir, name));
    writeFileSync(join(dir, 'ledger', 'seed'), Buffer.from('another1'));
    assert.equal(refused(dir).match(/is not the one that this folder was used with/g)?.length, 3);
    const torn = copy();
    const bytes = readFileSync(join(torn, 'pulse.db'));
    writeFileSync(join(torn, 'pulse.db'), bytes.fill(0xa5, 4096, 8192));
    assert.match(refused(torn), /pulse\.db is damaged/);
    assert.match(
      refused(copy(), { PULSE_SECRET: 'another secret of thirty-two characters' }),
      /PULSE_SECRET is not the one/,
    );
  });

  test('a folder without data.json, in which keys are without a secret, charges without a seed and accounts empty; a damaged data.json', () => {
    const dir = copy();
    for (const name of ['data.json', 'secret', 'ledger/seed']) rmSync(join(dir, name));
    assert.match(
      refused(dir),
      /secret is missing, and pulse\.db holds API keys[\s\S]*seed is missing, and the charges/,
    );
    truncateSync(join(dir, 'pulse.db'), 0);
    shell(goOnWith(refused(dir), 'pulse.db'));
    assert.match(refused(dir), /seed is missing/, 'the fault that was not accepted');
    writeFileSync(join(dir, 'data.json'), '{"format": 1');
    assert.equal(goOnWith(refused(dir), 'data.json'), `rm -f ${dir}/data.json`);
  });
});

describe('a database that cannot be used is one sentence, for the server and for commands', () => {
  const FAULTS: Readonly<Record<string, readonly [make: (path: string) => void, sentence: RegExp]>> = {
    'of another program': [
      (path) => fill(path, 'create table notes (a)'),
      /belongs to another program.*: mkdir .*data\.json$/m,
    ],
    'a folder': [(path) => mkdirSync(path), /is not a file.*: mkdir .*data\.json$/m],
    garbage: [(path) => writeFileSync(path, 'not a database '.repeat(500)), /is damaged.*: mkdir .*data\.json$/m],
  };
  const fill = (path: string, statements: string): void => {
    const database = new DatabaseSync(path);
    database.exec(statements);
    database.close();
  };
  for (const file of ['pulse.db', 'evidence.db'])
    for (const [fault, [make, sentence]] of Object.entries(FAULTS))
      test(`${file}: ${fault}`, () => {
        const dir = mkdtempSync(join(root, 'unusable-'));
        make(join(dir, file));
        const content = () => (fault === 'a folder' ? undefined : readFileSync(join(dir, file)));
        const before = content();
        const readsAlone = [
          ['export', '--format', 'csv', '--out', join(dir, 'out')],
          ['lookup', '8.8.8.8'],
        ];
        for (const words of [['feeds', 'refresh', 'tor-bulk-exits'], ...(file === 'pulse.db' ? [] : readsAlone)]) {
          const { status, stderr } = pulse(dir, words);
          assert.equal(status, 1, stderr);
          assert.match(stderr, readsAlone.includes(words) ? /evidence\.db cannot be used/ : sentence);
          assert.ok(stderr.includes(file), stderr);
          assert.doesNotMatch(stderr, /^\s+at /m);
          assert.deepEqual(content(), before, 'it is left as it was');
        }
      });
});

describe('pulse doctor', () => {
  type Findings = readonly { readonly subject: string; readonly state: string; readonly text: string }[];
  function findings(dir: string, status: number, env: Readonly<Record<string, string>> = {}): Findings {
    const done = pulse(dir, ['doctor', '--json'], env);
    assert.equal(done.status, status, done.stdout + done.stderr);
    return JSON.parse(done.stdout) as Findings;
  }
  const of = (subject: string, all: Findings): string[] =>
    all.filter((one) => one.subject === subject).map(({ state, text }) => `${state} ${text}`);

  test('a folder that is whole is in order; open permissions, a taken port, missing place data and sources are warnings', async () => {
    const dir = copy();
    chmodSync(dir, 0o700);
    const well = findings(dir, 0, { PULSE_FEEDS: 'auto' });
    for (const subject of ['data folder', 'settings', 'port']) assert.deepEqual(of(subject, well), ['ok in order']);
    assert.match(of('place data', well).join(), /^warning no image in .*pulse data build/);
    assert.match(of('feeds', well).join(), /^warning no source was read yet/);
    assert.match(pulse(dir, ['doctor']).stdout, /^ok {7}data folder: in order$/m);
    const chinese = pulse(dir, ['doctor', '--lang', 'zh'], { PULSE_FEEDS: 'auto' }).stdout;
    assert.match(
      chinese,
      /^正常 {5}数据目录：正常\n(?:.*\n)*警告 {5}地理数据：.* 中没有数据映像.*\n警告 {5}来源：本机尚未读取任何来源/,
    );

    const operator = ['--email', 'boss@example.com', '--operator', '--password', 'correct horse battery'];
    assert.equal(pulse(dir, ['account', 'create', ...operator]).status, 0);
    assert.deepEqual(of('settings', findings(dir, 0)), ['warning operators without a second factor: boss@example.com']);

    chmodSync(dir, 0o755);
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const port = String((listener.address() as AddressInfo).port);
    const poor = findings(dir, 0, { PULSE_PORT: port, PULSE_FEEDS: 'off' });
    listener.close();
    assert.match(of('settings', poor).join(), /^warning other users of this machine may enter/);
    assert.match(of('port', poor).join(), new RegExp(`^warning port ${port} on 127.0.0.1 is in use`));
    assert.equal(of('feeds', poor)[0], 'warning PULSE_FEEDS is off: no source is read');
    assert.match(of('feeds', poor)[1]!, /^warning no source was read yet/);
  });

  for (const name of ['cache', 'feeds', 'images', 'layer-updates', 'layers', 'ledger', 'network', 'phone'])
    test(`a file in the place of ${name}/ is named with what to do, in both languages`, () => {
      const dir = copy();
      rmSync(join(dir, name), { recursive: true, force: true });
      writeFileSync(join(dir, name), 'a file');
      const stops = ['feeds', 'images', 'ledger'].includes(name);
      const all = findings(dir, stops ? 1 : 0);
      const path = join(dir, name);
      assert.deepEqual(
        of('data folder', all).filter((one) => one.includes(path)),
        [
          `${stops ? 'fault' : 'warning'} ${path} is a file where a folder should be; move it away or delete it (ENOTDIR)`,
        ],
      );
      assert.doesNotMatch(JSON.stringify(all), /not a directory|scandir/);
      const { stdout } = pulse(dir, ['doctor', '--lang', 'zh']);
      assert.ok(stdout.includes(`${path} 处应为目录，却是文件；请移走或删除`), stdout);
    });

  test('a reason to refuse a start is a fault with the same sentence, and nothing is changed', () => {
    const dir = copy();
    zero(join(dir, 'secret'));
    const before = readdirSync(dir);
    const faults = of('data folder', findings(dir, 1));
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /^fault .*secret holds bytes that are not text/);
    goOnWith(faults[0]!, 'secret');
    assert.deepEqual(readdirSync(dir), before);
    goOnWith(refused(dir), 'secret');
    for (const command of ['doctor', 'account list']) {
      const { stdout, stderr } = pulse(dir, [...command.split(' '), '--lang', 'zh']);
      assert.match(stdout + stderr, /secret 含有不是文本的字节。请放回原来的内容；或舍弃所有 API 密钥.*data\.json$/m);
    }
  });
});

describe('charges that cannot be read stop the start', () => {
  test('a zeroed and a flipped log are named with their readable part; after the command the counters go on without them', async () => {
    const dir = copy();
    const [log, ...more] = logsOf(dir);
    assert.ok(log !== undefined && more.length === 0);
    const path = join(dir, 'ledger', log);
    const bytes = readFileSync(path);
    const records = bytes.length / 24;
    bytes[24 * 3 + 8]! ^= 1;
    writeFileSync(path, bytes);
    const said = refusedStart(dir);
    assert.match(said, new RegExp(`${log} is damaged: ${records - 1} records can be read and 1 cannot`));
    shell(/: (mkdir .*lost)$/m.exec(said)![1]!);
    assert.deepEqual(readFileSync(join(dir, 'lost', log)), bytes);
    const answer = await usage(dir);
    assert.deepEqual([answer.status, answer.used], [200, 0]);
    const zeroed = copy();
    zero(join(zeroed, 'ledger', logsOf(zeroed)[0]!));
    const { status: found, stdout: finding } = pulse(zeroed, ['doctor']);
    assert.equal(found, 1);
    assert.match(finding, /0 records can be read/);
  });

  test('an end that a crash left unfinished is reported, and the records before it count', async () => {
    const dir = copy();
    const path = join(dir, 'ledger', logsOf(dir)[0]!);
    truncateSync(path, statSync(path).size - 7);
    const answer = await usage(dir);
    assert.deepEqual([answer.status, answer.used], [200, CHARGED - 1]);
    assert.match(answer.log, /"torn_bytes":17.*a crash left the end of a ledger log unfinished/);
  });
});

describe('the command that a refused start prints', () => {
  test('puts damaged files aside, and the next start makes new ones', async () => {
    const dir = copy();
    const before = readFileSync(join(dir, 'pulse.db'));
    zero(join(dir, 'secret'));
    zero(join(dir, 'ledger', 'seed'));
    truncateSync(join(dir, 'pulse.db'), 1000);
    const said = refused(dir);
    for (const file of ['secret', 'pulse.db', 'seed']) shell(goOnWith(said, file));
    assert.deepEqual(readFileSync(join(dir, 'lost', 'pulse.db')), before.subarray(0, 1000));
    assert.equal(existsSync(join(dir, 'pulse.db-wal')), false, 'else SQLite plays it into the new database');
    assert.equal(statSync(join(dir, 'secret')).mode & 0o077, 0);
    assert.equal((await usage(dir)).status, 401);
    assert.deepEqual(partsIn(dir), EVERY_PART);
  });

  test('takes a part in place of another, and goes on without evidence', () => {
    const dir = copy();
    rmSync(join(dir, 'evidence.db'));
    shell(goOnWith(refused(dir), 'evidence.db'));
    assert.equal(pulse(dir, ['account', 'list']).status, 0);
    const database = new DatabaseSync(join(dir, 'pulse.db'));
    database.exec("update store_identity set store_id = 'another'");
    database.close();
    shell(goOnWith(refused(dir), 'pulse.db'));
    assert.equal(pulse(dir, ['account', 'list']).status, 0);
    assert.equal(recordOf(dir).parts['accounts']!.id, 'another');
  });
});
