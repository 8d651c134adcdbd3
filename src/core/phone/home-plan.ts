import { type NumberingPlan, planFor } from './numbering-plan.ts';
import { PLAN_ROWS } from './plan-rows.generated.ts';

/** Regions that share a calling code with another region, or whose code has no main region. */
const SHARED: readonly (readonly [callingCode: number, regions: string])[] = [
  [1, 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI'],
  [7, 'KZ'],
  [44, 'GG IM JE'],
];

export const CALLING_CODES: ReadonlyMap<string, number> = new Map([
  ...PLAN_ROWS.flatMap(([code, , , iso2]): [string, number][] => (iso2 === null ? [] : [[iso2, code]])),
  ...SHARED.flatMap(([code, regions]) => regions.split(' ').map((iso2): [string, number] => [iso2, code])),
]);

/**
 * Returns the plan of a country by its ISO 3166-1 code (`US`) or calling code (`1`, `+1`); undefined if
 * unknown.
 */
export function homePlan(region: string): NumberingPlan | undefined {
  const named = /^\+?([1-9]\d{0,2})$/.exec(region)?.[1] ?? CALLING_CODES.get(region.toUpperCase());
  // Plans are found by three digits, and padding is safe because calling codes are prefix-free.
  const plan = named === undefined ? undefined : planFor(`${named}00`);
  return plan !== undefined && plan.callingCode === Number(named) && plan.lengths !== 0 ? plan : undefined;
}
