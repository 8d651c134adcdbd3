import type { RiskType } from '../../contract/risk.ts';
import { OBSERVED_DAYS } from '../evidence/fold-observations.ts';
import type { Observation } from '../evidence/observation.ts';
import type { Address } from '../ip/address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../ip/prefix-periods.ts';
import { type UnixMs, utcDay } from '../units.ts';

export const OVERRIDE_SOURCE = 'override';

/**
 * - `until`: exclusive: the requested end, or the moment of removal.
 * - `deny`: risk type that its addresses count as; absent for an override that holds their score at 1 while evidence
 *   is active.
 */
export interface Override {
  readonly id: string;
  readonly prefix: string;
  readonly from: UnixMs;
  readonly until: UnixMs;
  readonly deny?: RiskType;
  readonly reason: string;
}

export type Overrides = PrefixPeriods<Override>;
export type OverrideTable = Overrides['table'];

/**
 * Builds the lookup table; undefined without overrides. Among overrides of the same prefix, the newest one in
 * force counts.
 */
export function overridesOf(list: readonly Override[]): Overrides | undefined {
  if (list.length === 0) return undefined;
  const newestFirst = [...list].sort((a, b) => b.from - a.from);
  return new PrefixPeriods(
    compilePeriods(
      newestFirst.map((held) => ({ prefix: parsePrefix(held.prefix)!, from: held.from, until: held.until, held })),
    ),
  );
}

export const ALLOWED_SCORE = 1;

/**
 * Adds the capture that a denial stands for: from own collection, at this very instant and on every day since
 * the denial was made.
 */
export function withDenial(
  observations: readonly Observation[],
  override: Override | undefined,
  family: Address['family'],
  at: UnixMs,
): readonly Observation[] {
  if (override?.deny === undefined) return observations;
  const days = Math.min(OBSERVED_DAYS, utcDay(at) - utcDay(override.from) + 1);
  return [
    ...observations,
    {
      riskType: override.deny,
      source: OVERRIDE_SOURCE,
      family: OVERRIDE_SOURCE,
      capturedAt: at,
      days: (1 << days) - 1,
      prefixBits: family === 4 ? 32 : 128,
      pools: [],
    },
  ];
}
