/**
 * The pipe between a lookup thread and the app thread of the same process. Requests that are not lookups pass
 * unchanged, in HTTP over a local socket. A first header line, which the app thread removes, proves where the
 * request comes from, who sent it and which class counted it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { CostClass } from '../../../core/limits/limits.ts';
import { Problem } from '../../../service/problem.ts';
import type { Log } from '../services.ts';
import { bytesOf } from './bytes-of.ts';
import { nodeHttp } from './node-http.ts';
import { RequestTurns } from './request-turns.ts';

export interface AppPipeAddress {
  readonly path: string;
  /** Only the threads of this process know the seal. */
  readonly seal: string;
}

export const newAppPipe = (path: string): AppPipeAddress => ({ path, seal: randomBytes(24).toString('base64url') });

const FIRST_LINE = 'X-Pulse-Seal';
const FIRST_LINE_LOWER = FIRST_LINE.toLowerCase();

const PEER = Symbol('peer');
const COST = Symbol('cost');
type Sealed = IncomingMessage & { [PEER]?: string; [COST]?: string };

/**
 * Returns the address of the connection on which a request reached this service, even after the pipe; empty
 * when it is gone.
 */
export const peerAddress = (request: IncomingMessage): string =>
  ((request as Sealed)[PEER] ?? request.socket.remoteAddress ?? '').replace(/%.*$/, '');

export const isCounted = (request: IncomingMessage, cost: CostClass): boolean => (request as Sealed)[COST] === cost;

/**
 * Removes the seal from a request, which then has the peer and the protocol of its first connection.
 * @returns false when the request did not come through the pipe
 */
export function takeSeal(request: IncomingMessage, seal: string): boolean {
  const [name, value = ''] = request.rawHeaders;
  const [sent = '', minor, peer = '', cost = ''] = value.split(' ');
  if (name !== FIRST_LINE || sent.length !== seal.length || !timingSafeEqual(Buffer.from(sent), Buffer.from(seal)))
    return false;
  request.rawHeaders.splice(0, 2);
  delete request.headers[FIRST_LINE_LOWER];
  request.httpVersionMinor = Number(minor);
  (request as Sealed)[PEER] = peer;
  (request as Sealed)[COST] = cost;
  return true;
}

/**
 * These header fields concern one connection (RFC 9110, 7.6.1); `Trailer` joins them, because trailers end
 * here. Node's client refuses or changes its own message for some of them. Each side settles
 * Transfer-Encoding again.
 */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  FIRST_LINE_LOWER,
]);
const OF_ANSWER: ReadonlySet<string> = new Set([...OF_CONNECTION, 'transfer-encoding', 'date']);

function without(left: ReadonlySet<string>, raw: readonly string[], into: string[] = []): string[] {
  for (let i = 0; i < raw.length; i += 2) if (!left.has(raw[i]!.toLowerCase())) into.push(raw[i]!, raw[i + 1]!);
  return into;
}

/** A request waits this long for an app thread that restarts, or for a relay. */
const PATIENCE_MS = 5000;
/** The first wait is longer: lookups are answered before the app thread, and a busy machine takes its time. */
const FIRST_PATIENCE_MS = 30_000;
/** A connection has at most one request in this queue; a request beyond the bound is refused. */
export const QUEUE_MAX = 1024;
export const TURNS_MAX = 4096;
/** A shorter body comes whole before its request takes a place, so that slow senders hold none. */
export const WHOLE_BODY_BYTES = 16 * 1024;
/** A client that neither sends nor takes a byte for this time gives its place to a request that waits. */
const STALLED_MS = 1000;
const WATCH_EVERY_MS = 250;

export interface RelayRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body?: Buffer | undefined;
  readonly cost?: CostClass | undefined;
}

export type Relay = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => void;

export interface AppPipeOptions {
  /** Requests under way at once, and connections to the app thread. One client holds at most half of them. */
  readonly relaysMax: number;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly refuse: (relayed: RelayRequest, problem: Problem) => void;
  readonly log: Log;
}

/**
 * The end of a lookup thread. One request of a connection is relayed at a time, only so many of all
 * connections, and half as many of one client, or with bodies that are passed on as they come. Others wait in
 * bounded queues, and what these do not hold is refused with not_ready at once.
 */
export class AppPipe {
  readonly #relaysMax: number;
  readonly #clientOf: AppPipeOptions['clientOf'];
  readonly #held = new Map<string, number>();
  readonly #refuse: AppPipeOptions['refuse'];
  readonly #log: Log;
  readonly #agent: InstanceType<typeof nodeHttp.Agent>;
  readonly #turns = new RequestTurns(TURNS_MAX);
  readonly #queue = new Map<RelayRequest, () => void>();
  /** Requests under way, and when a byte of them moved last. */
  readonly #movedAt = new Map<RelayRequest, number>();
  #watch: NodeJS.Timeout | undefined;
  #streams = 0;
  #address: AppPipeAddress | undefined;
  #patienceMs = FIRST_PATIENCE_MS;

  constructor({ relaysMax, clientOf, refuse, log }: AppPipeOptions) {
    this.#relaysMax = relaysMax;
    this.#clientOf = clientOf;
    this.#refuse = refuse;
    this.#log = log;
    this.#agent = new nodeHttp.Agent({ keepAlive: true, maxSockets: relaysMax, maxFreeSockets: relaysMax });
  }

  setApp(address: AppPipeAddress | undefined): void {
    this.#address = address;
    if (address === undefined) return;
    this.#patienceMs = PATIENCE_MS;
    this.#relayQueued();
  }

  /** Hands a request over, streamed both ways; either side's end ends the other. Never throws. */
  hand(relayed: RelayRequest): void {
    relayed.response.on('error', (error) => this.#log.error({ error }, 'an answer could not be written'));
    const admitted = this.#turns.wait(relayed.request, relayed.response, () => this.#receive(relayed));
    if (!admitted) this.#refuse(relayed, new Problem('not_ready'));
  }

  close(): void {
    clearTimeout(this.#watch);
    this.#agent.destroy();
  }

  #receive(relayed: RelayRequest): void {
    const { request, response } = relayed;
    const isShort = Number(request.headers['content-length']) <= WHOLE_BODY_BYTES;
    // A body that breaks off means that the client has left.
    const leave = (): void => void response.destroy();
    if (isShort && isStream(relayed)) bytesOf(request).then((body) => this.#admit({ ...relayed, body }), leave);
    else this.#admit(relayed);
  }

  #canRelay(): boolean {
    return this.#address !== undefined && this.#movedAt.size < this.#relaysMax;
  }

  #isWithinShare(relayed: RelayRequest): boolean {
    const share = this.#share();
    if (isStream(relayed) && this.#streams >= share) return false;
    return (this.#held.get(this.#clientOf(relayed.request)) ?? 0) < share;
  }

  #admit(relayed: RelayRequest): void {
    if (this.#canRelay() && this.#isWithinShare(relayed)) this.#relay(relayed);
    else if (this.#queue.size < QUEUE_MAX) this.#enqueue(relayed);
    else this.#refuse(relayed, new Problem('not_ready'));
  }

  #enqueue(relayed: RelayRequest): void {
    const { response } = relayed;
    const leave = (): void => {
      clearTimeout(timer);
      response.off('close', leave);
      this.#queue.delete(relayed);
    };
    const timer = setTimeout(() => {
      leave();
      this.#refuse(relayed, new Problem('not_ready'));
    }, this.#patienceMs);
    this.#queue.set(relayed, leave);
    response.once('close', leave);
    this.#watch ??= this.#watchLater();
  }

  /** Where no place is free, ends the requests whose clients stand still longest, at most as many as wait. */
  #makeRoom(): void {
    this.#watch = this.#queue.size === 0 ? undefined : this.#watchLater();
    if (this.#movedAt.size >= this.#relaysMax || this.#streams >= this.#share()) {
      const before = performance.now() - STALLED_MS;
      const stalled = [...this.#movedAt]
        .filter(([relayed, at]) => at < before && isLeftToClient(relayed))
        .toSorted(([, a], [, b]) => a - b);
      for (const [{ response }] of stalled.slice(0, this.#queue.size)) response.destroy();
    }
  }

  #watchLater(): NodeJS.Timeout {
    return setTimeout(() => this.#makeRoom(), WATCH_EVERY_MS).unref();
  }

  #share(): number {
    return Math.max(1, this.#relaysMax >> 1);
  }

  #relayQueued(): void {
    for (const [relayed, leave] of this.#queue) {
      if (!this.#canRelay()) return;
      if (!this.#isWithinShare(relayed)) continue;
      leave();
      this.#relay(relayed);
    }
  }

  #relay(relayed: RelayRequest): void {
    const { request, response, body } = relayed;
    let onward: ClientRequest;
    try {
      onward = this.#open(relayed);
    } catch (cause) {
      // Node's client does not write a message that its server read: nothing else of ours can throw here.
      this.#refuse(relayed, new Problem('bad_request', { cause }));
      return;
    }
    const client = this.#clientOf(request);
    const streams = isStream(relayed) ? 1 : 0;
    this.#movedAt.set(relayed, performance.now());
    const moved = (): void => {
      if (this.#movedAt.has(relayed)) this.#movedAt.set(relayed, performance.now());
    };
    this.#streams += streams;
    this.#held.set(client, (this.#held.get(client) ?? 0) + 1);
    onward.once('close', () => {
      this.#movedAt.delete(relayed);
      this.#streams -= streams;
      const held = this.#held.get(client)! - 1;
      if (held > 0) this.#held.set(client, held);
      else this.#held.delete(client);
      this.#relayQueued();
    });
    onward.on('response', (answer) => {
      try {
        passBack(answer, response);
        answer.on('data', moved);
        response.on('drain', moved);
      } catch (error) {
        this.#log.error({ error }, 'an answer of the app thread could not be passed on');
        response.destroy();
      }
    });
    onward.on('error', () => {
      if (response.headersSent || response.destroyed) response.destroy();
      else this.#refuse(relayed, new Problem('not_ready'));
    });
    response.once('close', () => {
      if (!response.writableFinished) onward.destroy();
    });
    // The answer left before the body was complete: `dropBody` drops the rest on this side.
    response.once('finish', () => {
      if (request.complete) return;
      request.unpipe(onward).resume();
      onward.destroy();
    });
    if (isEmpty(request)) onward.end();
    else if (body !== undefined) onward.end(body);
    else {
      // A truncated body must not reach the app thread as a complete one.
      request.once('close', () => request.complete || onward.destroy());
      onward.flushHeaders();
      request.on('data', moved).pipe(onward);
    }
  }

  #open({ request, cost }: RelayRequest): ClientRequest {
    const { method, url, rawHeaders, httpVersionMinor, socket } = request;
    const { path, seal } = this.#address!;
    const lines = without(OF_CONNECTION, rawHeaders, [
      FIRST_LINE,
      `${seal} ${httpVersionMinor} ${socket.remoteAddress ?? ''} ${cost ?? ''}`,
    ]);
    // Without a length the client of node:http would announce a body in pieces for every POST.
    if (isEmpty(request) && method !== 'GET' && method !== 'HEAD') lines.push('Content-Length', '0');
    return nodeHttp.request({ socketPath: path, agent: this.#agent, method: method!, path: url!, headers: lines });
  }
}

const isEmpty = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** Such a body goes on as it comes, and its sender decides how long that takes. */
const isStream = ({ request, body }: RelayRequest): boolean => body === undefined && !isEmpty(request);

/** The next byte is the client's to send or to take. */
const isLeftToClient = (relayed: RelayRequest): boolean =>
  relayed.response.writableNeedDrain || (isStream(relayed) && !relayed.request.complete);

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  answer.on('error', () => response.destroy());
  response.writeHead(answer.statusCode!, answer.statusMessage, without(OF_ANSWER, answer.rawHeaders));
  const first = (chunk: Buffer): void => {
    answer.pause();
    // As text: node:http puts the head before bytes, and so before a 100 Continue that waits behind another
    // answer of the connection.
    response.write(chunk.toString('latin1'), 'latin1');
    answer.off('end', end).pipe(response);
  };
  const end = (): void => void response.end();
  answer.once('data', first).once('end', end);
}
