import type { Address, Prefix } from './address.ts';
import { formatAddress } from './format-address.ts';
import { parseAnyAddress } from './parse-address.ts';
import { compareAddresses, coverRange, parsePrefix } from './prefix.ts';

/** What a text holds, each once and in the order of the text. */
export interface FoundAddresses {
  /** Private and other special-purpose addresses too. */
  readonly addresses: readonly Address[];
  /** Prefixes and ranges of addresses, as they stand there. */
  readonly networks: readonly FoundNetwork[];
}

export interface FoundNetwork {
  readonly text: string;
  /** Ascending and apart. */
  readonly prefixes: readonly Prefix[];
}

/** Digits, dots, colons and brackets of Chinese and Japanese keyboards, one character for one. */
const FULL_WIDTH = /[\uFF10-\uFF19\uFF21-\uFF26\uFF41-\uFF46\uFF0E\uFF0F\uFF1A\uFF3B\uFF3D\u3002\uFF61]/g;
const halfWidth = (sign: string): string =>
  sign === '\u3002' || sign === '\uFF61' ? '.' : String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
/** Dots and colons as reports about threats write them, so that no reader follows a link: `1[.]2`, `1(dot)2`, `1\.2`. */
const DEFANGED_DOT = /\s?(?:\[\s?(?:\.|dot)\s?\]|\(\s?(?:\.|dot)\s?\)|\{\s?(?:\.|dot)\s?\}|\\\.)\s?/gi;
const DEFANGED_COLON = /\[:\]|\(:\)/g;
/** As mail servers write it: `[IPv6:2001:db8::1]`. */
const TAG = /\bipv6:/gi;

const FOUR = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
/** Hexadecimal groups with at least two colons; the tail may be an IPv4 address. */
const SIX = `(?:[0-9a-f]{0,4}:){2,}[0-9a-f:]*(?:${FOUR})?`;
/** An address that is not part of a longer number, name or address, with what makes it a network. */
const CANDIDATE = new RegExp(
  [
    String.raw`((?<![\w.]|\w-)${FOUR}|(?<![\w.:])${SIX})(?:%[\w.-]+)?`,
    String.raw`(?:/(\d{1,3})(?![\w.])|\s?[-\u2013~\u2014]\s?(${FOUR}|${SIX})(?![\w:]))?(?!\w|\.\w)`,
  ].join(''),
  'gi',
);
/** `00:1b:44:11:3a:b7:00:01`: an EUI-64 of a network card, which could be read as an address. */
const HARDWARE = /^[0-9a-f]{2}(?::[0-9a-f]{2}){7}$/i;
/** Behind the scheme and host of a link, `/24` is a path. */
const IN_LINK = /:\/\/[^\s/]*$/;

/**
 * Every address and network in a text of any kind: lists, logs, mails, reports, pasted tables. Reads defanged and full-width spellings, ports, brackets, links, quotes and zone ids;
 * versions and times do not count. An IPv6 address that stands for an IPv4 one is that; a prefix of one address is that address.
 */
export function findAddresses(text: string): FoundAddresses {
  const plain = text
    .replace(FULL_WIDTH, halfWidth)
    .replace(DEFANGED_DOT, '.')
    .replace(DEFANGED_COLON, ':')
    .replace(TAG, ' ');
  const addresses = new Map<string, Address>();
  const networks = new Map<string, FoundNetwork>();
  for (const { 0: whole, 1: first, 2: bits, 3: last, index } of plain.matchAll(CANDIDATE)) {
    const from = addressIn(first!);
    if (from === undefined) continue;
    const network =
      last !== undefined
        ? range(from, addressIn(last))
        : bits !== undefined && !IN_LINK.test(plain.slice(Math.max(0, index - 300), index))
          ? prefix(`${first}/${bits}`)
          : undefined;
    if (network === undefined || isOne(network)) {
      const both = network === undefined && last !== undefined ? [from, addressIn(last)] : [from];
      for (const address of both) if (address !== undefined) addresses.set(formatAddress(address), address);
    } else networks.set(whole, { text: whole.trim(), prefixes: network });
  }
  return { addresses: [...addresses.values()], networks: [...networks.values()] };
}

/** The address of a candidate, without the colon or full stop of a sentence behind it. */
function addressIn(text: string): Address | undefined {
  if (HARDWARE.test(text)) return undefined;
  const found = parseAnyAddress(text) ?? parseAnyAddress(text.replace(/(?<!:):$/, ''));
  // `::` alone is an operator of a programming language.
  return found !== undefined && found.family === 6 && (found.w0 | found.w1 | found.w2 | found.w3) === 0
    ? undefined
    : found;
}

/** @returns undefined for an end that does not follow the beginning */
const range = (first: Address, last: Address | undefined): readonly Prefix[] | undefined =>
  last === undefined || last.family !== first.family || compareAddresses(first, last) > 0
    ? undefined
    : coverRange(first, last);

function prefix(text: string): readonly Prefix[] | undefined {
  const read = parsePrefix(text);
  return read && [read];
}

const isOne = ([first, ...others]: readonly Prefix[]): boolean =>
  others.length === 0 && first !== undefined && first.bits === (first.family === 4 ? 32 : 128);
