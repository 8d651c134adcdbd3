import { randomBytes } from 'node:crypto';
import { LimitTable, limitTableBytes } from './limit-table.ts';
import { createHashGateMemory, SharedHashGate } from './shared-hash-gate.ts';

/**
 * Limiter state shared by all threads of a process. It can be posted to a thread, and ends with the process.
 */
export interface SharedLimits {
  /** Keys the hash of counters, so that callers cannot aim at the slot of another. */
  readonly seed: Uint8Array;
  readonly clients: SharedArrayBuffer;
  readonly subjects: SharedArrayBuffer;
  readonly hashing: SharedArrayBuffer;
}

/**
 * These counters take 4 MiB for clients and 2 MiB for accounts and other subjects. Unused memory is not
 * committed.
 */
const CLIENT_SLOTS = 2 ** 18;
const SUBJECT_SLOTS = 2 ** 17;

export const createSharedLimits = (
  slots: { readonly clients?: number; readonly subjects?: number } = {},
): SharedLimits => ({
  seed: new Uint8Array(randomBytes(8)),
  clients: new SharedArrayBuffer(limitTableBytes(slots.clients ?? CLIENT_SLOTS)),
  subjects: new SharedArrayBuffer(limitTableBytes(slots.subjects ?? SUBJECT_SLOTS)),
  hashing: createHashGateMemory(),
});

/** Frees the locks and rooms that a dead thread held. A living thread must call it. */
export function releaseLimitsOf(shared: SharedLimits, owner: number): void {
  for (const table of [shared.clients, shared.subjects]) new LimitTable(table, LIVING).lock.releaseOf(owner);
  new SharedHashGate(shared.hashing, LIVING).releaseOf(owner);
}

const LIVING = 1;
