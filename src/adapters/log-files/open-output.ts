import { createWriteStream, type Stats } from 'node:fs';
import { chmod, chown, mkdir, open, readlink, realpath, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { printableText } from '../../core/texts/printable.ts';
import { fault } from '../../core/texts/said.ts';
import { beginPart, endPart, syncFolder } from '../system/write-durably.ts';

/** Every output ends with `finish` or `abandon`. */
export interface Output {
  /**
   * Resolves when the bytes may be reused; call it again only then. @throws Error of the file system, or
   * `OutputClosed`
   */
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Leaves an existing file of that name unchanged, and nothing next to it. */
  abandon(): Promise<void>;
}

export class OutputClosed extends Error {}

/**
 * Every command writes to a name from its user through this; undefined and `-` are standard output. A file is
 * replaced when it is complete, and keeps its mode and owner; a symbolic link stays and its target is
 * replaced. Devices and pipes are written in place. A name that ends in `.gz` or `.zst` is packed.
 * @param mode permissions of a new file; by default those of the process's umask
 * @throws Error of the file system, or for a folder, or for another user's file whose owner would change
 */
export async function openOutput(path: string | undefined, mode?: number): Promise<Output> {
  if (path === undefined || path === '-') return new StandardOutput(process.stdout);
  const found = await statOf(path);
  if (found?.isDirectory()) throw fault('{path} is a folder', { path });
  if (found !== undefined && !found.isFile()) return new WrittenStream(path, createWriteStream(path));
  const target = found === undefined ? await unlinked(path) : await realpath(path);
  await mkdir(dirname(target), { recursive: true });
  const part = beginPart(target);
  await (await open(part, 'wx')).close();
  const output = new ReplacedFile(path, part, target);
  try {
    if (found !== undefined) await takeRights(part, found, path);
    else if (mode !== undefined) await chmod(part, mode);
    return output;
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

export async function writeOutput(path: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const output = await openOutput(path, mode);
  try {
    await output.write(bytes);
    await output.finish();
  } catch (error) {
    await output.abandon();
    throw error;
  }
}

const statOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

async function unlinked(path: string): Promise<string> {
  const to = await readlink(path).catch(() => undefined);
  return to === undefined ? path : unlinked(resolve(dirname(path), to));
}

async function takeRights(part: string, { uid, gid, mode }: Stats, path: string): Promise<void> {
  const own = await stat(part);
  if (own.uid !== uid || own.gid !== gid)
    await chown(part, uid, gid).catch(() => {
      throw fault(
        '{path} belongs to another user or group and would not afterwards: write it as that user, or remove it first',
        { path },
      );
    });
  await chmod(part, mode & 0o777);
}

class StandardOutput implements Output {
  readonly #stream: Writable;
  /** A terminal obeys what is inside a line, and a stranger may have written it. */
  readonly #terminal: TextDecoder | undefined;
  #isClosed = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    if (stream.isTTY) this.#terminal = new TextDecoder();
    stream.on('error', () => {
      this.#isClosed = true;
    });
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed) throw new OutputClosed();
    const shown = this.#terminal && Buffer.from(printableText(this.#terminal.decode(bytes, { stream: true })));
    await written(this.#stream, shown ?? bytes);
  }

  async finish(): Promise<void> {
    // The text is on its way; the stream is the process's and stays open.
  }

  async abandon(): Promise<void> {
    // Written text stays.
  }
}

class WrittenStream implements Output {
  readonly #stream: Writable;
  readonly #ended: Promise<void>;

  constructor(name: string, file: Writable) {
    const packer = name.endsWith('.gz') ? createGzip() : name.endsWith('.zst') ? createZstdCompress() : undefined;
    this.#stream = packer ?? file;
    this.#ended = packer === undefined ? finished(file) : pipeline(packer, file);
    // The rejection is handled by the next write or by `finish`.
    this.#ended.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await Promise.race([written(this.#stream, bytes), this.#ended]);
  }

  async finish(): Promise<void> {
    this.#stream.end();
    await this.#ended;
  }

  async abandon(): Promise<void> {
    this.#stream.destroy();
    await this.#ended.catch(() => undefined);
  }
}

class ReplacedFile extends WrittenStream {
  readonly #part: string;
  readonly #target: string;

  constructor(name: string, part: string, target: string) {
    super(name, createWriteStream(part, { flush: true }));
    this.#part = part;
    this.#target = target;
  }

  override async finish(): Promise<void> {
    await super.finish();
    await rename(this.#part, this.#target);
    await endPart(this.#part);
    await syncFolder(dirname(this.#target));
  }

  override async abandon(): Promise<void> {
    await super.abandon();
    await endPart(this.#part);
  }
}

const written = (stream: Writable, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(bytes, (error) => {
      if (error == null) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new OutputClosed() : error);
    });
  });
