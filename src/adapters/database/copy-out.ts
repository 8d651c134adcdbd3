import { Readable } from 'node:stream';
import type { Connection, Submittable } from 'pg';

/** Rows come one a message; they are passed on in pieces of about this size. */
const PIECE_BYTES = 256 * 1024;

/** Rows of `COPY … TO STDOUT`, for `client.query`. The server is read no faster than the stream is. */
export class CopyOut extends Readable implements Submittable {
  readonly #text: string;
  #connection: Connection | undefined;
  #rows: Uint8Array[] = [];
  #bytes = 0;

  constructor(text: string) {
    super({ highWaterMark: 4 * PIECE_BYTES });
    this.#text = text;
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  override _read(): void {
    this.#connection?.stream.resume();
  }

  handleCopyData({ chunk }: { readonly chunk: Uint8Array }): void {
    // The driver uses its buffer again for the next message.
    this.#rows.push(Uint8Array.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= PIECE_BYTES && !this.#pass()) this.#connection?.stream.pause();
  }

  handleCommandComplete(): void {
    if (this.#bytes > 0) this.#pass();
  }

  handleReadyForQuery(): void {
    this.push(null);
  }

  handleError(error: Error): void {
    this.destroy(error);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection?.stream.resume();
    done(error);
  }

  #pass(): boolean {
    const piece = Buffer.concat(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
    return this.push(piece);
  }
}
