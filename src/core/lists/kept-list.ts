import type { UnixMs } from '../units.ts';

export interface KeptList {
  readonly version: string;
  readonly overrides: string;
  readonly madeAt: UnixMs;
  readonly costMs: number;
}

/** A list is made again at the latest after this time, so that riskier entries replace those that ended. */
const REMADE_MS = 600_000;
/** Making a list may take a twentieth of the time. */
const COST_MULTIPLE = 20;

/**
 * Returns true while a list is too new to be made again for new evidence. Overrides of operators always count
 * at once.
 */
export const isFresh = ({ madeAt, costMs, overrides }: KeptList, at: UnixMs, now: string): boolean =>
  overrides === now && Math.abs(at - madeAt) < COST_MULTIPLE * costMs;

export const isCurrent = (made: KeptList, at: UnixMs, version: string): boolean =>
  made.version === version && at >= made.madeAt && at - made.madeAt < REMADE_MS;
