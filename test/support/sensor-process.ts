import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import type { SensorProtocol } from '../../src/core/collection/traps/trap.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { pulseEnvironment } from './pulse-environment.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface SensorProcess {
  port(protocol: SensorProtocol): number;
  printed(): string;
  logged(): string;
  /** Opens a port of its own on which a client has this address, as behind a load balancer. */
  relay(protocol: SensorProtocol, address: string): Promise<number>;
  /** Stops with the signal and waits. @returns exit status */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts `pulse sensor`, or the sensor of another package, as its users do, on free ports of the loopback
 * address, behind a load balancer that the test plays.
 */
export async function sensorProcess(
  protocols: readonly SensorProtocol[],
  dataDir: string,
  args: readonly string[],
  program: readonly [node: string, script: string] = [process.execPath, join(ROOT, 'src/cli/main.ts')],
): Promise<SensorProcess> {
  const ports = new Map<SensorProtocol, number>();
  for (const protocol of protocols) ports.set(protocol, await freePort());
  const listen = [...ports].map(([protocol, port]) => `${port}/${protocol}`).join();
  const child = spawn(
    program[0],
    [
      program[1],
      'sensor',
      '--host',
      '127.0.0.1',
      '--proxy-protocol',
      '127.0.0.1',
      '--interval',
      '1',
      '--listen',
      listen,
      ...args,
    ],
    { cwd: ROOT, env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (written.out += String(chunk)));
  child.stderr.on('data', (chunk) => (written.err += String(chunk)));
  const exited = once(child, 'exit');
  const relays: Server[] = [];
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    for (const relay of relays) relay.close();
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  const portOf = (protocol: SensorProtocol): number => ports.get(protocol)!;
  const listens = (): boolean => written.err.includes('sensor listens') || child.exitCode !== null;
  await eventually(listens, { withinMs: 60_000, hint: () => written.err }).catch(async (error) => {
    await stop('SIGKILL');
    throw error;
  });
  if (child.exitCode !== null) throw new Error(`the sensor ended with ${child.exitCode}:\n${written.err}`);
  return {
    port: portOf,
    printed: () => written.out,
    logged: () => written.err,
    async relay(protocol, address) {
      const relay = await relayTo(portOf(protocol), address);
      relays.push(relay);
      return (relay.address() as { port: number }).port;
    },
    stop,
  };
}

/** A load balancer of one client: a port that leads to a sensor's, behind a PROXY header with this address. */
export async function relayTo(port: number, address: string): Promise<Server> {
  const server = createServer((client) => {
    const sensor = connect(port, '127.0.0.1', () => {
      sensor.write(`PROXY TCP4 ${address} 127.0.0.1 40000 ${port}\r\n`);
      client.pipe(sensor).pipe(client);
    });
    for (const [one, other] of [
      [client, sensor],
      [sensor, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
