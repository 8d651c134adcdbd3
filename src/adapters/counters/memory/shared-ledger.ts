/**
 * Ledger state shared by all threads of a process, and its files: the control thread restores them once at
 * start and folds logs now and then.
 */

import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isCurrentDay, minuteNumber, quotaDayIn } from '../../../core/quota/quota.ts';
import type { UnixMs } from '../../../core/units.ts';
import { readOptionalFile } from '../../system/files.ts';
import { writeDurablySync } from '../../system/write-durably.ts';
import { isClientPool, readRecords, refundedIn } from './charge-record.ts';
import { ACCOUNT_TABLE, CLIENT_TABLE, CounterTable, slotsOf, type TableShape, tableBytes } from './counter-table.ts';
import { type DamagedLog, foldLogs, readTotals, writeTotals } from './day-totals.ts';
import { LATEST_DAY_BYTES, LatestDay, listLedger, prepareLedgerFolder, totalsName, ZONE_FILE } from './ledger-files.ts';
import { sharesBytes } from './shares-table.ts';

export interface SharedLedger {
  readonly dir: string;
  readonly zone: string;
  readonly node: string;
  readonly seed: Uint8Array;
  /** Restored charges of the day in force are in memory; those of earlier days are not. */
  readonly latestDay: SharedArrayBuffer;
  readonly clients: SharedArrayBuffer;
  readonly clientShape: TableShape;
  readonly accounts: SharedArrayBuffer;
  readonly accountShape: TableShape;
  readonly shares?: { readonly clients: SharedArrayBuffer; readonly accounts: SharedArrayBuffer } | undefined;
}

export interface SharedLedgerOptions {
  readonly dir: string;
  readonly zone: string;
  readonly clientShape?: TableShape;
  readonly accountShape?: TableShape;
  /**
   * Set where counters are shared with other nodes: the folder then holds only charges that they may not
   * know. With `others`, another process counts in the folder too, and its charges are left to it.
   */
  readonly sharing?: 'alone' | 'others' | undefined;
}

/** The console shows the use of past days, so totals stay until this many later days have some. */
const KEEP_DAYS = 62;
const RESTORER = 1;

export function openSharedLedger(options: SharedLedgerOptions, at: UnixMs): SharedLedger {
  const shared = newSharedLedger(options);
  restoreCharges(shared, at, options.sharing);
  return shared;
}

/** Makes the counters without their charges, for threads that start before `restoreCharges` may be called. */
export function newSharedLedger(options: SharedLedgerOptions): SharedLedger {
  const clientShape = options.clientShape ?? CLIENT_TABLE;
  const accountShape = options.accountShape ?? ACCOUNT_TABLE;
  return {
    dir: options.dir,
    zone: options.zone,
    node: randomBytes(6).toString('base64url'),
    seed: prepareLedgerFolder(options.dir),
    latestDay: new SharedArrayBuffer(LATEST_DAY_BYTES),
    clients: new SharedArrayBuffer(tableBytes(clientShape)),
    clientShape,
    accounts: new SharedArrayBuffer(tableBytes(accountShape)),
    accountShape,
    ...(options.sharing && {
      shares: {
        clients: new SharedArrayBuffer(sharesBytes(slotsOf(clientShape))),
        accounts: new SharedArrayBuffer(sharesBytes(slotsOf(accountShape))),
      },
    }),
  };
}

export function restoreCharges(shared: SharedLedger, at: UnixMs, sharing: SharedLedgerOptions['sharing']): void {
  takeZone(shared, at);
  const charged = chargedDays(shared.dir);
  const today = dayInForce(charged, quotaDayIn(shared.zone)(at).number);
  new LatestDay(shared.latestDay).open(
    today,
    charged.some((day) => day > today),
  );
  restore(sharing === 'others' ? { ...shared, shares: undefined } : shared, today, minuteNumber(at));
}

/**
 * Adapts the files to a new zone. Days are numbered by their date in the zone, so a date that has begun in
 * one zone may lie ahead in another. In that case all days move back until the day in use has the number of
 * the present day. Its use stays, it ends at the next midnight of the new zone, and its old number is free
 * for a later day.
 */
function takeZone({ dir, zone }: Pick<SharedLedger, 'dir' | 'zone'>, at: UnixMs): void {
  const path = join(dir, ZONE_FILE);
  const former = readOptionalFile(path)?.toString();
  if (former === zone) return;
  const days = [...new Set(chargedDays(dir))].sort((a, b) => a - b);
  const from = former === undefined ? 0 : dayInForce(days, quotaDayIn(former)(at).number);
  const by = former === undefined ? 0 : quotaDayIn(zone)(at).number - from;
  if (by < 0)
    for (const day of days.filter((one) => one <= from)) {
      foldLogs(dir, day, listLedger(dir).logs.get(day) ?? [], day === from);
      writeTotals(dir, day + by, [], [...readTotals(dir, day).totals.values()]);
      if (day < from) rmSync(join(dir, totalsName(day)));
    }
  // The zone is written before the last file is deleted. A crash in between leaves the day in use under both
  // numbers, never under neither.
  writeDurablySync(path, zone, 0o600);
  if (by < 0) rmSync(join(dir, totalsName(from)), { force: true });
}

/**
 * Returns the clock's day, or a later charged day that stays in force over it. Charges of days further ahead
 * stay in their files.
 */
function dayInForce(charged: readonly number[], clockDay: number): number {
  return Math.max(clockDay, ...charged.filter((day) => isCurrentDay(day, clockDay)));
}

function chargedDays(dir: string): readonly number[] {
  const { logs, totals } = listLedger(dir);
  return [...logs.keys(), ...totals];
}

function restore(shared: SharedLedger, day: number, minuteNow: number): void {
  const { shares } = shared;
  const clients = new CounterTable(shared.clients, shared.clientShape, RESTORER, undefined, shares?.clients);
  const accounts = new CounterTable(shared.accounts, shared.accountShape, RESTORER, undefined, shares?.accounts);
  const { folded, totals } = readTotals(shared.dir, day);
  for (const { h1, h2, pool, used, refunded } of totals.values())
    (isClientPool(pool) ? clients : accounts).restore(h1, h2, day, used, refunded, 0, 0);
  for (const name of listLedger(shared.dir).logs.get(day) ?? []) {
    if (folded.has(name)) continue;
    readRecords(readFileSync(join(shared.dir, name)), (record) => {
      const { h1, h2, units, minute, pool } = record;
      const recent = minute >= minuteNow ? minute : 0;
      (isClientPool(pool) ? clients : accounts).restore(h1, h2, day, units, refundedIn(record), recent, units);
    });
  }
}

/**
 * Folds closed logs into totals and deletes old days. Age is counted in days with totals, since a clock far
 * ahead would otherwise delete them all. A day that cannot be folded keeps its logs and does not hold up the
 * others.
 * @throws the first fault of a day
 * @param isOpen whether a writer may still append to this log; `newest` says that it is the writer's last one
 * @returns logs with unreadable records: the rest of each was folded, and the file kept
 */
export function tidyLedger(
  dir: string,
  today: number,
  isOpen: (name: string, newest: boolean) => boolean,
): readonly DamagedLog[] {
  const { logs, totals } = listLedger(dir);
  for (const day of totals.toSorted((a, b) => b - a).slice(KEEP_DAYS + 1))
    rmSync(join(dir, totalsName(day)), { force: true });
  const newest = newestOfWriters([...logs.values()].flat());
  const damaged: DamagedLog[] = [];
  const faults: unknown[] = [];
  for (const [day, names] of logs) {
    const closed = names.filter((name) => !isOpen(name, newest.has(name)));
    try {
      if (closed.length > 0) damaged.push(...foldLogs(dir, day, closed, day >= today));
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length > 0) throw faults[0];
  return damaged;
}

function newestOfWriters(names: readonly string[]): ReadonlySet<string> {
  const last = new Map<string, { readonly name: string; readonly sequence: number }>();
  for (const name of names) {
    const [, , writer = '', tail = ''] = name.split('-');
    const sequence = Number.parseInt(tail, 10);
    if ((last.get(writer)?.sequence ?? -1) < sequence) last.set(writer, { name, sequence });
  }
  return new Set([...last.values()].map(({ name }) => name));
}
