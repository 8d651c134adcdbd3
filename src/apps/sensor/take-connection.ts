import type { Socket } from 'node:net';
import { countedClient } from '../../core/caller/client-address.ts';
import type { ConnectionRefusal, SourceLimits } from '../../core/collection/source-limits.ts';
import type { ActorTracker } from '../../core/collection/tally/actor-tracker.ts';
import type { SensorEvent } from '../../core/collection/tally/collection-tally.ts';
import type { DistinctCounter } from '../../core/collection/tally/distinct-counter.ts';
import type { ListeningPort } from '../../core/collection/traps/listening-ports.ts';
import { readProxyHeader } from '../../core/collection/traps/proxy-header.ts';
import { isCutRequest, readOpening } from '../../core/collection/traps/read-opening.ts';
import type { Attempt, SensorProtocol } from '../../core/collection/traps/trap.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { unixMs } from '../../core/units.ts';

/**
 * - `httpPairs`: over HTTP, credentials count from the second distinct pair of an address on.
 * - `proxies`: all connections of these peers begin with a PROXY protocol header.
 * - `ignored`: these clients, such as the operator's own monitors, are not evidence.
 */
export interface ConnectionContext {
  readonly limits: SourceLimits;
  readonly actors: ActorTracker;
  readonly httpPairs: DistinctCounter;
  readonly counts: SensorCounts;
  readonly proxies: readonly Prefix[];
  readonly ignored: readonly Prefix[];
  readonly hash: (text: string) => string;
  readonly now: () => number;
  readonly openSession: (protocol: SensorProtocol, client: string, side: SessionPeer) => TrapSession;
  readonly record: (event: SensorEvent) => void;
  readonly bounds: ConnectionBounds;
}

export interface ConnectionBounds {
  readonly silenceMs: number;
  readonly lifetimeMs: number;
  readonly bytesMax: number;
  readonly attemptsMax: number;
}

/** docs/sensor.md states these defaults. An SSH key exchange takes 4 KiB, a login form as much. */
export const CONNECTION_BOUNDS: ConnectionBounds = {
  silenceMs: 10_000,
  lifetimeMs: 60_000,
  bytesMax: 64 * 1024,
  attemptsMax: 10,
};

const TRAIT_MAX = 2048;

export function takeConnection(socket: Socket, listening: ListeningPort, context: ConnectionContext): void {
  socket.on('error', () => undefined);
  const peer = parseAnyAddress((socket.remoteAddress ?? '').replace(/%.*$/, ''));
  if (peer === undefined) {
    socket.destroy();
    return;
  }
  socket.setTimeout(context.bounds.silenceMs, () => socket.destroy());
  const lifetime = setTimeout(() => socket.destroy(), context.bounds.lifetimeMs);
  socket.once('close', () => clearTimeout(lifetime));
  if (!context.proxies.some((prefix) => contains(prefix, peer))) serve(socket, peer, listening, context);
  else
    afterHeader(socket, context.counts, (client, rest) => {
      serve(socket, client, listening, context);
      if (rest.length > 0) socket.emit('data', rest);
    });
}

function afterHeader(socket: Socket, counts: SensorCounts, then: (client: Address, rest: Buffer) => void): void {
  let text = '';
  const read = (bytes: Buffer): void => {
    text += bytes.toString('latin1');
    const header = readProxyHeader(text);
    if (header.status === 'more') return;
    socket.off('data', read);
    if (header.status === 'malformed') counts.refused.no_proxy_header += 1;
    if (header.status === 'malformed' || header.client === undefined) socket.destroy();
    else then(header.client, Buffer.from(text.slice(header.length), 'latin1'));
  };
  socket.on('data', read);
}

function serve(socket: Socket, client: Address, listening: ListeningPort, context: ConnectionContext): void {
  const { limits, counts } = context;
  const source = countedClient(client);
  counts.connections += 1;
  const refusal = limits.admit(source, performance.now());
  if (refusal !== undefined) {
    counts.refused[refusal] += 1;
    socket.destroy();
    return;
  }
  socket.once('close', () => limits.release(source));
  const visit = new Connection(socket, client, listening, context);
  socket.on('data', (bytes: Buffer) => visit.receive(bytes));
  socket.once('close', () => visit.closed());
}

class Connection implements SessionPeer {
  readonly #socket: Socket;
  readonly #ip: string;
  readonly #isEvidence: boolean;
  readonly #listening: ListeningPort;
  readonly #context: ConnectionContext;
  readonly #talk: TrapSession;
  #spokeAt: number | undefined;
  /** Holds the client's bytes until they show whether a browser may have sent them. */
  #opening: string | undefined = '';
  #isDriven = false;
  #bytes = 0;
  #attempts = 0;
  #isCredential = false;
  #trait = '';
  #fingerprint: string | undefined;
  #ended = false;

  constructor(socket: Socket, client: Address, listening: ListeningPort, context: ConnectionContext) {
    this.#socket = socket;
    this.#ip = formatAddress(client);
    this.#isEvidence = !isReserved(client) && !context.ignored.some((prefix) => contains(prefix, client));
    this.#listening = listening;
    this.#context = context;
    this.#talk = context.openSession(listening.protocol, this.#ip, this);
  }

  receive(bytes: Buffer): void {
    this.#spokeAt ??= this.#context.now();
    this.#bytes += bytes.length;
    if (this.#bytes > this.#context.bounds.bytesMax) this.#socket.destroy();
    else if (this.#ended) return;
    else if (this.#opening === undefined) this.#talk.receive(bytes);
    else this.#begin(this.#opening + bytes.toString('latin1'));
  }

  /**
   * Protocols other than HTTP never receive a request: they would read its head and body as commands, names
   * and passwords.
   */
  #begin(text: string): void {
    const opening = readOpening(text);
    this.#opening = opening === 'more' ? text : undefined;
    if (opening === 'more') return;
    this.#isDriven = opening === 'driven';
    if (opening === 'other' || this.#listening.protocol === 'http') this.#talk.receive(Buffer.from(text, 'latin1'));
    else this.end();
  }

  closed(): void {
    this.#ended = true;
    this.#talk.closed?.();
    const { counts } = this.#context;
    if (this.#spokeAt === undefined) counts.silent += 1;
    else if (!this.#isEvidence) counts.excluded += 1;
    else if (this.#isDriven || isCutRequest(this.#opening ?? '')) counts.driven += 1;
    else if (!this.#isCredential) {
      counts.scans += 1;
      this.#record('honeypot_scan', this.#spokeAt, {});
    }
  }

  send(bytes: Uint8Array): void {
    if (!this.#ended) this.#socket.write(bytes);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.end();
  }

  trait(text: string): void {
    if (this.#fingerprint === undefined && this.#trait.length < TRAIT_MAX) this.#trait += text.slice(0, TRAIT_MAX);
  }

  attempt({ user, secret }: Attempt): void {
    const { hash, counts, actors, httpPairs, now, bounds } = this.#context;
    const { protocol } = this.#listening;
    const at = now();
    this.#attempts += 1;
    if (this.#attempts >= bounds.attemptsMax) queueMicrotask(() => this.end());
    if (!this.#isEvidence || this.#isDriven) return;
    this.#fingerprint ??= hash(`make ${protocol} ${this.#trait}`);
    const credential = hash(`credential ${user.length} ${user} ${secret}`);
    const actor = actors.note({ ip: this.#ip, protocol, fingerprint: this.#fingerprint, credential, at });
    if (protocol === 'http' && !httpPairs.add(this.#ip, unixMs(at), credential)) return;
    counts.attempts += 1;
    this.#record('honeypot_credential', at, { actor });
    this.#isCredential = true;
  }

  #record(riskType: SensorEvent['riskType'], at: number, more: Pick<SensorEvent, 'actor'>): void {
    const { publicPort: port, protocol } = this.#listening;
    this.#context.record({
      ip: this.#ip,
      riskType,
      protocol,
      port,
      at,
      isFirstOfConnection: !this.#isCredential,
      ...more,
    });
  }
}

export interface SessionPeer {
  send(bytes: Uint8Array): void;
  end(): void;
  attempt(attempt: Attempt): void;
  /** Adds a mark of the client's make; it counts until the first attempt. */
  trait(text: string): void;
}

export interface TrapSession {
  receive(bytes: Buffer): void;
  closed?(): void;
}

/**
 * - `refused`: connections closed at once count here by the limit that refused them.
 * - `silent`: connections without data are not evidence.
 * - `excluded`: connections from addresses that are not public or that the operator excluded are not evidence.
 * - `driven`: bytes that a page of another site may have made a browser send are not evidence.
 * - `keysNotExchanged`: SSH clients beyond the key exchanges of a second count as scans.
 * - `lost`: captures are lost when the interval is full while the previous one is still being written, or when
 *   `handOn` fails.
 */
export interface SensorCounts {
  connections: number;
  readonly refused: Record<ConnectionRefusal | 'no_proxy_header', number>;
  silent: number;
  excluded: number;
  driven: number;
  scans: number;
  keysNotExchanged: number;
  attempts: number;
  rows: number;
  lost: number;
}

export const sensorCounts = (): SensorCounts => ({
  connections: 0,
  refused: { open: 0, rate: 0, open_of_source: 0, rate_of_source: 0, no_proxy_header: 0 },
  silent: 0,
  excluded: 0,
  driven: 0,
  scans: 0,
  keysNotExchanged: 0,
  attempts: 0,
  rows: 0,
  lost: 0,
});
