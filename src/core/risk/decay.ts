import type { RiskType } from '../../contract/risk.ts';
import type { ScoreParameters, TypeParameters } from './parameters.ts';

export const windowOf = (row: TypeParameters, days: number): number =>
  row.windowMs * (1 + (row.persistence * (days - 1)) / 13);

/**
 * Returns the share of the base strength left at `ageMs`: 1 at age 0, strictly falling, exactly 0 from the
 * end of the window on.
 */
export function remaining(ageMs: number, windowMs: number, delta: number): number {
  if (ageMs >= windowMs) return 0;
  const part = ageMs / windowMs;
  // The three shapes of the shipped table avoid the cost of a general power; a rounded score is the same.
  if (delta === 2) return 1 - Math.sqrt(part);
  if (delta === 1) return 1 - part;
  if (delta === 0.5) return 1 - part * part;
  return 1 - part ** (1 / delta);
}

/**
 * Returns the age, in milliseconds, at which strength has fallen to `strength`: the closed-form inverse. It
 * is 0 if it starts lower.
 */
export function ageAtStrength(strength: number, base: number, windowMs: number, delta: number): number {
  return strength >= base ? 0 : windowMs * (1 - strength / base) ** delta;
}

/**
 * Returns the weight w of a captured prefix, smaller for wider prefixes. @param family of the address;
 * ipv6_range has its own table
 */
export function prefixWeight(
  parameters: ScoreParameters,
  riskType: RiskType,
  family: 4 | 6,
  prefixBits: number,
): number {
  const table = riskType === 'ipv6_range' ? parameters.ipv6RangeWeights : parameters.prefixWeights[family];
  for (const row of table) if (prefixBits >= row.minBits) return row.weight;
  return 0;
}

export const baseOf = (parameters: ScoreParameters, riskType: RiskType, family: 4 | 6, prefixBits: number): number =>
  parameters.types[riskType].base * prefixWeight(parameters, riskType, family, prefixBits);
