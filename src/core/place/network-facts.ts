import type { LayerRecord } from './layer-record.ts';
import { isAnycast, type NetworkList } from './network-list.ts';

/** An asn of 0 and a usageType of '' mean unknown and are omitted from documents. */
export interface MergedNetwork {
  readonly asn: number;
  readonly usageType: string;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
  /** Space announced from many places has only its country. */
  readonly anycast: boolean;
}

const FLAGS = ['hosting', 'mobile', 'crawler', 'relay', 'anycast'] as const;
type Flags = Pick<MergedNetwork, (typeof FLAGS)[number]>;
export const FLAG_BITS = FLAGS.length;

export const packFlags = (network: Flags): number =>
  FLAGS.reduce((bits, flag, i) => bits | (Number(network[flag]) << i), 0);

export const unpackFlags = (bits: number): Flags =>
  Object.fromEntries(FLAGS.map((flag, i) => [flag, ((bits >> i) & 1) === 1])) as unknown as Flags;

/**
 * Replaces a usage code for a list of servers, which are not DYN inside access networks and have no code
 * either.
 */
export const NO_HOME = '';

/**
 * Where several lists match, the first usage code here wins. Registries' statements about the space come
 * first; then those of a service about its own prefixes; then the use of the whole network; last the codes
 * that are true of nearly everything.
 */
export const USAGE_ORDER = [
  'BOGON',
  'UND',
  'AUR',
  'DNS',
  'CDN',
  'GTW',
  'IXP',
  'ANY',
  'SAT',
  'MOB',
  'WLA',
  'DDT',
  'EDU',
  'GOV',
  'IDC',
  'NET',
  NO_HOME,
  'DYN',
  'COM',
  'ORG',
  'RNU',
  'USE',
] as const;

export function usagePriority(usage: string): number {
  const at = (USAGE_ORDER as readonly string[]).indexOf(usage);
  return at < 0 ? 0 : USAGE_ORDER.length - at;
}

export interface ListMatch {
  readonly list: NetworkList;
  readonly by: 'prefix' | 'asn';
}

/**
 * Derives the network block and signals of one range. A usage code in an operator's own layer decides; else
 * the matching list of highest priority, a prefix before an AS number where they tie, then the earlier list.
 * Without a match the code stays unknown. Flags add up. A whole AS is hosting only where two public lists of
 * different origin agree: single ones name access networks too. In special-purpose space no other list
 * counts.
 * @param said records of the network layers, most trusted first
 */
export function networkFacts(said: readonly LayerRecord[], all: readonly ListMatch[]): MergedNetwork {
  const matches = heard(all);
  let usageType = said.find((record) => record.usage !== undefined)?.usage ?? '';
  if (usageType === '') {
    let best = -1;
    for (const { list, by } of matches) {
      if (list.effect.usage === undefined) continue;
      const rank = 2 * (list.priority ?? usagePriority(list.effect.usage)) + (by === 'prefix' ? 1 : 0);
      if (rank <= best) continue;
      best = rank;
      usageType = list.effect.usage;
    }
  }
  return {
    asn: said.find((record) => record.asn !== undefined)?.asn ?? 0,
    usageType,
    hosting: said.some((record) => record.hosting) || matches.some(({ list }) => list.effect.hosting),
    mobile: said.some((record) => record.mobile) || matches.some(({ list }) => list.effect.mobile),
    crawler: matches.some(({ list }) => list.effect.crawler === true),
    relay: matches.some(({ list }) => list.effect.relay === true),
    anycast: matches.some(({ list, by }) => by === 'prefix' && isAnycast(list)),
  };
}

function heard(all: readonly ListMatch[]): readonly ListMatch[] {
  const special = all.find(({ list }) => list.effect.specialPurpose === true);
  if (special !== undefined) return [special];
  return areAgreed(all) ? all : all.filter((match) => !isHostingAsn(match));
}

const isHostingAsn = ({ list, by }: ListMatch): boolean => by === 'asn' && list.effect.hosting === true;

function areAgreed(matches: readonly ListMatch[]): boolean {
  const families = new Set(matches.filter(isHostingAsn).map(({ list }) => list.family));
  return families.size > 1 || families.has(undefined);
}
