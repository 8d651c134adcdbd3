import type { RiskType } from '../../contract/risk.ts';
import { countDays, uniteDays } from '../evidence/fold-observations.ts';
import type { Observation } from '../evidence/observation.ts';
import type { UnixMs } from '../units.ts';
import { baseOf, remaining, windowOf } from './decay.ts';
import type { ScoreParameters } from './parameters.ts';
import type { NetworkSignals } from './share-tier.ts';

export interface WeighOptions {
  readonly network: NetworkSignals;
  readonly family: 4 | 6;
  readonly at: UnixMs;
  readonly parameters: ScoreParameters;
}

/**
 * Captures of one origin for one risk type: the whole type, or one listing family of osint. The group has the
 * strength of its strongest capture. `strength`: 0..1, and 0 from the end of the newest capture's window on.
 */
export interface CaptureWeight {
  readonly riskType: RiskType;
  readonly observations: readonly Observation[];
  readonly strongest: Observation;
  readonly newest: Observation;
  readonly observedDays: number;
  readonly windowMs: number;
  readonly strength: number;
}

/**
 * Weighs the captures that count at an instant (decisions 2, docs/score.md). Captures after it are ignored,
 * published private-relay ranges have no vpn evidence, and a capture that repeats another active capture does
 * not count twice (`counts`).
 * @param observations as `foldObservations` returns them
 */
export function weigh(observations: readonly Observation[], weighing: WeighOptions): readonly CaptureWeight[] {
  const past = withoutNeighbours(
    observations.filter((row) => row.capturedAt <= weighing.at && !(row.riskType === 'vpn' && weighing.network.relay)),
    weighing,
  );
  if (past.length === 1) return [weighGroup(past, validityOf(past, weighing.parameters), weighing)];
  const validities = typeWindows(past, weighing.parameters);
  const active = past.filter((row) => weighing.at - row.capturedAt < validities.get(row.riskType)!.windowMs);
  const counted = past.filter((row) => counts(row, active, weighing.parameters));
  const groups = groupBy(counted, (row) => (row.riskType === 'osint' ? `osint ${row.family}` : row.riskType));
  return [...groups.values()].map((group) => weighGroup(group, validities.get(group[0]!.riskType)!, weighing));
}

function withoutNeighbours(
  past: readonly Observation[],
  { at, parameters }: Pick<WeighOptions, 'at' | 'parameters'>,
): readonly Observation[] {
  const others = past.filter(({ source }) => !parameters.neighbourhoods.includes(source));
  if (others.length === past.length) return past;
  const validities = typeWindows(others, parameters);
  return others.some(({ riskType, capturedAt }) => at - capturedAt < validities.get(riskType)!.windowMs)
    ? others
    : past;
}

/**
 * Returns whether a capture counts next to the active ones of the same address. An osint capture does not
 * count at a Tor exit, nor while its family has an active proxy or vpn capture. A source that contains others
 * does not count while one of those has an active capture.
 */
function counts(row: Observation, active: readonly Observation[], { aggregates }: ScoreParameters): boolean {
  // Operators name their own sources: one called `constructor` contains no others.
  const members = Object.hasOwn(aggregates, row.source) ? aggregates[row.source] : undefined;
  if (members === undefined && row.riskType !== 'osint') return true;
  return !active.some(
    (other) =>
      members?.includes(other.source) ||
      (row.riskType === 'osint' && isExit(other.riskType) && (other.family === row.family || other.sharedBy === 'tor')),
  );
}

const isExit = (riskType: RiskType): boolean => riskType === 'proxy' || riskType === 'vpn';

interface Validity {
  readonly observedDays: number;
  readonly windowMs: number;
}

/** Returns every instant at which a capture stops to count and others may begin to, ascending. */
export function captureEnds(observations: readonly Observation[], parameters: ScoreParameters): readonly number[] {
  const endsOf = (rows: readonly Observation[]): readonly number[] => {
    const validities = typeWindows(rows, parameters);
    return rows.map(({ riskType, capturedAt }) => Math.ceil(capturedAt + validities.get(riskType)!.windowMs));
  };
  const others = observations.filter(({ source }) => !parameters.neighbourhoods.includes(source));
  const ends = others.length === observations.length ? [] : endsOf(others);
  return [...new Set([...endsOf(observations), ...ends])].sort((a, b) => a - b);
}

export function typeWindows(
  observations: readonly Observation[],
  parameters: ScoreParameters,
): ReadonlyMap<RiskType, Validity> {
  const validities = new Map<RiskType, Validity>();
  for (const [riskType, rows] of groupBy(observations, (row) => row.riskType))
    validities.set(riskType, validityOf(rows, parameters));
  return validities;
}

/**
 * @param rows all captures of one risk type, counted or not, so that the window does not change when others
 * expire
 */
function validityOf(rows: readonly Observation[], parameters: ScoreParameters): Validity {
  const observedDays = countDays(daysOf(rows));
  return { observedDays, windowMs: windowOf(parameters.types[rows[0]!.riskType], observedDays) };
}

export function daysOf(rows: readonly Observation[]): number {
  const newest = newestOf(rows);
  let days = 0;
  for (const row of rows) days = uniteDays(newest.capturedAt, days, row.capturedAt, row.days);
  return days;
}

/** Returns the newest capture; a tie goes to the family that is first in code-unit order. */
export function newestOf(rows: readonly Observation[]): Observation {
  let newest = rows[0]!;
  for (const row of rows)
    if (row.capturedAt > newest.capturedAt || (row.capturedAt === newest.capturedAt && row.family < newest.family))
      newest = row;
  return newest;
}

type Captures = Pick<CaptureWeight, 'observations' | 'observedDays'>;

/** Returns whether all that is known is one capture of a proxy, at a gateway or in a content delivery network. */
export const isSingleAtGateway = (
  { observations: [first, ...others], observedDays }: Captures,
  { network: { usageType }, parameters: { gateways } }: WeighOptions,
): boolean =>
  first!.riskType === 'proxy' &&
  observedDays === 1 &&
  usageType !== undefined &&
  gateways.includes(usageType) &&
  others.every(({ source }) => source === first!.source);

/** Returns the greatest strength of a capture, which is less than 1 if its source claims networks. */
export function strengthMax({ source }: Observation, captures: Captures, weighing: WeighOptions): number {
  const { claiming, claimMax } = weighing.parameters;
  return claiming.includes(source) || isSingleAtGateway(captures, weighing) ? claimMax : 1;
}

function weighGroup(
  observations: readonly Observation[],
  { observedDays, windowMs }: Validity,
  weighing: WeighOptions,
): CaptureWeight {
  const { family, at, parameters } = weighing;
  const { riskType } = observations[0]!;
  const { delta } = parameters.types[riskType];
  let strongest = observations[0]!;
  let strength = -1;
  for (const row of observations) {
    const its = Math.min(
      strengthMax(row, { observations, observedDays }, weighing),
      baseOf(parameters, riskType, family, row.prefixBits) * remaining(at - row.capturedAt, windowMs, delta),
    );
    if (its < strength || (its === strength && row.capturedAt <= strongest.capturedAt)) continue;
    strongest = row;
    strength = its;
  }
  return { riskType, observations, strongest, newest: newestOf(observations), observedDays, windowMs, strength };
}

function groupBy<K>(rows: readonly Observation[], keyOf: (row: Observation) => K): Map<K, Observation[]> {
  const groups = new Map<K, Observation[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * Splits 100 · (1 − Π(1 − s)) into one share for each strength, in their order: what each adds to those before
 * it. The shares add up to the score before it is rounded and capped.
 */
export function contributions(strengths: readonly number[]): readonly number[] {
  let safe = 1;
  return strengths.map((strength) => {
    const share = 100 * safe * strength;
    safe *= 1 - strength;
    return share;
  });
}
