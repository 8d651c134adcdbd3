import { type Address, carriesIpv4 } from './address.ts';
import { isReserved } from './special-purpose.ts';

/** `reserved` keeps the address, so that a message can name it. */
type ParsedAddress =
  | { readonly status: 'ok'; readonly address: Address }
  | { readonly status: 'reserved'; readonly address: Address }
  | { readonly status: 'invalid' };

const INVALID: ParsedAddress = Object.freeze({ status: 'invalid' });

const DOT = 46;
const ZERO = 48;
const COLON = 58;

/** The eight groups of the text being read. Parsing is synchronous, so one scratch serves every call of a thread. */
const groups = new Uint16Array(8);

/**
 * Reads one public address, strictly (decisions 4.1): four decimal parts without leading zeros, or RFC 4291
 * section 2.2 text. IPv4-mapped IPv6 and the well-known NAT64 prefix are their IPv4 address. Zone ids, short
 * and numeric forms, brackets, ports and white space are invalid.
 */
export function parseAddress(text: string): ParsedAddress {
  const address = parseAnyAddress(text);
  if (address === undefined) return INVALID;
  return isReserved(address) ? { status: 'reserved', address } : { status: 'ok', address };
}

/**
 * Reads an address of any kind, even private and reserved ones; undefined for another text. @param length
 * part of the text that is read
 */
export function parseAnyAddress(text: string, length = text.length): Address | undefined {
  const address = parseAsWritten(text, length);
  return address?.family === 6 && carriesIpv4(address.w0, address.w1, address.w2)
    ? { family: 4, w0: address.w3, w1: 0, w2: 0, w3: 0 }
    : address;
}

/** Reads as `parseAnyAddress`, but keeps an IPv6 address that stands for an IPv4 one. */
export function parseAsWritten(text: string, length = text.length): Address | undefined {
  // The first separator decides the family: IPv4 has its dot at 1 to 3, IPv6 its colon at 0 to 4.
  for (let i = 0; i < 5 && i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      const value = parse4(text, 0, length);
      return value < 0 ? undefined : { family: 4, w0: value, w1: 0, w2: 0, w3: 0 };
    }
    if (code === COLON) return parse6(text, length);
  }
  return undefined;
}

function parse4(text: string, from: number, to: number): number {
  if (to - from < 7 || to - from > 15) return -1;
  let value = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (digits === 0 || dots === 3) return -1;
      value = (value << 8) | part;
      part = 0;
      digits = 0;
      dots++;
      continue;
    }
    const digit = code - ZERO;
    // A second digit after a leading zero ("01") is refused: some readers take it for octal.
    if (digit < 0 || digit > 9 || (digits > 0 && part === 0)) return -1;
    part = part * 10 + digit;
    if (part > 255) return -1;
    digits++;
  }
  return dots === 3 && digits > 0 ? ((value << 8) | part) >>> 0 : -1;
}

/**
 * Gives 0 to 15 for a hexadecimal digit, else 16. A table, because digits and letters mix too randomly for a
 * branch to be predicted.
 */
const HEX = new Uint8Array(128).fill(16);
for (let digit = 0; digit < 16; digit++)
  for (const form of digit.toString(16) + digit.toString(16).toUpperCase()) HEX[form.charCodeAt(0)] = digit;

function parse6(text: string, length: number): Address | undefined {
  if (length > 45) return undefined;
  const read = readGroups(text, length);
  if (read < 0) return undefined;
  const w2 = ((groups[4]! << 16) | groups[5]!) >>> 0;
  const w3 = ((groups[6]! << 16) | groups[7]!) >>> 0;
  const w0 = ((groups[0]! << 16) | groups[1]!) >>> 0;
  const w1 = ((groups[2]! << 16) | groups[3]!) >>> 0;
  return { family: 6, w0, w1, w2, w3 };
}

function readGroups(text: string, length: number): number {
  let count = 0;
  let gap = -1;
  let i = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return -1;
    gap = 0;
    i = 2;
  }
  while (i < length) {
    if (count === 8) return -1;
    const start = i;
    let value = 0;
    let code = 0;
    while (i < length) {
      code = text.charCodeAt(i);
      const digit = code < 128 ? HEX[code]! : 16;
      if (digit === 16) break;
      value = (value << 4) | digit;
      i++;
    }
    if (i < length && code === DOT) {
      const tail = count > 6 ? -1 : parse4(text, start, length);
      if (tail < 0) return -1;
      groups[count++] = tail >>> 16;
      groups[count++] = tail & 0xffff;
      break;
    }
    if (i === start || i - start > 4) return -1;
    groups[count++] = value;
    if (i === length) break;
    if (code !== COLON || ++i === length) return -1;
    if (text.charCodeAt(i) === COLON) {
      if (gap >= 0) return -1;
      gap = count;
      i++;
    }
  }
  if (gap < 0) return count === 8 ? 0 : -1;
  if (count === 8) return -1;
  let to = 7;
  for (let from = count - 1; from >= gap; from--) groups[to--] = groups[from]!;
  while (to >= gap) groups[to--] = 0;
  return 0;
}

const PERCENT = 37;

/** The segment is percent-decoded once, then read strictly (decisions 4.1). */
export function parsePathAddress(segment: string): ParsedAddress {
  const at = segment.indexOf('%');
  return at < 0 ? parseAddress(segment) : parseAddress(decodeOnce(segment));
}

function decodeOnce(segment: string): string {
  let out = '';
  for (let i = 0; i < segment.length; i++) {
    if (segment.charCodeAt(i) !== PERCENT) {
      out += segment[i];
      continue;
    }
    const byte = hex(segment.charCodeAt(i + 1)) * 16 + hex(segment.charCodeAt(i + 2));
    if (!(byte >= 0 && byte < 0x80)) return '';
    out += String.fromCharCode(byte);
    i += 2;
  }
  return out;
}

function hex(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : Number.NaN;
}
