import { PLAN_ROWS } from './plan-rows.generated.ts';

/**
 * Plan of a calling code. Bit n of `lengths` is set if fixed or mobile numbers have n national digits; 0
 * means unknown.
 */
export interface NumberingPlan {
  readonly callingCode: number;
  readonly width: 1 | 2 | 3;
  readonly lengths: number;
  /** Bits as in `lengths`, of mobile numbers alone. */
  readonly mobile: number;
  /** Stands before numbers that are written as in the country: `0`, `8`, `06`, or nothing. */
  readonly trunk: string;
  /** Null for +1 and for shared and unknown codes. */
  readonly iso2: string | null;
}

export const MAINLAND = 86;

/**
 * Two-digit calling codes. Outside zones 1 and 7 all others have three digits; ITU-T E.164 has no other
 * widths.
 */
const TWO_DIGITS = new Set([
  20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 60, 61, 62,
  63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
]);

const widthOf = (firstThree: number): 1 | 2 | 3 => {
  const zone = Math.floor(firstThree / 100);
  if (zone === 1 || zone === 7) return 1;
  return TWO_DIGITS.has(Math.floor(firstThree / 10)) ? 2 : 3;
};

const known = new Map(PLAN_ROWS.map((row) => [row[0], row]));

const bitsOf = (lengths: readonly number[]): number => lengths.reduce((bits, length) => bits | (1 << length), 0);

function planOf(firstThree: number): NumberingPlan | undefined {
  if (firstThree < 100) return undefined;
  const width = widthOf(firstThree);
  const callingCode = Math.floor(firstThree / 10 ** (3 - width));
  const row = known.get(callingCode);
  if (row === undefined) return { callingCode, width, lengths: 0, mobile: 0, trunk: '', iso2: null };
  const [, lengths, mobile, trunk, iso2] = row;
  return { callingCode, width, lengths: bitsOf(lengths), mobile: bitsOf(mobile), trunk, iso2 };
}

/** Indexed by a number's first three digits, which determine the plan because calling codes are prefix-free. */
const BY_PREFIX: readonly (NumberingPlan | undefined)[] = (() => {
  const shared = new Map<number, NumberingPlan>();
  return Array.from({ length: 1000 }, (_, firstThree) => {
    const plan = planOf(firstThree);
    if (plan === undefined) return undefined;
    const present = shared.get(plan.callingCode) ?? plan;
    shared.set(plan.callingCode, present);
    return present;
  });
})();

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48;
  return value >= 0 && value <= 9 ? value : 0;
};

/**
 * Returns the plan of digits that start with a calling code; undefined if they start with 0, as no calling
 * code does.
 */
export const planFor = (digits: string): NumberingPlan | undefined =>
  BY_PREFIX[digit(digits, 0) * 100 + digit(digits, 1) * 10 + digit(digits, 2)];

/** Plan of +86, which rules 3a and 3c apply to texts without a calling code. */
export const MAINLAND_PLAN: NumberingPlan = (() => {
  const plan = planFor('86');
  if (plan === undefined) throw new Error('the numbering-plan table has no +86');
  return plan;
})();
