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
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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
