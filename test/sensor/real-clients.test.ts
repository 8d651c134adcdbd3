/**
 * One sensor, and the clients that people and programs use: the report of each, and that none of their
 * credentials is written anywhere.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SensorProtocol } from '../../src/core/collection/traps/trap.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { type SensorProcess, sensorProcess } from '../support/sensor-process.ts';
import { testFolder } from '../support/test-folder.ts';

const USER = 'marigold';
const PASSWORD = 'Tr0ubadour-9';

const dir = testFolder('sensor');
let sensor: SensorProcess;

before(async () => {
  sensor = await sensorProcess(['ssh', 'http', 'smtp', 'ftp', 'redis', 'postgresql', 'tcp'], dir, ['--try']);
});
after(() => sensor?.stop());

interface Row {
  readonly ip: string;
  readonly risk_type: string;
  readonly captured_at: string;
  readonly count: number;
  readonly port: number;
  readonly protocol: string;
  readonly actor?: string;
}

const rowsOf = (ip: string): readonly Row[] =>
  sensor
    .printed()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
    .filter((row) => row.ip === ip);

/** Runs a client to its end. @returns its output */
async function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH ?? '', HOME: dir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return output;
}

/** A program that prints the password: how OpenSSH is given one without a terminal. */
function askPass(): string {
  const path = join(dir, 'ask-pass');
  writeFileSync(path, `#!/bin/sh\necho '${PASSWORD}'\n`, { mode: 0o700 });
  return path;
}

interface Client {
  readonly name: string;
  readonly program: string;
  readonly debianPackage: string;
  readonly protocol: SensorProtocol;
  readonly args: (port: number) => readonly string[];
  readonly env?: () => Readonly<Record<string, string>>;
  /** undefined: its acts are not evidence. */
  readonly riskType?: 'honeypot_scan' | 'honeypot_credential';
  /** Its first connection was a scan. */
  readonly scansFirst?: true;
  readonly output: RegExp;
}

const SSH_OPTIONS = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'NumberOfPasswordPrompts=1'].flatMap(
  (option) => ['-o', option],
);
const SSH = { name: 'OpenSSH', program: 'ssh', debianPackage: 'openssh-client', protocol: 'ssh' } as const;
const CURL = { program: 'curl', debianPackage: 'curl' } as const;
const sshArgs = (port: number): readonly string[] => [...SSH_OPTIONS, '-p', String(port), `${USER}@127.0.0.1`, 'true'];
const CREDENTIALS = `${USER}:${PASSWORD}`;

const CLIENTS: readonly Client[] = [
  {
    ...SSH,
    args: sshArgs,
    env: () => ({ SSH_ASKPASS: askPass(), SSH_ASKPASS_REQUIRE: 'force' }),
    riskType: 'honeypot_credential',
    output: /Permission denied/,
  },
  {
    ...SSH,
    name: 'OpenSSH without a password',
    args: (port) => ['-o', 'BatchMode=yes', ...sshArgs(port)],
    riskType: 'honeypot_scan',
    output: /Permission denied/,
  },
  {
    ...CURL,
    name: 'curl with Basic authentication, twice',
    protocol: 'http',
    args: (port) =>
      ['a', 'b'].flatMap((end) => ['--next', '-s', '-i', '-u', CREDENTIALS + end, `http://127.0.0.1:${port}/`]),
    riskType: 'honeypot_credential',
    scansFirst: true,
    output: /^HTTP\/1\.1 401/,
  },
  {
    ...CURL,
    name: 'curl with a form, twice',
    protocol: 'http',
    args: (port) =>
      ['a', 'b'].flatMap((end) => [
        '--next',
        '-s',
        '-i',
        '-d',
        `user=${USER}&password=${PASSWORD}${end}`,
        `http://127.0.0.1:${port}/`,
      ]),
    riskType: 'honeypot_credential',
    scansFirst: true,
    output: /^HTTP\/1\.1 401/,
  },
  {
    ...CURL,
    name: 'curl',
    protocol: 'http',
    args: (port) => ['-s', '-i', `http://127.0.0.1:${port}/`],
    riskType: 'honeypot_scan',
    output: /<h1>(?:401|Unauthorized)/,
  },
  {
    ...CURL,
    name: 'curl over TLS, as any browser',
    protocol: 'tcp',
    args: (port) => ['-s', '-S', '-k', `https://127.0.0.1:${port}/`],
    output: /curl: \(35\)|reset|SSL/i,
  },
  {
    ...CURL,
    name: 'curl for FTP',
    protocol: 'ftp',
    args: (port) => ['-sS', '-u', CREDENTIALS, `ftp://127.0.0.1:${port}/`],
    riskType: 'honeypot_credential',
    output: /curl: \(67\)/,
  },
  {
    ...CURL,
    name: 'curl for mail',
    protocol: 'smtp',
    args: (port) => [
      '-sS',
      '-u',
      CREDENTIALS,
      `smtp://127.0.0.1:${port}/`,
      '--mail-from',
      'a@example.com',
      '--mail-rcpt',
      'b@example.com',
      '-T',
      '/dev/null',
    ],
    riskType: 'honeypot_credential',
    output: /curl: \(67\)/,
  },
  {
    name: 'redis-cli',
    program: 'redis-cli',
    debianPackage: 'redis-tools',
    protocol: 'redis',
    args: (port) => ['-p', String(port), '--user', USER, '--pass', PASSWORD, '--no-auth-warning', 'ping'],
    riskType: 'honeypot_credential',
    output: /WRONGPASS|NOAUTH/,
  },
  {
    name: 'redis-cli without a password',
    program: 'redis-cli',
    debianPackage: 'redis-tools',
    protocol: 'redis',
    args: (port) => ['-p', String(port), 'info'],
    riskType: 'honeypot_scan',
    output: /NOAUTH/,
  },
  {
    name: 'psql',
    program: 'psql',
    debianPackage: 'postgresql-client',
    protocol: 'postgresql',
    args: (port) => ['-h', '127.0.0.1', '-p', String(port), '-U', USER, '-c', 'select 1', 'shop'],
    env: () => ({ PGPASSWORD: PASSWORD }),
    riskType: 'honeypot_credential',
    output: /password authentication failed/,
  },
  {
    name: 'nmap, which asks for a title',
    program: 'nmap',
    debianPackage: 'nmap',
    protocol: 'http',
    args: (port) => ['-Pn', '-n', '-sT', '--script', '+http-title', '-p', String(port), '127.0.0.1'],
    riskType: 'honeypot_scan',
    output: /open/,
  },
  {
    name: 'nmap, which only connects',
    program: 'nmap',
    debianPackage: 'nmap',
    protocol: 'tcp',
    args: (port) => ['-Pn', '-n', '-sT', '-p', String(port), '127.0.0.1'],
    output: /open/,
  },
];

describe('a client', { concurrency: 4 }, () => {
  for (const [index, client] of CLIENTS.entries())
    test(client.name, async (t) => {
      const program = findProgram(client.program, client.debianPackage);
      if (program === undefined) return t.skip(`${client.program} is not installed and cannot be installed here`);
      const address = `45.90.7.${index + 1}`;
      const output = await run(program, client.args(await sensor.relay(client.protocol, address)), client.env?.());
      assert.match(output, client.output);
      // A client that only connects leaves no row: a later row of another one shows that its interval is over.
      if (client.riskType === undefined)
        await run('curl', ['-s', `http://127.0.0.1:${await sensor.relay('http', '45.90.8.1')}/`]);
      const isSeen = (row: Row): boolean => client.riskType === undefined || row.risk_type === client.riskType;
      await eventually(() => rowsOf(client.riskType === undefined ? '45.90.8.1' : address).some(isSeen), {
        hint: () => `${output}\n${sensor.logged()}`,
      });
      const rows = rowsOf(address);
      assert.deepEqual(
        [...new Set(rows.map(({ risk_type, protocol, port }) => `${risk_type} ${protocol} ${port}`))],
        [...(client.scansFirst ? ['honeypot_scan'] : []), ...(client.riskType ? [client.riskType] : [])].map(
          (type) => `${type} ${client.protocol} ${sensor.port(client.protocol)}`,
        ),
      );
      for (const row of rows)
        assert.equal(/^[\w-]{22}$/.test(row.actor ?? ''), row.risk_type === 'honeypot_credential');
    });
});

test('no name and no password is written, and a trial leaves nothing behind', () => {
  const written = sensor.printed() + sensor.logged();
  assert.ok(written.length > 500);
  for (const secret of [USER, PASSWORD]) assert.ok(!written.includes(secret), secret);
  const unexpected = readdirSync(dir).filter((name) => name !== 'ask-pass' && !name.startsWith('.'));
  assert.deepEqual(unexpected, []);
});
