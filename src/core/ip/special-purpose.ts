/**
 * Address space without a public risk profile.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190), as of 2025-10; IPv4
 * multicast (RFC 5771); IANA Internet Protocol Version 6 Address Space: outside 2000::/3 nothing is global
 * unicast (RFC 4291 section 2.4).
 *
 * The rule: the most specific row that covers the address and says true or false under "Globally Reachable"
 * decides. Rows that say N/A decide nothing. So 6to4 (2002::/16) and the former 6to4 relay anycast
 * (192.88.99.0/24) are public: no row says otherwise. Neither has a place
 * (core/place/special-purpose-lists.ts). Teredo (2001::/32) and ORCHID (2001:10::/28) are N/A inside
 * 2001::/23, which says false, so they are reserved. Space that is global unicast but not handed out is not
 * reserved: a lookup there is `not_found`.
 */
import type { Address } from './address.ts';

export interface SpecialPurposeBlock {
  readonly family: 4 | 6;
  readonly words: readonly [number, number, number, number];
  readonly bits: number;
  readonly name: string;
  readonly rfc: string;
  readonly globallyReachable: boolean;
}

type Rest = readonly [bits: number, name: string, rfc: string, globallyReachable?: boolean];

const v4 = (a: number, b: number, c: number, d: number, ...rest: Rest): SpecialPurposeBlock =>
  block(4, [((a << 24) | (b << 16) | (c << 8) | d) >>> 0, 0, 0, 0], rest);

const v6 = (w0: number, w1: number, w2: number, w3: number, ...rest: Rest): SpecialPurposeBlock =>
  block(6, [w0, w1, w2, w3], rest);

function block(
  family: 4 | 6,
  words: SpecialPurposeBlock['words'],
  [bits, name, rfc, globallyReachable = false]: Rest,
): SpecialPurposeBlock {
  return { family, words, bits, name, rfc, globallyReachable };
}

// biome-ignore-start format: the rows are the registry's, one a line
export const SPECIAL_PURPOSE_BLOCKS: readonly SpecialPurposeBlock[] = [
  v4(0, 0, 0, 0, 8, 'This network', 'RFC 791'),
  v4(10, 0, 0, 0, 8, 'Private-Use', 'RFC 1918'),
  v4(100, 64, 0, 0, 10, 'Shared Address Space', 'RFC 6598'),
  v4(127, 0, 0, 0, 8, 'Loopback', 'RFC 1122'),
  v4(169, 254, 0, 0, 16, 'Link Local', 'RFC 3927'),
  v4(172, 16, 0, 0, 12, 'Private-Use', 'RFC 1918'),
  v4(192, 0, 0, 0, 24, 'IETF Protocol Assignments', 'RFC 6890'),
  v4(192, 0, 0, 0, 29, 'IPv4 Service Continuity Prefix', 'RFC 7335'),
  v4(192, 0, 0, 8, 32, 'IPv4 dummy address', 'RFC 7600'),
  v4(192, 0, 0, 9, 32, 'Port Control Protocol Anycast', 'RFC 7723', true),
  v4(192, 0, 0, 10, 32, 'Traversal Using Relays around NAT Anycast', 'RFC 8155', true),
  v4(192, 0, 0, 170, 31, 'NAT64/DNS64 Discovery', 'RFC 7050, RFC 8880'),
  v4(192, 0, 2, 0, 24, 'Documentation (TEST-NET-1)', 'RFC 5737'),
  v4(192, 31, 196, 0, 24, 'AS112-v4', 'RFC 7535', true),
  v4(192, 52, 193, 0, 24, 'AMT', 'RFC 7450', true),
  v4(192, 88, 99, 2, 32, '6a44-relay anycast address', 'RFC 6751'),
  v4(192, 168, 0, 0, 16, 'Private-Use', 'RFC 1918'),
  v4(192, 175, 48, 0, 24, 'Direct Delegation AS112 Service', 'RFC 7534', true),
  v4(198, 18, 0, 0, 15, 'Benchmarking', 'RFC 2544'),
  v4(198, 51, 100, 0, 24, 'Documentation (TEST-NET-2)', 'RFC 5737'),
  v4(203, 0, 113, 0, 24, 'Documentation (TEST-NET-3)', 'RFC 5737'),
  v4(224, 0, 0, 0, 4, 'Multicast', 'RFC 5771'),
  v4(240, 0, 0, 0, 4, 'Reserved', 'RFC 1112'),
  v4(255, 255, 255, 255, 32, 'Limited Broadcast', 'RFC 8190'),

  v6(0, 0, 0, 0, 3, 'Outside global unicast', 'RFC 4291'),
  v6(0x00000000, 0, 0, 0, 128, 'Unspecified Address', 'RFC 4291'),
  v6(0x00000000, 0, 0, 1, 128, 'Loopback Address', 'RFC 4291'),
  v6(0x00000000, 0, 0xffff, 0, 96, 'IPv4-mapped Address', 'RFC 4291'),
  v6(0x0064ff9b, 0, 0, 0, 96, 'IPv4-IPv6 Translation', 'RFC 6052', true),
  v6(0x0064ff9b, 0x00010000, 0, 0, 48, 'IPv4-IPv6 Translation, local use', 'RFC 8215'),
  v6(0x01000000, 0, 0, 0, 64, 'Discard-Only Address Block', 'RFC 6666'),
  v6(0x01000000, 1, 0, 0, 64, 'Dummy IPv6 Prefix', 'RFC 9780'),
  v6(0x20010000, 0, 0, 0, 23, 'IETF Protocol Assignments', 'RFC 2928'),
  v6(0x20010001, 0, 0, 1, 128, 'Port Control Protocol Anycast', 'RFC 7723', true),
  v6(0x20010001, 0, 0, 2, 128, 'Traversal Using Relays around NAT Anycast', 'RFC 8155', true),
  v6(0x20010001, 0, 0, 3, 128, 'DNS-SD Service Registration Protocol Anycast', 'RFC 9665', true),
  v6(0x20010002, 0, 0, 0, 48, 'Benchmarking', 'RFC 5180'),
  v6(0x20010003, 0, 0, 0, 32, 'AMT', 'RFC 7450', true),
  v6(0x20010004, 0x01120000, 0, 0, 48, 'AS112-v6', 'RFC 7535', true),
  v6(0x20010020, 0, 0, 0, 28, 'ORCHIDv2', 'RFC 7343', true),
  v6(0x20010030, 0, 0, 0, 28, 'Drone Remote ID Protocol Entity Tags', 'RFC 9374', true),
  v6(0x20010db8, 0, 0, 0, 32, 'Documentation', 'RFC 3849'),
  v6(0x2620004f, 0x80000000, 0, 0, 48, 'Direct Delegation AS112 Service', 'RFC 7534', true),
  v6(0x3fff0000, 0, 0, 0, 20, 'Documentation', 'RFC 9637'),
  v6(0x40000000, 0, 0, 0, 2, 'Outside global unicast', 'RFC 4291'),
  v6(0x5f000000, 0, 0, 0, 16, 'Segment Routing (SRv6) SIDs', 'RFC 9602'),
  v6(0x80000000, 0, 0, 0, 1, 'Outside global unicast', 'RFC 4291'),
  v6(0xfc000000, 0, 0, 0, 7, 'Unique-Local', 'RFC 4193'),
  v6(0xfe800000, 0, 0, 0, 10, 'Link-Local Unicast', 'RFC 4291'),
  v6(0xff000000, 0, 0, 0, 8, 'Multicast', 'RFC 4291'),
];
// biome-ignore-end format: the rows are the registry's, one a line

interface Row {
  readonly block: SpecialPurposeBlock;
  readonly mask: readonly [number, number, number, number];
}

const maskWord = (bits: number): number => (bits <= 0 ? 0 : bits >= 32 ? -1 : -1 << (32 - bits));

const rowsOf = (family: 4 | 6): readonly Row[] =>
  SPECIAL_PURPOSE_BLOCKS.filter((block) => block.family === family)
    .sort((a, b) => b.bits - a.bits)
    .map((block) => ({
      block,
      mask: [maskWord(block.bits), maskWord(block.bits - 32), maskWord(block.bits - 64), maskWord(block.bits - 96)],
    }));

const ROWS_4 = rowsOf(4);
const ROWS_6 = rowsOf(6);

/**
 * One bit for the first 16 of an address, set where a row reaches: 8 KiB that stay in the processor's cache.
 * Almost every lookup ends there.
 */
function presence(family: 4 | 6): Int32Array {
  const present = new Int32Array(65_536 / 32);
  for (const { words, bits } of SPECIAL_PURPOSE_BLOCKS.filter((block) => block.family === family)) {
    const first = words[0] >>> 16;
    const count = 2 ** Math.max(0, 16 - bits);
    if (count >= 32) present.fill(-1, first >>> 5, (first + count) >>> 5);
    else for (let at = first; at < first + count; at++) present[at >>> 5]! |= 1 << (at & 31);
  }
  return present;
}

const PRESENT_4 = presence(4);
const PRESENT_6 = presence(6);

export function findSpecialPurpose(address: Address): SpecialPurposeBlock | undefined {
  const { family, w0 } = address;
  const present = family === 4 ? PRESENT_4 : PRESENT_6;
  if (((present[w0 >>> 21]! >>> ((w0 >>> 16) & 31)) & 1) === 0) return undefined;
  const rows = family === 4 ? ROWS_4 : ROWS_6;
  for (let i = 0; i < rows.length; i++) {
    const { block, mask } = rows[i]!;
    const miss =
      ((block.words[0] ^ w0) & mask[0]) |
      ((block.words[1] ^ address.w1) & mask[1]) |
      ((block.words[2] ^ address.w2) & mask[2]) |
      ((block.words[3] ^ address.w3) & mask[3]);
    if (miss === 0) return block;
  }
  return undefined;
}

/**
 * True for space that the registries mark not globally reachable, multicast, documentation, and IPv6 outside
 * global unicast.
 */
export function isReserved(address: Address): boolean {
  const block = findSpecialPurpose(address);
  return block !== undefined && !block.globallyReachable;
}

/**
 * True for reserved space, and for 6to4 addresses of it (RFC 3056): a tunnel would lead there, although
 * lookups take 2002::/16 for public.
 */
export const leadsInside = (address: Address): boolean => isReserved(sixToFourOf(address) ?? address);

const sixToFourOf = ({ family, w0, w1 }: Address): Address | undefined =>
  family === 6 && w0 >>> 16 === 0x2002
    ? { family: 4, w0: ((w0 << 16) | (w1 >>> 16)) >>> 0, w1: 0, w2: 0, w3: 0 }
    : undefined;
