/**
 * The pipe between a look-up thread and the app thread of the same process: requests that are not look-ups go through as they came, in HTTP over a local socket. A
 * first header line, which the app thread takes off again, proves where the request comes from and says who sent it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeHttp } from './node-http.ts';

export interface AppPipeAddress {
  /** Of the local socket: a name that leaves no file behind on Linux and Windows. */
  readonly path: string;
  /** Known to the threads of this process alone. */
  readonly seal: string;
}

/** An address for one run of the service. */
export function newAppPipe(): AppPipeAddress {
  const name = `pulse-${randomBytes(8).toString('hex')}`;
  const paths: Partial<Record<NodeJS.Platform, string>> = { linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` };
  return {
    path: paths[process.platform] ?? join(tmpdir(), `${name}.sock`),
    seal: randomBytes(24).toString('base64url'),
  };
}

const FIRST_LINE = 'X-Pulse-Seal';
const FIRST_LINE_LOWER = FIRST_LINE.toLowerCase();

const PEER = Symbol('peer');
type Sealed = IncomingMessage & { [PEER]?: string };

/** The address of the connection that a request came over to this service, also where it has gone through the pipe since; empty when it is gone. */
export const peerAddress = (request: IncomingMessage): string =>
  ((request as Sealed)[PEER] ?? request.socket.remoteAddress ?? '').replace(/%.*$/, '');

/** Takes the seal off a request, which has the peer and the protocol of its first connection from then on. @returns false when it did not come through the pipe */
export function unseal(request: IncomingMessage, seal: string): boolean {
  const [name, value = ''] = request.rawHeaders;
  const [sent = '', minor, peer = ''] = value.split(' ');
  if (name !== FIRST_LINE || sent.length !== seal.length || !timingSafeEqual(Buffer.from(sent), Buffer.from(seal)))
    return false;
  request.rawHeaders.splice(0, 2);
  delete request.headers[FIRST_LINE_LOWER];
  request.httpVersionMinor = Number(minor);
  (request as Sealed)[PEER] = peer;
  return true;
}

/** Header fields about one connection alone (RFC 9110, 7.6.1); the effect of Transfer-Encoding is settled again on each side. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  FIRST_LINE_LOWER,
]);
const OF_ANSWER: ReadonlySet<string> = new Set([...OF_CONNECTION, 'transfer-encoding', 'date']);

function without(left: ReadonlySet<string>, raw: readonly string[], into: string[] = []): string[] {
  for (let i = 0; i < raw.length; i += 2) if (!left.has(raw[i]!.toLowerCase())) into.push(raw[i]!, raw[i + 1]!);
  return into;
}

/** A request waits this long for an app thread that starts again. */
const PATIENCE_MS = 5000;
/** And for the first one: look-ups are answered before it, and a busy machine takes its time. */
const FIRST_PATIENCE_MS = 30_000;

/** The end of a look-up thread. */
export class AppPipe {
  readonly #address: AppPipeAddress;
  readonly #unavailable: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #agent = new nodeHttp.Agent({ keepAlive: true, maxFreeSockets: 256 });
  readonly #waiting = new Set<() => void>();
  #isOpen = false;
  #patienceMs = FIRST_PATIENCE_MS;

  /** @param unavailable answers in place of the app thread while there is none */
  constructor(address: AppPipeAddress, unavailable: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#address = address;
    this.#unavailable = unavailable;
  }

  /** Reports whether the app thread listens. */
  setOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (!isOpen) return;
    this.#patienceMs = PATIENCE_MS;
    for (const go of [...this.#waiting]) go();
  }

  /** Hands a request over, streamed both ways. Whichever side breaks off ends the other. */
  hand(request: IncomingMessage, response: ServerResponse, body?: Buffer): void {
    if (this.#isOpen) {
      this.#relay(request, response, body);
      return;
    }
    const settle = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(settle);
      response.off('close', settle);
      if (response.destroyed) return;
      if (this.#isOpen) this.#relay(request, response, body);
      else this.#unavailable(request, response);
    };
    const timer = setTimeout(settle, this.#patienceMs);
    this.#waiting.add(settle);
    response.once('close', settle);
  }

  close(): void {
    this.#agent.destroy();
  }

  #relay(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): void {
    const { method, url, rawHeaders, headers, httpVersionMinor, socket } = request;
    const lines = without(OF_CONNECTION, rawHeaders, [
      FIRST_LINE,
      `${this.#address.seal} ${httpVersionMinor} ${socket.remoteAddress ?? ''}`,
    ]);
    const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
    // Without a length the client of node:http would announce a body in pieces for every POST.
    if (isEmpty && method !== 'GET' && method !== 'HEAD') lines.push('Content-Length', '0');
    const onward = nodeHttp.request({
      socketPath: this.#address.path,
      agent: this.#agent,
      method: method!,
      path: url!,
      headers: lines,
    });
    onward.on('response', (answer) => {
      answer.on('error', () => response.destroy());
      response.writeHead(answer.statusCode!, answer.statusMessage, without(OF_ANSWER, answer.rawHeaders));
      const first = (chunk: Buffer): void => {
        answer.pause();
        // As text: node:http puts the head before bytes, and so before a 100 Continue that waits behind another answer of the connection.
        response.write(chunk.toString('latin1'), 'latin1');
        answer.off('end', end).pipe(response);
      };
      const end = (): void => void response.end();
      answer.once('data', first).once('end', end);
    });
    onward.on('error', () => {
      if (response.headersSent || response.destroyed) response.destroy();
      else this.#unavailable(request, response);
    });
    response.once('close', () => {
      if (!response.writableFinished) onward.destroy();
    });
    // Answered before its body had come whole: the rest is dropped on this side (`dropRestOfBody`).
    response.once('finish', () => {
      if (request.complete) return;
      request.unpipe(onward).resume();
      onward.destroy();
    });
    if (isEmpty) onward.end();
    else if (body !== undefined) onward.end(body);
    else {
      // A body that breaks off must not reach the app thread as a whole one.
      request.once('close', () => request.complete || onward.destroy());
      onward.flushHeaders();
      request.pipe(onward);
    }
  }
}
