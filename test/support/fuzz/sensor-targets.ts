import assert from 'node:assert/strict';
import { makeTrap } from '../../../src/core/collection/traps/listening-ports.ts';
import { makePersona, sceneOf } from '../../../src/core/collection/traps/persona.ts';
import { readProxyHeader } from '../../../src/core/collection/traps/proxy-header.ts';
import { sshClientTrait } from '../../../src/core/collection/traps/read-opening.ts';
import type { SensorProtocol } from '../../../src/core/collection/traps/trap.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const bytes = (value: string): Uint8Array => Uint8Array.from(value, (one) => one.charCodeAt(0));
const padded = (value: string): string => value.padEnd(22, 'x');
const SCENE = sceneOf(makePersona(padded), padded, { client: '198.51.100.7', at: 0, serial: 0 });
/** No conversation of a sensor has a longer answer. */
const REPLIES_MAX = 16_384;

function converse(protocol: Exclude<SensorProtocol, 'ssh'>, text: string, size: number): readonly unknown[] {
  const trap = makeTrap(protocol, SCENE);
  let step = trap.open();
  let { reply, trait } = step;
  const attempts: unknown[] = [];
  for (let at = 0; at < text.length && !step.end; at += size) {
    step = trap.receive(step.state, text.slice(at, at + size));
    reply += step.reply;
    trait += step.trait;
    attempts.push(...step.attempts);
  }
  assert.ok(reply.length <= REPLIES_MAX, `${reply.length} bytes of replies`);
  return [reply, trait, attempts, step.end];
}

/** Bytes of a client must have one outcome, read in one piece or byte by byte. */
const trapTarget = (protocol: Exclude<SensorProtocol, 'ssh'>, seeds: readonly string[]): FuzzTarget => ({
  name: `sensor-${protocol}`,
  seeds: seeds.map(bytes),
  share: 0.3,
  read(input) {
    const text = input.toString('latin1');
    const [whole, cut] = [converse(protocol, text, Math.max(1, text.length)), converse(protocol, text, 1)];
    assert.deepStrictEqual(cut, whole);
    return whole;
  },
});

const PREAMBLE = '\r\n\r\n\0\r\nQUIT\n';

export const SENSOR_TARGETS: readonly FuzzTarget[] = [
  trapTarget('telnet', [
    'root\r\nxc3511\r\nadmin\r\nadmin\r\n',
    '\xff\xfd\x01ro\xff\xfa\x18\0xterm\xff\xf0ot\r\0pass\r\0',
  ]),
  trapTarget('http', [
    'GET /admin HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: 15\r\n\r\nuser=u&passwd=p',
    'POST / HTTP/1.1\r\nContent-Length: 27\r\n\r\n{"user":"u","password":"p"}',
  ]),
  trapTarget('smtp', ['EHLO me\r\nAUTH PLAIN AHUAcA==\r\nQUIT\r\n', 'EHLO me\r\nAUTH LOGIN\r\ndQ==\r\ncA==\r\n']),
  trapTarget('ftp', ['USER root\r\nPASS toor\r\nQUIT\r\n']),
  trapTarget('redis', [
    '*3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$3\r\nfoo\r\n*1\r\n$4\r\nPING\r\n',
    'INFO\r\nauth u p\r\n',
    '*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$1\r\nu\r\n$1\r\np\r\n',
  ]),
  trapTarget('mysql', [`\x3a\0\0\x01\x05\xa2\x08\0\0\0\0\x01\x21${'\0'.repeat(23)}root\0\x14${'x'.repeat(20)}`]),
  trapTarget('postgresql', ['\0\0\0\x08\x04\xd2\x16\x2f\0\0\0\x14\0\x03\0\0user\0admin\0\0p\0\0\0\x0bsecret\0']),
  trapTarget('rdp', ['\x03\0\0\x2c\x27\xe0\0\0\0\0\0Cookie: mstshash=user\r\n\x01\0\x08\0\x03\0\0\0']),
  trapTarget('vnc', [`RFB 003.008\n\x02${'r'.repeat(16)}`, `RFB 003.003\n${'r'.repeat(16)}`]),
  {
    name: 'sensor-proxy-header',
    seeds: [
      'PROXY TCP4 1.2.3.4 10.0.0.1 5 22\r\nSSH-',
      'PROXY UNKNOWN\r\n',
      `${PREAMBLE}\x21\x11\0\x0c\x01\x02\x03\x04\x7f\0\0\x01\0\x50\x01\xbb`,
    ].map(bytes),
    read(input) {
      const header = readProxyHeader(input.toString('latin1'));
      if (header.status === 'read') assert.ok(header.length <= input.length);
      // The sensor keeps only so many bytes that it has neither read nor refused.
      if (header.status === 'more') assert.ok(input.length < 16 + 2048);
      return header;
    },
  },
  {
    name: 'sensor-ssh-trait',
    seeds: [bytes(`SSH-2.0-x\r\n\0\0\x01\xf4\x06\x14${'c'.repeat(16)}${'\0\0\0\x03abc'.repeat(8)}\0\0`)],
    read: (input) => sshClientTrait(input.toString('latin1')),
  },
];
