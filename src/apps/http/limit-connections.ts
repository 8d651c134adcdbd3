import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { countedClient } from '../../core/caller/client-address.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import type { ClientConnections } from './client-connections.ts';
import type { Log } from './services.ts';

export interface ConnectionLimits {
  /** A connection on which no byte moved either way for this long is ended, milliseconds. */
  readonly silenceMs: number;
  /** The answer to this request of a connection is its last. */
  readonly requestsMax: number;
  /** Connections of one server; more are closed when they come. Undefined: as many as the system gives. */
  readonly connectionsMax?: number | undefined;
  /** Connections of one client address over all threads; left out where they are not counted. */
  readonly perClient?: { readonly max: number; readonly open: ClientConnections; readonly except: readonly Prefix[] };
}

/** What holds without further settings. */
export const CONNECTION_LIMITS: ConnectionLimits = { silenceMs: 60_000, requestsMax: 10_000 };

/** Connections one client address may have open, an IPv6 /64 as one. */
export const CLIENT_CONNECTIONS_MAX = 64;

/** Closed connections are reported this often at most. */
const REPORT_EVERY_MS = 60_000;

/** Bounds what connections may hold: their number, their number per client, their requests, and the time in which nothing moves. */
export function limitConnections(server: Server, limits: ConnectionLimits, log: Log): void {
  server.timeout = limits.silenceMs;
  const report = reporter(log);
  if (limits.connectionsMax !== undefined) server.maxConnections = limits.connectionsMax;
  server.on('drop', () => report('total', 'all connections of a thread are taken, and further ones are closed'));
  const { perClient } = limits;
  if (perClient === undefined) return;
  server.on('connection', (socket: Socket) => {
    const client = clientOf(socket, perClient.except);
    const close = client === undefined ? undefined : perClient.open.open(client, perClient.max);
    if (close !== undefined) socket.once('close', close);
    else if (client !== undefined) {
      socket.destroy();
      report('client', `a client has ${perClient.max} connections, and further ones are closed. If it is a proxy, name it in PULSE_TRUSTED_PROXIES`);
    }
  });
}

const REQUESTS = Symbol('requests');
type Counted = Socket & { [REQUESTS]?: number };

/**
 * Counts a request of a connection. node:http's own `maxRequestsPerSocket` answers what is pipelined behind the last one with a bare 503.
 * @returns 1 for the first
 */
export function placeOnConnection(socket: Counted): number {
  const place = (socket[REQUESTS] ?? 0) + 1;
  socket[REQUESTS] = place;
  return place;
}

/** Under what a connection is counted; undefined where it is not. */
function clientOf({ remoteAddress = '' }: Socket, except: readonly Prefix[]): string | undefined {
  const peer = parseAnyAddress(remoteAddress.replace(/%.*$/, ''));
  return peer === undefined || except.some((prefix) => contains(prefix, peer)) ? undefined : countedClient(peer);
}

function reporter(log: Log): (kind: string, message: string) => void {
  const reported = new Map<string, number>();
  return (kind, message) => {
    const now = performance.now();
    if (now - (reported.get(kind) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    reported.set(kind, now);
    log.warn({}, message);
  };
}
