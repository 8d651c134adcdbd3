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
const SIX = `(?:[0-9a-f]{0,4}:){2,}[0-9a-f:]*(?:${FOUR})?`;
/** Routers write networks as `9.9.9.0/255.255.255.0`. */
const MASK = String.raw`255(?:\.\d{1,3}){3}`;
/** An address must not be part of a longer number, name or address; what makes it a network follows it. */
const CANDIDATE = new RegExp(
  [
    String.raw`((?<![\w.]|\w-)${FOUR}|(?<![\w.:])${SIX})(?:%[\w.-]+)?`,
    String.raw`(?:/(\d{1,3}|${MASK})(?![\w.])|\s?[-\u2013~\u2014]\s?(${FOUR}|${SIX})(?![\w:]))?(?!\w|\.\w)`,
  ].join(''),
  'gi',
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

interface FoundSpan extends AddressSpan {
  readonly network: FoundNetwork | undefined;
}

function* spansOf(plain: string): Generator<FoundSpan> {
  const headers = [...plain.matchAll(FORMAT_HEADER)].map(({ 0: header, index }) => [index, index + header.length]);
  const slashIsPort = CISCO.test(plain);
  for (const { 0: whole, 1: first, 2: bits, 3: last, index } of plain.matchAll(CANDIDATE)) {
    const to = index + whole.length;
    const from = addressIn(first!);
    if (from === undefined || headers.some(([start, end]) => index >= start! && to <= end!)) continue;
    const before = plain.slice(Math.max(0, index - 300), index);
    if (VERSION_BEFORE.test(before.slice(-80)) && !PORT_BEHIND.test(plain.slice(index + first!.length, to + 8)))
      continue;
    const isPort = slashIsPort || bits === '0' ? !isZero(from) : IN_LINK.test(before);
    const prefixes =
      last !== undefined
        ? range(from, addressIn(last))
        : bits !== undefined && !isPort
          ? prefix(`${first}/${bitsOf(bits)}`)
          : undefined;
    const network = prefixes === undefined || isOne(prefixes) ? undefined : { text: whole.trim(), prefixes };
    yield { address: from, from: index, to, network };
    const end = network === undefined && last !== undefined ? addressIn(last) : undefined;
    if (end !== undefined) yield { address: end, from: index, to, network };
  }
}

export const addressSpans = (plain: string): AddressSpan[] =>
  spansOf(plain)
    .filter(({ network }) => network === undefined)
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

/** Counts the bits of a mask; another text stays. */
function bitsOf(text: string): string {
  const mask = text.includes('.') ? parseAnyAddress(text) : undefined;
  const hostBits = mask === undefined ? 0 : ~mask.w0 >>> 0;
  return mask === undefined || (hostBits & (hostBits + 1)) !== 0 ? text : String(Math.clz32(hostBits));
}

function prefix(text: string): readonly Prefix[] | undefined {
  const read = parsePrefix(text);
  return read && [read];
}

const isOne = ([first, ...others]: readonly Prefix[]): boolean =>
  others.length === 0 && first !== undefined && first.bits === (first.family === 4 ? 32 : 128);
