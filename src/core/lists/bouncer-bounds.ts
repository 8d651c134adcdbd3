import { isRecord } from '../kit/json.ts';

export interface BouncerBounds {
  readonly minScore: number;
  /** The riskiest decisions come, at most this many. */
  readonly max: number;
  /** Ranges are sent as their single addresses, for clients that keep only the first address of a range. */
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
