import type { EvidenceState, Level, RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { type UnixMs, unixMs } from '../units.ts';
import type { KnownGoodCap } from './known-good.ts';
import { withDenial } from './override.ts';
import type { ScoreParameters } from './parameters.ts';
import type { NetworkSignals } from './share-tier.ts';
import { verdict } from './verdict.ts';
import { captureEnds } from './weigh.ts';

export interface VerdictState {
  readonly score: number;
  readonly level: Level;
  readonly state: EvidenceState;
  readonly types: readonly RiskType[];
  readonly override: string | undefined;
}

export interface StateChange extends VerdictState {
  readonly at: UnixMs;
}

export interface ChangeOptions {
  readonly network: NetworkSignals;
  readonly family: 4 | 6;
  readonly parameters: ScoreParameters;
  readonly cap: KnownGoodCap | undefined;
}

export function verdictState(
  observations: readonly Observation[],
  at: UnixMs,
  { network, family, parameters, cap }: ChangeOptions,
): VerdictState {
  const { score, level, state, evidence, override } = verdict(observations, network, family, at, parameters, cap);
  const types = evidence.filter(({ strength }) => strength > 0).map(({ riskType }) => riskType);
  return { score, level, state, types: types.sort(), override: override?.id };
}

const keyOf = ({ level, state, types, override }: VerdictState): string =>
  `${level} ${state} ${types.join(',')} ${override ?? ''}`;

export const isChange = (before: VerdictState, after: VerdictState): boolean => keyOf(before) !== keyOf(after);

/**
 * Returns every change in (from, to], to the millisecond, while the captures stay the same and no override
 * begins or ends. Between two expiries the score never rises, so equal states at both ends are the same
 * throughout, and a change between them is found by halving.
 */
export function* decayChanges(
  observations: readonly Observation[],
  from: UnixMs,
  to: UnixMs,
  options: ChangeOptions,
): Generator<StateChange> {
  const { family, parameters, cap } = options;
  const stateAt = (at: number): VerdictState => verdictState(observations, unixMs(at), options);
  function* between(a: number, atA: VerdictState, b: number, atB: VerdictState): Generator<StateChange> {
    if (!isChange(atA, atB)) return;
    if (b - a <= 1) {
      yield { at: unixMs(b), ...atB };
      return;
    }
    const middle = a + Math.floor((b - a) / 2);
    const atMiddle = stateAt(middle);
    yield* between(a, atA, middle, atMiddle);
    yield* between(middle, atMiddle, b, atB);
  }
  const counted = withDenial(observations, cap?.override?.(from), family, from);
  const ends = captureEnds(counted, parameters).filter((end) => end > from && end <= to);
  let [start, known] = [Number(from), stateAt(from)];
  for (const end of [...ends.flatMap((expiry) => [expiry - 1, expiry]), to]) {
    if (end <= start) continue;
    const next = stateAt(end);
    yield* between(start, known, end, next);
    [start, known] = [end, next];
  }
}
