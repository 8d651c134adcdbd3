import { createHash } from 'node:crypto';
import { RISK_TYPES } from '../../contract/risk.ts';
import type { CaptureBatch, EvidenceSource } from '../../core/evidence/capture.ts';
import { SOURCE_TYPE } from '../../core/evidence/capture-batch.ts';
import { mask32 } from '../../core/ip/prefix.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';

/** A capture dated up to this far ahead of our clock is taken as now (decisions 1). */
const AHEAD_MS = 5 * MINUTE_MS;

/** The time a capture counts for, or undefined when it lies too far ahead or is no time at all. */
export function acceptTime(at: number, acceptedAt: UnixMs): UnixMs | undefined {
  if (!(at >= 0) || at > acceptedAt + AHEAD_MS) return undefined;
  return Math.min(Math.floor(at), acceptedAt) as UnixMs;
}

/** Risk type of a row as an index of RISK_TYPES; undefined when neither the row nor the source names one. */
export function typeOfRow(batch: CaptureBatch, row: number, source: EvidenceSource): number | undefined {
  const type = batch.type[row]!;
  if (type < RISK_TYPES.length) return type;
  return type === SOURCE_TYPE && source.riskType !== undefined ? RISK_TYPES.indexOf(source.riskType) : undefined;
}

export const poolOfRow = (batch: CaptureBatch, row: number, source: EvidenceSource): string => batch.pools[batch.pool[row]!] || source.pool || '';

/** Whether the row's words are 0 past its length, and the length fits its family. */
export function isPrefixRow({ family, words, bits }: CaptureBatch, row: number): boolean {
  const length = bits[row]!;
  const at = 4 * row;
  if (family[row] === 4) return length <= 32 && (words[at]! & ~mask32(length)) === 0;
  if (family[row] !== 6 || length > 128) return false;
  for (let word = 0; word < 4; word++) if ((words[at + word]! & ~mask32(length - 32 * word)) !== 0) return false;
  return true;
}

/** What makes two batches the same: every column, the pools' names, and what the source adds to rows that name nothing. */
export function hashBatch(source: EvidenceSource, batch: CaptureBatch): Uint8Array {
  const hash = createHash('sha256').update(JSON.stringify([source.riskType, source.pool, source.mode, batch.pools]));
  for (const column of [batch.family, batch.words, batch.bits, batch.type, batch.capturedAt, batch.pool]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest();
}

export class Refusals {
  readonly counts = new Map<string, number>();
  add(reason: string, rows = 1): void {
    if (rows > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + rows);
  }
}
