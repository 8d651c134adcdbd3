/**
 * Resident memory of `pulse sensor` under a flood of connections from millions of addresses, which a load
 * balancer on the loopback passes on with PROXY headers: scans, attempts at passwords, connections that say
 * nothing, and one source that is far above its limit. Its service is away, so that the spool is filled and
 * emptied of its oldest batches too. Judges memory after the warm-up; status 1 when it grows by more than is
 * allowed.
 *
 *   node bench/sensor-flood.ts [--connections 1000000] [--every 100000] [--at-once 128] [--allowed 32] [--seed 1]
 *
 * `--allowed` is MiB between the first and the last reading behind a third of the connections. Linux only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomBelow } from '../test/support/random.ts';
import { freePort, ROOT, residentMiB, scratch, stopAll } from './peers/http-load.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000000' },
    every: { type: 'string', default: '100000' },
    'at-once': { type: 'string', default: '128' },
    allowed: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
  },
});
const CONNECTIONS = Number(values.connections);
const EVERY = Number(values.every);
const SPOOL_MIB = 8;
/** A client that is kept waiting goes: the sensor says nothing to those it refuses. */
const PATIENCE_MS = 2000;
/** Different targets on the loopback, so that ports of ended connections do not run out. */
const TARGETS = 32;

const below = randomBelow(Number(values.seed));
const address = (): string =>
  below(10) === 0
    ? `2a00:${below(0x1_0000).toString(16)}:${below(0x1_0000).toString(16)}::${(1 + below(0xffff)).toString(16)}`
    : `45.${below(256)}.${below(256)}.${below(256)}`;
const LOUD = '46.1.2.3';

const folder = scratch;
writeFileSync(join(folder, 'key'), 'pk_flood\n');
const ports = { tcp: await freePort(), telnet: await freePort(), http: await freePort() };
const listen = Object.entries(ports).map(([protocol, port]) => `${port}/${protocol}`);
const report = `http://127.0.0.1:${await freePort()}`;
const args = [
  'sensor',
  '--host',
  '0.0.0.0',
  '--proxy-protocol',
  '127.0.0.0/8',
  '--listen',
  listen.join(),
  '--report',
  report,
  '--key-file',
  join(folder, 'key'),
];
const sensor = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args, '--spool-mib', String(SPOOL_MIB)], {
  env: { PATH: process.env['PATH'], PULSE_DATA_DIR: folder },
  stdio: ['ignore', 'ignore', 'pipe'],
});
let log = '';
sensor.stderr.on('data', (chunk) => {
  log = `${log}${String(chunk)}`.slice(-20_000);
});
while (!log.includes('sensor listens')) await once(sensor.stderr, 'data');

interface Connection {
  readonly port: number;
  readonly from: string;
  readonly says: string;
}

/** A hundred visits are 60 scans, 25 log-ins, 5 that say nothing, and 10 of the loud source. */
function visit(): Connection {
  const kind = below(100);
  if (kind < 45) return { port: ports.tcp, from: address(), says: '\x16\x03\x01' };
  if (kind < 60) return { port: ports.http, from: address(), says: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' };
  if (kind < 85) return { port: ports.telnet, from: address(), says: `root\r\n${below(1000)}\r\n` };
  return { port: ports.tcp, from: kind < 90 ? address() : LOUD, says: kind < 90 ? '' : 'x' };
}

const ends = { answered: 0, closed: 0, lost: 0 };

/** One connection to its end. It is reset, so that its port is free again. */
function call({ port, from, says }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const family = from.includes(':') ? 'TCP6' : 'TCP4';
    const socket = connect({ port, host: `127.0.0.${2 + below(TARGETS)}` });
    const leave = (end: keyof typeof ends): void => {
      if (socket.destroyed) return;
      ends[end] += 1;
      socket.resetAndDestroy();
      resolve();
    };
    socket.setTimeout(PATIENCE_MS, () => leave('lost'));
    let heard = '';
    socket.on('connect', () => {
      socket.write(`PROXY ${family} ${from} ${family === 'TCP4' ? '127.0.0.1' : '::1'} 1 ${port}\r\n${says}`);
      if (says === '') setTimeout(() => leave('answered'), 20);
    });
    socket.on('data', (bytes) => {
      heard += String(bytes);
      if (/incorrect|401/.test(heard)) leave('answered');
    });
    socket.on('error', () => leave('closed'));
    socket.on('end', () => leave('closed'));
    socket.on('close', () => resolve());
  });
}

const spooledMiB = (): number => {
  const spool = join(folder, 'sensor', 'spool');
  return readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0) / 1024 / 1024;
};

let begun = 0;
let done = 0;
const readings: {
  readonly connections: number;
  readonly rssMiB: number;
  readonly perSecond: number;
  readonly spoolMiB: number;
}[] = [];
let lapAt = performance.now();
async function caller(): Promise<void> {
  while (begun < CONNECTIONS) {
    begun += 1;
    await call(visit());
    done += 1;
    if (done % EVERY !== 0) continue;
    const now = performance.now();
    readings.push({
      connections: done,
      rssMiB: residentMiB(sensor.pid!),
      perSecond: (EVERY * 1000) / (now - lapAt),
      spoolMiB: spooledMiB(),
    });
    lapAt = now;
    process.stderr.write(`${done} ${readings.at(-1)!.rssMiB.toFixed(0)} MiB\n`);
  }
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, caller));
if (sensor.exitCode !== null) throw new Error(`the sensor ended:\n${log}`);

table(
  ['connections', 'RSS MiB', 'connections/s', 'spool MiB'],
  readings.map(({ connections, rssMiB, perSecond, spoolMiB }) => [
    String(connections),
    rssMiB.toFixed(0),
    perSecond.toFixed(0),
    spoolMiB.toFixed(1),
  ]),
);
const counted = /"connections":\d+.*?(?="msg")/g;
process.stdout.write(
  `\nclients: ${JSON.stringify(ends)}\nsensor, as of its last line: ${log.match(counted)?.at(-1) ?? 'no line yet'}\n`,
);
sensor.kill('SIGKILL');
await once(sensor, 'exit');
await stopAll();
const judged = readings.filter(({ connections }) => connections * 3 > CONNECTIONS);
const growth = (judged.at(-1)?.rssMiB ?? 0) - (judged[0]?.rssMiB ?? 0);
process.stdout.write(`growth after a third: ${growth.toFixed(1)} MiB\n`);
if (growth > Number(values.allowed)) process.exitCode = 1;
