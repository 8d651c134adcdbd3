import { DROPPED_IN_LINE } from './clean.ts';
import { namesCountry, normalise, type PhoneNumber } from './normalise.ts';
import { MAINLAND, type NumberingPlan } from './numbering-plan.ts';

export interface FoundNumber {
  readonly input: string;
  readonly number: PhoneNumber;
}

const DIGIT = String.raw`\d\uff10-\uff19`;
const BLANK = String.raw` \u00a0\u2000-\u200b\u202f\u3000`;
/** Digits of dates and of IPv4 addresses without a plus sign are never part of a number. */
const NOISE =
  /(?<![\d+\uff0b])(?:19|20)\d\d[-/.][01]?\d[-/.][0-3]?\d(?!\d)(?:[T ]\d\d?:\d\d)?|(?<![\d/.+\uff0b])[0-3]?\d([/.])[01]?\d\1(?:19|20)\d\d(?!\d)|(?<![\d.+\uff0b])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;
const EXTENSION = /(?<=[\d\uff10-\uff19])\s*(?:x|ext(?:n|ension)?|分机|转)[.:：]?\s*\d{1,6}(?![\w])/giu;
const RUN = new RegExp(String.raw`[+\uff0b]?[(\uff08]?[${DIGIT}][${DIGIT}${DROPPED_IN_LINE}]*`, 'g');
const TRAILING = new RegExp(`(?<![${DROPPED_IN_LINE}])[${DROPPED_IN_LINE}]+$`);
const NUMBERED = /^\d{1,3}[.)] +(\d.*)$/;
const MARKED = /^(?:[+\uff0b]|[(\uff08]?(?:00|\uff10\uff10))/;
const BLANKS = new RegExp(`[${BLANK}]+`);
const WORD = /\w/;
/** Marks that spreadsheets put around a number: `'138…`, `="138…"`. */
const AROUND = /^[\s'"=\u2018\u2019\u201c\u201d]+|(?<![\s'"\u2018\u2019\u201c\u201d])[\s'"\u2018\u2019\u201c\u201d]+$/g;
const FRACTION = /^(\d{7,15})\.0$/;
/** A shorter run of digits within a text is not a number. */
const DIGITS_MIN = 7;
/** `0171/1234567`: before the bar stands an area code and no number. */
const AREA_BAR = /(?<!\d)([+\uff0b(]?[\d() ]{2,12}) ?\/ ?(?=\d{2,})/g;
const GROUPS_MAX = 6;

/**
 * Finds the phone numbers of a cell or line, in order: in every spelling of the interface, as tel: links, as
 * spreadsheets write them, and among words.
 * A text that `normalise` accepts is one number, unless it consists of several bare numbers of valid length.
 * Among words, a number of invalid length counts only if no number has a valid one, or if it starts with + or
 * 00. Its groups are then not read as numbers of another country.
 * @param home plan of numbers without + or 00
 */
export function findNumbers(text: string, home?: NumberingPlan): readonly FoundNumber[] {
  const bare = text.replace(AROUND, '').replace(/^tel:/i, '').replace(FRACTION, '$1');
  const plain = bare.replace(NOISE, ',').replace(EXTENSION, ',').replace(AREA_BAR, joinedArea);
  const whole = plain === bare ? readOne(bare, home) : undefined;
  if (whole !== undefined) {
    if (whole.number.validLength === true || namesCountry(bare)) return [whole];
    return severalOf(bare.split(BLANKS), home) ?? [numbered(bare, home) ?? whole];
  }
  const runs = [...plain.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const digits = run.replace(TRAILING, '');
    const isInWord = WORD.test(plain[index - 1] ?? '') || WORD.test(plain[index + digits.length] ?? '');
    return isInWord ? [] : [digits];
  });
  const fitting = runs.flatMap((run) => numbersOf(run.split(BLANKS), home));
  if (fitting.length > 0) return fitting;
  return runs.filter(isLongEnough).flatMap((run) => readOne(run, home) ?? []);
}

const joinedArea = (whole: string, area: string): string => (isLongEnough(area) ? whole : `${area}-`);

function numbered(text: string, home: NumberingPlan | undefined): FoundNumber | undefined {
  const [, rest] = NUMBERED.exec(text) ?? [];
  const one = rest === undefined ? undefined : readOne(rest, home);
  return one?.number.validLength === true ? one : undefined;
}

const isLongEnough = (run: string): boolean => run.replace(/[^\d\uff10-\uff19]/g, '').length >= DIGITS_MIN;

function readOne(input: string, home: NumberingPlan | undefined): FoundNumber | undefined {
  const number = normalise(input, home);
  return number && { input, number };
}

function longestFrom(
  groups: readonly string[],
  from: number,
  home: NumberingPlan | undefined,
): { readonly one: FoundNumber; readonly to: number } | undefined {
  for (let to = Math.min(groups.length, from + GROUPS_MAX); to > from; to--) {
    const one = readOne(groups.slice(from, to).join(' '), home);
    if (one !== undefined && one.number.validLength !== false) return { one, to };
  }
  return undefined;
}

function severalOf(groups: readonly string[], home: NumberingPlan | undefined): readonly FoundNumber[] | undefined {
  const found: FoundNumber[] = [];
  for (let from = 0; from < groups.length; ) {
    const next = longestFrom(groups, from, home);
    if (next === undefined) return undefined;
    found.push(next.one);
    from = next.to;
  }
  return found;
}

function numbersOf(groups: readonly string[], home: NumberingPlan | undefined): readonly FoundNumber[] {
  return severalOf(groups, home) ?? (MARKED.test(groups[0]!) ? markedOf(groups, home) : bareOf(groups, home));
}

/** A number of at most this many groups is complete; digits after it may be a quantity. */
const WHOLE_GROUPS = 2;

function markedOf(groups: readonly string[], home: NumberingPlan | undefined): readonly FoundNumber[] {
  const first = longestFrom(groups, 0, home);
  if (first !== undefined && first.to <= WHOLE_GROUPS) return [first.one, ...bareOf(groups.slice(first.to), home)];
  const written = groups.join(' ');
  const one = isLongEnough(written) ? readOne(written, home) : undefined;
  return one === undefined ? [] : [one];
}

function bareOf(groups: readonly string[], home: NumberingPlan | undefined): readonly FoundNumber[] {
  const found: FoundNumber[] = [];
  for (let from = 0; from < groups.length; ) {
    const next = longestFrom(groups, from, home);
    const isMeant =
      next !== undefined && (next.to === from + 1 || (from === 0 && next.one.number.callingCode === MAINLAND));
    if (isMeant) found.push(next.one);
    from = isMeant ? next.to : from + 1;
  }
  return found;
}
