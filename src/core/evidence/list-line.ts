import { mayBeTime } from '../feeds/read-time.ts';
import type { Prefix } from '../ip/address.ts';
import { plainText, spansOf } from '../ip/find-addresses.ts';
import { familyBits, prefixOf } from '../ip/prefix.ts';

export interface ListLine {
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
