import { MINUTE_MS } from '../units.ts';

const FRESH_MS = 15 * MINUTE_MS;

/**
 * Returns whether a sign-in is recent enough for acts that a stolen session must not do: an operator's
 * changes of accounts, or changes of the own password and factors.
 * @param authenticatedAt when the holder last proved who they are. After a clock was put back it may be ahead
 * of `at`, and is then accepted for no longer
 */
export const isFresh = (authenticatedAt: number, at: number): boolean => Math.abs(at - authenticatedAt) <= FRESH_MS;
