import type { LimitCounter } from '../core/limits/limits.ts';
import type { UnixMs } from '../core/units.ts';
import { Problem } from './problem.ts';

/** Why a request is not admitted: a counter is full until `endsAt`. */
export interface Refusal {
  readonly endsAt: UnixMs;
}

/**
 * Counts requests other than look-ups, in memory and never on a disk: a refusal leaves nothing behind. The in-process one answers at once, the one over Redis
 * with a promise. A window begins with the first count in it and ends at most its length later, also when the clock goes back.
 */
export interface Limiter {
  /** Counts one in every counter or, where one of them is full, in none. @returns undefined when it was counted */
  take(counters: readonly LimitCounter[], at: UnixMs): Refusal | undefined | Promise<Refusal | undefined>;
  /** Takes one back from each counter while the window it was counted in is open; never below none. */
  giveBack(counters: readonly LimitCounter[], at: UnixMs): void | Promise<void>;
}

/** Counts one in every counter. @throws Problem rate_limited with retry_after, and then nothing was counted */
export function admit(limiter: Limiter, counters: readonly LimitCounter[], at: UnixMs): void | Promise<void> {
  const refusal = limiter.take(counters, at);
  if (refusal instanceof Promise) return refusal.then((answer) => refuse(answer, at));
  refuse(refusal, at);
}

function refuse(refusal: Refusal | undefined, at: UnixMs): void {
  if (refusal !== undefined) throw tooMany((refusal.endsAt - at) / 1000);
}

/** @param waitSec when to come back; rounded up to whole seconds, at least one */
export const tooMany = (waitSec: number): Problem =>
  new Problem('rate_limited', {
    message: 'Too many attempts; try again later.',
    extras: { retry_after: Math.max(1, Math.ceil(waitSec)) },
  });
