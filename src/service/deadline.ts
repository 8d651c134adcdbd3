import { AsyncLocalStorage } from 'node:async_hooks';

/** Until when a caller waits, for all questions to stores that its request asks. */
const deadlines = new AsyncLocalStorage<number>();

/** A look-up, a page, a change: the refusal leaves within three seconds of the request. */
export const REQUEST_MS = 2500;
/** Questions about up to 1,000 addresses; a password, which waits its turn to be hashed between two questions. */
export const BATCH_MS = 12_500;
/** A delivery of captures, which may have to wait for the writers before it. */
export const INTAKE_MS = 10_000;

/** Runs work that a caller waits for, for so long at most, and no longer than the deadline that it has already. */
export const within = <T>(ms: number, work: () => T): T =>
  deadlines.run(Math.min(deadlineEnds(), performance.now() + ms), work);

/** Runs work until the moment that `deadlineEnds` gave. */
export const until = <T>(endsAt: number, work: () => T): T => deadlines.run(endsAt, work);

/** Begins a deadline for the rest of this request, another one when its body has come. */
export const restartDeadline = (ms: number): void => deadlines.enterWith(performance.now() + ms);

/** Moment at which the work under way is given up, as `performance.now()` counts; Infinity: no caller waits for it. */
export const deadlineEnds = (): number => deadlines.getStore() ?? Number.POSITIVE_INFINITY;
