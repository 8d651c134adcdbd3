import type { Address, Prefix } from './address.ts';
import { formatAddress } from './format-address.ts';
import { parseAnyAddress } from './parse-address.ts';
import { compareAddresses, parsePrefix, prefixesOfRange } from './prefix.ts';

/**
 * Holds each item of a text once, in the order of the text. Private and other special-purpose addresses count
 * too.
 */
export interface FoundAddresses {
  readonly addresses: readonly Address[];
  readonly networks: readonly FoundNetwork[];
}

/** `prefixes`: none: an address, and what follows it is not understood, such as `/33`. */
export interface FoundNetwork {
  readonly text: string;
  readonly prefixes: readonly Prefix[];
}

/**
 * Chinese and Japanese keyboards produce these digits, dots, colons and brackets, each for one plain
 * character.
 */
const FULL_WIDTH = /[\uFF10-\uFF19\uFF21-\uFF26\uFF41-\uFF46\uFF0E\uFF0F\uFF1A\uFF3B\uFF3D\u3002\uFF61]/g;
const halfWidth = (sign: string): string =>
  sign === '\u3002' || sign === '\uFF61' ? '.' : String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
/** Reports about threats write dots and colons so that no reader follows a link: `1[.]2`, `1(dot)2`, `1\.2`. */
const DEFANGED_DOT = /\s?(?:\[\s?(?:\.|dot)\s?\]|\(\s?(?:\.|dot)\s?\)|\{\s?(?:\.|dot)\s?\}|\\\.)\s?/gi;
const DEFANGED_COLON = /\[:\]|\(:\)/g;
const TAG = /\bipv?[46]:/gi;
/** JSON, C and rsyslog escape tabs and line ends so; the letter would join the address behind it. */
const ESCAPED_BLANK = /\\(?:[bfnrtv]|u00[01][\da-f]|x[01][\da-f])(?=[^a-z\d]|[\da-f]{1,4}[.:])|#01[1-5](?=\d)/gi;
const ENCODED = /%(?:20|22|26|2[CEFcef]|3[ABDEabde]|5[BDbd])/g;
const decodedSign = (code: string): string => String.fromCharCode(Number.parseInt(code.slice(1), 16));

const FOUR = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const SIX = String.raw`(?=[\da-f]{0,4}:[\da-f]{0,4}:)[\da-f:]{2,39}(?![\da-f:])(?:(?:\.\d{1,3}){3})?`;
const CANDIDATE = new RegExp(String.raw`((?<![\w.]|\w-)${FOUR}|(?<![\w.:])${SIX})(?:%[\w.-]+)?(?!\w|\.\w)`, 'gi');
const DASH = '[-~\u2010-\u2015\u2212\uFF5E]';
/** A number ends here; in `/24/x.php` and `-20.example` it is the beginning of something else. */
const NO_MORE = String.raw`(?![\w/:@%+-]|[.?&=]\w)`;
const LINE_END = String.raw`(?=[ \t]*(?:$|[,;|)]))`;
/** Everything that belongs to an address and stands behind it: a length or mask, the end of a range, an arrow. */
const TAIL = new RegExp(
  [
    String.raw`/(?<length>(?:\d{1,3}|${FOUR})${NO_MORE}|\d{1,3}[ \t]?${DASH}[ \t]?${FOUR})|[ \t]?/[ \t]?(?<apart>\d{1,3})${LINE_END}`,
    String.raw`|(?:[ \t]{0,3}${DASH}[ \t]{0,3}|\.{2,3}|[ \t]+\.{2,3}[ \t]+)(?<last>${FOUR}|${SIX})(?![\w:])`,
    String.raw`|(?:${DASH}|\.{2,3})(?<short>\d[\da-f]{0,3}(?:\.\d{1,3}){0,2})${NO_MORE}|[ \t]+${DASH}[ \t]*(?<count>\d{1,3})${LINE_END}`,
    String.raw`|[ \t,;|:"']{1,4}(?:(?:net)?mask[ \t=:]{1,3})?(?<second>${FOUR}|${SIX})(?!\w|[./:]\d)`,
    String.raw`|[ \t]*(?<arrow>[-=]{0,2}>|\u2192|(?:to|through|thru|until|bis)[ \t]|[\u5230\u81F3])[ \t]*(?=[\d:a-f])`,
  ].join(''),
  'imy',
);
/**
 * tcpdump and BSD write address and port as `9.9.9.9.43436 > 10.0.0.1.22:`. It counts next to another such
 * one, or with a port above 255, because versions have small parts.
 */
const DOTTED_PORT = new RegExp(
  String.raw`(?<![\w.:])(${FOUR}|${SIX})\.(?:(\d{1,5})|[a-z][a-z\d-]*(?=\s*[<>-]))(?=[\s:,;)\]]|$)`,
  'gi',
);
const PORT_APART = 255;
/** Cisco writes ports behind a slash, and 0 for ICMP. */
const CISCO = /%(?:ASA|FTD|PIX|FWSM)-/;
/** The header fields of these formats name product and version. */
const FORMAT_HEADER = /\b(?:CEF:\s?\d|LEEF:\d\.\d)\|(?:[^|]*\|){3}/g;
const VERSION_BEFORE =
  /(?:(?:^|[^/\w.-])(?!(?:tcp|udp|icmp|ip|ipv4|ipv6|inside|outside|dmz|src|dst|client|server|host|peer|from|to)\/)[a-z][\w.+-]*\/|(?:version|\bver|\br?v|firmware|\bfw|\bbuild|\brelease|\brevision|\boid|\bsnmp\w*|(?:open|libre|boring)ssl|chrom(?:e|ium)|firefox|safari|edge?|opera|android|windows(?: nt)?|java|php|python|\.net|clr)(?:["']?\s*[:=]\s*["'(]?|\s+))$/i;
/** Cisco and others write interface, slash, address and port, which is not a version. */
const PORT_BEHIND = /^(?:\(\d{1,5}\)|[:/]\d{1,5}\b)/;
/** An EUI-64 of a network card such as `00:1b:44:11:3a:b7:00:01` could be read as an address. */
const HARDWARE = /^[0-9a-f]{2}(?::[0-9a-f]{2}){7}$/i;
/** Behind the scheme and host of a link, `/24` is a path. */
const IN_LINK = /:\/\/[^\s/]*$/;

export interface AddressSpan {
  readonly address: Address;
  readonly from: number;
  readonly to: number;
}

/**
 * - `network`: undefined for an address alone.
 * - `isBeforeArrow`: an arrow or `to` leads to another address, as in a range or from one end of a connection to the
 *   other.
 */
export interface FoundSpan extends AddressSpan {
  readonly network: FoundNetwork | undefined;
  readonly isBeforeArrow: boolean;
}

/**
 * Returns the text in plain signs: half-width, not defanged, escapes of blanks and percent-encoded signs
 * replaced. Spans count in it.
 */
export const plainText = (text: string): string =>
  withoutDottedPorts(
    text
      .replace(FULL_WIDTH, halfWidth)
      .replace(DEFANGED_DOT, '.')
      .replace(DEFANGED_COLON, ':')
      .replace(ESCAPED_BLANK, ' ')
      .replace(ENCODED, decodedSign)
      .replace(TAG, ' '),
  );

function withoutDottedPorts(text: string): string {
  const found = text.match(DOTTED_PORT);
  if (found === null) return text;
  const isTrusted = found.length > 1 && /^\S+(?:\s+|\s*[<>-]+\s*)\S+/.test(text.slice(text.search(DOTTED_PORT)));
  return text.replace(DOTTED_PORT, (whole, address: string, port: string | undefined) => {
    const isPort = isTrusted || port === undefined || Number(port) > PORT_APART;
    if (!isPort || parseAnyAddress(address) === undefined) return whole;
    return address.includes(':') ? `[${address}]:${port ?? 0}` : `${address}:${port ?? 0}`;
  });
}

export function* spansOf(plain: string): Generator<FoundSpan> {
  const text = plain.replace(FORMAT_HEADER, (header) => ' '.repeat(header.length));
  const slashIsPort = CISCO.test(plain);
  let done = 0;
  for (const { 0: whole, 1: spelled, index: from } of text.matchAll(CANDIDATE)) {
    const address = from < done ? undefined : addressIn(spelled!);
    if (address === undefined) continue;
    const to = from + whole.length;
    const before = text.slice(Math.max(0, from - 300), from);
    if (VERSION_BEFORE.test(before.slice(-80)) && !PORT_BEHIND.test(text.slice(from + spelled!.length, to + 8)))
      continue;
    TAIL.lastIndex = to;
    const { 0: rest = '', groups: tail = {} } = TAIL.exec(text) ?? {};
    const { length = tail['apart'], arrow } = tail;
    const isPort =
      length !== undefined && (slashIsPort || IN_LINK.test(before) || (length === '0' && !isZero(address)));
    const prefixes = isPort || arrow !== undefined ? undefined : prefixesOf(address, spelled!, { ...tail, length });
    done = prefixes === undefined ? to : to + rest.length;
    const network =
      prefixes === undefined || isOne(prefixes) ? undefined : { text: text.slice(from, done).trim(), prefixes };
    const span = { from, to: isPort ? to + rest.length : done, network, isBeforeArrow: arrow !== undefined };
    yield { address, ...span };
    const other = prefixes?.length === 0 ? addressIn(tail['last'] ?? length ?? '') : undefined;
    if (other !== undefined) yield { address: other, ...span };
  }
}

function prefixesOf(
  first: Address,
  spelled: string,
  { length, last, short, count, second }: Readonly<Record<string, string | undefined>>,
): readonly Prefix[] | undefined {
  if (length !== undefined) return prefixWith(spelled, length.includes('.') ? (maskBits(length) ?? '') : length) ?? [];
  if (last !== undefined) return range(first, addressIn(last)) ?? [];
  if (count !== undefined) return [];
  if (short !== undefined) {
    const parts = short.split('.');
    return range(first, addressIn([...spelled.split('.').slice(0, -parts.length), ...parts].join('.'))) ?? [];
  }
  if (second === undefined) return undefined;
  const bits = first.family === 4 ? maskBits(second) : undefined;
  if (bits !== undefined) return prefixWith(spelled, bits);
  const end = addressIn(second);
  return end !== undefined && isNetworkStart(first) && isNetworkEnd(end) ? range(first, end) : undefined;
}

/** Rows of start and end begin and end where networks of 256 addresses, or of IPv6 /64, do. */
const isNetworkStart = ({ family, w0, w2, w3 }: Address): boolean =>
  family === 4 ? (w0 & 0xff) === 0 : w2 === 0 && w3 === 0;
const isNetworkEnd = ({ family, w0, w2, w3 }: Address): boolean =>
  family === 4 ? (w0 & 0xff) === 0xff : (w2 & w3) === -1;

export const addressSpans = (plain: string): AddressSpan[] =>
  spansOf(plain)
    .filter(({ network }) => network === undefined || network.prefixes.length === 0)
    .toArray();

/**
 * Finds every address and network in any text: lists, logs, mails, reports, pasted tables. It reads defanged,
 * escaped, percent-encoded and full-width spellings, ports, brackets, links, quotes and zone ids; versions
 * and times do not count. An IPv6 address that stands for an IPv4 one becomes it; a prefix of one address
 * becomes that address.
 */
export function findAddresses(text: string): FoundAddresses {
  const addresses = new Map<string, Address>();
  const networks = new Map<string, FoundNetwork>();
  for (const { address, network } of spansOf(plainText(text)))
    if (network === undefined) addresses.set(formatAddress(address), address);
    else networks.set(network.text, network);
  return { addresses: [...addresses.values()], networks: [...networks.values()] };
}

const isZero = ({ w0, w1, w2, w3 }: Address): boolean => (w0 | w1 | w2 | w3) === 0;

function addressIn(text: string): Address | undefined {
  if (HARDWARE.test(text)) return undefined;
  const found = parseAnyAddress(text) ?? parseAnyAddress(text.replace(/(?<!:):$/, ''));
  // `::` alone is an operator of a programming language.
  return found !== undefined && found.family === 6 && isZero(found) ? undefined : found;
}

const range = (first: Address, last: Address | undefined): readonly Prefix[] | undefined =>
  last === undefined || last.family !== first.family || compareAddresses(first, last) > 0
    ? undefined
    : prefixesOfRange(first, last);

function maskBits(text: string): string | undefined {
  const read = parseAnyAddress(text);
  const mask = read?.family === 4 ? read.w0 : 0;
  const hostBits = mask >>> 31 === 1 ? ~mask >>> 0 : mask;
  return mask === 0 || (hostBits & (hostBits + 1)) !== 0 ? undefined : String(Math.clz32(hostBits));
}

function prefixWith(text: string, bits: string): readonly Prefix[] | undefined {
  const read = parsePrefix(`${text}/${bits}`);
  return read && [read];
}

const isOne = ([first, ...others]: readonly Prefix[]): boolean =>
  others.length === 0 && first !== undefined && first.bits === (first.family === 4 ? 32 : 128);
