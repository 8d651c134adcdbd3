import { MINUTE_MS } from '../units.ts';

const FRESH_MS = 15 * MINUTE_MS;

/**
 * Whether a sign-in is recent enough for acts that a stolen session must not do: change accounts as an operator, or the account's own password and factors.
 * @param authenticatedAt when the account's holder last proved who they are; ahead of `at` where the clock has gone back, and then no longer good than behind it
 */
export const isFresh = (authenticatedAt: number, at: number): boolean => Math.abs(at - authenticatedAt) <= FRESH_MS;
