/**
 * Names in the ledger folder:
 *
 *   seed                            8 random bytes that key the hash of counter names
 *   charges-<day>-<writer>-<n>.log  charges of one quota day by one thread; <writer> is unique for the
 *                                   run, <n> counts its files
 *   totals-<day>.bin                sums of closed logs of that day, and the names of the logs it holds
 *   zone                            IANA zone whose days these are
 *   <name>.damaged                  a log with unreadable records; the others are counted, and
 *                                   the file is kept for people to look at
 *
 * A log counts either in its day's totals or as an open log, never as both: totals name the logs they hold
 * before these are deleted.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { CLOCK_BACK_DAYS_MAX, isCurrentDay } from '../../../core/quota/quota.ts';
import { fault, type Said, said } from '../../../core/texts/said.ts';
import { createDurablySync } from '../../system/write-durably.ts';

const LOG_NAME = /^charges-(\d+)-[0-9a-z]+-\d+\.log$/;

export const logName = (day: number, writer: string, sequence: number): string =>
  `charges-${day}-${writer}-${sequence}.log`;
export const isLogName = (name: string, day: number): boolean => LOG_NAME.exec(name)?.[1] === String(day);
export const ZONE_FILE = 'zone';
export const totalsName = (day: number): string => `totals-${day}.bin`;
export const damagedName = (name: string): string => `${name}.damaged`;

export interface LedgerFiles {
  readonly logs: ReadonlyMap<number, readonly string[]>;
  readonly totals: readonly number[];
}

export function listLedger(dir: string): LedgerFiles {
  const logs = new Map<number, string[]>();
  const totals: number[] = [];
  for (const name of readdirSync(dir)) {
    const log = LOG_NAME.exec(name);
    const total = /^totals-(\d+)\.bin$/.exec(name);
    if (log) {
      const day = Number(log[1]);
      const names = logs.get(day);
      if (names) names.push(name);
      else logs.set(day, [name]);
    } else if (total) totals.push(Number(total[1]));
  }
  return { logs, totals };
}

export function prepareLedgerFolder(dir: string): Uint8Array {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, 'seed');
  if (!existsSync(path)) createDurablySync(path, randomBytes(SEED_BYTES), 0o600);
  const seed = readFileSync(path);
  const how = seedFault(seed);
  if (how !== undefined) throw fault('{file} {how}', { file: path, how });
  return new Uint8Array(seed);
}

const SEED_BYTES = 8;

/** Eight equal bytes do not occur by chance, so they count as a fault. */
export function seedFault(seed: Uint8Array): Said | undefined {
  if (seed.length !== SEED_BYTES)
    return said('should hold {bytes} bytes and holds {found}', { bytes: SEED_BYTES, found: seed.length });
  return seed.every((byte) => byte === seed[0]) ? said('holds eight equal bytes') : undefined;
}

/**
 * File system calls of a charge log. Every function but `syncLater` throws the error of the file system;
 * tests insert a disk that fills up.
 */
export interface LogFiles {
  open(path: string): number;
  write(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  truncate(fd: number, length: number): void;
  sync(fd: number): void;
  syncLater(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void;
  close(fd: number): void;
  remove(path: string): void;
  free(dir: string): number;
}

export const diskFiles: LogFiles = {
  open: (path) => openSync(path, 'w', 0o600),
  write: writeSync,
  truncate: ftruncateSync,
  sync: fdatasyncSync,
  syncLater: fdatasync,
  close: closeSync,
  remove: (path) => rmSync(path, { force: true }),
  free(dir) {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  },
};

/**
 * The latest quota day that was begun, in memory shared by all threads of a process.
 *
 *   Int32   0 day   1 jumps: how often the clock jumped to a day, whose files may hold charges that the
 *   counters lack
 */

const DAY = 0;
const JUMPS = 1;

export const LATEST_DAY_BYTES = 8;

export class LatestDay {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /**
   * Sets the day of a ledger that is being opened.
   * @param isBehind files hold charges of later days: the clock was once further ahead, and the next day may
   * be one of those
   */
  open(day: number, isBehind: boolean): void {
    Atomics.store(this.#cells, DAY, day);
    if (isBehind) Atomics.add(this.#cells, JUMPS, 1);
  }

  /** Returns the day in force. It begins the clock's day only if the clock jumped. */
  at(clockDay: number): number {
    const latest = Atomics.load(this.#cells, DAY);
    if (isCurrentDay(latest, clockDay)) return latest;
    return isJump(latest, clockDay) ? this.begin(clockDay) : clockDay;
  }

  /** Returns the day in force, after it begins the clock's day unless a later one is in force. */
  begin(clockDay: number): number {
    const cells = this.#cells;
    for (;;) {
      const latest = Atomics.load(cells, DAY);
      if (isCurrentDay(latest, clockDay)) return latest;
      // Counted before the day is set, so that a thread that sees the day also sees the jump.
      if (isJump(latest, clockDay)) Atomics.add(cells, JUMPS, 1);
      if (Atomics.compareExchange(cells, DAY, latest, clockDay) === latest) return clockDay;
    }
  }

  latest(): number {
    return Atomics.load(this.#cells, DAY);
  }

  jumps(): number {
    return Atomics.load(this.#cells, JUMPS);
  }
}

const isJump = (latest: number, clockDay: number): boolean =>
  clockDay < latest || clockDay - latest > CLOCK_BACK_DAYS_MAX;
