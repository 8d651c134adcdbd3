import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../../system/read-if-there.ts';
import { readRecords } from './charge-record.ts';
import { listLedger, seedFault, totalsName } from './ledger-files.ts';
import { verifyTotals } from './verify-totals.ts';

/** A file of the ledger that a crash left unfinished, or that is damaged. */
export interface LedgerFile {
  readonly file: string;
  /** Records of a log that pass their check, and bytes behind them that do not make one. */
  readonly readable: number;
  readonly tornBytes: number;
  /** Place and kind of the damage; undefined: a crash left the end unfinished. */
  readonly fault: string | undefined;
}

export interface LedgerState {
  /** Undefined: there is none. */
  readonly seed: { readonly bytes: Uint8Array; readonly fault: string | undefined } | undefined;
  /** There are charges that only the right seed can name. */
  readonly holdsCharges: boolean;
}

/** The seed of a ledger folder, and whether anything depends on it. */
export function ledgerState(dir: string): LedgerState {
  if (!existsSync(dir)) return { seed: undefined, holdsCharges: false };
  const { logs, totals } = listLedger(dir);
  const bytes = readIfThere(join(dir, 'seed'));
  return { seed: bytes && { bytes, fault: seedFault(bytes) }, holdsCharges: logs.size + totals.length > 0 };
}

/** Reads every log and every day's totals. @returns files that a crash left unfinished (`tornBytes`) and files that are damaged (`fault`) */
export function inspectLedger(dir: string): readonly LedgerFile[] {
  if (!existsSync(dir)) return [];
  const { logs, totals } = listLedger(dir);
  const files = [
    ...[...logs.values()].flat().map((file) => inspectLog(dir, file)),
    ...totals.map((day) => inspectTotals(dir, day)),
  ];
  return files.filter(({ fault, tornBytes }) => fault !== undefined || tornBytes > 0);
}

function inspectLog(dir: string, file: string): LedgerFile {
  const { readable, unreadable, tornBytes } = readRecords(readFileSync(join(dir, file)), () => {});
  const fault = unreadable === 0 ? undefined : `(${readable} records can be read and ${unreadable} cannot)`;
  return { file, readable, tornBytes, fault };
}

function inspectTotals(dir: string, day: number): LedgerFile {
  const file = totalsName(day);
  const fault = verifyTotals(readFileSync(join(dir, file)), day);
  return { file, readable: 0, tornBytes: 0, fault: fault && `at byte ${fault.at} (${fault.how})` };
}
