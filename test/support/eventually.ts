import { setTimeout } from 'node:timers/promises';

export interface EventuallyOptions {
  /**
   * The last failure is thrown after this time; default 60 s. Only a hang takes that long, also on a busy
   * machine: no test says how fast something is.
   */
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly hint?: () => string;
}

/**
 * Attempts something until it neither throws nor answers false.
 * @returns the first answer that holds
 * @throws Error after the deadline, with the last failure as its cause
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 20, hint }: EventuallyOptions = {},
): Promise<Exclude<T, false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    let cause: unknown;
    try {
      const answer = await attempt();
      if (answer !== false) return answer as Exclude<T, false>;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`did not hold within ${withinMs} ms${why}${hint === undefined ? '' : `\n${hint()}`}`, { cause });
    }
    await setTimeout(everyMs);
  }
}
