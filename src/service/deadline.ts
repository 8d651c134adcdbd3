import { AsyncLocalStorage } from 'node:async_hooks';

const deadlines = new AsyncLocalStorage<number>();

/** Lookups, pages and changes have this deadline, so that a refusal is sent within three seconds. */
export const REQUEST_MS = 2500;
/**
 * Questions about up to 1,000 addresses have this deadline, and a password, which queues to be hashed between
 * two questions.
 */
export const BATCH_MS = 12_500;
export const INTAKE_MS = 10_000;

export const withDeadline = <T>(ms: number, work: () => T): T =>
  deadlines.run(Math.min(deadlineEnds(), performance.now() + ms), work);

export const until = <T>(endsAt: number, work: () => T): T => deadlines.run(endsAt, work);

export const startDeadline = (ms: number): void => deadlines.enterWith(performance.now() + ms);

/** Counts as `performance.now()` does; Infinity when no caller waits. */
export const deadlineEnds = (): number => deadlines.getStore() ?? Number.POSITIVE_INFINITY;
