/** A disk for tests: real files in a folder, with limited space, whose calls fail on demand. */
import { diskFiles, type LogFiles } from './ledger-files.ts';

type Call = 'open' | 'write' | 'truncate' | 'sync' | 'close';

export class FailingDisk implements LogFiles {
  freeBytes = Number.POSITIVE_INFINITY;
  /** Calls that fail, with the code of their error. */
  readonly faults = new Map<Call, string>();
  readonly #lengths = new Map<number, number>();

  open(path: string): number {
    this.#check('open');
    const fd = diskFiles.open(path);
    this.#lengths.set(fd, 0);
    return fd;
  }

  /** Writes the bytes that fit, as a file system does, and fails if none fit. */
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    this.#check('write');
    const end = this.#lengths.get(fd)!;
    const fits = Math.min(length, end + this.freeBytes - position);
    if (fits <= 0) throw failure('ENOSPC');
    const written = diskFiles.write(fd, bytes, offset, fits, position);
    const grown = Math.max(0, position + written - end);
    this.freeBytes -= grown;
    this.#lengths.set(fd, end + grown);
    return written;
  }

  truncate(fd: number, length: number): void {
    this.#check('truncate');
    diskFiles.truncate(fd, length);
    this.freeBytes += this.#lengths.get(fd)! - length;
    this.#lengths.set(fd, length);
  }

  sync(fd: number): void {
    this.#check('sync');
    diskFiles.sync(fd);
  }

  syncLater(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void {
    const code = this.faults.get('sync');
    if (code === undefined) diskFiles.syncLater(fd, done);
    else setImmediate(() => done(failure(code)));
  }

  close(fd: number): void {
    diskFiles.close(fd);
    this.#check('close');
  }

  remove(path: string): void {
    diskFiles.remove(path);
  }

  free(): number {
    return this.freeBytes;
  }

  #check(call: Call): void {
    const code = this.faults.get(call);
    if (code !== undefined) throw failure(code);
  }
}

const failure = (code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: as the test wants it`), { code });
