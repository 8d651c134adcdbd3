import type { RiskType } from '../../contract/risk.ts';
import type { NarrowestPrefix, WidestPrefix } from '../evidence/intake-refusals.ts';
import type { CaptureBatch, EvidenceSource, SourceMode } from '../evidence/observation.ts';
import type { NetworkEffect } from '../place/network-list.ts';
import type { Said } from '../texts/said.ts';
import type { UnixMs } from '../units.ts';
import type { Coverage } from './coverage.ts';

/**
 * One public source as data: where it is published, its terms, how often, how big, and its meaning. A new source is one more of these;
 * code is needed only when its format is new.
 */
export interface Feed {
  readonly id: string;
  readonly title: string;
  /** Mirrors and aggregates of one origin share a family, so that one observation never counts twice. */
  readonly family: string;
  readonly url: string;
  /** Addresses of the same file, asked in order where `url` is answered with an error. */
  readonly alternatives?: readonly string[];
  /**
   * A regular expression of the link to follow when `url` is a page behind which the file's address changes.
   */
  readonly linkPattern?: string;
  /**
   * With it `url` is the manifest of a MISP feed. Its newest events, at most this many, are read from the
   * same folder and are the body, one a line.
   */
  readonly manifestEvents?: number;
  /**
   * With it `url` is a JSON document that names servers by host name. The body is their addresses, one a line,
   * asked of the name service at each reading. A mirror holds the addresses.
   */
  readonly hostNames?: HostNames;
  readonly licence: string;
  readonly attribution: string;
  /** `allowed`: copies may be passed on with the notice. `fetch-only`: each deployment fetches from the publisher, under the publisher's terms. */
  readonly redistribution: 'allowed' | 'fetch-only';
  /** AS numbers of a publisher that states its own places. They count in what these announce, and in gaps in blocks of theirs. */
  readonly holders?: readonly number[];
  readonly clock: FeedClock;
  readonly cadenceMin: number;
  readonly maxAgeHours: number;
  readonly mode: SourceMode;
  readonly bounds: FeedBounds;
  readonly effect: FeedEffect;
  readonly format: FeedFormat;
  /** File names under which a mirror folder holds it, without `.gz`. `<id>.txt`, `.csv`, `.json` and `.jsonl` always work too. */
  readonly files: readonly string[];
  /**
   * False for a source that is too coarse, too large, superseded or an archive. It is read from files and by
   * name only.
   */
  readonly scheduled?: false;
  readonly offScheduleBecause?: string;
}

/**
 * `stated`: the list or each of its rows. `server`: Last-Modified. `commit`: the last commit of the file in its repository. `live`: an operator's own interface, which
 * answers for the moment of asking. `first_read`: we do, when content was read for the first time. Where the clock named here is silent the others are asked in the
 * order of decisions 1, and the first reading comes last. A mirror is never live; its manifest speaks for the publisher's server.
 */
export type FeedClock = 'stated' | 'server' | 'commit' | 'live' | 'first_read';

/** A reading outside these is refused whole, except that rows wider than `widest` or narrower than `narrowest` are refused alone. Rows are accepted rows before exact duplicates are dropped. */
export interface FeedBounds {
  readonly minRows: number;
  /**
   * Text of the list's own header. A body without a row counts as the empty list where its first 4 KiB hold
   * this text.
   */
  readonly emptyShows?: string;
  readonly maxRows: number;
  readonly maxBytes: number;
  /** True for a list of the last test alone, whose size halves and doubles from reading to reading. */
  readonly mayShrink?: true;
  /** Pools that evidence may name, POOLS_MAX if absent. */
  readonly maxPools?: number;
  /** Address space that evidence may speak of, COVERAGE_MAX if absent. */
  readonly maxCovered?: Coverage;
  /** Shortest prefixes. If absent they are WIDEST_EVIDENCE, and WIDEST_NETWORK for lists about networks. */
  readonly widest?: WidestPrefix;
  readonly narrowest?: NarrowestPrefix;
}

/** Pools a source of evidence may name unless the catalogue says otherwise: the largest list that names them has 39. */
export const POOLS_MAX = 500;
/** Address space that a source may speak of unless the catalogue says otherwise: five times the IPv4 addresses of the widest ordinary list, and 1.7 times its IPv6 networks. */
export const COVERAGE_MAX: Coverage = { 4: 2 ** 24, 6: 2 ** 42 };

export type FeedEffect =
  | {
      readonly kind: 'risk';
      readonly riskType: RiskType;
      readonly pool?: string;
      readonly sharedBy?: 'tor' | 'relay';
      /** The kind of its single addresses where a usage code says DYN or MOB, in place of `riskType`. */
      readonly derives?: RiskType;
    }
  | { readonly kind: 'network'; readonly network: NetworkEffect };

export type FeedFormat =
  | LinesFormat
  | AsnsFormat
  | CsvFormat
  | JsonFormat
  | RirFormat
  | StixFormat
  | MispFormat
  | CowrieFormat;

/** One address, prefix, `ip:port` or `scheme://ip:port/path` a line; anything after white space, a comma, a semicolon or `#` is ignored. */
export interface LinesFormat {
  readonly kind: 'lines';
  /** True where a URL or a host:port form is allowed. Scheme, port and path are dropped. */
  readonly ports?: true;
  readonly minCount?: number;
  /**
   * The rows are networks in place of addresses: those IPv4 networks of this length of which the list names
   * so many addresses, and such a share of all.
   */
  readonly networksOf?: { readonly bits: number; readonly least: number; readonly share: number };
  readonly mixed?: true;
}

/** One AS number a line, `AS123` or `123`, first column. */
export interface AsnsFormat {
  readonly kind: 'asns';
}

export type Column = string | number;

/** RFC 4180 rows (quotes, doubled quotes), with another separator where given. */
export interface CsvFormat {
  readonly kind: 'csv';
  readonly separator?: string;
  readonly header: boolean;
  readonly ip: Column;
  readonly end?: Column;
  readonly time?: Column;
  readonly firstTime?: Column;
  readonly pool?: Column;
  readonly country?: Column;
  readonly region?: Column;
  /** The column of its town. With it the list is a geofeed: a row without a place asks not to be located (RFC 8805). */
  readonly city?: Column;
  /** Only rows whose column holds one of these values are taken; case does not matter. */
  readonly keep?: { readonly column: Column; readonly values: readonly string[] };
  readonly drop?: { readonly column: Column; readonly values: readonly string[] };
  /**
   * The risk type of rows whose column contains a text. The first match wins, and without one the feed's own
   * type.
   */
  readonly types?: { readonly column: Column; readonly contains: readonly (readonly [string, RiskType])[] };
}

/**
 * Values picked out of one JSON document. A path is a JSON Pointer (RFC 6901) with four additions: `*` is every member, `~keys` every member's name,
 * `*[key=a|b]` every member whose `key` is (or, for arrays, contains) one of the values, and `*[key^=a]` those where it begins with `a`.
 */
export interface JsonFormat {
  readonly kind: 'json';
  readonly paths: readonly string[];
  readonly time?: string;
  /** The key, beside a value or above it, of the region that the prefix is in, and places of regions as cells of a geofeed. */
  readonly region?: { readonly key: string; readonly places: ReadonlyMap<string, string> };
  /** True where a signature follows the first line, which is the document. */
  readonly firstLine?: true;
  /**
   * The value of a member whose name is an address is days left until it is dropped, and this many right after a sighting: the row is dated that many days back
   * from the date of the run, at the first moment of that day.
   */
  readonly daysLeftOf?: number;
  /** The document is published within an HTML page, as the text of a `<pre><code>` element. A file that is the document itself is read as well. */
  readonly inPage?: true;
}

/** RIR statistics exchange format, `registry|cc|type|start|value|date|status`; rows of the named status only. */
export interface RirFormat {
  readonly kind: 'rir';
  readonly status: readonly string[];
}

/** STIX 2.1 bundle: indicators with `ipv4-addr:value` or `ipv6-addr:value` comparisons, and address observables. */
export interface StixFormat {
  readonly kind: 'stix';
}

/** Events in the MISP core format, one JSON document a line. */
export interface MispFormat {
  readonly kind: 'misp';
}

/** Cowrie JSON log of an own honeypot: connections are scans, login attempts credential attacks. */
export interface CowrieFormat {
  readonly kind: 'cowrie';
}

/** Where the document has host names, and the publisher's domain: names outside it are left out. */
export interface HostNames {
  readonly paths: readonly string[];
  readonly domain: string;
}

export interface ParsedFeed {
  readonly batch: CaptureBatch;
  readonly asns: Uint32Array;
  readonly places?: readonly string[];
  readonly rows: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly publishedAt: UnixMs | undefined;
  readonly unreadTime?: string | undefined;
  readonly foreign?: Said | undefined;
  /** The beginning of the body as text. It is absent for a version of a history. */
  readonly head?: string;
}

const OWN_FAMILY = 'own-sensors';

export const isOwnFeed = ({ family }: Pick<Feed, 'family'>): boolean => family === OWN_FAMILY;

export function evidenceSourceOf(feed: Feed): EvidenceSource | undefined {
  const { effect } = feed;
  if (effect.kind === 'network') return undefined;
  return {
    id: feed.id,
    family: feed.family,
    mode: feed.mode,
    riskType: effect.riskType,
    ...(effect.pool === undefined ? {} : { pool: effect.pool }),
    ...(effect.sharedBy === undefined ? {} : { sharedBy: effect.sharedBy }),
    ...(effect.derives === undefined ? {} : { derives: effect.derives }),
  };
}
