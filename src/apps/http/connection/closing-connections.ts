import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Reading this much of an unread body covers bodies far over every limit, without keeping a thread busy for
 * long.
 */
export const DROPPED_BYTES_MAX = 64 * 1024 * 1024;
const LINGER_MS = 30_000;
const SILENCE_MS = 5_000;
const SILENCE_AT_STOP_MS = 300;

const ignore = (): void => {};

/**
 * Closes connections in stages (RFC 9112, 9.6): our half first; then the rest from the client is read and
 * dropped until it closes, or its time or bytes run out. Otherwise unread bytes would make the kernel send a
 * reset, which destroys an answer that the client has not read yet.
 */
export class ClosingConnections {
  readonly #taken = new Set<Socket>();
  readonly #ending = new WeakSet<Socket>();
  readonly #stallMs: number;
  #silenceMs = SILENCE_MS;

  /** @param stallMs a connection whose answers are not read is cut when no byte moved for this long */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  watch(server: Server): void {
    const close = (socket: Socket): void => this.close(socket);
    server.on('connection', (socket: Socket) => {
      // node:http calls this after an answer with `Connection: close`; its own cuts the connection as soon as
      // the kernel has the answer.
      socket.destroySoon = () => close(socket);
    });
  }

  has(socket: Socket): boolean {
    return this.#taken.has(socket);
  }

  /**
   * Reads no further requests from this connection. Answers to earlier ones still leave, and its errors are
   * dropped.
   */
  take(socket: Socket): void {
    if (socket.destroyed || this.#taken.has(socket)) return;
    this.#taken.add(socket);
    socket.once('close', () => this.#taken.delete(socket));
    socket.on('error', ignore);
    for (const event of ['data', 'end', 'timeout']) socket.removeAllListeners(event);
    // Answers to earlier requests may still leave, to a client that does not read them.
    socket.setTimeout(this.#stallMs, () => void socket.destroy());
    const onResume = socket.listeners('resume') as (() => void)[];
    let left = DROPPED_BYTES_MAX;
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) socket.destroy();
    });
    // A listener to 'data' takes the connection from the parser, and with it the code that resumes reading
    // after an unread body had stopped it.
    for (const listener of onResume) if (!socket.listeners('resume').includes(listener)) socket.on('resume', listener);
    socket.resume();
  }

  /** Ends our half, after `last` if given, and cuts the connection when the client has ended its own. */
  close(socket: Socket, last?: string): void {
    if (socket.destroyed || this.#ending.has(socket)) return;
    this.#ending.add(socket);
    this.take(socket);
    if (socket.writable) socket.end(last ?? '');
    if (socket.writableFinished) this.#awaitEnd(socket);
    else socket.once('finish', () => this.#awaitEnd(socket));
  }

  hurry(): void {
    this.#silenceMs = SILENCE_AT_STOP_MS;
    for (const socket of this.#taken) if (socket.writableFinished) socket.setTimeout(SILENCE_AT_STOP_MS);
  }

  cut(): void {
    for (const socket of this.#taken) socket.destroy();
  }

  #awaitEnd(socket: Socket): void {
    const cut = (): void => void socket.destroy();
    if (socket.readableEnded) {
      cut();
      return;
    }
    const tooLong = setTimeout(cut, LINGER_MS).unref();
    socket.once('close', () => clearTimeout(tooLong));
    socket.once('end', cut);
    socket.setTimeout(this.#silenceMs, cut);
  }
}

/**
 * Drops the rest of a body answered early, so that its sender reads the answer; too long a rest ends the
 * connection.
 */
export function dropBody(request: IncomingMessage, response: ServerResponse): void {
  // This must run before node:http's own listener, which would drop the rest without counting.
  response.prependOnceListener('finish', () => {
    if (request.readableEnded) return;
    let left = DROPPED_BYTES_MAX;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) request.socket.destroy();
    });
    request.resume();
  });
}
