/**
 * A list describes networks: cloud ranges, crawler ranges, relay ranges, mobile carriers' AS numbers,
 * unallocated space. Shipped tables, feeds and an operator's folder all give this shape. It is never evidence
 * of abuse.
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
   * The origin of a public list (`Feed.family`): its AS numbers are hosting only where a list of another
   * origin agrees. Without an origin the list is believed alone: an operator's own, and shipped classes.
   */
  readonly family?: string;
  readonly effect: NetworkEffect;
  readonly prefixes?: PrefixColumns;
  /**
   * The effect holds for the whole announced space of these AS numbers. A prefix of any list precedes an AS
   * number where usage codes tie.
   */
  readonly asns?: Uint32Array;
  /** Places of prefixes, which are a layer of places: lines of a geofeed, `prefix,country,region,city`. */
  readonly places?: readonly string[];
  /**
   * The higher rank among lists with a usage code wins. Default: the code's own rank in `usagePriority`
   * (network-facts.ts), which is right for nearly every list. Flags do not compete: any matching list sets
   * them.
   */
  readonly priority?: number;
}

/** An absent flag says nothing, and no list can unset a flag. */
export interface NetworkEffect {
  /** A segment usage code (interface, Network object), or `NO_HOME`. */
  readonly usage?: string;
  readonly hosting?: true;
  readonly mobile?: true;
  readonly crawler?: true;
  /** Consumer relay egress (iCloud Private Relay and the like) is shared by many and never VPN evidence. */
  readonly relay?: true;
  /**
   * Space announced from many places has no city, coordinates or time zone. Space of usage `ANY` is anycast
   * too.
   */
  readonly anycast?: true;
  /** With `anycast`, the ISO 3166-1 country that a registry gave the space to replaces the layers' names. */
  readonly country?: string;
  /** Special-purpose space has no place, and no other list counts there. */
  readonly specialPurpose?: true;
  /**
   * The effect holds only where no network layer knows an AS number, and not while there is no table of AS
   * numbers: the space was given out and is not announced (AUR).
   */
  readonly unrouted?: true;
}

export const isAnycast = ({ effect, prefixes }: NetworkList): boolean =>
  prefixes !== undefined && (effect.anycast === true || effect.usage === 'ANY');

/**
 * Such a list decides the place of its prefixes, whatever the layers say: it names their country, or they
 * have no place.
 */
export const setsPlace = (list: NetworkList): boolean =>
  list.effect.specialPurpose === true || (isAnycast(list) && list.effect.country !== undefined);

/**
 * Row i is `words[4i..4i+3]` (IPv4 left-aligned in the first word, others 0) with `bits[i]` leading bits, of
 * `family[i]` 4 or 6.
 */
export interface PrefixColumns {
  readonly length: number;
  readonly family: Uint8Array;
  readonly words: Uint32Array;
  readonly bits: Uint8Array;
}

/**
 * The file of a list is one JSON object, `<data folder>/network/<id>.json`. Prefixes are CIDR texts; a bare
 * address is a /32 or /128. Feeds write these files; an operator may add own ones.
 */
export interface NetworkListFile {
  readonly id: string;
  readonly version: string;
  readonly family?: string;
  readonly effect: NetworkEffect;
  readonly priority?: number;
  readonly prefixes?: readonly string[];
  readonly asns?: readonly number[];
  readonly origin?: string;
  readonly licence?: string;
}
