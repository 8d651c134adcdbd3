import type { Observation } from '../../../src/core/evidence/observation.ts';
import { SCORE_PARAMETERS } from '../../../src/core/risk/parameters.ts';
import { verdict } from '../../../src/core/risk/verdict.ts';
import { DAY_MS, unixMs } from '../../../src/core/units.ts';

/** Moments at which the score leaves a band for good, as the captures stand. */
export interface BandExit {
  readonly below: 70 | 30 | 1;
  readonly at: Date;
}

const NO_NETWORK = { hosting: false, mobile: false, crawler: false, relay: false, usageType: undefined } as const;

/**
 * The score these captures give at one instant: the very function the service runs, so page and service
 * cannot disagree.
 */
export const scoreAt = (observations: readonly Observation[], family: 4 | 6, at: number): number =>
  verdict(observations, NO_NETWORK, family, unixMs(at), SCORE_PARAMETERS).score;

/** Returns how the score falls from `from` on if nothing more is captured, until it is 0 (at most 62 days). */
export function decayCurve(
  observations: readonly Observation[],
  family: 4 | 6,
  from: number,
  points = 120,
): readonly (readonly [at: number, score: number])[] {
  const end = lastActive(observations, family, from);
  const span = Math.max(end - from, DAY_MS);
  return Array.from({ length: points + 1 }, (_, index) => {
    const at = from + (span * index) / points;
    return [at, scoreAt(observations, family, at)];
  });
}

/** Returns when the score leaves each of its present bands, to the second, by bisection of a curve that never rises. */
export function bandExits(observations: readonly Observation[], family: 4 | 6, from: number): readonly BandExit[] {
  const now = scoreAt(observations, family, from);
  return ([70, 30, 1] as const)
    .filter((below) => now >= below)
    .map((below) => ({ below, at: new Date(firstBelow(observations, family, from, below)) }));
}

const LONGEST_MS = 62 * DAY_MS;

function firstBelow(observations: readonly Observation[], family: 4 | 6, from: number, below: number): number {
  let above = from;
  let under = from + LONGEST_MS;
  while (under - above > 1000) {
    const middle = (above + under) / 2;
    if (scoreAt(observations, family, middle) >= below) above = middle;
    else under = middle;
  }
  return under;
}

const lastActive = (observations: readonly Observation[], family: 4 | 6, from: number): number =>
  scoreAt(observations, family, from) === 0 ? from : firstBelow(observations, family, from, 1);
