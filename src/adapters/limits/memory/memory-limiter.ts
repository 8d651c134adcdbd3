import { randomBytes } from 'node:crypto';
import type { LimitCounter } from '../../../core/limits/limits.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Limiter, Refusal } from '../../../service/limiter.ts';
import { IdHash } from '../../counters/memory/id-hash.ts';
import { LimitTable, limitTableBytes } from './limit-table.ts';
import { createHashGateMemory, SharedHashGate } from './shared-hash-gate.ts';

export class MemoryLimiter implements Limiter {
  readonly #tables: Readonly<Record<LimitCounter['of'], LimitTable>>;
  readonly #hash: IdHash;

  constructor(shared: SharedLimits, owner: number) {
    this.#tables = { client: new LimitTable(shared.clients, owner), subject: new LimitTable(shared.subjects, owner) };
    this.#hash = new IdHash(shared.seed);
  }

  take(counters: readonly LimitCounter[], at: UnixMs): Refusal | undefined {
    for (const [index, counter] of counters.entries()) {
      const endsAt = this.#take(counter, at);
      if (endsAt === undefined) continue;
      this.giveBack(counters.slice(0, index), at);
      return { endsAt };
    }
  }

  giveBack(counters: readonly LimitCounter[], at: UnixMs): void {
    for (const { of, id } of counters) {
      this.#hash.update(id);
      this.#tables[of].giveBack(this.#hash.h1, this.#hash.h2, at);
    }
  }

  /** Whether a narrow counter of another store has a place here, which bounds those that this node makes there. */
  hasPlaceFor({ of, id, limit }: LimitCounter, at: UnixMs): boolean {
    this.#hash.update(`shared ${id}`);
    return this.#tables[of].take(this.#hash.h1, this.#hash.h2, limit, at, true) !== false;
  }

  #take({ of, id, limit, narrow }: LimitCounter, at: UnixMs): UnixMs | undefined {
    this.#hash.update(id);
    return this.#tables[of].take(this.#hash.h1, this.#hash.h2, limit, at, narrow === true) || undefined;
  }
}

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
