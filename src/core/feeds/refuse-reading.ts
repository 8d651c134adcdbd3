import { type Said, said } from '../texts/said.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { COVERAGE_MAX, type Feed, type ParsedFeed, POOLS_MAX } from './feed.ts';

/**
 * A new reading must have this share of the last good reading's rows: a list that halves overnight is broken
 * until a person looks.
 */
const MIN_SHARE = 0.5;
/** Below this many rows a list may shrink freely: small lists halve for good reasons. */
const SMALL = 50;

/** Within a day a list may come to speak of at most this many times as much address space. */
const GROWTH_MAX = 4;
const SMALL_COVERED: Coverage = { 4: 2 ** 18, 6: 2 ** 32 };
const TOO_MUCH = {
  4: '{now} IPv4 addresses are more than the {max} expected',
  6: '{now} IPv6 /64 networks are more than the {max} expected',
} as const;
const TOO_FAST = {
  4: '{now} IPv4 addresses are more than {growth} times the {before} of a day ago',
  6: '{now} IPv6 /64 networks are more than {growth} times the {before} of a day ago',
} as const;

export interface KnownReadings {
  readonly rows?: number | undefined;
  /** Coverage of the feed a day ago, or at its first reading since; absent where growth is not judged. */
  readonly covered?: Coverage | undefined;
}

export function refuseReading(feed: Feed, parsed: ParsedFeed, bytes: number, earlier: KnownReadings): Said | undefined {
  const { minRows, maxRows, maxBytes, mayShrink } = feed.bounds;
  if (bytes > maxBytes) return said('{bytes} bytes are more than the {max} expected', { bytes, max: maxBytes });
  const lost = refuseLost(parsed, feed.bounds);
  if (lost !== undefined) return lost;
  if (parsed.rows < minRows) return tooFew(parsed, minRows);
  if (parsed.rows > maxRows)
    return said('{rows:row is|rows are} more than the {max} expected', { rows: parsed.rows, max: maxRows });
  if (
    feed.mode === 'listing' &&
    mayShrink !== true &&
    earlier.rows !== undefined &&
    earlier.rows > SMALL &&
    parsed.rows < earlier.rows * MIN_SHARE
  )
    return said('{rows:row is|rows are} less than half of the {before} of the last good reading', {
      rows: parsed.rows,
      before: earlier.rows,
    });
  return feed.effect.kind === 'risk' ? refuseEvidence(feed, parsed, earlier.covered) : undefined;
}

const UNWANTED: ReadonlySet<string> = new Set([
  ...['below_count', 'dropped', 'not_kept', 'not_for_detection', 'other_event', 'other_status', 'revoked'],
  ...['own_address', 'folded_into_64'],
]);
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...['prefix_too_wide', 'prefix_too_narrow', 'reserved_address', 'own_collection_only', 'other_indicator'],
  ...UNWANTED,
]);

const countOf = (refused: ParsedFeed['refused'], but: ReadonlySet<string>): number =>
  [...refused].reduce((sum, [reason, count]) => sum + (but.has(reason) ? 0 : count), 0);

/** Refuses another body than the list, an emptiness that the list does not show itself, and a list that is mostly unreadable (decisions 12). */
function refuseLost(parsed: ParsedFeed, { minRows, emptyShows }: Feed['bounds']): Said | undefined {
  const { foreign, unreadTime, rows, refused, head } = parsed;
  if (foreign !== undefined) return foreign;
  if (unreadTime !== undefined) return said('its header has a time that cannot be read: {time}', { time: unreadTime });
  if (rows === 0 && minRows === 0) {
    if (countOf(refused, UNWANTED) > 0) return said('no row was taken; {most}', { most: mostRefused(refused) });
    if (head !== undefined && (emptyShows === undefined || !head.includes(emptyShows)))
      return said('the body is empty and does not show the header of the list');
  }
  const unread = countOf(refused, UNDERSTOOD);
  return unread > rows && rows >= minRows
    ? said('more than half of the rows cannot be read: {unread} of {all}; {most}', {
        unread,
        all: unread + rows,
        most: mostRefused(refused),
      })
    : undefined;
}

/**
 * Bounds one publisher's claims, so that a list that was taken over cannot speak of most addresses there are.
 */
function refuseEvidence({ bounds }: Feed, { batch }: ParsedFeed, before: Coverage | undefined): Said | undefined {
  const { maxPools = POOLS_MAX, maxCovered = COVERAGE_MAX } = bounds;
  const pools = batch.pools.length - 1;
  if (pools > maxPools) return said('{pools:pool is|pools are} more than the {max} expected', { pools, max: maxPools });
  const covered = coverageOf(batch);
  for (const family of [4, 6] as const) {
    const now = covered[family];
    if (now > maxCovered[family]) return said(TOO_MUCH[family], { now, max: maxCovered[family] });
    if (before !== undefined && now > Math.max(SMALL_COVERED[family], GROWTH_MAX * before[family]))
      return said(TOO_FAST[family], { now, growth: GROWTH_MAX, before: before[family] });
  }
  return undefined;
}

const tooFew = ({ rows, refused }: ParsedFeed, min: number): Said =>
  refused.size === 0
    ? said('{rows:row is|rows are} fewer than the {min} expected', { rows, min })
    : said('{rows:row is|rows are} fewer than the {min} expected; {most}', { rows, min, most: mostRefused(refused) });

function mostRefused(refused: ParsedFeed['refused']): Said {
  const [code, count] = [...refused].toSorted(([, a], [, b]) => b - a)[0]!;
  return said('{count} refused as {code}', { count, code });
}
