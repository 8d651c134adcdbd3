import { type Address, carriesIpv4, type Prefix } from './address.ts';
import { parseAnyAddress, parseAsWritten } from './parse-address.ts';

export function wordMask(bits: number): number {
  return bits <= 0 ? 0 : bits >= 32 ? 0xffff_ffff : (0xffff_ffff << (32 - bits)) >>> 0;
}

export function familyBits(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128;
}

export function prefixOf(address: Address, bits: number): Prefix {
  return {
    family: address.family,
    w0: (address.w0 & wordMask(bits)) >>> 0,
    w1: (address.w1 & wordMask(bits - 32)) >>> 0,
    w2: (address.w2 & wordMask(bits - 64)) >>> 0,
    w3: (address.w3 & wordMask(bits - 96)) >>> 0,
    bits,
  };
}

export function contains(prefix: Prefix, address: Address): boolean {
  const { bits } = prefix;
  return (
    prefix.family === address.family &&
    ((prefix.w0 ^ address.w0) & wordMask(bits)) === 0 &&
    ((prefix.w1 ^ address.w1) & wordMask(bits - 32)) === 0 &&
    ((prefix.w2 ^ address.w2) & wordMask(bits - 64)) === 0 &&
    ((prefix.w3 ^ address.w3) & wordMask(bits - 96)) === 0
  );
}

/** Compares two addresses of one family as unsigned numbers. */
export function compareAddresses(a: Address, b: Address): number {
  return a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3;
}

export function lastAddress(prefix: Prefix): Address {
  const { family, bits } = prefix;
  if (family === 4) return { family, w0: (prefix.w0 | ~wordMask(bits)) >>> 0, w1: 0, w2: 0, w3: 0 };
  return {
    family,
    w0: (prefix.w0 | ~wordMask(bits)) >>> 0,
    w1: (prefix.w1 | ~wordMask(bits - 32)) >>> 0,
    w2: (prefix.w2 | ~wordMask(bits - 64)) >>> 0,
    w3: (prefix.w3 | ~wordMask(bits - 96)) >>> 0,
  };
}

/**
 * Reads `address` or `address/bits`. Bits past the length are cleared: lists name a network by any address in it.
 * A prefix within IPv4-mapped IPv6 or the well-known NAT64 prefix (length 96 or more) is its IPv4 prefix.
 * @returns undefined when the text is neither
 */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) {
    const single = parseAnyAddress(text);
    return single && prefixOf(single, familyBits(single.family));
  }
  const address = parseAsWritten(text, slash);
  const bits = parseLength(text, slash + 1);
  if (address === undefined || bits < 0 || bits > familyBits(address.family)) return undefined;
  const { family, w0, w1, w2, w3 } = address;
  return family === 6 && bits >= 96 && carriesIpv4(w0, w1, w2)
    ? prefixOf({ family: 4, w0: w3, w1: 0, w2: 0, w3: 0 }, bits - 96)
    : prefixOf(address, bits);
}

function parseLength(text: string, from: number): number {
  const digits = text.length - from;
  if (digits < 1 || digits > 3 || (digits > 1 && text.charCodeAt(from) === 48)) return -1;
  let value = 0;
  for (let i = from; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Returns the fewest prefixes whose union is [first, last], in address order: at most 2 × bits - 2. */
export function prefixesOfRange(first: Address, last: Address): readonly Prefix[] {
  if (first.family !== last.family || compareAddresses(first, last) > 0)
    throw new RangeError('a range begins at its first address and is of one family');
  const prefixes: Prefix[] = [];
  const width = familyBits(first.family);
  let start: Address | undefined = first;
  while (start !== undefined) {
    let bits: number = width - trailingZeros(start);
    while (compareAddresses(lastAddress(prefixOf(start, bits)), last) > 0) bits++;
    const prefix = prefixOf(start, bits);
    prefixes.push(prefix);
    const end = lastAddress(prefix);
    start = compareAddresses(end, last) < 0 ? addressAfter(end) : undefined;
  }
  return prefixes;
}

const ctz32 = (word: number): number => (word === 0 ? 32 : 31 - Math.clz32(word & -word));

function trailingZeros(address: Address): number {
  if (address.family === 4) return ctz32(address.w0);
  if (address.w3 !== 0) return ctz32(address.w3);
  if (address.w2 !== 0) return 32 + ctz32(address.w2);
  if (address.w1 !== 0) return 64 + ctz32(address.w1);
  return 96 + ctz32(address.w0);
}

export function addressAfter(address: Address): Address | undefined {
  const { family, w0, w1, w2, w3 } = address;
  const top = 0xffff_ffff;
  if (family === 4) return w0 === top ? undefined : { family, w0: w0 + 1, w1, w2, w3 };
  if (w3 !== top) return { family, w0, w1, w2, w3: w3 + 1 };
  if (w2 !== top) return { family, w0, w1, w2: w2 + 1, w3: 0 };
  if (w1 !== top) return { family, w0, w1: w1 + 1, w2: 0, w3: 0 };
  return w0 === top ? undefined : { family, w0: w0 + 1, w1: 0, w2: 0, w3: 0 };
}
