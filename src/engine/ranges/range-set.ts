/**
 * Input of a compiler: the address space of one family as consecutive ranges. Range i covers its start up to,
 * not including, the start of range i+1; the last one reaches the end. `ids[i]` is a record number; 0 means
 * unknown. Starts are strictly increasing from 0. Equal neighbours should have been merged.
 */
export interface RangeSet4 {
  readonly family: 4;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
}

/** Start i is starts[4i..4i+3], most significant word first. */
export interface RangeSet6 {
  readonly family: 6;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
}

export type RangeSet = RangeSet4 | RangeSet6;

export const START_WORDS = { 4: 1, 6: 4 } as const;

export function emptyRanges(family: 4 | 6): RangeSet {
  return { family, count: 1, starts: new Uint32Array(START_WORDS[family]), ids: new Uint32Array(1) } as RangeSet;
}
