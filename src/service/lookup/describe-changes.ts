import type { IPTimeline } from '../../contract/documents.ts';
import { ceilTo, coarseCaptures, floorTo } from '../../core/evidence/drop-duplicates.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { contains, parsePrefix } from '../../core/ip/prefix.ts';
import {
  type ChangeOptions,
  decayChanges,
  isChange,
  type StateChange,
  type VerdictState,
  verdictState,
} from '../../core/risk/decay-changes.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import type { Override } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { HistoryTimeline, LookupView } from '../ports.ts';
import { readHistory } from './lookup-pulse.ts';

export interface ChangesQuery {
  readonly view: LookupView;
  readonly address: Address;
  readonly account: { readonly dpa: boolean };
  readonly from: UnixMs;
  readonly to: UnixMs;
}

const INSTANTS_PER_READ = 200;

/**
 * Describes every change of a verdict in a time (decisions 10.4), to the millisecond. Without a data-processing
 * agreement changes stand on whole hours and follow from captures moved to their hour.
 * @param overrides of this installation, ended ones too
 */
export async function describeChanges(
  history: HistoryTimeline,
  overrides: readonly Override[],
  query: ChangesQuery & { readonly windowFrom: UnixMs },
): Promise<IPTimeline> {
  const { address, account, from, to, windowFrom } = query;
  const [start, changes] = await changesOf(history, overrides, query);
  const gaps = await readHistory(() => history.missingBetween(from, to));
  return {
    ip: formatAddress(address),
    from: isoTime(from),
    to: isoTime(to),
    window_from: isoTime(windowFrom),
    start: stateDocument(start),
    changes: changes.map((change) => ({ at: isoTime(change.at), ...stateDocument(change) })),
    gaps: gaps.map((gap) => ({ ...gap, from: isoTime(gap.from), to: isoTime(gap.to) })),
    ...(!account.dpa && { professional_degraded: 'dpa_required' as const }),
  };
}

export async function changesOf(
  history: Pick<HistoryTimeline, 'captureInstants' | 'observationsAtEach'>,
  overrides: readonly Override[],
  { view, address, account, from, to }: ChangesQuery,
): Promise<Changes> {
  const options = changeOptions(view, address);
  const turns = overrides
    .filter(({ prefix }) => contains(parsePrefix(prefix)!, address))
    .flatMap((override) => [override.from, override.until])
    .filter((at) => at > from && at <= to);
  const captured = await readHistory(() => history.captureInstants(address, from, to));
  const steps = [...new Set([...captured, ...turns])].sort((a, b) => a - b);
  const read = (instants: readonly UnixMs[]) => observationsAt(history, address, instants);
  return account.dpa
    ? exactChanges(await read([from, ...steps]), [from, ...steps], to, options)
    : await hourlyChanges(read, [from, ...steps], to, options);
}

export const changeOptions = (view: LookupView, address: Address): ChangeOptions => ({
  network: view.network(address),
  family: address.family,
  parameters: SCORE_PARAMETERS,
  cap: knownGoodCapOf(view.protection, address),
});

type Captures = readonly (readonly Observation[])[];

async function observationsAt(
  history: Pick<HistoryTimeline, 'observationsAtEach'>,
  address: Address,
  instants: readonly UnixMs[],
): Promise<Captures> {
  const found: (readonly Observation[])[] = [];
  for (let i = 0; i < instants.length; i += INSTANTS_PER_READ) {
    const some = instants.slice(i, i + INSTANTS_PER_READ);
    found.push(...(await readHistory(() => history.observationsAtEach(address, some))));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

type Changes = readonly [start: VerdictState, changes: readonly StateChange[]];

function exactChanges(captures: Captures, steps: readonly UnixMs[], to: UnixMs, options: ChangeOptions): Changes {
  const start = verdictState(captures[0]!, steps[0]!, options);
  const changes: StateChange[] = [];
  let before = start;
  for (const [i, at] of steps.entries()) {
    const observations = captures[i]!;
    const now = verdictState(observations, at, options);
    if (isChange(before, now)) changes.push({ at, ...now });
    const end = unixMs((steps[i + 1] ?? to + 1) - 1);
    const later = [...decayChanges(observations, at, end, options)];
    changes.push(...later);
    before = later.at(-1) ?? now;
  }
  return [start, changes];
}

async function hourlyChanges(
  read: (instants: readonly UnixMs[]) => Promise<Captures>,
  [from, ...steps]: readonly UnixMs[],
  to: UnixMs,
  options: ChangeOptions,
): Promise<Changes> {
  const first = floorTo(from!, HOUR_MS);
  // A change at a whole hour belongs to the hour that begins there.
  const turned = [...new Set(steps.map((at) => ceilTo(at + 1, HOUR_MS)))];
  const hours = [first, ...turned.filter((hour) => hour > first && hour <= to)];
  const captures = await read(hours.map((hour) => unixMs(hour - 1)));
  const stateAt = (known: number, hour: number): VerdictState =>
    verdictState(coarseCaptures(captures[known]!, HOUR_MS), unixMs(hour), options);
  const start = stateAt(0, first);
  const changes: StateChange[] = [];
  let before = start;
  for (let hour = first + HOUR_MS, known = 0; hour <= to; hour += HOUR_MS) {
    while (hours[known + 1] !== undefined && hours[known + 1]! <= hour) known++;
    const now = stateAt(known, hour);
    if (isChange(before, now)) changes.push({ at: unixMs(hour), ...now });
    before = now;
  }
  return [start, changes];
}

const stateDocument = ({ score, level, state, types, override }: VerdictState): IPTimeline['start'] => ({
  score,
  level,
  evidence_state: state,
  types,
  ...(override !== undefined && { override: true as const }),
});
