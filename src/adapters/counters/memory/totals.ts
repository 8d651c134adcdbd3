/**
 * Totals of one quota day: the sum of its closed logs, so that a start reads little and logs can go.
 *
 *   8 bytes magic   u32 length of the name list   name list, one log a line, UTF-8, padded to 4 bytes with line feeds
 *   then rows of 24 bytes as in a log, with `units` = used today and `minute` = refunded today
 *
 * The file is written beside the old one, synced and renamed; logs it names are deleted after that and skipped while they are still there.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { totalsName } from './files.ts';
import { isClientPool, RECORD_BYTES, readRecords, writeRecord } from './record.ts';

const MAGIC = Buffer.from('PULSEQT1', 'latin1');

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

const keyOf = (h1: number, h2: number): string => `${h1},${h2}`;

/** @throws Error when the file is not what was written: counters are not guessed */
export function readTotals(dir: string, day: number): DayTotals {
  const path = join(dir, totalsName(day));
  const totals = new Map<string, Total>();
  if (!existsSync(path)) return { folded: new Set(), totals };
  const bytes = readFileSync(path);
  const listEnd = bytes.length < 12 || !bytes.subarray(0, 8).equals(MAGIC) ? -1 : 12 + bytes.readUInt32LE(8);
  if (listEnd < 0 || listEnd > bytes.length) throw new Error(`${path} is damaged`);
  const folded = new Set(
    bytes
      .toString('utf8', 12, listEnd)
      .split('\n')
      .filter((name) => name !== ''),
  );
  const rows = bytes.subarray(listEnd);
  const good = readRecords(rows, ({ h1, h2, units, minute, pool }) => totals.set(keyOf(h1, h2), { h1, h2, pool, used: units, refunded: minute }));
  if (good !== rows.length) throw new Error(`${path} is damaged`);
  return { folded, totals };
}

/**
 * Adds closed logs to a day's totals and deletes them.
 * @param keepClients false once the day is over: nobody asks what an address used on a past day
 */
export function foldLogs(dir: string, day: number, names: readonly string[], keepClients: boolean): void {
  const { folded, totals } = readTotals(dir, day);
  const sums = new Map(totals);
  for (const name of names) {
    if (folded.has(name)) continue;
    readRecords(readFileSync(join(dir, name)), ({ h1, h2, units, pool }) => {
      const key = keyOf(h1, h2);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { h1, h2, pool, used: 0, refunded: 0 };
        sums.set(key, sum);
      }
      sum.used += units;
      if (units < 0) sum.refunded -= units;
    });
  }
  writeTotals(
    dir,
    day,
    [...names],
    [...sums.values()].filter((sum) => keepClients || !isClientPool(sum.pool)),
  );
  for (const name of names) rmSync(join(dir, name), { force: true });
}

function writeTotals(dir: string, day: number, names: readonly string[], rows: readonly Total[]): void {
  const list = Buffer.from(names.join('\n'), 'utf8');
  const listLength = Math.ceil(list.length / 4) * 4;
  const bytes = Buffer.alloc(12 + listLength + rows.length * RECORD_BYTES, 0x0a);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(listLength, 8);
  list.copy(bytes, 12);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  let at = (12 + listLength) / 4;
  for (const { h1, h2, used, refunded, pool } of rows) {
    writeRecord(words, at, h1, h2, used, refunded, pool);
    at += RECORD_BYTES / 4;
  }
  const path = join(dir, totalsName(day));
  const fd = openSync(`${path}.new`, 'w', 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
}
