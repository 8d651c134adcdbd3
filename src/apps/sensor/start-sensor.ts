import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { SENSOR_LIMITS, SourceLimits, type SourceLimitsOptions } from '../../core/collection/source-limits.ts';
import { ActorTracker } from '../../core/collection/tally/actor-tracker.ts';
import { CaptureFold, type FoldedCapture, type SensorEvent } from '../../core/collection/tally/collection-tally.ts';
import { DistinctCounter } from '../../core/collection/tally/distinct-counter.ts';
import { type ListeningPort, makeTrap } from '../../core/collection/traps/listening-ports.ts';
import { makePersona, sceneOf } from '../../core/collection/traps/persona.ts';
import { silentTrap, type Trap, type TrapStep } from '../../core/collection/traps/trap.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { WindowCount } from '../../core/kit/window-count.ts';
import { DAY_MS } from '../../core/units.ts';
import { every } from '../../service/every.ts';
import type { Log } from '../http/services.ts';
import { type OpenSshSession, sshServer } from './ssh-server.ts';
import {
  CONNECTION_BOUNDS,
  type ConnectionBounds,
  type ConnectionContext,
  type SensorCounts,
  type SessionPeer,
  sensorCounts,
  type TrapSession,
  takeConnection,
} from './take-connection.ts';

/**
 * - `skipTaken`: skips ports that cannot be opened, with a warning, as long as one opens.
 * - `handOn`: captures of an interval are lost if this throws.
 */
export interface SensorOptions {
  readonly ports: readonly ListeningPort[];
  readonly host: string | undefined;
  readonly skipTaken: boolean;
  readonly proxies: readonly Prefix[];
  readonly ignored: readonly Prefix[];
  readonly limits?: SourceLimitsOptions;
  readonly bounds?: ConnectionBounds;
  readonly keyExchangesMax?: number;
  readonly intervalMs: number;
  readonly hash: (text: string) => string;
  readonly now: () => number;
  readonly hostKeys: () => readonly string[];
  readonly handOn: (rows: readonly FoldedCapture[]) => Promise<void>;
  readonly log: Log;
}

export interface Sensor {
  readonly ports: readonly ListeningPort[];
  readonly counts: SensorCounts;
  stop(): Promise<void>;
}

const REPORT_EVERY_MS = 60_000;
/**
 * Each exchange takes some 4 ms of CPU time, so a flood of SSH clients leaves more than half of a core to
 * other work.
 */
const KEY_EXCHANGES_MAX = 100;
const UNKNOWN_CLIENTS_MAX = 256;

/** Listens until it is stopped. @throws Error if a port cannot be opened */
export async function startSensor(options: SensorOptions): Promise<Sensor> {
  const { log, now, hash } = options;
  const counts = sensorCounts();
  const captures = new Captures(options, counts);
  const context: ConnectionContext = {
    limits: new SourceLimits(options.limits ?? SENSOR_LIMITS),
    actors: new ActorTracker((text) => hash(`actor ${text}`)),
    httpPairs: new DistinctCounter(2, DAY_MS),
    counts,
    proxies: options.proxies,
    ignored: options.ignored,
    hash,
    now,
    openSession: talks(options, counts),
    record: (event) => captures.add(event),
    bounds: options.bounds ?? CONNECTION_BOUNDS,
  };
  const sockets = new Set<Socket>();
  const servers = options.ports.map((port) =>
    listener(port, context, sockets, (options.limits ?? SENSOR_LIMITS).openMax),
  );
  const ports = await openAll(servers, options);
  const flush = every('handing on of captures', options.intervalMs, () => captures.handOn(), {
    log,
    meanwhile: 'captures are lost',
  });
  const report = every('counts of the sensor', REPORT_EVERY_MS, reporter(log, counts), {
    log,
    meanwhile: 'they are not logged',
  });
  return {
    ports,
    counts,
    async stop() {
      await Promise.all([flush.stop(), report.stop()]);
      const closed: Promise<unknown>[] = servers
        .filter(({ server }) => server.listening)
        .map(({ server }) => once(server.close(), 'close'));
      // Servers close before their connections, because a connection's kind is recorded when it closes.
      for (const socket of sockets) closed.push(new Promise((resolve) => socket.once('close', resolve).destroy()));
      await Promise.all(closed);
      await captures.handOn();
    },
  };
}

class Captures {
  readonly #options: SensorOptions;
  readonly #counts: SensorCounts;
  readonly #fold = new CaptureFold();
  #handing: Promise<void> | undefined;

  constructor(options: SensorOptions, counts: SensorCounts) {
    this.#options = options;
    this.#counts = counts;
  }

  add(event: SensorEvent): void {
    if (this.#fold.add(event)) return;
    // One interval is written while the next is collected. There is never a third, so memory stays bounded.
    if (this.#handing !== undefined) {
      this.#counts.lost += 1;
      return;
    }
    void this.#begin();
    this.#fold.add(event);
  }

  async handOn(): Promise<void> {
    while (this.#handing !== undefined) await this.#handing;
    await this.#begin();
  }

  #begin(): Promise<void> {
    const rows = this.#fold.take();
    if (rows.length === 0) return Promise.resolve();
    this.#handing = this.#keep(rows).finally(() => {
      this.#handing = undefined;
    });
    return this.#handing;
  }

  async #keep(rows: readonly FoldedCapture[]): Promise<void> {
    try {
      await this.#options.handOn(rows);
      this.#counts.rows += rows.length;
    } catch (error) {
      this.#counts.lost += rows.length;
      this.#options.log.error({ error, rows: rows.length }, 'captures could not be kept and are lost');
    }
  }
}

function talks(
  { hash, now, hostKeys, keyExchangesMax = KEY_EXCHANGES_MAX }: SensorOptions,
  counts: SensorCounts,
): ConnectionContext['openSession'] {
  const persona = makePersona(hash);
  let serial = 0;
  const exchanges = new WindowCount(1000, keyExchangesMax);
  let ssh: OpenSshSession | undefined;
  return (protocol, client, side) => {
    if (protocol !== 'ssh')
      return openTrapSession(makeTrap(protocol, sceneOf(persona, hash, { client, at: now(), serial: serial++ })), side);
    if (exchanges.take(performance.now())) {
      ssh ??= sshServer(hostKeys(), persona.ssh);
      return ssh(side);
    }
    counts.keysNotExchanged += 1;
    return openTrapSession(silentTrap('ssh', `SSH-2.0-${persona.ssh.ident}\r\n`), side);
  };
}

function openTrapSession<State>(trap: Trap<State>, side: SessionPeer): TrapSession {
  let state: State;
  const take = (next: TrapStep<State>): void => {
    state = next.state;
    if (next.trait !== '') side.trait(next.trait);
    for (const attempt of next.attempts) side.attempt(attempt);
    if (next.reply !== '') side.send(Buffer.from(next.reply, 'latin1'));
    if (next.end) side.end();
  };
  take(trap.open());
  return { receive: (bytes) => take(trap.receive(state, bytes.toString('latin1'))) };
}

interface Listener {
  readonly port: ListeningPort;
  readonly server: Server;
}

function listener(port: ListeningPort, context: ConnectionContext, sockets: Set<Socket>, openMax: number): Listener {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    takeConnection(socket, port, context);
  });
  server.maxConnections = openMax + UNKNOWN_CLIENTS_MAX;
  server.on('drop', () => {
    context.counts.refused.open += 1;
  });
  return { port, server };
}

async function openAll(
  servers: readonly Listener[],
  { host, skipTaken, log }: SensorOptions,
): Promise<readonly ListeningPort[]> {
  const faults: string[] = [];
  const opened: ListeningPort[] = [];
  for (const { port, server } of servers) {
    try {
      server.listen({ port: port.port, ...(host !== undefined && { host }) });
      await once(server, 'listening');
      server.on('error', (error) => log.error({ error, port: port.port }, 'a port reports a fault'));
      opened.push(port);
    } catch (error) {
      faults.push(`${port.port} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  if (faults.length === 0) return opened;
  const text = `ports that cannot be opened: ${faults.join(', ')}`;
  if (skipTaken && opened.length > 0) {
    log.warn({}, `${text}; the others are open`);
    return opened;
  }
  for (const { server } of servers) if (server.listening) server.close();
  throw new Error(
    `${text}. Ports below 1024 need the right to open them (CAP_NET_BIND_SERVICE); docs/sensor.md shows ports above and how to redirect to them`,
  );
}

function reporter(log: Log, counts: SensorCounts): () => void {
  let last = '';
  return () => {
    const now = JSON.stringify(counts);
    if (now === last) return;
    last = now;
    log.info({ ...counts }, 'sensor');
  };
}
