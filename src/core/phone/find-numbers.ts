import { normalise, type PhoneNumber } from './normalise.ts';
import type { NumberingPlan } from './numbering-plan.ts';

/** A number in a text, and the part of the text that it was read from. */
export interface FoundNumber {
  readonly input: string;
  readonly number: PhoneNumber;
}

const DIGIT = String.raw`\d\uff10-\uff19`;
const BLANK = String.raw` \u00a0\u2000-\u200b\u202f\u3000`;
/** Between two digits of one number; a slash, comma or semicolon parts two. */
const BETWEEN = String.raw`${BLANK}.\-\u2010-\u2015\u2212\uff0d()[\]\uff08\uff09`;
/** Dates, IPv4 addresses: digits that are read as a number nowhere. */
const NOISE =
  /(?<!\d)(?:19|20)\d\d[-/.][01]?\d[-/.][0-3]?\d(?!\d)(?:[T ]\d\d?:\d\d)?|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;
const RUN = new RegExp(String.raw`[+\uff0b]?[(\uff08[]?[${DIGIT}][${DIGIT}${BETWEEN}]*`, 'g');
const TRAILING = new RegExp(`[${BETWEEN}]+$`);
const BLANKS = new RegExp(`[${BLANK}]+`);
const WORD = /\w/;
/** What spreadsheets put around a number: `'138…`, `="138…"`, `13800138000.0`; and the parameters of a tel: link. */
const AROUND = /^[\s'"=\u2018\u2019\u201c\u201d]+|[\s'"\u2018\u2019\u201c\u201d]+$/g;
const FRACTION = /^(\d{7,15})\.0$/;
/** A shorter run of digits is not taken for a number in the middle of a text. */
const DIGITS_MIN = 7;
/** Groups of digits that one number is written in, at most. */
const GROUPS_MAX = 6;

/**
 * The phone numbers of a cell or line, in its order: in any spelling of the interface, as tel: links, as spreadsheets write them, among other words. A number of wrong length counts
 * where there is none of a right one.
 * @param home of numbers without + or 00
 */
export function findNumbers(text: string, home?: NumberingPlan): readonly FoundNumber[] {
  const bare = text.replace(AROUND, '').replace(/^tel:/i, '').replace(FRACTION, '$1');
  const plain = bare.replace(NOISE, ',');
  const whole = plain === bare ? readOne(bare, home) : undefined;
  if (whole?.number.validLength === true) return [whole];
  const runs = [...plain.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const digits = run.replace(TRAILING, '');
    const isInWord = WORD.test(plain[index - 1] ?? '') || WORD.test(plain[index + digits.length] ?? '');
    return isInWord ? [] : [digits];
  });
  const fitting = runs.flatMap((run) => numbersOf(run, home));
  if (fitting.length > 0) return fitting;
  if (whole !== undefined) return [whole];
  return runs
    .filter((run) => run.replace(/[^\d\uff10-\uff19]/g, '').length >= DIGITS_MIN)
    .flatMap((run) => readOne(run, home) ?? []);
}

function readOne(input: string, home: NumberingPlan | undefined): FoundNumber | undefined {
  const number = normalise(input, home);
  return number && { input, number };
}

/** Numbers of a right length in a run of groups: as one, else each from as many groups as fit. */
function numbersOf(run: string, home: NumberingPlan | undefined): readonly FoundNumber[] {
  const groups = run.split(BLANKS);
  const found: FoundNumber[] = [];
  for (let from = 0; from < groups.length; ) {
    let to = Math.min(groups.length, from + GROUPS_MAX);
    for (; to > from; to--) {
      const one = readOne(groups.slice(from, to).join(' '), home);
      if (one === undefined || one.number.validLength === false) continue;
      found.push(one);
      break;
    }
    from = Math.max(to, from + 1);
  }
  return found;
}
