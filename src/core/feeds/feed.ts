import type { RiskType } from '../../contract/risk.ts';
import type { CaptureBatch, EvidenceSource, SourceMode } from '../evidence/observation.ts';
import type { NarrowestPrefix, WidestPrefix } from '../evidence/refuse-prefix.ts';
import type { NetworkEffect } from '../place/network-list.ts';
import type { Said } from '../texts/said.ts';
import type { UnixMs } from '../units.ts';
import type { Coverage } from './coverage.ts';

/**
 * One public source as data: where it is published, its terms, how often, how big, and its meaning. A new source is one more of these;
 * code is needed only when its format is new.
 */
export interface Feed {
  /** Stable, lower-case, `[a-z0-9][a-z0-9-]*`. Key of its state, its evidence and its network list. */
  readonly id: string;
  readonly title: string;
  /** Independent origin. Mirrors and aggregates of one origin share a family, so that one observation never counts twice. */
  readonly family: string;
  /** The publisher's own address. Empty: this source is only ever imported from files. */
  readonly url: string;
  /** Where else the publisher has had the same file; asked in order where `url` is answered with an error. */
  readonly alternatives?: readonly string[];
  /** Regular expression of the link to follow when `url` is a page behind which the file's address changes. */
  readonly linkPattern?: string;
  /** `url` is the manifest of a MISP feed: its newest events, at most this many, are read from the same folder and are the body, one a line. */
  readonly manifestEvents?: number;
  readonly licence: string;
  readonly attribution: string;
  /** `allowed`: copies may be passed on with the notice. `fetch-only`: each deployment fetches from the publisher, under the publisher's terms. */
  readonly redistribution: 'allowed' | 'fetch-only';
  /** Whose clock dates its entries (decisions 1), where the publisher is asked itself. */
  readonly clock: FeedClock;
  /** Minutes between two readings. */
  readonly cadenceMin: number;
  /** Hours after which its newest content is too old: the source is overdue. */
  readonly maxAgeHours: number;
  readonly mode: SourceMode;
  readonly bounds: FeedBounds;
  readonly effect: FeedEffect;
  readonly format: FeedFormat;
  /** File names under which a mirror folder holds it, without `.gz`. `<id>.txt`, `.csv`, `.json` and `.jsonl` always work too. */
  readonly files: readonly string[];
  /** False: left out: read from files and by name only, never fetched by the schedule (too coarse, too large, superseded or an archive). */
  readonly scheduled?: false;
  /** Why it is not on the schedule. */
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
  /** 0 only with `emptyShows`. */
  readonly minRows: number;
  /** Text of the list's own header. A body without a row is the list, empty, where its first 4 KiB have this text. */
  readonly emptyShows?: string;
  readonly maxRows: number;
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** It holds the results of the last test alone, so that it halves and doubles from reading to reading. */
  readonly mayShrink?: true;
  /** Pools that evidence may name; left out: POOLS_MAX. */
  readonly maxPools?: number;
  /** Address space that evidence may speak of; left out: COVERAGE_MAX. */
  readonly maxCovered?: Coverage;
  /** Shortest prefixes; left out: WIDEST_EVIDENCE, and WIDEST_NETWORK for lists about networks. */
  readonly widest?: WidestPrefix;
  /** Longest prefixes of evidence, for a list that speaks of networks; left out: single addresses. */
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
      /** Kind of its single addresses where a usage code says DYN or MOB, in place of `riskType`. */
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
  /** A URL or a host:port form is allowed; scheme, port and path are dropped. */
  readonly ports?: true;
  /** Only lines whose second column is at least this. */
  readonly minCount?: number;
  /** The rows are the IPv4 networks of this length of which the list names so many addresses, and such a share of all, in place of those. */
  readonly networksOf?: { readonly bits: number; readonly least: number; readonly share: number };
  /** The list mixes addresses with other indicators; those lines are passed over instead of counted as bad. */
  readonly mixed?: true;
}

/** One AS number a line, `AS123` or `123`, first column. */
export interface AsnsFormat {
  readonly kind: 'asns';
}

/** Column by header name or by index from 0. */
export type Column = string | number;

/** RFC 4180 rows (quotes, doubled quotes), with another separator where given. */
export interface CsvFormat {
  readonly kind: 'csv';
  readonly separator?: string;
  readonly header: boolean;
  /** Address, prefix or host:port. */
  readonly ip: Column;
  /** Last address of a range that starts at `ip`. */
  readonly end?: Column;
  /** When the source saw it (last). */
  readonly time?: Column;
  /** When the source saw it first; a second capture where it differs. */
  readonly firstTime?: Column;
  readonly pool?: Column;
  /** Country that a network lies in, ISO 3166-1; a layer of places is made of these. */
  readonly country?: Column;
  /** Rows whose column holds one of these values (case-insensitive) and no others. */
  readonly keep?: { readonly column: Column; readonly values: readonly string[] };
  readonly drop?: { readonly column: Column; readonly values: readonly string[] };
  /** Risk type of rows whose column contains a text; first match wins, else the feed's own. */
  readonly types?: { readonly column: Column; readonly contains: readonly (readonly [string, RiskType])[] };
}

/**
 * Values picked out of one JSON document. A path is a JSON Pointer (RFC 6901) with three additions: `*` is every member, `~keys` every member's name,
 * and `*[key=a|b]` every member whose `key` is (or, for arrays, contains) one of the values.
 */
export interface JsonFormat {
  readonly kind: 'json';
  readonly paths: readonly string[];
  /** Key next to the value that holds the time it was seen. */
  readonly time?: string;
  /** The document is the first line only (a signature follows). */
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

/** Result of parsing one body. */
export interface ParsedFeed {
  readonly batch: CaptureBatch;
  readonly asns: Uint32Array;
  /** Countries of the rows, as lines of a geofeed: `prefix,country`. */
  readonly places?: readonly string[];
  /** Rows taken, before exact duplicates were dropped. */
  readonly rows: number;
  /** Why rows were not taken, and how many. */
  readonly refused: ReadonlyMap<string, number>;
  /** Publication time the list states itself. */
  readonly publishedAt: UnixMs | undefined;
  /** The time in its header where that cannot be understood. */
  readonly unreadTime?: string | undefined;
  /** Says what the body is where it is not the list. */
  readonly foreign?: Said | undefined;
  /** Beginning of the body as text; left out for a version of a history. */
  readonly head?: string;
}

/** Family of the sources that are files of the operator's own sensors. */
const OWN_FAMILY = 'own-sensors';

/** Whether a source is own collection and not a published list. */
export const isOwnFeed = ({ family }: Pick<Feed, 'family'>): boolean => family === OWN_FAMILY;

/** The source of captures a risk feed is; undefined for feeds that describe networks. */
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
