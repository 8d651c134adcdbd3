import { hash } from 'node:crypto';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LogChunk, LogPosition, LogSource } from '../../service/log-source.ts';

export interface LogFileOptions {
  readonly path: string;
  /** Where reading goes on; undefined: at `begin`. */
  readonly position: LogPosition | undefined;
  readonly begin: 'start' | 'end';
  /** Called when lines that were not read yet cannot be found any more. */
  readonly onLoss: () => void;
}

/** Bytes that distinguish one file from another: log lines begin with their time. */
const HEAD_BYTES = 256;
const CHUNK_BYTES = 1024 * 1024;
/** A line that is longer is passed over. */
const LINE_MAX = 64 * 1024;
const NEWLINE = 10;
/** What rotation packs can no longer be read as it is. */
const PACKED = /\.(?:gz|xz|bz2|zst|lz4|zip)$/;

/** A file that is still to be read, from an offset. */
interface Part {
  readonly path: string;
  readonly offset: number;
}

/**
 * Follows a log file over both kinds of rotation. A renamed file is read to its end before the new one of its name is begun; of a file that was copied and cut, the
 * rest is read from the copy. After a restart the file of the position is found by inode and beginning, or, where a copy was made, by its beginning, and the
 * files rotated since are read in their order. Where it is gone or packed, the files written since are read from their beginning.
 */
export class LogFile implements LogSource {
  readonly #options: LogFileOptions;
  #position: LogPosition | undefined;
  #file: { readonly handle: FileHandle; readonly inode: number } | undefined;
  #waiting: Part[] = [];
  #isBegun = false;
  /** A line that is too long is being passed over. */
  #skipping = false;
  /** The file has been replaced under its name, and had nothing new at the last look. */
  #isLeft = false;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  async read(): Promise<LogChunk | undefined> {
    if (this.#file !== undefined && (await this.#wasCut())) await this.#resume();
    if (this.#file === undefined)
      return (await this.#openNext()) ? { lines: [], position: this.#position! } : undefined;
    const chunk = await this.#readLines();
    if (chunk !== undefined) {
      this.#isLeft = false;
      return chunk;
    }
    return (await this.#isReplaced()) ? await this.#leave() : undefined;
  }

  async close(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = undefined;
  }

  async #openNext(): Promise<boolean> {
    if (!this.#isBegun) await this.#begin();
    const next = this.#waiting[0] ?? { path: this.#options.path, offset: 0 };
    const handle = await open(next.path, 'r').catch(ignoreAbsent);
    if (handle === undefined) {
      this.#waiting.shift();
      return false;
    }
    this.#waiting.shift();
    this.#file = { handle, inode: (await handle.stat()).ino };
    this.#skipping = false;
    this.#isLeft = false;
    this.#position = await this.#positionAt(next.offset);
    return true;
  }

  /** Finds where reading goes on, once. A log that is not there yet is read from its beginning. */
  async #begin(): Promise<void> {
    this.#isBegun = true;
    if (this.#position !== undefined) return await this.#resume();
    const found = await stat(this.#options.path).catch(ignoreAbsent);
    const offset =
      found === undefined || this.#options.begin === 'start' ? 0 : await lineStart(this.#options.path, found.size);
    this.#waiting = [{ path: this.#options.path, offset }];
  }

  /** Plans what is still to be read from the position on: the rest of its file, those rotated after it, and the log itself. */
  async #resume(): Promise<void> {
    await this.close();
    const { path } = this.#options;
    const position = this.#position!;
    const rotated = await rotatedFiles(path);
    const files = [...rotated.map((one) => one.path), path];
    const place = await findPosition(files, path, position);
    if (place === undefined) {
      this.#options.onLoss();
      const later = rotated.filter((one) => one.at > position.modifiedAt);
      this.#waiting = [...later.map((one) => ({ path: one.path, offset: 0 })), { path, offset: 0 }];
    } else this.#waiting = files.slice(place).map((one, at) => ({ path: one, offset: at === 0 ? position.offset : 0 }));
  }

  /** Whether the open file holds less than was read, or another beginning. */
  async #wasCut(): Promise<boolean> {
    const { handle } = this.#file!;
    const position = this.#position!;
    const { size } = await handle.stat();
    return size < position.offset || (await headOf(handle, position.headBytes)) !== position.head;
  }

  async #readLines(): Promise<LogChunk | undefined> {
    const { handle } = this.#file!;
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, this.#position!.offset);
    const bytes = buffer.subarray(0, bytesRead);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0 && bytesRead < CHUNK_BYTES) return undefined;
    // A chunk without an end of a line is a part of one that is far too long.
    const used = end === 0 ? bytesRead : end;
    const lines = end === 0 ? [] : this.#linesOf(bytes.subarray(0, end));
    this.#skipping = end === 0;
    this.#position = await this.#positionAt(this.#position!.offset + used);
    return { lines, position: this.#position };
  }

  #linesOf(bytes: Buffer): readonly string[] {
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .slice(this.#skipping ? 1 : 0, -1);
    return lines
      .filter((line) => line.length <= LINE_MAX)
      .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  /** Whether the name leads to another file, or further files wait to be read. Its writer may hold the old one for a moment: it is left at the second look. */
  async #isReplaced(): Promise<boolean> {
    if (this.#waiting.length > 0) return true;
    const found = await stat(this.#options.path).catch(ignoreAbsent);
    if (found === undefined || found.ino === this.#file!.inode) return false;
    const wasLeft = this.#isLeft;
    this.#isLeft = true;
    return wasLeft;
  }

  /** The end of a file that will not grow: what stands behind its last line end is a line too. */
  async #leave(): Promise<LogChunk | undefined> {
    const { handle } = this.#file!;
    const { size } = await handle.stat();
    const rest = Buffer.alloc(Math.min(CHUNK_BYTES, size - this.#position!.offset));
    await handle.read(rest, 0, rest.length, this.#position!.offset);
    const lines = rest.length === 0 || this.#skipping ? [] : this.#linesOf(Buffer.concat([rest, Buffer.from('\n')]));
    const position = await this.#positionAt(size);
    await this.close();
    this.#position = position;
    return { lines, position };
  }

  async #positionAt(offset: number): Promise<LogPosition> {
    const { handle, inode } = this.#file!;
    const headBytes = Math.min(HEAD_BYTES, offset);
    const known = this.#position;
    const head = known?.inode === inode && known.headBytes === headBytes ? known.head : await headOf(handle, headBytes);
    return { inode, offset, head, headBytes, modifiedAt: (await handle.stat()).mtimeMs };
  }
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function headOf(handle: FileHandle, bytes: number): Promise<string> {
  const head = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(head, 0, bytes, 0);
  return hash('sha256', head.subarray(0, bytesRead));
}

/** Files of the log's name with something behind it, in the order in which they were last written. */
async function rotatedFiles(path: string): Promise<readonly { readonly path: string; readonly at: number }[]> {
  const name = basename(path);
  const names = (await readdir(dirname(path)).catch(ignoreAbsent)) ?? [];
  const rotated = names
    .filter((one) => one.startsWith(`${name}.`) || one.startsWith(`${name}-`))
    .filter((one) => !PACKED.test(one));
  const found = await Promise.all(
    rotated.map(async (one) => ({
      path: join(dirname(path), one),
      state: await stat(join(dirname(path), one)).catch(ignoreAbsent),
    })),
  );
  return found
    .flatMap((one) => (one.state?.isFile() ? [{ path: one.path, at: one.state.mtimeMs }] : []))
    .toSorted((a, b) => a.at - b.at);
}

/** Which of the files holds the position: the same inode with the same beginning, else one with the same beginning. */
async function findPosition(
  files: readonly string[],
  path: string,
  position: LogPosition,
): Promise<number | undefined> {
  const fits = await Promise.all(files.map((file) => fitOf(file, position)));
  const same = fits.indexOf('same');
  if (same >= 0) return same;
  // Without a beginning all files look the same.
  if (position.headBytes === 0) return files.indexOf(path);
  const copy = fits.lastIndexOf('copy');
  return copy >= 0 ? copy : undefined;
}

async function fitOf(path: string, position: LogPosition): Promise<'same' | 'copy' | 'other'> {
  const handle = await open(path, 'r').catch(ignoreAbsent);
  if (handle === undefined) return 'other';
  try {
    const { ino, size } = await handle.stat();
    if (size < position.offset || (await headOf(handle, position.headBytes)) !== position.head) return 'other';
    return ino === position.inode ? 'same' : 'copy';
  } finally {
    await handle.close();
  }
}

/** The end of the last whole line before the end of the file. */
async function lineStart(path: string, size: number): Promise<number> {
  const handle = await open(path, 'r');
  try {
    const length = Math.min(size, LINE_MAX);
    const tail = Buffer.alloc(length);
    await handle.read(tail, 0, length, size - length);
    return size - length + tail.lastIndexOf(NEWLINE) + 1;
  } finally {
    await handle.close();
  }
}
