import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/capture.ts';
import { countDays } from '../evidence/observed-days.ts';
import { type UnixMs, unixMs } from '../units.ts';
import { ageAtStrength, baseOf, remaining, windowOf } from './decay.ts';
import type { NetworkSignals } from './network-signals.ts';
import type { ScoreParameters } from './parameters.ts';
import { type Verdict, verdict } from './verdict.ts';

/** How one observation came to its strength. osint families are shown one by one. */
export interface ExplainedRow {
  readonly riskType: RiskType;
  readonly family: string;
  readonly capturedAt: UnixMs;
  readonly ageMs: number;
  /** d of the formula: observed days frozen at the capture, 1..14. */
  readonly observedDays: number;
  readonly base: number;
  readonly windowMs: number;
  readonly delta: number;
  readonly strength: number;
  /** First instant at which this row adds nothing. */
  readonly expiresAt: UnixMs;
  /** First instant at which half of its base strength is left. */
  readonly halfAt: UnixMs;
}

export interface Explanation {
  readonly verdict: Verdict;
  readonly rows: readonly ExplainedRow[];
  /** First instants, to the millisecond, at which the score is below 70, below 30, and 0, if nothing new is captured. Undefined: it is already. */
  readonly below70At: UnixMs | undefined;
  readonly below30At: UnixMs | undefined;
  readonly zeroAt: UnixMs | undefined;
}

/**
 * The verdict with its working: each row's age, window and strength, and when the score will fall. A row's own instants have a closed form; the score is a
 * falling function of time, so its instants are found by bisection, exactly.
 * @param observations folded, as `verdict` takes them
 */
export function explain(observations: readonly Observation[], network: NetworkSignals, family: 4 | 6, at: UnixMs, parameters: ScoreParameters): Explanation {
  const past = observations.filter(({ capturedAt }) => capturedAt <= at);
  const rows = past.map((row) => explainRow(row, at, parameters));
  const now = verdict(past, network, family, at, parameters);
  const end = rows.reduce((latest, row) => Math.max(latest, row.expiresAt), at as number);
  const scoreAt = (instant: number): number => verdict(past, network, family, unixMs(instant), parameters).score;
  const firstBelow = (bound: number): UnixMs | undefined => (now.score < bound ? undefined : unixMs(bisect(at, end, (instant) => scoreAt(instant) < bound)));
  return { verdict: now, rows, below70At: firstBelow(70), below30At: firstBelow(30), zeroAt: firstBelow(1) };
}

function explainRow({ riskType, family, capturedAt, days, prefixBits }: Observation, at: UnixMs, parameters: ScoreParameters): ExplainedRow {
  const table = parameters.types[riskType];
  const observedDays = countDays(days);
  const windowMs = windowOf(table, observedDays);
  const base = baseOf(parameters, riskType, prefixBits);
  const ageMs = at - capturedAt;
  return {
    riskType,
    family,
    capturedAt,
    ageMs,
    observedDays,
    base,
    windowMs,
    delta: table.delta,
    strength: base * remaining(ageMs, windowMs, table.delta),
    expiresAt: unixMs(Math.ceil(capturedAt + windowMs)),
    halfAt: unixMs(Math.ceil(capturedAt + ageAtStrength(base / 2, base, windowMs, table.delta))),
  };
}

/** Smallest whole number in (low, high] for which `holds`, given that it does not hold at `low`, holds at `high`, and never stops holding. */
function bisect(low: number, high: number, holds: (value: number) => boolean): number {
  let [no, yes] = [low, high];
  while (yes - no > 1) {
    const middle = no + Math.floor((yes - no) / 2);
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
