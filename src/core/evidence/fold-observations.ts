import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import type { Observation } from './observation.ts';
import { uniteDays } from './unite-captures.ts';

/**
 * Brings the rows known of one address into the form that a verdict reads, from any store or table and in any
 * order. Rows with equal risk type, source, prefix length and pool are united to the newest capture with the
 * days of all. The live index and the history store both use it, so they cannot disagree.
 * @param rows rows of all prefixes that contain the address, at most one prefix per length; they are not
 * changed
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
