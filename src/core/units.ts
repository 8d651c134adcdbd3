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
