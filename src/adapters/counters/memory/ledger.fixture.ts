/** Ledgers in folders of their own, for the tests of this folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Allowance, QuotaId } from '../../../core/quota/quota.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { openSharedLedger, type SharedLedger, type SharedLedgerOptions } from './shared-ledger.ts';

export const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
export const DAY = 20522;
const folders: string[] = [];
after(() => folders.forEach((dir) => void rmSync(dir, { recursive: true, force: true })));

export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'pulse-ledger-'));
  folders.push(dir);
  return dir;
}

/**
 * Tables for a few callers. The tables of a service reserve 400 MB, and a process of tests whose reservations
 * exceed its memory can start no other.
 */
export const SMALL_TABLES = {
  clientShape: { firstSegment: 64, segments: 3 },
  accountShape: { firstSegment: 64, segments: 3 },
};
export const shared = (dir: string, at: UnixMs = NOON, options: Partial<SharedLedgerOptions> = {}): SharedLedger =>
  openSharedLedger({ dir, zone: 'Asia/Shanghai', ...SMALL_TABLES, ...options }, at);
let writers = 0;
export const open = (memory: SharedLedger): MemoryLedger =>
  new MemoryLedger(memory, { owner: 2 + writers, writer: `w${writers++}` });
export const allow = (id: QuotaId, limit: number): Allowance => ({ id, limit, hardLimit: limit });
export const take = (ledger: MemoryLedger, id: QuotaId, limit: number, units = 1, at: UnixMs = NOON): boolean =>
  ledger.charge({ at, units, minute: [], day: [allow(id, limit)] }).ok;

/** Makes a ledger folder with one closed log of five charges. */
export async function fiveCharges(): Promise<{ readonly dir: string; readonly log: string }> {
  const dir = folder();
  const ledger = open(shared(dir));
  for (let i = 0; i < 5; i++) take(ledger, 'account:a', 9);
  await ledger.close();
  return { dir, log: readdirSync(dir).find((name) => name.startsWith('charges-'))! };
}

/** Edits bytes of a file in place. */
export function alter(path: string, change: (bytes: Buffer) => unknown): void {
  const bytes = readFileSync(path);
  const changed = change(bytes);
  writeFileSync(path, changed instanceof Buffer ? changed : bytes);
}
export const flip = (bytes: Buffer, at: number): number => bytes.writeUInt8(bytes[at]! ^ 4, at);
export const usedBy = (dir: string, id: QuotaId): number => open(shared(dir)).usage(id, NOON).used;
