import type { LayerRecord } from './layer-record.ts';
import { isAnycast, type NetworkList } from './network-list.ts';

/**
 * Facts of the network an address belongs to. asn 0 and usageType '' mean unknown: they are left out where a
 * document is written.
 */
export interface MergedNetwork {
  readonly asn: number;
  readonly usageType: string;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
  /** Announced from many places at once: of its place the country alone holds. */
  readonly anycast: boolean;
}

const FLAGS = ['hosting', 'mobile', 'crawler', 'relay', 'anycast'] as const;
type Flags = Pick<MergedNetwork, (typeof FLAGS)[number]>;
/** How many bits the flags take. */
export const FLAG_BITS = FLAGS.length;

/** The flags as a number, one bit each. */
export const packFlags = (network: Flags): number =>
  FLAGS.reduce((bits, flag, i) => bits | (Number(network[flag]) << i), 0);

export const unpackFlags = (bits: number): Flags =>
  Object.fromEntries(FLAGS.map((flag, i) => [flag, ((bits >> i) & 1) === 1])) as unknown as Flags;

/**
 * In place of a usage code: a list of servers, which are not DYN inside access networks, and for which there
 * is not a code either.
 */
export const NO_HOME = '';

/**
 * Order in which usage codes win where several lists match, first one first. Registries' statements about the
 * space itself come first; then those that a service publishes about its own prefixes; then the use of the
 * whole network; last the codes that are true of nearly everything.
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

/** Rank of a usage code: higher wins; a code outside the table ranks last. */
export function usagePriority(usage: string): number {
  const at = (USAGE_ORDER as readonly string[]).indexOf(usage);
  return at < 0 ? 0 : USAGE_ORDER.length - at;
}

/** One list that matches the range, and whether by prefix or only by AS number. */
export interface ListMatch {
  readonly list: NetworkList;
  readonly by: 'prefix' | 'asn';
}

/**
 * Derives the network block and signals of one range. A usage code in an operator's own layer decides; else
 * the matching list of highest priority, a prefix before an AS number where they tie, then the earlier list.
 * Nothing matches: the code stays unknown. Flags add up. A whole AS is hosting only where two public lists of
 * different origin agree: single ones name access networks too. In special-purpose space no other list is
 * heard.
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

/** Whether the lists that call the whole AS hosting are of two origins, or one of them is believed alone. */
function areAgreed(matches: readonly ListMatch[]): boolean {
  const families = new Set(matches.filter(isHostingAsn).map(({ list }) => list.family));
  return families.size > 1 || families.has(undefined);
}
