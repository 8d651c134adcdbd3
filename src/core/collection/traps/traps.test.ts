/**
 * Transcripts of every trap: bytes of the client, bytes of the trap, and the facts kept afterwards. They are
 * equal however the bytes are split.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { makeTrap } from './listening-ports.ts';
import { makePersona, type Scene, sceneOf } from './persona.ts';
import { littleWireNumber, readLittleWireNumber, SENSOR_PROTOCOLS, type SensorProtocol, wireNumber } from './trap.ts';

/** Returns the keyed hash of a sensor with this secret. */
const hashOf = (secret: string) => (text: string) =>
  createHash('sha256').update(`${secret} ${text}`).digest('base64url').slice(0, 22);
const sceneWith = (secret: string, serial: number): Scene =>
  sceneOf(makePersona(hashOf(secret)), hashOf(secret), { client: '198.51.100.7', at: AT, serial });
const AT = Date.UTC(2026, 10, 22);
const SCENE: Scene = {
  ...sceneWith('1', 0),
  chance: 'abcdefghijklmnopqrst',
  persona: { ...makePersona(hashOf('1')), vncRefusal: 'Refused' },
};

interface Outcome {
  readonly replies: string;
  readonly attempts: readonly string[];
  readonly trait: string;
  readonly ended: boolean;
}

/** Feeds pieces of bytes to a trap until it ends. */
function converse(protocol: Exclude<SensorProtocol, 'ssh'>, pieces: readonly string[]): Outcome {
  const trap = makeTrap(protocol, SCENE);
  let step = trap.open();
  let [replies, trait] = [step.reply, step.trait];
  const attempts: string[] = [];
  for (const piece of pieces) {
    if (step.end) break;
    step = trap.receive(step.state, piece);
    replies += step.reply;
    trait += step.trait;
    attempts.push(...step.attempts.map(({ user, secret }) => `${user}:${secret}`));
  }
  return { replies, attempts, trait, ended: step.end };
}

/** Shows bytes that are not text as `\\x1f`. */
const shown = (bytes: string): string =>
  bytes.replace(/[^ -~\r\n]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

const base64 = (text: string): string => btoa(text);
const form = (body: string, headers = ''): string =>
  `POST /login HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A login of MySQL's protocol 4.1 as `root`, with an answer of 20 bytes. */
const MYSQL_ANSWER = 'x'.repeat(20);
const MYSQL_BODY = `${littleWireNumber(0x8a205, 4)}${littleWireNumber(1 << 24, 4)}\x21${'\0'.repeat(23)}root\0\x14${MYSQL_ANSWER}mysql_native_password\0`;
const MYSQL = `${littleWireNumber(MYSQL_BODY.length, 3)}\x01${MYSQL_BODY}`;

const pgStart = (parameters: string) => `${wireNumber(8 + parameters.length, 4)}${wireNumber(196_608, 4)}${parameters}`;
const PG_START = pgStart('user\0admin\0database\0shop\0application_name\0psql\0\0');
const PG_PASSWORD = `p${wireNumber(4 + 7, 4)}secret\0`;
const PG_SSL = wireNumber(8, 4) + wireNumber(80_877_103, 4);

const rdp = (variable: string): string =>
  `\x03\0${wireNumber(11 + variable.length, 2)}${String.fromCharCode(6 + variable.length)}\xe0\0\0\0\0\0${variable}`;

const CASES: readonly (readonly [
  name: string,
  protocol: Exclude<SensorProtocol, 'ssh'>,
  sent: string,
  attempts: readonly string[],
  replies: RegExp,
  ended: boolean,
])[] = [
  [
    'two log-ins',
    'telnet',
    'root\r\nxc3511\r\nadmin\r\nadmin\r\n',
    ['root:xc3511', 'admin:admin'],
    /login: .*Password: .*Login incorrect.*Login incorrect/s,
    false,
  ],
  [
    'options between names, and CR NUL',
    'telnet',
    '\xff\xfd\x01ro\xff\xfa\x18\0xterm\xff\xf0ot\r\0pa\xff\xffss\r\0',
    ['root:pa\xffss'],
    /Login incorrect/,
    false,
  ],
  ['an empty name asks again', 'telnet', '\r\n\r\nroot\n1\n', ['root:1'], /(?:[\w-]+ login: \r\n){3}Password: /, false],
  [
    'Basic',
    'http',
    `GET /admin HTTP/1.1\r\nHost: x\r\nauthorization: basic ${base64('admin:a:b')}\r\n\r\n`,
    ['admin:a:b'],
    /^HTTP\/1\.1 401 .*WWW-Authenticate: Basic/s,
    true,
  ],
  ['no credential', 'http', 'GET / HTTP/1.0\r\n\r\n', [], /^HTTP\/1\.1 401 .*<html>/s, true],
  ['HEAD has no body', 'http', 'HEAD / HTTP/1.0\n\n', [], /^HTTP\/1\.1 401 [^<]*$/, true],
  ['a form', 'http', form('log=admin&pwd=p%40ss&x=1'), ['admin:p@ss'], /401/, true],
  ['JSON', 'http', form('{"username":"u","password":"p","n":7}'), ['u:p'], /401/, true],
  ['a form without a password', 'http', form('q=weather'), [], /401/, true],
  ['TLS', 'http', '\x16\x03\x01\x02\0\x01', [], /^HTTP\/1\.1 400/, true],
  [
    'AUTH PLAIN',
    'smtp',
    `EHLO me\r\nAUTH PLAIN ${base64('\0u@example.com\0pw')}\r\nQUIT\r\n`,
    ['u@example.com:pw'],
    /250-AUTH PLAIN LOGIN.*535 .*221 /s,
    true,
  ],
  [
    'AUTH PLAIN on a line of its own',
    'smtp',
    `EHLO me\r\nAUTH PLAIN\r\n${base64('\0u\0pw')}\r\n`,
    ['u:pw'],
    /334 \r\n535/,
    false,
  ],
  [
    'AUTH LOGIN',
    'smtp',
    `EHLO me\r\nAUTH LOGIN\r\n${base64('u')}\r\n${base64('pw')}\r\n`,
    ['u:pw'],
    /334 VXNlcm5hbWU6.*334 UGFzc3dvcmQ6.*535/s,
    false,
  ],
  [
    'AUTH cancelled, and mail refused',
    'smtp',
    'HELO me\r\nAUTH LOGIN\r\n*\r\nMAIL FROM:<a@example.com>\r\n',
    [],
    /501 5\.7\.0.*530 5\.7\.0/s,
    false,
  ],
  ['a log-in', 'ftp', 'USER root\r\nPASS toor\r\n', ['root:toor'], /^220 .*331 .*530 /s, false],
  ['a question whether it is open to all', 'ftp', 'USER anonymous\r\nPASS a@example.com\r\n', [], /530/, false],
  [
    'AUTH',
    'redis',
    '*2\r\n$4\r\nAUTH\r\n$3\r\nfoo\r\n*1\r\n$4\r\nPING\r\n',
    ['default:foo'],
    /^-(?:WRONGPASS|ERR) .*-NOAUTH/s,
    false,
  ],
  [
    'HELLO with AUTH',
    'redis',
    '*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n',
    ['u:p'],
    /^-(?:WRONGPASS|ERR) /,
    false,
  ],
  ['inline', 'redis', 'INFO\r\nauth u p\r\n', ['u:p'], /^-NOAUTH.*-(?:WRONGPASS|ERR) /s, false],
  ['not RESP', 'redis', '*99999\r\n', [], /^-ERR/, true],
  [
    'a log-in',
    'mysql',
    MYSQL,
    [`root:${MYSQL_ANSWER}`],
    /mysql_native_password\\x00.*Access denied for user 'root'@'198\.51\.100\.7' \(using password: YES\)$/s,
    true,
  ],
  ['a packet that is too long', 'mysql', '\xff\xff\xff\x01', [], /native/, true],
  [
    'a log-in after SSL was refused',
    'postgresql',
    PG_SSL + PG_START + PG_PASSWORD,
    ['admin:secret'],
    /^NR.*C28P01/s,
    true,
  ],
  ['a start without a password', 'postgresql', PG_START, [], /^R/, false],
  ['another version', 'postgresql', wireNumber(8, 4) + wireNumber(131_072, 4), [], /^E/, true],
  [
    'a name',
    'rdp',
    rdp('Cookie: mstshash=Administr\r\n\x01\0\x08\0\x03\0\0\0'),
    ['Administr:'],
    /^\\x03\\x00\\x00\\x13\\x0e\\xd0/,
    true,
  ],
  ['a probe', 'rdp', rdp('Cookie: mstshash=nmap\r\n\x01\0\x08\0\x03\0\0\0'), [], /^\\x03/, true],
  ['no name', 'rdp', rdp('\x01\0\x08\0\x03\0\0\0'), [], /^\\x03/, true],
  [
    'version 3.8',
    'vnc',
    `RFB 003.008\n\x02${'r'.repeat(16)}`,
    [`:${'r'.repeat(16)}`],
    /^RFB 003\.008\n\\x01\\x02abcdefghijklmnop\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x07Refused$/,
    true,
  ],
  [
    'version 3.3',
    'vnc',
    `RFB 003.003\n${'r'.repeat(16)}`,
    [`:${'r'.repeat(16)}`],
    /^RFB 003\.008\n\\x00\\x00\\x00\\x02abcdefghijklmnop\\x00\\x00\\x00\\x01$/,
    true,
  ],
  ['another method', 'vnc', 'RFB 003.008\n\x01', [], /\\x01\\x02$/, true],
  ['the first message', 'smb', '\0\0\0\x45\xffSMBr', [], /^$/, true],
  ['anything', 'tcp', 'x', [], /^$/, true],
];

describe('a transcript', () => {
  for (const [name, protocol, sent, attempts, replies, ended] of CASES)
    test(`${protocol}: ${name}`, () => {
      const outcome = converse(protocol, [sent]);
      assert.deepEqual(outcome.attempts, attempts);
      assert.match(shown(outcome.replies), replies);
      assert.equal(outcome.ended, ended);
      for (const attempt of attempts) {
        const [user, secret] = [attempt.slice(0, attempt.indexOf(':')), attempt.slice(attempt.indexOf(':') + 1)];
        assert.ok(secret.length < 3 || !outcome.replies.includes(secret), 'a secret is sent back');
        assert.ok(secret.length < 3 || !outcome.trait.includes(secret), 'a secret is in the trait');
        assert.ok(user.length < 4 || !outcome.trait.includes(user), 'a name is in the trait');
      }
    });
});

test('where bytes are cut changes nothing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CASES),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      ([, protocol, sent], sizes) => {
        const pieces: string[] = [];
        for (let rest = sent; rest !== ''; rest = rest.slice(pieces.at(-1)!.length))
          pieces.push(rest.slice(0, sizes[pieces.length % sizes.length]));
        const [cut, whole] = [converse(protocol, pieces), converse(protocol, [sent])];
        assert.deepEqual({ ...cut, trait: cut.trait.trim() }, { ...whole, trait: whole.trait.trim() });
      },
    ),
    { seed: 14, numRuns: 500 },
  );
});

test('one connection gets a bounded number of replies, however many lines it sends', () => {
  for (const [protocol, line] of [
    ['smtp', 'NOOP\r\n'],
    ['ftp', 'NOOP\r\n'],
    ['telnet', '\r\n'],
    ['redis', 'PING\r\n'],
  ] as const) {
    const { replies, ended } = converse(protocol, [line.repeat(10_000)]);
    assert.ok(ended && replies.length < 8000, `${protocol} ${replies.length}`);
  }
});

test('clients of two makes have two traits, and one make has one', () => {
  const traitOf = (agent: string, password: string): string =>
    converse('http', [
      `GET / HTTP/1.1\r\nUser-Agent: ${agent}\r\nAuthorization: Basic ${base64(`u:${password}`)}\r\n\r\n`,
    ]).trait;
  assert.equal(traitOf('a', '1'), traitOf('a', '2'));
  assert.notEqual(traitOf('a', '1'), traitOf('b', '1'));
});

/**
 * Returns everything that a sensor with this secret sends to clients of each protocol that begin and then
 * send nonsense.
 */
const wordsOf = (secret: string, serial = 0): readonly string[] =>
  SENSOR_PROTOCOLS.flatMap((protocol) => {
    if (protocol === 'ssh') return JSON.stringify(makePersona(hashOf(secret)).ssh);
    const trap = makeTrap(protocol, sceneWith(secret, serial));
    const { state, reply } = trap.open();
    const said = reply + trap.receive(state, 'GET / HTTP/1.1\r\n\r\n').reply;
    return said === '' ? [] : `${protocol} ${said}`;
  });

test('a sensor says the same at each start, and no two of a hundred say the same', () => {
  assert.deepEqual(wordsOf('1'), wordsOf('1'));
  const sensors = Array.from({ length: 100 }, (_, secret) => wordsOf(String(secret)));
  assert.equal(new Set(sensors.map((words) => JSON.stringify(words))).size, 100);
  // Only bytes that the protocol itself requires may be equal; no words, nor an order of them, are common to
  // all.
  for (const protocol of ['telnet', 'smtp', 'http', 'mysql', '{']) {
    const said = sensors.map((words) => words.find((one) => one.startsWith(protocol)));
    assert.ok(new Set(said).size > 50, `${protocol} ${new Set(said).size}`);
  }
});

test('the texts of a sensor fit one machine: the releases of a system stand together', () => {
  for (let secret = 0; secret < 50; secret++) {
    const { system, ssh } = makePersona(hashOf(String(secret)));
    const name = /Ubuntu|Debian|CentOS|AlmaLinux/.exec(system.issue)![0];
    assert.equal(ssh.ident, system.ssh);
    assert.ok(system.apache.includes(name));
    for (const text of [ssh.ident, system.mysql])
      assert.ok(!/ubuntu|deb\d/i.test(text) || text.toLowerCase().includes(name.slice(0, 3).toLowerCase()), text);
  }
});

test('MySQL counts its connections, and asks each another question', () => {
  const [first, second] = [0, 1].map((serial) => wordsOf('1', serial).find((one) => one.startsWith('mysql'))!) as [
    string,
    string,
  ];
  const threadAt = first.indexOf('\0', 'mysql '.length + 4) + 1;
  const thread = (text: string): number => readLittleWireNumber(text, threadAt, 4);
  const salt = (text: string): string => text.slice(threadAt + 4, threadAt + 12);
  assert.equal(thread(second), thread(first) + 1);
  assert.notEqual(salt(first), salt(second));
  assert.ok(!/[\0$]/.test(salt(first)));
});
