/**
 * A tag exists only for the type checker and keeps values apart; at run time these are plain numbers and
 * strings.
 */
declare const tag: unique symbol;
type Tagged<Base, Name extends string> = Base & { readonly [tag]: Name };

export type UnixMs = Tagged<number, 'UnixMs'>;

export const unixMs = (value: number): UnixMs => value as UnixMs;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Counts days since 1970-01-01. */
export const utcDay = (at: UnixMs): number => Math.floor(at / DAY_MS);

/** Returns the middle value, of an even number the upper one of two. @param values at least one */
export const upperMedian = (values: Iterable<number>): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
};
