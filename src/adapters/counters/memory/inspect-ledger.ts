import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Said } from '../../../core/texts/said.ts';
import { readOptionalFile } from '../../system/files.ts';
import { RECORD_BYTES, type RecordsRead, readRecords } from './charge-record.ts';
import { parseTotals } from './day-totals.ts';
import { listLedger, seedFault, totalsName } from './ledger-files.ts';
import { rowsOffset, verifyTotals } from './verify-totals.ts';

export interface LedgerFile extends RecordsRead {
  readonly file: string;
  readonly fault?: string;
}

export interface LedgerState {
  readonly seed: { readonly bytes: Uint8Array; readonly fault: Said | undefined } | undefined;
  readonly holdsCharges: boolean;
}

export function ledgerState(dir: string): LedgerState {
  if (!existsSync(dir)) return { seed: undefined, holdsCharges: false };
  const { logs, totals } = listLedger(dir);
  const bytes = readOptionalFile(join(dir, 'seed'));
  return { seed: bytes && { bytes, fault: seedFault(bytes) }, holdsCharges: logs.size + totals.length > 0 };
}

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
  const places = Math.floor(bytes.length / RECORD_BYTES) - totals.size;
  return {
    file,
    readable: totals.size,
    unreadable: Math.max(1, places),
    tornBytes: 0,
    fault: `at byte ${fault.at} (${fault.how})`,
  };
}
