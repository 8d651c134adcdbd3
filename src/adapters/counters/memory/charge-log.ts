import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { logName } from './files.ts';
import { RECORD_BYTES, RECORD_WORDS, writeRecord } from './record.ts';

/** Charges of one event-loop turn are written together; this many fit before the buffer grows. */
const FIRST_CAPACITY = 256;
/** A log is closed at this size, and closed logs are folded into the day's totals. */
const ROTATE_BYTES = 8 * 1024 * 1024;
/**
 * How long written charges may wait for the disk. Once written they are with the kernel and survive the death of the process; a loss of power can take
 * the charges of the last 100 ms with it.
 */
export const SYNC_EVERY_MS = 100;

export interface ChargeLogOptions {
  readonly dir: string;
  /** Unique for this thread and run; part of the file names. */
  readonly writer: string;
  readonly syncEveryMs?: number;
}

/** Append-only log of one thread. `add` only remembers; `append` writes what was added since the last time, in one system call. */
export class ChargeLog {
  readonly #options: ChargeLogOptions;
  #bytes = Buffer.alloc(FIRST_CAPACITY * RECORD_BYTES);
  #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, FIRST_CAPACITY * RECORD_WORDS);
  #pending = 0;
  #pendingDay = 0;
  #fd: number | undefined;
  #day = 0;
  #size = 0;
  #sequence = 0;
  #unsynced = false;
  #syncing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ChargeLogOptions) {
    this.#options = options;
  }

  /** @throws the file system's error when charges of another day have to be written first and cannot be */
  add(day: number, h1: number, h2: number, units: number, minute: number, pool: number): void {
    if (this.#pending > 0 && this.#pendingDay !== day) this.append();
    if ((this.#pending + 1) * RECORD_WORDS > this.#words.length) this.#grow();
    writeRecord(this.#words, this.#pending * RECORD_WORDS, h1, h2, units, minute, pool);
    this.#pending++;
    this.#pendingDay = day;
  }

  /**
   * Hands everything added so far to the kernel.
   * @throws the file system's error; what was pending is then lost to the log, and the next charge opens a new file
   */
  append(): void {
    if (this.#pending === 0) return;
    const length = this.#pending * RECORD_BYTES;
    this.#pending = 0;
    try {
      const fd = this.#fileFor(this.#pendingDay);
      for (let written = 0; written < length; ) written += writeSync(fd, this.#bytes, written, length - written);
    } catch (error) {
      this.#closeFile();
      throw error;
    }
    this.#size += length;
    this.#unsynced = true;
    this.#timer ??= setTimeout(() => this.#sync(), this.#options.syncEveryMs ?? SYNC_EVERY_MS).unref();
    if (this.#size >= ROTATE_BYTES) this.#closeFile();
  }

  close(): void {
    try {
      this.append();
    } finally {
      clearTimeout(this.#timer);
      this.#closeFile();
    }
  }

  #grow(): void {
    const bytes = Buffer.alloc(this.#bytes.length * 2);
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  #fileFor(day: number): number {
    if (this.#fd !== undefined && this.#day !== day) this.#closeFile();
    if (this.#fd === undefined) {
      this.#fd = openSync(join(this.#options.dir, logName(day, this.#options.writer, this.#sequence++)), 'a', 0o600);
      this.#day = day;
      this.#size = 0;
    }
    return this.#fd;
  }

  #sync(): void {
    this.#timer = undefined;
    if (this.#fd === undefined || !this.#unsynced || this.#syncing) return;
    this.#unsynced = false;
    this.#syncing = true;
    fdatasync(this.#fd, () => {
      this.#syncing = false;
      if (this.#unsynced) this.#timer ??= setTimeout(() => this.#sync(), this.#options.syncEveryMs ?? SYNC_EVERY_MS).unref();
    });
  }

  #closeFile(): void {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    try {
      if (this.#unsynced) fdatasyncSync(fd);
    } finally {
      this.#unsynced = false;
      closeSync(fd);
    }
  }
}
