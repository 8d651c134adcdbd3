/**
 * A published or curated list that says something about networks: cloud ranges, crawler ranges, relay ranges,
 * mobile carriers' AS numbers, unallocated space. Lists arrive from tables that ship with the project, from
 * feeds, and from an operator's folder, all in this shape. They describe networks and are never evidence of
 * abuse.
 */
export interface NetworkList {
  /** Stable, lower-case, `[a-z0-9][a-z0-9.-]*`; a later list with the same id replaces an earlier one. */
  readonly id: string;
  /**
   * Changes whenever the content does (a date, a hash); part of the fingerprint that decides whether the
   * image is rebuilt.
   */
  readonly version: string;
  /**
   * Origin of a public list (`Feed.family`): its AS numbers are hosting only where a list of another origin
   * agrees. Left out, the list is believed alone: an operator's own, and shipped classes.
   */
  readonly family?: string;
  readonly effect: NetworkEffect;
  /** Prefixes the effect holds for. May nest and overlap. */
  readonly prefixes?: PrefixColumns;
  /**
   * AS numbers whose whole announced space the effect holds for. A prefix of any list speaks before an AS
   * number where usage codes tie.
   */
  readonly asns?: Uint32Array;
  /**
   * Rank among lists that name a usage code, higher wins. Left out: the code's own rank in `usagePriority`
   * (network-facts.ts), which is right for nearly every list. Flags do not compete: any matching list sets
   * them.
   */
  readonly priority?: number;
}

/** Facts that a matching list sets. A flag that is absent says nothing; nothing can be un-set by another list. */
export interface NetworkEffect {
  /** Segment usage code (interface, Network object), or `NO_HOME`. */
  readonly usage?: string;
  /** Datacenter or cloud address space. */
  readonly hosting?: true;
  /** Mobile carrier address space. */
  readonly mobile?: true;
  /** Search-engine or other known crawler infrastructure. */
  readonly crawler?: true;
  /** Published consumer relay egress (iCloud Private Relay and the like): shared by many, never VPN evidence. */
  readonly relay?: true;
  /**
   * Announced from many places at once: no city, coordinates or time zone holds for it. Space of usage `ANY`
   * is that too.
   */
  readonly anycast?: true;
  /**
   * With `anycast`: the ISO 3166-1 country a registry gave the space to, which is published in place of the
   * layers' names.
   */
  readonly country?: string;
  /** Special-purpose space of the registries: no place holds for it, and of other lists nothing does. */
  readonly specialPurpose?: true;
  /**
   * The effect holds only where no network layer knows an AS number, and not at all while there is no table
   * of AS numbers: space that was given out and is not announced (AUR).
   */
  readonly unrouted?: true;
}

/** Whether the list names prefixes that are announced from many places at once. */
export const isAnycast = ({ effect, prefixes }: NetworkList): boolean =>
  prefixes !== undefined && (effect.anycast === true || effect.usage === 'ANY');

/**
 * Whether the list decides the place of its prefixes, whatever the layers say: it names their country, or
 * they have no place.
 */
export const setsPlace = (list: NetworkList): boolean =>
  list.effect.specialPurpose === true || (isAnycast(list) && list.effect.country !== undefined);

/**
 * Prefixes in columns: row i is `words[4i..4i+3]` (IPv4 left-aligned in the first word, others 0) with
 * `bits[i]` leading bits, of `family[i]` 4 or 6.
 */
export interface PrefixColumns {
  readonly length: number;
  readonly family: Uint8Array;
  readonly words: Uint32Array;
  readonly bits: Uint8Array;
}

/**
 * File form of a list, one JSON object a file, `<data folder>/network/<id>.json`. Prefixes are CIDR texts; a
 * bare address is a /32 or /128. Feeds write these; an operator may add own ones by hand.
 */
export interface NetworkListFile {
  readonly id: string;
  readonly version: string;
  readonly family?: string;
  readonly effect: NetworkEffect;
  readonly priority?: number;
  readonly prefixes?: readonly string[];
  readonly asns?: readonly number[];
  /** Where it came from and its licence: for people and for the notice page. */
  readonly origin?: string;
  readonly licence?: string;
}
