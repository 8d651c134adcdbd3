import type { LimitCounter } from '../../../core/limits/limits.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Limiter, Refusal } from '../../../service/limiter.ts';
import { IdHash } from '../../counters/memory/id-hash.ts';
import { LimitTable } from './limit-table.ts';
import type { SharedLimits } from './shared-limits.ts';

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
