import { existsSync, linkSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Said } from '../../../core/texts/said.ts';
import { readOptionalFile } from '../../system/read-optional-file.ts';
import { writeDurablySync } from '../../system/write-durably.ts';
import {
  type ChargeRecord,
  RECORD_BYTES,
  RECORD_WORDS,
  type RecordsRead,
  readRecords,
  writeRecord,
} from './charge-record.ts';
import { parseTotals, writeTotals } from './day-totals.ts';
import { damagedName, listLedger, seedFault, totalsName } from './ledger-files.ts';
import { rowsOffset, verifyTotals } from './verify-totals.ts';

/** One file of the ledger, with the numbers of its readable and unreadable records. */
export interface LedgerFile extends RecordsRead {
  readonly file: string;
  /** For totals: position and kind of the damage. */
  readonly fault?: string;
}

export interface LedgerState {
  readonly seed: { readonly bytes: Uint8Array; readonly fault: Said | undefined } | undefined;
  /** Whether charges exist that only the right seed can name. */
  readonly holdsCharges: boolean;
}

export function ledgerState(dir: string): LedgerState {
  if (!existsSync(dir)) return { seed: undefined, holdsCharges: false };
  const { logs, totals } = listLedger(dir);
  const bytes = readOptionalFile(join(dir, 'seed'));
  return { seed: bytes && { bytes, fault: seedFault(bytes) }, holdsCharges: logs.size + totals.length > 0 };
}

/**
 * Reads every log and every day's totals. @returns files that a crash left unfinished (`tornBytes`) and
 * damaged files (`unreadable`)
 */
export function inspectLedger(dir: string): readonly LedgerFile[] {
  if (!existsSync(dir)) return [];
  const { logs, totals } = listLedger(dir);
  const files = [
    ...[...logs.values()].flat().map((file) => inspectLog(dir, file)),
    ...totals.map((day) => inspectTotals(dir, day)),
  ];
  return files.filter(({ unreadable, tornBytes }) => unreadable > 0 || tornBytes > 0);
}

const inspectLog = (dir: string, file: string): LedgerFile => ({
  file,
  ...readRecords(readFileSync(join(dir, file)), () => {}),
});

function inspectTotals(dir: string, day: number): LedgerFile {
  const file = totalsName(day);
  const bytes = readFileSync(join(dir, file));
  const fault = verifyTotals(bytes, day);
  // Rows are parsed only in a damaged file: that takes longer than the check, and every start waits for it.
  if (fault === undefined)
    return { file, readable: (bytes.length - rowsOffset(bytes)) / RECORD_BYTES, unreadable: 0, tornBytes: 0 };
  const { totals } = parseTotals(bytes, day);
  // The number of rows in a broken file is unknown, but at least one.
  const places = Math.floor(bytes.length / RECORD_BYTES) - totals.size;
  return {
    file,
    readable: totals.size,
    unreadable: Math.max(1, places),
    tornBytes: 0,
    fault: `at byte ${fault.at} (${fault.how})`,
  };
}

/** Replaces a damaged file by its readable part and keeps the original. @returns the original's new name */
export function keepReadable(dir: string, file: string): string {
  const path = join(dir, file);
  const aside = freeName(dir, file);
  const bytes = readFileSync(path);
  linkSync(path, join(dir, aside));
  const day = /^totals-(\d+)\.bin$/.exec(file)?.[1];
  if (day === undefined) {
    writeDurablySync(path, readableRecords(bytes), 0o600);
  } else {
    const { folded, totals } = parseTotals(bytes, Number(day));
    writeTotals(dir, Number(day), [...folded], [...totals.values()]);
  }
  return aside;
}

function freeName(dir: string, file: string): string {
  const wanted = damagedName(file);
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!existsSync(join(dir, name))) return name;
  }
}

function readableRecords(bytes: Buffer): Buffer {
  const records: ChargeRecord[] = [];
  readRecords(bytes, (record) => void records.push(record));
  const words = new Int32Array(records.length * RECORD_WORDS);
  records.forEach(
    ({ h1, h2, units, minute, pool }, i) => void writeRecord(words, i * RECORD_WORDS, h1, h2, units, minute, pool),
  );
  return Buffer.from(words.buffer);
}

/** Renames the seed and all charges of a ledger whose seed is lost. @returns old and new names */
export function setLedgerAside(dir: string): readonly { readonly from: string; readonly to: string }[] {
  const names = readdirSync(dir).filter((name) => name === 'seed' || /^(charges-.*\.log|totals-.*\.bin)$/.test(name));
  return names.map((from) => {
    const to = freeName(dir, from);
    renameSync(join(dir, from), join(dir, to));
    return { from, to };
  });
}
