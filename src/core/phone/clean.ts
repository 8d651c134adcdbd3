export interface CleanInput {
  readonly digits: string;
  readonly plus: boolean;
}

const FOREIGN = 0;
const DROP = 1;
const DIGIT = 2;
const WIDE_DIGIT = 3;
const PLUS = 4;

/**
 * Ranges of code points that normalisation removes (decisions 6.1). This is an allowlist, not a Unicode class
 * or NFKC: classes Ps and Pe contain quotation marks, and NFKC turns ① and ² into digits. Both must make an
 * input unparseable.
 */
// biome-ignore format: a table
const DROPPED: readonly (readonly [from: number, to: number])[] = [
  [0x09, 0x0d], [0x20, 0x20], [0x85, 0x85], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], // white space
  [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000],
  [0xad, 0xad], [0x61c, 0x61c], [0x180e, 0x180e], [0x200b, 0x200f], [0x202a, 0x202e], // zero width, direction marks
  [0x2060, 0x2064], [0x2066, 0x2069], [0xfeff, 0xfeff],
  [0x2d, 0x2d], [0x2010, 0x2015], [0x2212, 0x2212], [0xfe58, 0xfe58], [0xfe63, 0xfe63], [0xff0d, 0xff0d], // dashes
  [0x28, 0x29], [0x5b, 0x5b], [0x5d, 0x5d], [0x7b, 0x7b], [0x7d, 0x7d], // brackets
  [0xff08, 0xff09], [0xff3b, 0xff3b], [0xff3d, 0xff3d], [0xff5b, 0xff5b], [0xff5d, 0xff5d], [0x3010, 0x3011], [0x3014, 0x3015],
  [0x2e, 0x2e], [0xff0e, 0xff0e], [0xfe52, 0xfe52], [0x2024, 0x2024], [0x3002, 0x3002], [0xff61, 0xff61], // dots
  [0xb7, 0xb7], [0x387, 0x387], [0x2022, 0x2022], [0x2027, 0x2027], [0x2219, 0x2219], [0x22c5, 0x22c5], // middle dots
  [0x2e31, 0x2e31], [0x2e33, 0x2e33], [0x30fb, 0x30fb], [0xff65, 0xff65],
];

export const DROPPED_IN_LINE: string = DROPPED.filter(([from]) => from !== 0x09 && from !== 0x85 && from !== 0x2028)
  .map(([from, to]) => `\\u${hex(from)}-\\u${hex(to)}`)
  .join('');

function hex(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

const KIND = new Uint8Array(0x1_0000);
for (const [from, to] of DROPPED) KIND.fill(DROP, from, to + 1);
KIND.fill(DIGIT, 0x30, 0x3a);
KIND.fill(WIDE_DIGIT, 0xff10, 0xff1a);
KIND[0x2b] = PLUS;
KIND[0xff0b] = PLUS;

/**
 * Removes ignored characters and converts full-width digits. Undefined if no digit or anything else remains.
 */
export function clean(input: string): CleanInput | undefined {
  let digits = '';
  let plus = false;
  let from = 0;
  let at = 0;
  for (; at < input.length; at += 1) {
    const unit = input.charCodeAt(at);
    const kind = KIND[unit];
    if (kind === DIGIT) continue;
    if (kind === FOREIGN) return undefined;
    if (at > from) digits += input.slice(from, at);
    from = at + 1;
    if (kind === WIDE_DIGIT) digits += String.fromCharCode(unit - 0xff10 + 0x30);
    else if (kind === PLUS) {
      if (plus || digits !== '') return undefined;
      plus = true;
    }
  }
  digits = from === 0 ? input : digits + input.slice(from);
  return digits === '' ? undefined : { digits, plus };
}
