/**
 * Splits 100 · (1 − Π(1 − s)) into one share for each strength, in their order: what each adds to those before
 * it. The shares add up to the score before it is rounded and capped.
 */
export function contributions(strengths: readonly number[]): readonly number[] {
  let safe = 1;
  return strengths.map((strength) => {
    const share = 100 * safe * strength;
    safe *= 1 - strength;
    return share;
  });
}
