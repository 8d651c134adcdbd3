import { ADDRESS_NAMES, FIRST_CAPTURED, FIRST_SEEN_NAMES, LAST_SEEN_NAMES, sameName } from '../csv/column-names.ts';
import { type Header, readHeader } from '../csv/split-row.ts';
import { mayBeTime } from '../feeds/read-time.ts';
import type { Prefix } from '../ip/address.ts';
import { plainText, spansOf } from '../ip/find-addresses.ts';
import { familyBits, prefixOf } from '../ip/prefix.ts';

interface ListLine {
  readonly prefixes: readonly Prefix[];
  readonly refused: readonly string[];
}

/** An entry begins behind separators, marks and maybe a scheme; a name, `=` or word in front is another matter. */
const BEGINS = /^[\s,;|"'`([<{*\u2022-]*(?:[a-z][a-z\d+.-]{0,30}:\/\/(?:[^\s/@]{0,200}@)?)?\[?$/i;
const ENDS = /\]?(?::\d{1,5}(?::[^\s,;|<>]*)?)?(?:\/[^\s,;|]*)?["'`)\]>},.]*(?=[\s,;|]|$)/y;
const FOUR_NUMBERS = /^["'`([<{*-]*\d{1,4}(?:\.\d{1,4}){3}["'`)\]>},.]*$/;

/**
 * Reads a line that is more than one plain address or prefix: several addresses, ranges, links, ports,
 * defanged spellings, or text after an address. Addresses after a word do not belong to the list. A time in
 * such a line is the time of its addresses, but its meaning is unknown.
 * @param takesTimes reads a line with a time like any other
 */
export function listLine(text: string, takesTimes: boolean): ListLine {
  const list = plainText(text.split('#', 1)[0]!);
  const prefixes: Prefix[] = [];
  const refused: string[] = [];
  let done = 0;
  let inWords = false;
  const pass = (between: string): void => {
    if (BEGINS.test(between)) return;
    const words = between.split(/[\s,;|]+/).filter((word) => /[^"'`([<{*•\-)\]>},.]/.test(word));
    const numbers = words.filter((word) => FOUR_NUMBERS.test(word));
    refused.push(...numbers.map(() => 'not_an_address'));
    inWords ||= numbers.length < words.length;
  };
  for (const { address, from, to, network, isBeforeArrow } of spansOf(list)) {
    if (from < done) continue;
    const between = list.slice(done, from);
    if (done === 0 && !BEGINS.test(between)) break;
    pass(between);
    ENDS.lastIndex = to;
    const end = ENDS.exec(list);
    const read = network?.prefixes ?? [prefixOf(address, familyBits(address.family))];
    done = to + (end?.[0].length ?? 0);
    if (inWords) refused.push('address_in_text');
    else if (end === null || isBeforeArrow || read.length === 0) refused.push('not_an_address');
    else prefixes.push(...read);
    inWords ||= isBeforeArrow;
  }
  if (done === 0) return { prefixes, refused: ['not_an_address'] };
  pass(list.slice(done));
  return !takesTimes && mayBeTime(text) && prefixes.length > 0
    ? { prefixes: [], refused: ['unread_time'] }
    : { prefixes, refused };
}

export const hasAddress = (text: string): boolean => !spansOf(plainText(text)).next().done;

type NamedField = 'ip' | 'captured_at' | 'first_captured_at';

/** `rivals` are equally good names for the address. */
interface NamedFields {
  readonly places: ReadonlyMap<NamedField, number>;
  readonly rivals?: readonly string[];
}

export function namedFields(names: readonly string[]): NamedFields {
  const plain = names.map(sameName);
  const places = new Map<NamedField, number>();
  const addresses = ADDRESS_NAMES.map((group) => plain.flatMap((name, at) => (group.includes(name) ? [at] : []))).find(
    (group) => group.length > 0,
  );
  const exact = plain.indexOf('ip');
  const address = exact >= 0 ? exact : addresses?.[0];
  if (address !== undefined) places.set('ip', address);
  const last = firstOf(LAST_SEEN_NAMES, plain);
  const first = firstOf(FIRST_SEEN_NAMES, plain);
  // In a foreign list the first time alone is the time of the sighting; a row of the intake has both or the
  // last.
  const at = last ?? (first !== undefined && plain[first] !== FIRST_CAPTURED ? first : undefined);
  if (at !== undefined) places.set('captured_at', at);
  if (first !== undefined && first !== at) places.set('first_captured_at', first);
  return exact < 0 && addresses !== undefined && addresses.length > 1
    ? { places, rivals: addresses.map((place) => names[place]!) }
    : { places };
}

function firstOf(wanted: readonly string[], names: readonly string[]): number | undefined {
  const name = wanted.find((one) => names.includes(one));
  return name === undefined ? undefined : names.indexOf(name);
}

export const listHeader = (line: string): Header | undefined =>
  readHeader(line, (names) => namedFields(names).places.has('ip'));

const MONTHS: ReadonlySet<number> = new Set(
  ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map((name) =>
    codeOf(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2)),
  ),
);

function codeOf(a: number, b: number | undefined, c: number | undefined): number {
  return (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
}

const LONG_NUMBER = 8;
const DATE_NUMBERS = 3;
const ADDRESS_NUMBERS = 4;

/**
 * Returns quickly, for millions of rows, whether the text behind an address may hold a time or another
 * address. `false` is certain: `listLine` would find neither. Dates have three joined numbers, a long one, or
 * a month with a number; addresses have four numbers or two colons, which `%3A` may stand for.
 */
export function needsListLine(bytes: Uint8Array, from: number, to: number): boolean {
  let [numbers, digits, joined, colons] = [0, 0, 0, 0];
  let hasMonth = false;
  let isDefanged = false;
  let first = from;
  while (bytes[first] === 32 || bytes[first] === 9) first++;
  if (first < to && BELONGING.has(bytes[first]!)) return true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte > 127) return true;
    if (byte >= 48 && byte <= 57) {
      if (digits === 0) {
        numbers++;
        joined++;
      }
      digits++;
      if (digits >= LONG_NUMBER || joined >= DATE_NUMBERS) return true;
      continue;
    }
    if (!(digits > 0 && (byte === DASH || byte === DOT || byte === SLASH))) joined = 0;
    digits = 0;
    if ((byte === COLON || byte === PERCENT) && ++colons > 1) return true;
    if (byte >= 65 && byte <= 90) hasMonth ||= MONTHS.has(codeOf(byte, bytes[at + 1], bytes[at + 2]));
    else isDefanged ||= DEFANGING.has(byte);
  }
  return (hasMonth && numbers > 0) || (isDefanged && numbers >= ADDRESS_NUMBERS);
}

const [PERCENT, DASH, DOT, SLASH, COLON] = [37, 45, 46, 47, 58];
const BELONGING: ReadonlySet<number> = new Set([...'-~/.>=([{\\%'].map((sign) => sign.charCodeAt(0)));
const DEFANGING: ReadonlySet<number> = new Set([...'[({\\%'].map((sign) => sign.charCodeAt(0)));
