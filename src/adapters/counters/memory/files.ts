/**
 * Names in the ledger folder:
 *
 *   seed                            8 random bytes that key the hash of counter names
 *   charges-<day>-<writer>-<n>.log  charges of one quota day by one thread; <writer> is unique for the run, <n> counts its files
 *   totals-<day>.bin                what closed logs of that day add up to, and the names of the logs it holds
 *
 * A log belongs to a day's totals or to the days's open charges, never to both: totals name the logs they hold before these are deleted.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const logName = (day: number, writer: string, sequence: number): string => `charges-${day}-${writer}-${sequence}.log`;
export const totalsName = (day: number): string => `totals-${day}.bin`;

export interface LedgerFiles {
  /** Names of logs by quota day, unsorted. */
  readonly logs: ReadonlyMap<number, readonly string[]>;
  /** Quota days that have totals. */
  readonly totals: readonly number[];
}

export function listLedger(dir: string): LedgerFiles {
  const logs = new Map<number, string[]>();
  const totals: number[] = [];
  for (const name of readdirSync(dir)) {
    const log = /^charges-(\d+)-[0-9a-z]+-\d+\.log$/.exec(name);
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

/** Makes the folder and its seed when they are missing. @returns the 8-byte seed */
export function prepareLedgerFolder(dir: string): Uint8Array {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, 'seed');
  try {
    writeFileSync(path, randomBytes(8), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const seed = readFileSync(path);
  if (seed.length !== 8)
    throw new Error(`${path} should hold 8 bytes and holds ${seed.length}: restore it, or delete the ledger folder to start all counters at 0`);
  return new Uint8Array(seed);
}
