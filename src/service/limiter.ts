import type { LimitCounter } from '../core/limits/limits.ts';
import type { UnixMs } from '../core/units.ts';
import { Problem } from './problem.ts';

export interface Refusal {
  readonly endsAt: UnixMs;
}

/**
 * Counts requests other than lookups, in memory only. The in-process limiter answers at once, the one over
 * Redis with a promise. A window begins with its first count and ends at most its length later, also when the
 * clock goes back.
 */
export interface Limiter {
  /** Counts one in every counter, or in none if one is full. @returns undefined when it was counted */
  take(counters: readonly LimitCounter[], at: UnixMs): Refusal | undefined | Promise<Refusal | undefined>;
  /** Takes one back from each counter while its window is open; a counter never falls below zero. */
  giveBack(counters: readonly LimitCounter[], at: UnixMs): void | Promise<void>;
}

/**
 * Counts one in every counter. @throws Problem rate_limited with retry_after, in which case nothing was
 * counted
 */
export function admit(limiter: Limiter, counters: readonly LimitCounter[], at: UnixMs): void | Promise<void> {
  const refusal = limiter.take(counters, at);
  if (refusal instanceof Promise) return refusal.then((answer) => refuse(answer, at));
  refuse(refusal, at);
}

function refuse(refusal: Refusal | undefined, at: UnixMs): void {
  if (refusal !== undefined) throw tooMany((refusal.endsAt - at) / 1000);
}

export const tooMany = (waitSec: number): Problem =>
  new Problem('rate_limited', {
    message: 'Too many attempts; try again later.',
    extras: { retry_after: Math.max(1, Math.ceil(waitSec)) },
  });
