import type { UnixMs } from '../units.ts';

/** A list that was made before. */
export interface KeptList {
  /** Version of the data it was made from. */
  readonly version: string;
  readonly madeAt: UnixMs;
  readonly tookMs: number;
}

/** A list is made again at the latest after this time, so that riskier entries replace those that ended. */
const REMADE_MS = 600_000;
/** The making may take a twentieth of the time. */
const REST = 20;

/** Whether a list is too new to be made again, whatever changed. */
export const isFresh = ({ madeAt, tookMs }: KeptList, at: UnixMs): boolean => Math.abs(at - madeAt) < REST * tookMs;

/** Whether a list still says what the data of this version says. */
export const isCurrent = (made: KeptList, at: UnixMs, version: string): boolean =>
  made.version === version && at >= made.madeAt && at - made.madeAt < REMADE_MS;
