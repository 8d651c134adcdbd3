import type { Explanation } from '../../../../src/contract/documents.ts';
import type { RiskType } from '../../../../src/contract/risk.ts';
import { ageAtStrength, remaining } from '../../../../src/core/risk/decay.ts';
import { contributions } from '../../../../src/core/risk/weigh.ts';

/** The share of the score that one kind of evidence adds. */
export interface ScorePart {
  readonly type: RiskType;
  /** 0 where it counts no longer. */
  readonly points: number;
}

/**
 * The parts of the score at a moment from the explanation's own on, if nothing more is captured. They are in the
 * order of the explanation's rows, a kind once.
 * @param at Unix ms
 */
export function scoreParts({ rows, computed_at }: Explanation, at: number): readonly ScorePart[] {
  const later = Math.max(0, at - Date.parse(computed_at));
  const strengths = rows.map(({ base, weight, strength, strength_max: max, window_ms, delta, remaining: left }) => {
    if (later === 0 || strength === 0) return strength;
    // The age follows from what is left where the exact one is withheld.
    const ageMs = ageAtStrength(left, 1, window_ms, delta) + later;
    return Math.min(max, base * weight * remaining(ageMs, window_ms, delta));
  });
  const parts = new Map<RiskType, number>();
  contributions(strengths).forEach((points, i) => {
    const type = rows[i]!.risk_type;
    parts.set(type, (parts.get(type) ?? 0) + points);
  });
  return [...parts].map(([type, points]) => ({ type, points }));
}

/** The score that the parts give, under the bounds that hold the score as a whole. */
export function scoreOf(parts: readonly ScorePart[], { caps }: Pick<Explanation, 'caps'>): number {
  const sum = parts.reduce((total, { points }) => total + points, 0);
  if (sum === 0) return 0;
  return Math.min(
    100,
    Math.max(1, Math.round(sum)),
    ...caps.filter(({ by }) => by !== 'osint' && by !== 'gateway').map(({ max }) => max),
  );
}
