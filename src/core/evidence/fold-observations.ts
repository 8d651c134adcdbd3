import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Observation } from './observation.ts';
import { uniteDays } from './unite-captures.ts';

/**
 * Brings the rows known of one address into the one form that a verdict reads, whatever store or table they come from and in whatever order: rows of equal
 * (risk type, source, prefix length, pool) are united to the newest capture with the days of all, and the rest stays apart.
 * The live index and the history store both end here, so they cannot disagree.
 * @param rows not changed; of all prefixes that contain the address. At an address there is one prefix of each length
 * @returns in RISK_TYPES order, then by family, source, pool in code-unit order, most specific prefix first
 */
export function foldObservations(rows: readonly Observation[]): readonly Observation[] {
  if (rows.length < 2) return rows;
  const sorted = [...rows].sort(byKey);
  const folded: Observation[] = [];
  for (const row of sorted) {
    const last = folded.at(-1);
    if (last !== undefined && byKey(last, row) === 0) folded[folded.length - 1] = unite(last, row);
    else folded.push(row);
  }
  return folded;
}

const ORDER = new Map<RiskType, number>(RISK_TYPES.map((type, index) => [type, index]));

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byKey = (a: Observation, b: Observation): number =>
  ORDER.get(a.riskType)! - ORDER.get(b.riskType)! ||
  byText(a.family, b.family) ||
  byText(a.source, b.source) ||
  b.prefixBits - a.prefixBits ||
  byText(a.pools[0] ?? '', b.pools[0] ?? '');

function unite(a: Observation, b: Observation): Observation {
  const newer = a.capturedAt >= b.capturedAt ? a : b;
  return { ...newer, days: uniteDays(a.capturedAt, a.days, b.capturedAt, b.days) };
}
