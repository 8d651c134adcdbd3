import type { CaptureBatch } from '../evidence/observation.ts';
import { DAY_MS, type UnixMs } from '../units.ts';

export type Coverage = Readonly<Record<4 | 6, number>>;

export interface CoverageAt {
  readonly at: UnixMs;
  readonly covered: Coverage;
}

export function coverageOf({ length, family, bits }: Pick<CaptureBatch, 'length' | 'family' | 'bits'>): Coverage {
  const covered = { 4: 0, 6: 0 };
  for (let i = 0; i < length; i++) {
    if (family[i] === 4) covered[4] += 2 ** (32 - bits[i]!);
    else covered[6] += 2 ** (64 - Math.min(64, bits[i]!));
  }
  return covered;
}

/** The base stands for a day, so that a list cannot grow again with each of a day's readings. */
export const nextBase = (base: CoverageAt | undefined, covered: Coverage, now: UnixMs): CoverageAt =>
  base === undefined || now - base.at >= DAY_MS ? { at: now, covered } : base;
