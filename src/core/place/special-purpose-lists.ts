import { SPECIAL_PURPOSE_BLOCKS, type SpecialPurposeBlock } from '../ip/special-purpose.ts';
import type { NetworkList, PrefixColumns } from './network-list.ts';

type Space = Pick<SpecialPurposeBlock, 'family' | 'words' | 'bits' | 'name'>;

/**
 * The registries leave the reachability of this public space open. The relays of 6to4 were anycast (RFC 3068,
 * RFC 7526).
 */
const OPEN: readonly Space[] = [
  { family: 4, words: [0xc058_6300, 0, 0, 0], bits: 24, name: '6to4 Relay Anycast' },
  { family: 6, words: [0x2002_0000, 0, 0, 0], bits: 16, name: '6to4' },
];

/**
 * Each address of identifiers and tunnels belongs to one host, anywhere. All other public special-purpose
 * space is announced from many places.
 */
const OF_ONE_HOST = /6to4$|ORCHID|Remote ID/;

/**
 * A verdict may be asked about this special-purpose space (`isReserved` is false). Its registration says
 * nothing about where a host is, so it has no place and takes only the AS number from layers and other lists.
 */
export function specialPurposeLists(): NetworkList[] {
  const spaces: readonly Space[] = [...SPECIAL_PURPOSE_BLOCKS.filter((block) => block.globallyReachable), ...OPEN];
  const ofOneHost = (space: Space): boolean => OF_ONE_HOST.test(space.name);
  return [
    list('special-purpose', { specialPurpose: true }, spaces.filter(ofOneHost)),
    list(
      'special-purpose-anycast',
      { specialPurpose: true, usage: 'ANY' },
      spaces.filter((space) => !ofOneHost(space)),
    ),
  ];
}

/** The version is the day of the registries in special-purpose.ts. */
const list = (id: string, effect: NetworkList['effect'], spaces: readonly Space[]): NetworkList => ({
  id,
  version: '2025-10',
  effect,
  prefixes: columnsOf(spaces),
});

const columnsOf = (spaces: readonly Space[]): PrefixColumns => ({
  length: spaces.length,
  family: Uint8Array.from(spaces, ({ family }) => family),
  words: Uint32Array.from(spaces.flatMap(({ words }) => words)),
  bits: Uint8Array.from(spaces, ({ bits }) => bits),
});
