import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { RECORD_BYTES, RECORD_WORDS, RESERVED, writeRecord } from './charge-record.ts';
import { diskFiles, type LogFiles, logName } from './ledger-files.ts';

const FIRST_CAPACITY = 256;
const ROTATE_BYTES = 8 * 1024 * 1024;
/**
 * An open log reserves this space ahead of its charges: 87,381 of them can be written after the disk is full.
 */
const RESERVE_BYTES = 2 * 1024 * 1024;
/** Written charges survive the death of the process, but a loss of power can lose those of the last 100 ms. */
const SYNC_EVERY_MS = 100;
/**
 * At most this many counters have charges that wait in memory for room, about 20 MB per thread. A counter's
 * charges wait as one, so known callers continue while the disk is full.
 */
const WAITING_MAX = 100_000;
const RETRY_EVERY_MS = 250;
/**
 * A file that fails for another reason than space is replaced at most this often, so that faults do not fill
 * the folder.
 */
const REPLACE_EVERY_MS = 60_000;
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const FILLER = Buffer.alloc(64 * 1024, RESERVED);

export interface ChargeLogOptions {
  readonly dir: string;
  readonly writer: string;
  readonly syncEveryMs?: number;
  readonly reserveBytes?: number;
  readonly retryEveryMs?: number;
  readonly waitingMax?: number;
  readonly files?: LogFiles;
  /**
   * Called with the error when the log can no longer be written or extended, and without one when it can
   * again.
   */
  readonly onTrouble?: (error?: unknown) => void;
}

interface Unwritten {
  readonly day: number;
  bytes: Uint8Array;
}

interface Held {
  readonly day: number;
  readonly h1: number;
  readonly h2: number;
  units: number;
  minute: number;
  readonly pool: number;
}

/**
 * Log of one thread. `add` only buffers; `append` writes what was added in one system call.
 *
 * An open log is longer than its charges: filler after them reserves space, so that `hasRoom` can keep its
 * promise when the disk is full. Charges are written at their position, not appended, so a failed write is
 * overwritten. Unwritten charges are kept in order and tried again until they are written.
 *
 * A charge without room may be held in memory instead (`hold`). Held charges are summed by counter and
 * written as soon as there is room; a crash before that loses them.
 */
export class ChargeLog {
  readonly #options: ChargeLogOptions;
  readonly #files: LogFiles;
  readonly #reserve: number;
  #bytes = Buffer.alloc(FIRST_CAPACITY * RECORD_BYTES);
  #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, FIRST_CAPACITY * RECORD_WORDS);
  #pending = 0;
  #pendingDay = 0;
  readonly #earlier: Unwritten[] = [];
  /** They are in the order of writing, so that no refund precedes its charge. */
  readonly #held = new Map<string, Held>();
  #fd: number | undefined;
  #path = '';
  #day = 0;
  #wantedDay: number | undefined;
  #size = 0;
  #reservedTo = 0;
  #room = 0;
  #sequence = 0;
  #trouble: unknown;
  #failing = false;
  #retryAt = 0;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #retryTimer: NodeJS.Timeout | undefined;
  #unsynced = false;
  #syncing = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ChargeLogOptions) {
    this.#options = options;
    this.#files = options.files ?? diskFiles;
    this.#reserve = options.reserveBytes ?? RESERVE_BYTES;
  }

  /**
   * Returns whether so many more charges of the day are sure to be written. A quarter of the reserve stays
   * for refunds, which must never be refused.
   */
  hasRoom(day: number, records: number): boolean {
    return (
      (day === this.#day && this.#pending + records <= this.#room && this.#held.size === 0) ||
      this.#makeRoom(day, records)
    );
  }

  isDiskFull(): boolean {
    return this.#files.free(this.#options.dir) === 0;
  }

  canHold(day: number, h1: number, h2: number): boolean {
    return this.#held.size < (this.#options.waitingMax ?? WAITING_MAX) || this.#held.has(heldKey(day, h1, h2, 1));
  }

  holds(): boolean {
    return this.#held.size > 0;
  }

  lacksLog(): boolean {
    return this.#held.size > 0 && this.#fd === undefined;
  }

  /**
   * Keeps a charge or refund in memory until there is room; never fails. Units of several minutes are written
   * under the newest minute, so a restart within that minute may refuse too early.
   */
  hold(day: number, h1: number, h2: number, units: number, minute: number, pool: number): void {
    const key = heldKey(day, h1, h2, units);
    const held = this.#held.get(key) ?? { day, h1, h2, units: 0, minute, pool };
    held.units += units;
    held.minute = Math.max(held.minute, minute);
    // A refund moves after all charges, since its own charge may have come after the first refund of the
    // counter.
    if (units < 0) this.#held.delete(key);
    this.#held.set(key, held);
  }

  add(day: number, h1: number, h2: number, units: number, minute: number, pool: number): void {
    if (this.#pending > 0 && this.#pendingDay !== day) this.#setAside();
    if ((this.#pending + 1) * RECORD_WORDS > this.#words.length) this.#grow();
    writeRecord(this.#words, this.#pending * RECORD_WORDS, h1, h2, units, minute, pool);
    this.#pending++;
    this.#pendingDay = day;
  }

  append(): void {
    if (this.#pending === 0 && this.#earlier.length === 0) return;
    if (this.#failing && performance.now() < this.#retryAt) throw this.#trouble;
    this.#write();
    this.#keepReserve();
    if (this.#size >= ROTATE_BYTES && this.#trouble === undefined) this.#closeFile();
  }

  waiting(): number {
    return this.#earlier.reduce((sum, { bytes }) => sum + bytes.length / RECORD_BYTES, this.#pending + this.#held.size);
  }

  accepts(): boolean {
    return this.#trouble === undefined || this.#room > this.#pending;
  }

  /** Writes everything that waits, even into the reserve for refunds. @throws Error when charges are lost */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#timer);
    try {
      this.#retryAt = 0;
      this.append();
      this.#release();
      if (this.#held.size > 0) throw this.#trouble;
    } catch (cause) {
      throw new Error(`${this.waiting()} charges could not be written to the ledger log and are lost`, { cause });
    } finally {
      this.#closeFile();
    }
  }

  #grow(): void {
    const bytes = Buffer.alloc(this.#bytes.length * 2);
    this.#bytes.copy(bytes);
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }

  #setAside(): void {
    try {
      this.append();
    } catch {
      // `#failed` reported the error and the charges are kept; `append` throws it again at the end of the
      // turn.
    }
    if (this.#pending === 0) return;
    this.#earlier.push({
      day: this.#pendingDay,
      bytes: Uint8Array.from(this.#bytes.subarray(0, this.#pending * RECORD_BYTES)),
    });
    this.#pending = 0;
  }

  #makeRoom(day: number, records: number): boolean {
    this.#wantedDay = day;
    if (this.#closed || (this.#trouble !== undefined && performance.now() < this.#retryAt)) return false;
    try {
      this.append();
      this.#release();
      this.#fileFor(day);
      this.#keepReserve();
    } catch (error) {
      this.#failed(error);
    }
    return day === this.#day && this.#pending + records <= this.#room && this.#held.size === 0;
  }

  #release(): void {
    for (let next = this.#held.values().next().value; next !== undefined; next = this.#held.values().next().value) {
      const { day } = next;
      this.#fileFor(day);
      this.#keepReserve();
      if (this.#room === 0) return;
      for (const [key, { h1, h2, units, minute, pool, ...one }] of this.#held) {
        if (this.#pending === this.#room) break;
        if (one.day !== day) continue;
        this.#held.delete(key);
        this.add(day, h1, h2, units, minute, pool);
      }
      this.append();
    }
  }

  /**
   * Extends the reserve when less than three quarters remain ahead of the charges. When the disk is full,
   * charges use up the rest.
   */
  #keepReserve(): void {
    if (this.#trouble !== undefined || this.#reservedTo - this.#size < this.#reserve - this.#reserve / 4)
      this.#extend();
    const kept = this.#closed ? 0 : this.#reserve / 4;
    this.#room =
      this.#fd === undefined || this.#failing
        ? 0
        : Math.max(0, Math.floor((this.#reservedTo - this.#size - kept) / RECORD_BYTES));
  }

  #write(): void {
    try {
      for (let next = this.#earlier[0]; next !== undefined; next = this.#earlier[0]) {
        this.#writeRun(next.day, next.bytes, (rest) => {
          next.bytes = rest;
        });
        this.#earlier.shift();
      }
      if (this.#pending > 0)
        this.#writeRun(this.#pendingDay, this.#bytes.subarray(0, this.#pending * RECORD_BYTES), this.#keepPending);
    } catch (error) {
      this.#failing = true;
      this.#room = 0;
      this.#failed(error);
      if (!NO_SPACE.has((error as NodeJS.ErrnoException).code)) this.#replaceFile();
      throw error;
    }
    this.#failing = false;
    this.#unsynced = true;
    this.#timer ??= this.#syncSoon();
  }

  readonly #keepPending = (rest: Uint8Array): void => {
    if (rest.length > 0)
      this.#bytes.copyWithin(0, this.#pending * RECORD_BYTES - rest.length, this.#pending * RECORD_BYTES);
    this.#pending = rest.length / RECORD_BYTES;
  };

  #writeRun(day: number, bytes: Uint8Array, keep: (rest: Uint8Array) => void): void {
    const fd = this.#fileFor(day);
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = this.#files.write(fd, bytes, written, bytes.length - written, this.#size + written);
        if (count === 0) throw new Error(`${this.#path} takes no more bytes`);
        written += count;
      }
    } finally {
      const whole = written - (written % RECORD_BYTES);
      this.#size += whole;
      keep(bytes.subarray(whole));
    }
  }

  #fileFor(day: number): number {
    if (this.#fd !== undefined && this.#day !== day) this.#closeFile();
    return this.#fd ?? this.#open(day);
  }

  /**
   * Opens a file only if at least a quarter of its reserve fits (one record while closing), so that a full
   * disk leaves no empty files behind.
   */
  #open(day: number): number {
    const path = join(this.#options.dir, logName(day, this.#options.writer, this.#sequence));
    const fd = this.#files.open(path);
    const { reservedTo, error } = this.#reserveUpTo(fd, 0, this.#reserve);
    if (reservedTo < (this.#closed ? RECORD_BYTES : this.#reserve / 4)) {
      this.#attempt(() => this.#files.close(fd));
      this.#attempt(() => this.#files.remove(path));
      throw error;
    }
    this.#closeFile();
    this.#sequence++;
    this.#fd = fd;
    this.#path = path;
    this.#day = day;
    this.#size = 0;
    this.#reservedTo = reservedTo;
    if (error === undefined) this.#recovered();
    else this.#failed(error);
    return fd;
  }

  #reserveUpTo(fd: number, start: number, end: number): { readonly reservedTo: number; readonly error?: unknown } {
    let reservedTo = start;
    try {
      while (reservedTo < end) {
        const count = this.#files.write(fd, FILLER, 0, Math.min(FILLER.length, end - reservedTo), reservedTo);
        if (count === 0) throw new Error('the ledger log cannot be extended');
        reservedTo += count;
      }
      return { reservedTo };
    } catch (error) {
      return { reservedTo, error };
    }
  }

  #extend(): void {
    if (this.#fd === undefined || (this.#trouble !== undefined && performance.now() < this.#retryAt)) return;
    const { reservedTo, error } = this.#reserveUpTo(
      this.#fd,
      Math.max(this.#reservedTo, this.#size),
      this.#size + this.#reserve,
    );
    this.#reservedTo = reservedTo;
    if (error === undefined) this.#recovered();
    else this.#failed(error);
  }

  #failed(error: unknown): void {
    this.#retryAt = performance.now() + (this.#options.retryEveryMs ?? RETRY_EVERY_MS);
    if (this.#trouble === undefined) this.#options.onTrouble?.(error);
    this.#trouble = error;
    if (!this.#closed)
      this.#retryTimer ??= setTimeout(this.#retry, this.#options.retryEveryMs ?? RETRY_EVERY_MS).unref();
  }

  #recovered(): void {
    if (this.#trouble === undefined || this.#failing) return;
    this.#trouble = undefined;
    this.#options.onTrouble?.();
  }

  readonly #retry = (): void => {
    this.#retryTimer = undefined;
    this.#retryAt = 0;
    if (this.#wantedDay !== undefined) this.#makeRoom(this.#wantedDay, 0);
    if (this.#trouble !== undefined)
      this.#retryTimer ??= setTimeout(this.#retry, this.#options.retryEveryMs ?? RETRY_EVERY_MS).unref();
  };

  /**
   * A file that fails for another reason than space may be lost for good. It is replaced only if another can
   * be opened, since its reserve may be all the space there is.
   */
  #replaceFile(): void {
    if (this.#fd === undefined || performance.now() - this.#replacedAt < REPLACE_EVERY_MS) return;
    this.#replacedAt = performance.now();
    this.#attempt(() => this.#open(this.#day));
  }

  #syncSoon(): NodeJS.Timeout {
    return setTimeout(() => this.#sync(), this.#options.syncEveryMs ?? SYNC_EVERY_MS).unref();
  }

  #sync(): void {
    this.#timer = undefined;
    const fd = this.#fd;
    if (fd === undefined || !this.#unsynced || this.#syncing) return;
    this.#unsynced = false;
    this.#syncing = true;
    this.#files.syncLater(fd, (error) => {
      this.#syncing = false;
      // A file that was closed meanwhile was synced then.
      if (error && this.#fd === fd) {
        this.#unsynced = true;
        this.#failed(error);
      }
      if (this.#unsynced && !this.#closed) this.#timer ??= this.#syncSoon();
    });
  }

  #closeFile(): void {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    this.#room = 0;
    this.#attempt(() => this.#files.truncate(fd, this.#size));
    if (this.#unsynced) this.#attempt(() => this.#files.sync(fd));
    this.#unsynced = false;
    this.#attempt(() => this.#files.close(fd));
    if (this.#size === 0) this.#attempt(() => this.#files.remove(this.#path));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(error);
    }
  }
}

const heldKey = (day: number, h1: number, h2: number, units: number): string => `${day},${h1},${h2},${units < 0}`;
