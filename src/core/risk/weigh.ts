import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { countDays } from '../evidence/observed-days.ts';
import { uniteDays } from '../evidence/unite-captures.ts';
import type { UnixMs } from '../units.ts';
import { baseOf, remaining, windowOf } from './decay.ts';
import type { NetworkSignals } from './network-signals.ts';
import type { ScoreParameters } from './parameters.ts';

/** Target of the weighing. */
export interface Weighing {
  readonly network: NetworkSignals;
  /** Of the address. */
  readonly family: 4 | 6;
  readonly at: UnixMs;
  readonly parameters: ScoreParameters;
}

/** Captures of one origin for one risk type: all of a type, for osint one listing family of it. Its strength is that of its strongest capture. */
export interface Weighed {
  readonly riskType: RiskType;
  /** Those that count at the instant, at least one. */
  readonly observations: readonly Observation[];
  readonly strongest: Observation;
  /** Newest capture of all prefixes. */
  readonly newest: Observation;
  /** Observed days over all captures of the type, on the date of the type's newest: d of the formula. */
  readonly observedDays: number;
  /** Validity window in milliseconds. */
  readonly windowMs: number;
  /** 0..1. 0 from the end of the newest capture's window on. */
  readonly strength: number;
}

/**
 * Weighs the captures that count at an instant (decisions 2, docs/score.md): captures after it do not exist, published private-relay ranges have no vpn evidence, and a capture that another
 * active capture already says does not count twice (`counts`).
 * @param observations as `foldObservations` gives them
 */
export function weigh(observations: readonly Observation[], weighing: Weighing): readonly Weighed[] {
  const past = observations.filter(
    (row) => row.capturedAt <= weighing.at && !(row.riskType === 'vpn' && weighing.network.relay),
  );
  if (past.length === 1) return [weighGroup(past, validityOf(past, weighing.parameters), weighing)];
  const validities = validitiesOf(past, weighing.parameters);
  const active = past.filter((row) => weighing.at - row.capturedAt < validities.get(row.riskType)!.windowMs);
  const counted = past.filter((row) => counts(row, active, weighing.parameters));
  const groups = groupBy(counted, (row) => (row.riskType === 'osint' ? `osint ${row.family}` : row.riskType));
  return [...groups.values()].map((group) => weighGroup(group, validities.get(group[0]!.riskType)!, weighing));
}

/**
 * Whether a capture counts next to the active ones of the same address: an osint capture does not while its family has an active proxy or vpn capture, and that
 * of a source that contains others does not while one of those has an active capture.
 */
function counts(row: Observation, active: readonly Observation[], { aggregates }: ScoreParameters): boolean {
  // Operators name sources of their own: `constructor` is one that contains no others.
  const members = Object.hasOwn(aggregates, row.source) ? aggregates[row.source] : undefined;
  if (members === undefined && row.riskType !== 'osint') return true;
  return !active.some(
    (other) =>
      members?.includes(other.source) ||
      (row.riskType === 'osint' && isExit(other.riskType) && other.family === row.family),
  );
}

const isExit = (riskType: RiskType): boolean => riskType === 'proxy' || riskType === 'vpn';

interface Validity {
  readonly observedDays: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

/** Observed days and window of each risk type that was captured. */
export function validitiesOf(
  observations: readonly Observation[],
  parameters: ScoreParameters,
): ReadonlyMap<RiskType, Validity> {
  const validities = new Map<RiskType, Validity>();
  for (const [riskType, rows] of groupBy(observations, (row) => row.riskType))
    validities.set(riskType, validityOf(rows, parameters));
  return validities;
}

/** @param rows all captures of one risk type, counted or not, so that the window does not change when others expire */
function validityOf(rows: readonly Observation[], parameters: ScoreParameters): Validity {
  const observedDays = countDays(daysOf(rows));
  return { observedDays, windowMs: windowOf(parameters.types[rows[0]!.riskType], observedDays) };
}

/** Observed days of all rows, on the date of the newest capture. */
export function daysOf(rows: readonly Observation[]): number {
  const newest = newestOf(rows);
  let days = 0;
  for (const row of rows) days = uniteDays(newest.capturedAt, days, row.capturedAt, row.days);
  return days;
}

/** The newest capture; of equal ones that of the family first in code-unit order. */
export function newestOf(rows: readonly Observation[]): Observation {
  let newest = rows[0]!;
  for (const row of rows)
    if (row.capturedAt > newest.capturedAt || (row.capturedAt === newest.capturedAt && row.family < newest.family))
      newest = row;
  return newest;
}

/** The greatest strength of a capture: less than 1 where its source claims networks. */
export const strengthMax = ({ source }: Observation, { claiming, claimMax }: ScoreParameters): number =>
  claiming.includes(source) ? claimMax : 1;

function weighGroup(
  observations: readonly Observation[],
  { observedDays, windowMs }: Validity,
  { family, at, parameters }: Weighing,
): Weighed {
  const { riskType } = observations[0]!;
  const { delta } = parameters.types[riskType];
  let strongest = observations[0]!;
  let strength = -1;
  for (const row of observations) {
    const its = Math.min(
      strengthMax(row, parameters),
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
