import { createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { beginPart, endPart } from '../system/part-files.ts';

/** Where records are written. Ends with `finish` or `abandon`. */
export interface Output {
  /** Resolves when the bytes are not needed any more. One write after another. @throws Error of the file system, or `OutputClosed` */
  write(bytes: Uint8Array): Promise<void>;
  /** Puts a file in its place, whole and safe on the disk. */
  finish(): Promise<void>;
  /** Leaves a file of that name as it was, and nothing next to it. */
  abandon(): Promise<void>;
}

/** The reader of standard output has had enough. */
export class OutputClosed extends Error {}

/** Opens a file that is replaced when it is whole; one whose name ends in `.gz` or `.zst` is packed. Undefined: standard output. */
export function openOutput(path: string | undefined): Output {
  return path === undefined ? new StandardOutput(process.stdout) : new ReplacedFile(path);
}

class StandardOutput implements Output {
  readonly #stream: Writable;
  #isClosed = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) throw new OutputClosed();
    await written(this.#stream, bytes);
  }

  async finish(): Promise<void> {
    // What was written is on its way; the stream is the process's and stays open.
  }

  async abandon(): Promise<void> {
    // What was written stays written.
  }
}

class ReplacedFile implements Output {
  readonly #path: string;
  readonly #part: string;
  readonly #stream: Writable;
  readonly #ended: Promise<void>;

  constructor(path: string) {
    this.#path = path;
    this.#part = beginPart(path);
    const file = createWriteStream(this.#part, { flags: 'wx', flush: true });
    const packer = path.endsWith('.gz') ? createGzip() : path.endsWith('.zst') ? createZstdCompress() : undefined;
    this.#stream = packer ?? file;
    this.#ended = packer === undefined ? finished(file) : pipeline(packer, file);
    // Heard by the next write or by `finish`.
    this.#ended.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await Promise.race([written(this.#stream, bytes), this.#ended]);
  }

  async finish(): Promise<void> {
    this.#stream.end();
    await this.#ended;
    await rename(this.#part, this.#path);
    await endPart(this.#part);
    await syncFolder(dirname(this.#path));
  }

  async abandon(): Promise<void> {
    this.#stream.destroy();
    await this.#ended.catch(() => undefined);
    await endPart(this.#part);
  }
}

/** Resolves when the stream is through with the bytes. */
const written = (stream: Writable, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(bytes, (error) => {
      if (error == null) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new OutputClosed() : error);
    });
  });

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
