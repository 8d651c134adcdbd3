import { clean } from './clean.ts';
import { MAINLAND_PLAN, type NumberingPlan, planFor } from './numbering-plan.ts';

/** A number that could be read. `digits` is the E.164 form without the plus: calling code and national part. */
export interface PhoneNumber {
  readonly digits: string;
  readonly national: string;
  readonly callingCode: number;
  readonly iso2: string | null;
  /** null: the plan of this calling code is not known. */
  readonly validLength: boolean | null;
}

/** Longest national part that is still read (decisions 6.2). */
const NATIONAL_MAX = 17;

/**
 * Reads one input by the interface's rules, in its order (Phone input normalisation, 1 to 5).
 * @param home plan of the country that a list says its numbers without a mark are of; it takes the place of rule 3
 */
export function normalise(input: string, home?: NumberingPlan): PhoneNumber | undefined {
  const cleaned = clean(input);
  if (cleaned === undefined) return undefined;
  const marked = afterMark(cleaned.digits, cleaned.plus);
  if (marked !== undefined) return readInternational(marked);
  const bare = cleaned.digits;
  if (home !== undefined) return readAtHome(home, bare);
  if (bare.charCodeAt(0) === ZERO) return onMainland(bare.slice(1));
  return readMainlandMobile(bare) ?? readWithoutPlus(bare) ?? readByDefault(bare);
}

const ZERO = 48;

/** Whether the input says its country itself, by + or 00; else it was assumed. */
export function namesCountry(input: string): boolean {
  const cleaned = clean(input);
  return cleaned !== undefined && afterMark(cleaned.digits, cleaned.plus) !== undefined;
}

/** A national number, unless it only fits with the calling code in front taken off. */
function readAtHome(plan: NumberingPlan, bare: string): PhoneNumber | undefined {
  const national = build(plan, stripTrunkZero(plan, bare));
  if (national?.validLength !== true && bare.startsWith(String(plan.callingCode))) {
    const international = readInternational(bare);
    if (international?.validLength === true) return international;
  }
  return national;
}

/** Rule 2: the digits behind a leading + or 00; undefined for a bare digit string. */
function afterMark(digits: string, plus: boolean): string | undefined {
  if (plus) return digits;
  return digits.charCodeAt(0) === ZERO && digits.charCodeAt(1) === ZERO ? digits.slice(2) : undefined;
}

/** Rule 2: calling code and national part of an international form. A calling code never begins with 0. */
function readInternational(digits: string): PhoneNumber | undefined {
  const plan = planFor(digits);
  return plan === undefined ? undefined : build(plan, stripTrunkZero(plan, digits.slice(plan.width)));
}

/** Rule 3a: 1, then 3 to 9, then nine digits. */
function readMainlandMobile(digits: string): PhoneNumber | undefined {
  return isMainlandMobile(digits) ? build(MAINLAND_PLAN, digits) : undefined;
}

/** Rule 3b: the plus was left out, and a calling code with a valid national length can be recognised. */
function readWithoutPlus(digits: string): PhoneNumber | undefined {
  const plan = planFor(digits);
  if (plan === undefined || plan.lengths === 0) return undefined;
  const national = stripTrunkZero(plan, digits.slice(plan.width));
  return hasValidLength(plan, national) === true ? build(plan, national) : undefined;
}

/** Rule 3c: +86 by default. More digits than a mainland number has, beginning with 86, carry that calling code already. */
function readByDefault(digits: string): PhoneNumber | undefined {
  if (digits.length > MAINLAND_DIGITS && digits.startsWith('86')) return readInternational(digits);
  return onMainland(digits);
}

const MAINLAND_DIGITS = 11;

const onMainland = (national: string): PhoneNumber | undefined => build(MAINLAND_PLAN, national);

function build(plan: NumberingPlan, national: string): PhoneNumber | undefined {
  if (national.length === 0 || national.length > NATIONAL_MAX) return undefined;
  return {
    digits: `${plan.callingCode}${national}`,
    national,
    callingCode: plan.callingCode,
    iso2: plan.iso2,
    validLength: hasValidLength(plan, national),
  };
}

/** One trunk zero goes, as in +86 (0)138… and +44 (0)7400…; never for Italy, whose plan has none. */
const stripTrunkZero = (plan: NumberingPlan, national: string): string =>
  plan.trunkZero && national.charCodeAt(0) === ZERO ? national.slice(1) : national;

/** Whether the length fits the plan. +86 is judged by the mobile pattern: a landline is a wrong length (interface rule 5). */
function hasValidLength(plan: NumberingPlan, national: string): boolean | null {
  if (plan === MAINLAND_PLAN) return isMainlandMobile(national);
  return plan.lengths === 0 ? null : national.length < 32 && (plan.lengths & (1 << national.length)) !== 0;
}

/** Eleven digits: 1, then 3 to 9, then nine more. */
function isMainlandMobile(digits: string): boolean {
  const second = digits.charCodeAt(1);
  return digits.length === MAINLAND_DIGITS && digits.charCodeAt(0) === 49 && second >= 51 && second <= 57;
}
