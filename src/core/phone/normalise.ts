import { clean } from './clean.ts';
import { MAINLAND_PLAN, type NumberingPlan, planFor } from './numbering-plan.ts';

/** `digits` is E.164 without the plus: calling code and national part. */
export interface PhoneNumber {
  readonly digits: string;
  readonly national: string;
  readonly callingCode: number;
  readonly iso2: string | null;
  readonly validLength: boolean | null;
}

/** Decisions 6.2 accepts no longer national part. */
const NATIONAL_MAX = 17;

/**
 * Parses an input by the interface's rules, in their order (Phone input normalisation, 1 to 5).
 * @param home plan of numbers without + or 00, which replaces rule 3
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

/** True if the input states its country by + or 00; otherwise the country is assumed. */
export function namesCountry(input: string): boolean {
  const cleaned = clean(input);
  return cleaned !== undefined && afterMark(cleaned.digits, cleaned.plus) !== undefined;
}

/** Digits that begin with the calling code, and go on as a mobile number, lack their plus alone. */
function readAtHome(plan: NumberingPlan, bare: string): PhoneNumber | undefined {
  const whole = bare.startsWith(String(plan.callingCode)) ? readInternational(bare) : undefined;
  if (whole !== undefined && (plan.mobile & (1 << whole.national.length)) !== 0) return whole;
  const inside = bare.startsWith(plan.trunk) ? bare.slice(plan.trunk.length) : bare;
  const read = [inside, bare].map((national) => build(plan, national));
  return [...read, whole].find((one) => one?.validLength === true) ?? build(plan, stripTrunkZero(plan, bare));
}

/** Rule 2: returns the digits after a leading + or 00; undefined for bare digits. */
function afterMark(digits: string, plus: boolean): string | undefined {
  if (plus) return digits;
  return digits.charCodeAt(0) === ZERO && digits.charCodeAt(1) === ZERO ? digits.slice(2) : undefined;
}

/** Rule 2: calling code and national part. A calling code never starts with 0. */
function readInternational(digits: string): PhoneNumber | undefined {
  const plan = planFor(digits);
  return plan === undefined ? undefined : build(plan, stripTrunkZero(plan, digits.slice(plan.width)));
}

/** Rule 3a: a mainland mobile number. */
function readMainlandMobile(digits: string): PhoneNumber | undefined {
  return isMainlandMobile(digits) ? build(MAINLAND_PLAN, digits) : undefined;
}

/** Rule 3b: the plus is missing, but calling code and national length are valid. */
function readWithoutPlus(digits: string): PhoneNumber | undefined {
  const plan = planFor(digits);
  if (plan === undefined || plan.lengths === 0) return undefined;
  const national = stripTrunkZero(plan, digits.slice(plan.width));
  return hasValidLength(plan, national) === true ? build(plan, national) : undefined;
}

/** Rule 3c: +86 is assumed. More digits than a mainland number has, starting with 86, already include it. */
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

/**
 * Removes one trunk zero, as in +86 (0)138… and +44 (0)7400…, but not for plans without one, such as Italy's.
 */
const stripTrunkZero = (plan: NumberingPlan, national: string): string =>
  plan.trunk === '0' && national.charCodeAt(0) === ZERO ? national.slice(1) : national;

/** For +86 only mobile numbers have a valid length; landlines do not (interface rule 5). */
function hasValidLength(plan: NumberingPlan, national: string): boolean | null {
  if (plan === MAINLAND_PLAN) return isMainlandMobile(national);
  return plan.lengths === 0 ? null : national.length < 32 && (plan.lengths & (1 << national.length)) !== 0;
}

function isMainlandMobile(digits: string): boolean {
  const second = digits.charCodeAt(1);
  return digits.length === MAINLAND_DIGITS && digits.charCodeAt(0) === 49 && second >= 51 && second <= 57;
}
