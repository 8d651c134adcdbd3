import { AsyncLocalStorage } from 'node:async_hooks';

/** Deadline of the request under way, shared by all its questions to stores. */
const deadlines = new AsyncLocalStorage<number>();

/** Deadline of lookups, pages and changes, so that a refusal is sent within three seconds of the request. */
export const REQUEST_MS = 2500;
/**
 * Deadline of questions about up to 1,000 addresses, and of a password, which queues to be hashed between two
 * questions.
 */
export const BATCH_MS = 12_500;
/** Deadline of a delivery of captures, which may wait for the writers before it. */
export const INTAKE_MS = 10_000;

/** Runs work under a deadline of `ms`, or under the earlier one that is already in force. */
export const withDeadline = <T>(ms: number, work: () => T): T =>
  deadlines.run(Math.min(deadlineEnds(), performance.now() + ms), work);

export const until = <T>(endsAt: number, work: () => T): T => deadlines.run(endsAt, work);

/** Starts a new deadline for the rest of this request, for example when its body has arrived. */
export const startDeadline = (ms: number): void => deadlines.enterWith(performance.now() + ms);

/** Deadline in the time of `performance.now()`; Infinity when no caller waits. */
export const deadlineEnds = (): number => deadlines.getStore() ?? Number.POSITIVE_INFINITY;
