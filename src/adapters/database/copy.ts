import { Readable, Writable } from 'node:stream';
import type { Connection, Submittable } from 'pg';

interface CopyConnection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** Rows for `COPY … FROM STDIN`, for `client.query`. It has finished when the server has taken all of them. */
export class CopyIn extends Writable implements Submittable {
  readonly #text: string;
  #connection: (Connection & CopyConnection) | undefined;
  readonly #asked = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();

  constructor(text: string) {
    super({ highWaterMark: 1024 * 1024 });
    this.#text = text;
    for (const { promise } of [this.#asked, this.#answered]) promise.catch(() => {});
  }

  submit(connection: Connection): void {
    this.#connection = connection as Connection & CopyConnection;
    connection.query(this.#text);
  }

  handleCopyInResponse(): void {
    this.#asked.resolve();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#answered.resolve();
  }

  handleError(error: Error): void {
    this.#asked.reject(error);
    this.#answered.reject(error);
    this.destroy(error);
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error | null) => void): void {
    const send = (): void => {
      const { stream } = this.#connection!;
      this.#connection!.sendCopyFromChunk(chunk);
      if (stream.writableNeedDrain) stream.once('drain', () => done());
      else done();
    };
    this.#asked.promise.then(send).catch(done);
  }

  override _final(done: (error?: Error | null) => void): void {
    const end = (): Promise<void> => {
      this.#connection!.endCopyFrom();
      return this.#answered.promise;
    };
    this.#asked.promise.then(end).then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error !== null && !this.writableFinished) this.#connection?.sendCopyFail('the rows could not be read');
    done(error);
  }
}

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
