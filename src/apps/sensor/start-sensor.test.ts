import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/free-port.ts';
import type { FoldedCapture } from '../../core/collection/tally/collection-tally.ts';
import type { SensorProtocol } from '../../core/collection/traps/trap.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { makeHostKey } from './ssh-server.ts';
import { type Sensor, type SensorOptions, startSensor } from './start-sensor.ts';

const LOOPBACK = parsePrefix('127.0.0.0/8')!;
const NEVER_MS = 3_600_000;
const AT = Date.UTC(2026, 7, 22, 16);

let running: Sensor | undefined;
let logged: string[] = [];
afterEach(async () => {
  await running?.stop();
  running = undefined;
  logged = [];
});

interface Started {
  readonly sensor: Sensor;
  readonly port: number;
  /** Intervals passed to `handOn`, at the latest by `stop`. */
  readonly handed: (readonly FoldedCapture[])[];
}

/**
 * Starts a sensor on one free port, behind a load balancer on the loopback; it hands its captures on when it
 * is stopped.
 */
async function start(protocol: SensorProtocol, change: Partial<SensorOptions> = {}): Promise<Started> {
  const port = await freePort();
  const handed: (readonly FoldedCapture[])[] = [];
  const log = (_: object, message: string): void => void logged.push(message);
  running = await startSensor({
    ports: [{ port, publicPort: 23, protocol }],
    host: '127.0.0.1',
    skipTaken: false,
    proxies: [LOOPBACK],
    ignored: [],
    intervalMs: NEVER_MS,
    hash: (text) => createHash('sha256').update(text).digest('base64url'),
    now: () => AT,
    hostKeys: () => [],
    handOn: (rows) => Promise.resolve(void handed.push(rows)),
    log: { error: log, warn: log, info: log, debug: log },
    ...change,
  });
  return { sensor: running, port, handed };
}

/** Sends a header for an address, and a text, in one piece. @returns the connection */
function client(port: number, address: string, text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(`PROXY TCP4 ${address} 127.0.0.1 1 23\r\n${text}`));
  socket.on('error', () => undefined);
  return socket.resume();
}

/** Resolves when the sensor has closed the connection. */
const closed = (socket: Socket): Promise<unknown> => once(socket, 'close');

const BOUNDS = { silenceMs: 10_000, lifetimeMs: 60_000, bytesMax: 64 * 1024, attemptsMax: 10 };

describe('a connection ends', () => {
  test('after ten attempts, all of which count', async () => {
    const { sensor, port, handed } = await start('telnet');
    await closed(client(port, '8.8.8.8', 'root\r\n1\r\n'.repeat(12)));
    await sensor.stop();
    assert.deepEqual(
      [sensor.counts.attempts, handed[0]!.map(({ count, riskType, port: seen }) => [count, riskType, seen])],
      [12, [[1, 'honeypot_credential', 23]]],
    );
  });

  test('when it sends too much', async () => {
    const { sensor, port } = await start('smtp', { bounds: { ...BOUNDS, bytesMax: 1000 } });
    await closed(client(port, '8.8.8.8', 'x'.repeat(1001)));
    await eventually(() => sensor.counts.scans === 1);
  });

  test('when it is silent, and is not evidence', async () => {
    const { sensor, port, handed } = await start('telnet', { bounds: { ...BOUNDS, silenceMs: 50 } });
    await closed(client(port, '8.8.8.8', ''));
    await eventually(() => sensor.counts.silent === 1);
    await sensor.stop();
    assert.deepEqual(handed, []);
  });

  test('when its time is over, and is a scan if it spoke', async () => {
    const { sensor, port, handed } = await start('telnet', { bounds: { ...BOUNDS, lifetimeMs: 50 } });
    await closed(client(port, '8.8.8.8', 'root'));
    await sensor.stop();
    assert.deepEqual(handed.flat(), [
      { ip: '8.8.8.8', riskType: 'honeypot_scan', protocol: 'telnet', port: 23, firstAt: AT, lastAt: AT, count: 1 },
    ]);
  });

  test('at once where its source or all have too many, and room comes back', async () => {
    const { sensor, port } = await start('telnet', {
      limits: { openMax: 3, openOfSourceMax: 2, perMinuteMax: 100, perMinuteOfSourceMax: 100 },
    });
    const open = [client(port, '8.8.8.8', 'a'), client(port, '8.8.8.8', 'a')];
    await eventually(() => sensor.counts.connections === 2);
    await closed(client(port, '8.8.8.8', 'a'));
    open.push(client(port, '8.8.4.4', 'a'));
    await eventually(() => sensor.counts.connections === 4);
    await closed(client(port, '9.9.9.9', 'a'));
    assert.deepEqual(sensor.counts.refused, {
      open: 1,
      rate: 0,
      open_of_source: 1,
      rate_of_source: 0,
      no_proxy_header: 0,
    });
    for (const socket of open) socket.destroy();
    await eventually(() => sensor.counts.scans === 3);
    const last = client(port, '9.9.9.9', 'a');
    await eventually(() => sensor.counts.connections === 6);
    last.destroy();
    await eventually(() => sensor.counts.scans === 4);
  });

  test('without the header that its load balancer owes', async () => {
    const { sensor, port, handed } = await start('tcp');
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n'));
    socket.on('error', () => undefined);
    await closed(socket.resume());
    await sensor.stop();
    assert.deepEqual([sensor.counts.refused.no_proxy_header, sensor.counts.connections, handed], [1, 0, []]);
  });
});

describe('evidence is', () => {
  test('not made of private addresses, nor of those the operator excludes', async () => {
    const { sensor, port, handed } = await start('tcp', { ignored: [parsePrefix('8.8.8.0/24')!] });
    for (const address of ['10.1.2.3', '192.0.2.1', '8.8.8.8', '8.8.9.8']) await closed(client(port, address, 'x\r\n'));
    await sensor.stop();
    assert.deepEqual([sensor.counts.excluded, handed.flat().map(({ ip }) => ip)], [3, ['8.8.9.8']]);
  });

  test('not taken from a header of a peer that is not a load balancer', async () => {
    const { sensor, port, handed } = await start('tcp', { proxies: [parsePrefix('10.0.0.0/8')!] });
    await closed(client(port, '8.8.8.8', 'x\r\n'));
    await sensor.stop();
    assert.deepEqual([sensor.counts.excluded, handed], [1, []]);
  });

  test('a credential over HTTP from the second pair of an address on; before it, a scan', async () => {
    const { sensor, port, handed } = await start('http');
    for (const pair of ['a:1', 'a:1', 'a:2', 'a:2'])
      await closed(client(port, '8.8.8.8', `GET / HTTP/1.1\r\nAuthorization: Basic ${btoa(pair)}\r\n\r\n`));
    await sensor.stop();
    const shown = handed.flat().map(({ riskType, count }) => [riskType, count]);
    assert.deepEqual(shown, [
      ['honeypot_scan', 2],
      ['honeypot_credential', 2],
    ]);
  });

  test('not made of requests that a browser may send for another site, whatever a port speaks', async () => {
    const body = 'AUTH a b\r\nUSER a\r\nPASS b\r\n';
    const posts = `POST / HTTP/1.1\r\nHost: 8.8.4.4\r\nOrigin: http://a.example\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const protocol of [
      'telnet',
      'smtp',
      'ftp',
      'redis',
      'mysql',
      'postgresql',
      'rdp',
      'vnc',
      'smb',
      'tcp',
      'http',
    ] as const) {
      const { sensor, port, handed } = await start(protocol);
      for (const sent of [posts, posts.slice(0, 20), '\x16\x03\x01\n\nroot\ntoor\n']) {
        const socket = client(port, '8.8.8.8', sent);
        await closed(socket.once('connect', () => socket.end()));
      }
      await eventually(() => sensor.counts.driven === 3, {
        hint: () => `${protocol} ${JSON.stringify(sensor.counts)}`,
      });
      // The same from a program is a scan, which also ends at the request.
      await closed(client(port, '8.8.8.8', posts.replace('Origin', 'X-Origin')));
      await sensor.stop();
      const shown = handed.flat().map(({ riskType, count }) => [riskType, count]);
      assert.deepEqual(shown, [['honeypot_scan', 1]]);
    }
  });

  test('handed on when the interval ends, and lost captures are counted', async () => {
    let attempts = 0;
    const { sensor, port } = await start('tcp', {
      intervalMs: 20,
      handOn: () => Promise.reject(new Error(`full ${attempts++}`)),
    });
    await closed(client(port, '8.8.8.8', 'x\r\n'));
    await eventually(() => sensor.counts.lost === 1);
    assert.deepEqual([attempts, sensor.counts.rows, logged.at(-1)], [1, 0, 'captures could not be kept and are lost']);
  });
});

test('an actor goes on from another address, and another sensor gives it another name', async () => {
  const actorsOf = async (secret: string): Promise<readonly (string | undefined)[]> => {
    const { sensor, port, handed } = await start('telnet', {
      hash: (text) => createHash('sha256').update(secret).update(text).digest('base64url').slice(0, 22),
    });
    const offer = (address: string, passwords: string): Promise<unknown> => {
      const socket = client(port, address, [...passwords].map((password) => `root\r\n${password}\r\n`).join(''));
      let refused = 0;
      socket.on('data', (bytes) => {
        refused += bytes.toString('latin1').split('incorrect').length - 1;
        if (refused === passwords.length) socket.destroy();
      });
      return closed(socket);
    };
    await offer('8.8.8.8', 'abc');
    await offer('8.8.4.4', 'cd');
    await offer('9.9.9.9', 'ab');
    await sensor.stop();
    return handed.flat().map(({ actor }) => actor);
  };
  const [first, second, third] = await actorsOf('1');
  assert.equal(first, second);
  assert.notEqual(first, third);
  assert.ok(!(await actorsOf('2')).includes(first));
});

test('keys of SSH clients are exchanged so many times a second, and the other clients are scans', async () => {
  const hostKey = makeHostKey('ed25519');
  const { sensor, port, handed } = await start('ssh', { keyExchangesMax: 1, hostKeys: () => [hostKey] });
  const visit = async (address: string): Promise<void> => {
    const socket = client(port, address, 'SSH-2.0-x\r\n');
    socket.on('data', () => socket.end());
    await closed(socket);
  };
  await eventually(async () => {
    await Promise.all(['8.8.8.8', '8.8.4.4', '9.9.9.9'].map(visit));
    return sensor.counts.keysNotExchanged > 0;
  });
  await sensor.stop();
  assert.equal(sensor.counts.scans, sensor.counts.connections);
  assert.ok(handed.flat().every(({ riskType }) => riskType === 'honeypot_scan'));
});

describe('a port that is taken', () => {
  test('stops the start and opens none, or is left out with a warning', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = (taken.address() as { port: number }).port;
    const free = await freePort();
    const ports = [free, port].map((one) => ({ port: one, publicPort: one, protocol: 'tcp' as const }));
    try {
      await assert.rejects(start('tcp', { ports }), new RegExp(`${port} \\(EADDRINUSE\\)`));
      const { sensor } = await start('tcp', { ports, skipTaken: true });
      assert.deepEqual([sensor.ports.map((one) => one.port), logged.length], [[free], 1]);
    } finally {
      taken.close();
    }
  });
});
