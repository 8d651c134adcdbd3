/**
 * Totals of one quota day, the sum of its closed logs. They make a start read less, and let logs be deleted.
 *
 *   8 bytes magic   u32 length of the name list   u32 rows   u32 CRC-32 of all that follows
 *   name list, one log a line, UTF-8, padded to 4 bytes with line feeds
 *   then rows of 24 bytes as in a log, with `units` = used today and `minute` = refunded today
 *
 * The file is replaced whole (write-durably.ts). Logs that it names are deleted afterwards, and skipped while
 * they still exist.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeDurablySync } from '../../system/write-durably.ts';
import { isClientPool, RECORD_BYTES, readRecords, refundedIn, writeRecord } from './charge-record.ts';
import { damagedName, isLogName, listLedger, totalsName } from './ledger-files.ts';
import { HEADER_BYTES, MAGIC, verifyTotals } from './verify-totals.ts';

export interface Total {
  readonly h1: number;
  readonly h2: number;
  readonly pool: number;
  used: number;
  refunded: number;
}

export interface DayTotals {
  readonly folded: ReadonlySet<string>;
  readonly totals: ReadonlyMap<string, Total>;
}

export const keyOf = (h1: number, h2: number): string => `${h1},${h2}`;

/** @throws Error when the file is damaged: counters are never guessed */
export function readTotals(dir: string, day: number): DayTotals {
  const path = join(dir, totalsName(day));
  if (!existsSync(path)) return { folded: new Set(), totals: new Map() };
  const bytes = readFileSync(path);
  const fault = verifyTotals(bytes, day);
  if (fault !== undefined) throw new Error(`${path} is damaged at byte ${fault.at}: ${fault.how}`);
  return parseTotals(bytes, day);
}

/**
 * Reads the records that pass their check, even in a damaged file. `verifyTotals` says whether the file is
 * complete.
 */
export function parseTotals(bytes: Buffer, day: number): DayTotals {
  const listEnd =
    bytes.length < HEADER_BYTES ? bytes.length : Math.min(bytes.length, HEADER_BYTES + bytes.readUInt32LE(8));
  const atList = rowsFrom(bytes, listEnd);
  // Rows reach to the end of the file, so they can be found from there if the length of the name list is
  // damaged.
  const atEnd = rowsFrom(bytes, HEADER_BYTES + ((bytes.length - HEADER_BYTES) % RECORD_BYTES));
  const names = bytes.toString('utf8', HEADER_BYTES, listEnd).split('\n');
  return {
    folded: new Set(names.filter((name) => isLogName(name, day))),
    totals: atEnd.size > atList.size ? atEnd : atList,
  };
}

function rowsFrom(bytes: Buffer, start: number): ReadonlyMap<string, Total> {
  const totals = new Map<string, Total>();
  readRecords(bytes.subarray(Math.max(0, start)), ({ h1, h2, units, minute, pool }) =>
    totals.set(keyOf(h1, h2), { h1, h2, pool, used: units, refunded: minute }),
  );
  return totals;
}

export interface DamagedLog {
  readonly file: string;
  readonly readable: number;
  readonly unreadable: number;
}

/**
 * Adds closed logs to a day's totals and deletes them. A log with unreadable records is kept under another
 * name.
 * @param keepClients false once the day is over, since use of an address on a past day is never asked for
 * @returns the logs that were kept; their readable records are in the totals
 */
export function foldLogs(
  dir: string,
  day: number,
  names: readonly string[],
  keepClients: boolean,
): readonly DamagedLog[] {
  const { sums, damaged } = sumLogs(dir, day, names);
  writeTotals(
    dir,
    day,
    [...names],
    [...sums.values()].filter((sum) => keepClients || !isClientPool(sum.pool)),
  );
  for (const { file } of damaged) renameSync(join(dir, file), join(dir, damagedName(file)));
  for (const name of names) rmSync(join(dir, name), { force: true });
  return damaged;
}

function sumLogs(
  dir: string,
  day: number,
  names: readonly string[],
): { readonly sums: ReadonlyMap<string, Total>; readonly damaged: readonly DamagedLog[] } {
  const { folded, totals } = readTotals(dir, day);
  const sums = new Map(totals);
  const damaged: DamagedLog[] = [];
  for (const name of names) {
    if (folded.has(name)) continue;
    const { readable, unreadable } = readRecords(readFileSync(join(dir, name)), (record) => {
      const { h1, h2, units, pool } = record;
      const key = keyOf(h1, h2);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { h1, h2, pool, used: 0, refunded: 0 };
        sums.set(key, sum);
      }
      sum.used += units;
      sum.refunded += refundedIn(record);
    });
    if (unreadable > 0) damaged.push({ file: name, readable, unreadable });
  }
  return { sums, damaged };
}

export function readDay(dir: string, day: number): ReadonlyMap<string, Total> {
  for (;;) {
    // The logs are listed before the totals are read, so the totals name every log that is folded in between.
    const names = listLedger(dir).logs.get(day) ?? [];
    try {
      return sumLogs(dir, day, names).sums;
    } catch (error) {
      // The log was folded and deleted after the totals were read: the new totals hold it, so the loop reads
      // again.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || names.every((name) => existsSync(join(dir, name))))
        throw error;
    }
  }
}

export function writeTotals(dir: string, day: number, names: readonly string[], rows: readonly Total[]): void {
  const list = Buffer.from(names.join('\n'), 'utf8');
  const listLength = Math.ceil(list.length / 4) * 4;
  const bytes = Buffer.alloc(HEADER_BYTES + listLength + rows.length * RECORD_BYTES, 0x0a);
  bytes.write(MAGIC, 'latin1');
  bytes.writeUInt32LE(listLength, 8);
  bytes.writeUInt32LE(rows.length, 12);
  list.copy(bytes, HEADER_BYTES);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let at = (HEADER_BYTES + listLength) / 4;
  for (const { h1, h2, used, refunded, pool } of rows) {
    writeRecord(words, at, h1, h2, used, refunded, pool);
    at += RECORD_BYTES / 4;
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), 16);
  writeDurablySync(join(dir, totalsName(day)), bytes, 0o600);
}
