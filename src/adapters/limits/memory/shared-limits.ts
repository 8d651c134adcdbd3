import { randomBytes } from 'node:crypto';
import { LimitTable, limitTableBytes } from './limit-table.ts';
import { createHashGateMemory, SharedHashGate } from './shared-hash-gate.ts';

/** The part of the limiter that all threads of one process share. Can be sent to a thread as it is. Nothing of it outlives the process. */
export interface SharedLimits {
  /** Keys the hash of counters, so that no caller can aim at another's slot. */
  readonly seed: Uint8Array;
  readonly clients: SharedArrayBuffer;
  readonly subjects: SharedArrayBuffer;
  /** Of SharedHashGate. */
  readonly hashing: SharedArrayBuffer;
}

/** Counters in open windows: 4 MiB for clients, 2 MiB for accounts and the like. Memory that is not used is not committed. */
const CLIENT_SLOTS = 2 ** 18;
const SUBJECT_SLOTS = 2 ** 17;

/** @param slots powers of two; smaller ones for tests */
export const createSharedLimits = (
  slots: { readonly clients?: number; readonly subjects?: number } = {},
): SharedLimits => ({
  seed: new Uint8Array(randomBytes(8)),
  clients: new SharedArrayBuffer(limitTableBytes(slots.clients ?? CLIENT_SLOTS)),
  subjects: new SharedArrayBuffer(limitTableBytes(slots.subjects ?? SUBJECT_SLOTS)),
  hashing: createHashGateMemory(),
});

/** Frees the locks and the room that a thread, now dead, held. To be called by a thread that lives. */
export function releaseLimitsOf(shared: SharedLimits, owner: number): void {
  for (const table of [shared.clients, shared.subjects]) new LimitTable(table, LIVING).lock.releaseOf(owner);
  new SharedHashGate(shared.hashing, LIVING).releaseOf(owner);
}

/** Number of the control thread. */
const LIVING = 1;
