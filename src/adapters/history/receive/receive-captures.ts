import { createHash } from 'node:crypto';
import type { CaptureBatch, EvidenceSource } from '../../../core/evidence/observation.ts';
import { MINUTE_MS, type UnixMs } from '../../../core/units.ts';
import type { RunOutcome } from '../../../service/ports.ts';

/** A capture dated at most this far ahead of our clock is taken as now (decisions 1). */
const AHEAD_MS = 5 * MINUTE_MS;

export function acceptTime(at: number, acceptedAt: UnixMs): UnixMs | undefined {
  if (!(at >= 0) || at > acceptedAt + AHEAD_MS) return undefined;
  return Math.min(Math.floor(at), acceptedAt) as UnixMs;
}

export interface ReceivedBatch {
  readonly kind: 'run' | 'captures';
  readonly source: EvidenceSource;
  /**
   * The source states this time, which is part of a batch's identity. For captures it is the time of rows
   * that carry none.
   */
  readonly at: UnixMs;
  readonly batch: CaptureBatch;
  readonly acceptedAt: UnixMs;
  readonly runAt: UnixMs | undefined;
}

/**
 * Receives a complete reading of a listing, or of a source of events. Undefined when it is dated too far
 * ahead, so that all of it is refused.
 */
export function receiveRun(
  source: EvidenceSource,
  at: UnixMs,
  batch: CaptureBatch,
  acceptedAt: UnixMs,
): ReceivedBatch | undefined {
  if (source.mode === 'events') return receiveCaptures(source, at, batch, acceptedAt);
  const runAt = acceptTime(at, acceptedAt);
  return runAt === undefined ? undefined : { kind: 'run', source, at, batch, acceptedAt, runAt };
}

export const receiveCaptures = (
  source: EvidenceSource,
  at: UnixMs,
  batch: CaptureBatch,
  acceptedAt: UnixMs,
): ReceivedBatch => ({
  kind: 'captures',
  source,
  at,
  batch,
  acceptedAt,
  runAt: undefined,
});

/**
 * Identifies a batch by every column, the pools' names, the source's defaults for rows, and the key that
 * brought them.
 */
export function hashBatch({ source, batch }: ReceivedBatch): Uint8Array {
  const hash = createHash('sha256').update(
    JSON.stringify([source.riskType, source.pool, source.mode, batch.pools, source.sender]),
  );
  for (const column of [batch.family, batch.words, batch.bits, batch.type, batch.capturedAt, batch.pool]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest();
}

export class Refusals {
  readonly counts = new Map<string, number>();

  refuse(reason: string, rows = 1): false {
    if (rows > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + rows);
    return false;
  }
}

export interface WrittenBatch {
  readonly rows: number;
  readonly added: number;
  readonly ended: number;
  readonly newest: UnixMs | undefined;
}

export const acceptedOutcome = (
  sequence: number,
  { rows, added, ended }: WrittenBatch,
  { counts }: Refusals,
): RunOutcome => ({
  sequence,
  rows,
  added,
  ended,
  changed: true,
  refused: counts,
});

export const repeatedOutcome = (sequence: number, { counts }: Refusals = new Refusals()): RunOutcome => ({
  sequence,
  rows: 0,
  added: 0,
  ended: 0,
  changed: false,
  refused: counts,
});

/** The run is refused whole: it is dated too far ahead, at a retracted time, or of an untrusted source. */
export const refusedOutcome = (
  sequence: number,
  rows: number,
  reason: 'ahead_of_clock' | 'retracted' | 'untrusted',
): RunOutcome => {
  const refusals = new Refusals();
  refusals.refuse(reason, rows);
  return repeatedOutcome(sequence, refusals);
};
