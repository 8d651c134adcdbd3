import { isRecord } from '../kit/json.ts';

/** Bounds of the decisions that a key fetches (docs/enforcement.md). */
export interface BouncerBounds {
  /** Decisions are about scores from this on, 1 to 100. */
  readonly minScore: number;
  /** The most decisions at a time: the riskiest ones. */
  readonly max: number;
  /** True for clients that keep only the first address of a range: ranges are sent as their addresses. */
  readonly single: boolean;
}

export const BOUNCER_DEFAULTS: BouncerBounds = { minScore: 70, max: 15_000, single: false };
export const BOUNCER_MAX = 2_000_000;

/** @returns the bounds that a JSON value states, with defaults; undefined if it states none */
export function readBouncerBounds(value: unknown): BouncerBounds | undefined {
  if (!isRecord(value)) return undefined;
  const { minScore, max, single } = BOUNCER_DEFAULTS;
  const { min_score = minScore, max: most = max, single_addresses = single } = value;
  const isIn = (number: unknown, last: number): number is number =>
    typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= last;
  if (!isIn(min_score, 100) || !isIn(most, BOUNCER_MAX) || typeof single_addresses !== 'boolean') return undefined;
  return { minScore: min_score, max: most, single: single_addresses };
}
