import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { type UnixMs, unixMs } from '../units.ts';
import { ageAtStrength, baseOf, prefixWeight } from './decay.ts';
import type { KnownGoodCap, KnownGoodSet } from './known-good.ts';
import { withDenial } from './override.ts';
import type { ScoreParameters } from './parameters.ts';
import type { NetworkSignals } from './share-tier.ts';
import { knownGoodSetOf, type Verdict, verdict } from './verdict.ts';
import { type CaptureWeight, captureEnds, isSingleAtGateway, strengthMax, type WeighOptions, weigh } from './weigh.ts';

/**
 * Explains the strength of one risk type by its strongest capture. Each osint family has its own row.
 * - `capturedAt`: time of the strongest capture; a newer one of a wider prefix may be weaker.
 * - `observedDays`: d of the formula: observed days frozen at the type's newest capture, 1..14.
 * - `halfAt`: first instant at which half of its fresh strength is left.
 */
export interface ExplanationRow {
  readonly riskType: RiskType;
  readonly family: string;
  readonly capturedAt: UnixMs;
  readonly ageMs: number;
  readonly observedDays: number;
  readonly base: number;
  readonly prefixBits: number;
  readonly weight: number;
  readonly strengthMax: number;
  readonly atGateway: boolean;
  readonly windowMs: number;
  readonly delta: number;
  readonly strength: number;
  readonly sources: readonly string[];
  readonly expiresAt: UnixMs;
  readonly halfAt: UnixMs;
}

/**
 * - `knownGood`: the known-good list that caps the score at `knownGoodMax`, while no own collection is active at the
 *   address.
 * - `below70At`: first instants, to the millisecond, at which the score is below 70, below 30, and 0, if there are no
 *   new captures. Undefined if it is so already.
 */
export interface Explanation {
  readonly verdict: Verdict;
  readonly knownGood: KnownGoodSet | undefined;
  readonly rows: readonly ExplanationRow[];
  readonly below70At: UnixMs | undefined;
  readonly below30At: UnixMs | undefined;
  readonly zeroAt: UnixMs | undefined;
}

export const isOsintCapped = (rows: readonly ExplanationRow[], { osintCap }: ScoreParameters): boolean =>
  1 - rows.filter(({ riskType }) => riskType === 'osint').reduce((safe, row) => safe * (1 - row.strength), 1) >
  osintCap;

/**
 * Returns the verdict with its working: each row's age, window and strength, and when the score will fall. A
 * row's own instants have a closed form. The score falls with time, except when a capture expires that kept
 * another from counting twice. Its instants are therefore found exactly, by bisection between those moments.
 * @param observations as `verdict` takes them
 */
export function explain(
  observations: readonly Observation[],
  network: NetworkSignals,
  family: 4 | 6,
  at: UnixMs,
  parameters: ScoreParameters,
  cap?: KnownGoodCap,
): Explanation {
  const override = cap?.override?.(at);
  const past = observations.filter(({ capturedAt }) => capturedAt <= at);
  const counted = withDenial(past, override, family, at);
  const weighing = { network, family, at, parameters };
  const groups = weigh(counted, weighing);
  // A denial acts as a capture at each instant until its end.
  const scoreAt = (instant: number): number => verdict(past, network, family, unixMs(instant), parameters, cap).score;
  const ends = [...expiries(counted, at, parameters), ...(override === undefined ? [] : [override.until])].sort(
    (a, b) => a - b,
  );
  const rows = groups.map((group) => explainRow(group, weighing));
  return {
    verdict: verdict(past, network, family, at, parameters, cap),
    knownGood: knownGoodSetOf(counted, cap, at, parameters),
    rows,
    below70At: firstBelow(70, at, ends, scoreAt),
    below30At: firstBelow(30, at, ends, scoreAt),
    zeroAt: firstBelow(1, at, ends, scoreAt),
  };
}

/**
 * Returns the first instant at which the score is below `bound`, if there are no new captures; undefined if it
 * is below already. The usual address has captures of one prefix and type, whose instant has a closed form.
 * @param observations as `verdict` takes them
 */
export function fallsBelowAt(
  bound: number,
  observations: readonly Observation[],
  network: NetworkSignals,
  family: 4 | 6,
  at: UnixMs,
  parameters: ScoreParameters,
  cap?: KnownGoodCap,
): UnixMs | undefined {
  const override = cap?.override?.(at);
  const past = observations.filter(({ capturedAt }) => capturedAt <= at);
  const counted = withDenial(past, override, family, at);
  const scoreAt = (instant: number): number => verdict(past, network, family, unixMs(instant), parameters, cap).score;
  const [only, ...others] = weigh(counted, { network, family, at, parameters });
  if (override === undefined && only !== undefined && others.length === 0) {
    const { riskType, strongest, windowMs } = only;
    const base = baseOf(parameters, riskType, family, strongest.prefixBits);
    const age = ageAtStrength((bound - 0.5) / 100, base, windowMs, parameters.types[riskType].delta);
    const guess = Math.ceil(strongest.capturedAt + age);
    for (const instant of [guess - 1, guess, guess + 1])
      if (instant > at && scoreAt(instant - 1) >= bound && scoreAt(instant) < bound) return unixMs(instant);
  }
  const ends = [...expiries(counted, at, parameters), ...(override === undefined ? [] : [override.until])];
  return firstBelow(
    bound,
    at,
    ends.sort((a, b) => a - b),
    scoreAt,
  );
}

function expiries(past: readonly Observation[], at: UnixMs, parameters: ScoreParameters): readonly number[] {
  return captureEnds(past, parameters).filter((end) => end > at);
}

function firstBelow(
  bound: number,
  at: number,
  ends: readonly number[],
  scoreAt: (instant: number) => number,
): UnixMs | undefined {
  if (scoreAt(at) < bound) return undefined;
  let from = at;
  for (const end of ends) {
    if (scoreAt(end - 1) < bound) return unixMs(bisect(from, end - 1, (instant) => scoreAt(instant) < bound));
    if (scoreAt(end) < bound) return unixMs(end);
    from = end;
  }
  return unixMs(from);
}

function explainRow(group: CaptureWeight, weighing: WeighOptions): ExplanationRow {
  const { riskType, observations, strongest, newest, observedDays, windowMs, strength } = group;
  const { family, at, parameters } = weighing;
  const { base, delta } = parameters.types[riskType];
  const { capturedAt, prefixBits } = strongest;
  const freshOf = (row: Observation): number => baseOf(parameters, riskType, family, row.prefixBits);
  const max = strengthMax(strongest, group, weighing);
  const half = Math.min(max, freshOf(strongest)) / 2;
  const halves = observations.map((row) =>
    half < strengthMax(row, group, weighing)
      ? row.capturedAt + ageAtStrength(half, freshOf(row), windowMs, delta)
      : row.capturedAt,
  );
  return {
    riskType,
    family: strongest.family,
    capturedAt,
    ageMs: at - capturedAt,
    observedDays,
    base,
    prefixBits,
    weight: prefixWeight(parameters, riskType, family, prefixBits),
    strengthMax: max,
    atGateway: isSingleAtGateway(group, weighing),
    windowMs,
    delta,
    strength,
    sources: [...new Set(observations.map(({ source }) => source))].sort(),
    expiresAt: unixMs(Math.ceil(newest.capturedAt + windowMs)),
    halfAt: unixMs(Math.ceil(Math.max(...halves))),
  };
}

/**
 * Returns the smallest whole number in (low, high] for which `holds`. It must not hold at `low`, hold at
 * `high`, and never stop holding.
 */
function bisect(low: number, high: number, holds: (value: number) => boolean): number {
  let [no, yes] = [low, high];
  while (yes - no > 1) {
    const middle = no + Math.floor((yes - no) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
