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
