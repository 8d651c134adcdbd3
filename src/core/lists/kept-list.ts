import type { UnixMs } from '../units.ts';

/** A list that was made before. */
export interface KeptList {
  /** Version of the data it was made from. */
  readonly version: string;
  /** Version of the overrides among them. */
  readonly overrides: string;
  readonly madeAt: UnixMs;
  /** Processor time of the making. */
  readonly costMs: number;
}

/** A list is made again at the latest after this time, so that riskier entries replace those that ended. */
const REMADE_MS = 600_000;
/** The making may take a twentieth of the time. */
const REST = 20;

/** Whether a list is too new to be made again for new evidence. What an operator decided is told at once. */
export const isFresh = ({ madeAt, costMs, overrides }: KeptList, at: UnixMs, now: string): boolean =>
  overrides === now && Math.abs(at - madeAt) < REST * costMs;

/** Whether a list still says what the data of this version says. */
export const isCurrent = (made: KeptList, at: UnixMs, version: string): boolean =>
  made.version === version && at >= made.madeAt && at - made.madeAt < REMADE_MS;
