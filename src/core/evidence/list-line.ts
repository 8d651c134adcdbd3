import { mayBeTime } from '../feeds/read-time.ts';
import type { Prefix } from '../ip/address.ts';
import { type FoundAddresses, findAddresses } from '../ip/find-addresses.ts';
import { familyBits, parsePrefix, prefixOf } from '../ip/prefix.ts';

export interface ListLine {
  readonly prefixes: readonly Prefix[];
  readonly refused: readonly string[];
}

const SEPARATORS = /[\s,;|]+/;
const DASH = /^[-\u2013\u2014~]$/;
const [BEFORE, BEHIND] = ['"\'`([<{*•-', '"\'`)]>},.'];
/** Matches the start of an address, maybe as the host of a link. A leading `key=` excludes it. */
const ADDRESS_FIRST = /^(?:[a-z][a-z\d+.-]*:\/\/(?:[^\s/@]*@)?)?\[?(?:ipv6:)?[\da-f:\uFF10-\uFF19][^=]*(?:\/|$)/i;
const FOUR_NUMBERS = /^\d{1,4}(?:\.\d{1,4}){3}$/;

/**
 * Reads a line that is more than one plain address or prefix: several addresses, ranges, links, ports,
 * defanged spellings, or text after an address. Addresses after a word do not belong to the list. A time in
 * such a line is the time of its addresses, but its meaning is unknown.
 * @param takesTimes reads a line with a time like any other
 */
export function listLine(text: string, takesTimes: boolean): ListLine {
  const [list = ''] = text.split('#', 1);
  const tokens = tokensOf(list);
  const prefixes: Prefix[] = [];
  const refused: string[] = [];
  let inWords = false;
  for (const [index, token] of tokens.entries()) {
    const [first, ...others] = tokenPrefixes(token);
    if (first === undefined) {
      if (index === 0) return { prefixes: [], refused: ['not_an_address'] };
      if (FOUR_NUMBERS.test(token)) refused.push('not_an_address');
      else inWords = true;
    } else if (inWords) refused.push('address_in_text');
    else prefixes.push(first, ...others);
  }
  return !takesTimes && mayBeTime(text) && prefixes.length > 0
    ? { prefixes: [], refused: ['unread_time'] }
    : { prefixes, refused };
}

function tokensOf(list: string): readonly string[] {
  const tokens: string[] = [];
  let isRange = false;
  for (const word of list.split(SEPARATORS)) {
    if (DASH.test(word)) {
      isRange = tokens.length > 0;
      continue;
    }
    const token = unwrapped(word);
    if (isRange && token !== '') tokens.push(`${tokens.pop()}-${token}`);
    else if (token !== '') tokens.push(token);
    isRange = false;
  }
  return tokens;
}

function unwrapped(word: string): string {
  let from = 0;
  let to = word.length;
  while (from < to && BEFORE.includes(word[from]!)) from++;
  while (to > from && BEHIND.includes(word[to - 1]!)) to--;
  return word.slice(from, to);
}

function tokenPrefixes(token: string): readonly Prefix[] {
  const plain = parsePrefix(token);
  if (plain !== undefined) return [plain];
  if (!ADDRESS_FIRST.test(token)) return [];
  const found = findAddresses(token);
  return token.includes('://') ? prefixesOf(found).slice(0, 1) : prefixesOf(found);
}

const prefixesOf = ({ addresses, networks }: FoundAddresses): readonly Prefix[] => [
  ...networks.flatMap(({ prefixes }) => prefixes),
  ...addresses.map((address) => prefixOf(address, familyBits(address.family))),
];

export function hasAddress(text: string): boolean {
  const { addresses, networks } = findAddresses(text);
  return addresses.length + networks.length > 0;
}
