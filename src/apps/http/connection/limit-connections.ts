import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedClient } from '../../../core/caller/client-address.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';
import { contains } from '../../../core/ip/prefix.ts';
import type { Log } from '../services.ts';
import type { ClientConnections } from './client-connections.ts';

/**
 * - `silenceMs`: ends a connection on which no byte moved either way for this long; 0 ends none.
 * - `connectionsMax`: further connections are closed on arrival; undefined admits as many as the system gives.
 * - `perClient`: bounds the connections of one client address over all threads; absent where they are not counted.
 */
export interface ConnectionLimits {
  readonly silenceMs: number;
  readonly requestsMax: number;
  readonly connectionsMax?: number | undefined;
  readonly perClient?: { readonly max: number; readonly open: ClientConnections; readonly except: readonly Prefix[] };
}

/** The answer to one more request that waits behind others is the connection's last. */
export const PIPELINED_MAX = 128;

export const CONNECTION_LIMITS: ConnectionLimits = { silenceMs: 60_000, requestsMax: 10_000 };

/** An IPv6 /64 counts as one client address. */
export const CLIENT_CONNECTIONS_MAX = 64;

const REPORT_EVERY_MS = 60_000;

export function limitConnections(server: Server, limits: ConnectionLimits, log: Log): void {
  server.timeout = limits.silenceMs;
  if (limits.silenceMs > 0) endStalled(server, limits.silenceMs);
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
      report(
        'client',
        `a client has ${perClient.max} connections, and further ones are closed. If it is a proxy, name it in PULSE_TRUSTED_PROXIES`,
      );
    }
  });
}

const LOOKS = 12;

interface Sending extends Socket {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * Ends connections whose answers are not read. node:http restarts its timer once while bytes are queued, so
 * it alone would take twice the time.
 */
function endStalled(server: Server, silenceMs: number): void {
  const open = new Map<Sending, { taken: number; queued: number | undefined; looks: number }>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, { taken: -1, queued: 0, looks: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const look = setInterval(() => {
    for (const [socket, seen] of open) {
      if (socket.writableLength === 0) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const queued = socket._handle?.writeQueueSize;
      const moved = taken !== seen.taken || queued !== seen.queued;
      seen.looks = moved ? 0 : seen.looks + 1;
      seen.taken = taken;
      seen.queued = queued;
      if (seen.looks >= LOOKS) socket.destroy();
    }
  }, silenceMs / LOOKS).unref();
  server.once('close', () => clearInterval(look));
}

const REQUESTS = Symbol('requests');
const WAITING = Symbol('waiting');
interface Counted extends Socket {
  [REQUESTS]?: number;
  [WAITING]?: number;
  readonly parser?: { onIncoming?: () => number } | null;
}

/** Counts a request of a connection, from 1. Node's own limit answers a pipelined request with a bare 503. */
export function placeOnConnection(socket: Counted): number {
  const place = (socket[REQUESTS] ?? 0) + 1;
  socket[REQUESTS] = place;
  return place;
}

export function limitPipelined(socket: Counted, response: ServerResponse): void {
  if (response.socket !== null) return;
  const waiting = (socket[WAITING] ?? 0) + 1;
  socket[WAITING] = waiting;
  // node:http announces an answer's turn by this event.
  response.once('socket', () => {
    socket[WAITING]! -= 1;
  });
  if (waiting > PIPELINED_MAX) endRequests(socket, response);
}

/** Makes this answer the last of its connection. The reader stops at the head of the next request. */
export function endRequests(socket: Counted, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  socket[REQUESTS] = Number.POSITIVE_INFINITY;
  if (socket.parser) socket.parser.onIncoming = () => STOP_READING;
}

/** The parser then leaves this message and what follows it to others. */
const STOP_READING = 2;

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
