import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How much of an unread body is still taken off the wire: enough for a body far over every limit, too little
 * to keep a thread busy for long.
 */
export const DROPPED_BYTES_MAX = 64 * 1024 * 1024;
/** How long a connection whose last answer left may go on sending, and how long it may be silent. */
const LINGER_MS = 30_000;
const SILENCE_MS = 5_000;
/** The same silence while the server stops. */
const SILENCE_AT_STOP_MS = 300;

const ignore = (): void => {};

/**
 * Connections that end. They close in stages (RFC 9112, 9.6): our half first, then the rest from the client
 * is read and dropped until it closes too or its time or bytes run out. Closed at once, unread bytes would
 * make the kernel answer with a reset, and that destroys an answer the client has not read yet.
 */
export class ClosingConnections {
  readonly #taken = new Set<Socket>();
  readonly #ending = new WeakSet<Socket>();
  readonly #stallMs: number;
  #silenceMs = SILENCE_MS;

  /** @param stallMs a connection whose answers are not read is cut when no byte moved for this long, milliseconds */
  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** From now on every connection of the server ends this way after its last answer. */
  watch(server: Server): void {
    const close = (socket: Socket): void => this.close(socket);
    server.on('connection', (socket: Socket) => {
      // node:http calls this after an answer with `Connection: close`; its own cuts the connection as soon as
      // the answer was handed to the kernel.
      socket.destroySoon = () => close(socket);
    });
  }

  has(socket: Socket): boolean {
    return this.#taken.has(socket);
  }

  /**
   * Nothing that comes over this connection is read as a request any more. Answers to earlier requests still
   * leave, and its errors are dropped.
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
    // A listener to 'data' takes the connection from the parser, and with it goes the code that begins to
    // read again after an unread body had stopped it.
    for (const listener of onResume) if (!socket.listeners('resume').includes(listener)) socket.on('resume', listener);
    socket.resume();
  }

  /**
   * Ends our half, after `last` where there is something left to say, and cuts the connection when the client
   * has ended its own.
   */
  close(socket: Socket, last?: string): void {
    if (socket.destroyed || this.#ending.has(socket)) return;
    this.#ending.add(socket);
    this.take(socket);
    if (socket.writable) socket.end(last ?? '');
    if (socket.writableFinished) this.#awaitEnd(socket);
    else socket.once('finish', () => this.#awaitEnd(socket));
  }

  /** The server stops: a client that is silent is not waited for. */
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

/** Drops the rest of a body answered early, so that its sender reads the answer; too long a rest ends it. */
export function dropBody(request: IncomingMessage, response: ServerResponse): void {
  // Before node:http's own listener, which would drop the rest without counting.
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
