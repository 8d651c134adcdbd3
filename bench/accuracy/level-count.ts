import type { Judgement } from './judge.ts';

/** Answers by outcome. */
export interface LevelCount {
  asked: number;
  active: number;
  medium: number;
  high: number;
  /** Medium and high if no table named known-good addresses. */
  mediumUnprotected: number;
  highUnprotected: number;
}

export const levelCount = (): LevelCount => ({
  asked: 0,
  active: 0,
  medium: 0,
  high: 0,
  mediumUnprotected: 0,
  highUnprotected: 0,
});

export function count(into: LevelCount, { verdict: { state, level }, unprotected }: Judgement): void {
  into.asked++;
  if (state === 'active') into.active++;
  if (level === 'medium') into.medium++;
  if (level === 'high') into.high++;
  if (unprotected === 'medium') into.mediumUnprotected++;
  if (unprotected === 'high') into.highUnprotected++;
}

export function sumOf(counts: readonly LevelCount[]): LevelCount {
  const total = levelCount();
  for (const one of counts) for (const key of Object.keys(total) as (keyof LevelCount)[]) total[key] += one[key];
  return total;
}
