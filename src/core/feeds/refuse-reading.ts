import { english } from '../texts/said.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { COVERED_MAX, type Feed, type ParsedFeed, POOLS_MAX } from './feed.ts';

/** Share of the last good reading's rows a new one must have: a list that halves overnight is a broken list until a person looks. */
const MIN_SHARE = 0.5;
/** Below this many rows a list may shrink freely: small lists halve for good reasons. */
const SMALL = 50;

/** How much more address space a list may speak of within a day. */
const GROWTH = 4;
/** Below this much, in addresses or /64 networks, a list may grow freely. */
const SMALL_COVERED: Coverage = { 4: 2 ** 18, 6: 2 ** 32 };
const TOO_MUCH = {
  4: '{now} IPv4 addresses are more than the {max} expected',
  6: '{now} IPv6 /64 networks are more than the {max} expected',
} as const;
const TOO_FAST = {
  4: '{now} IPv4 addresses are more than {growth} times the {before} of a day ago',
  6: '{now} IPv6 /64 networks are more than {growth} times the {before} of a day ago',
} as const;

/** Known earlier readings. */
export interface EarlierReadings {
  /** Rows of the last accepted one. */
  readonly rows?: number | undefined;
  /** Coverage of the feed a day ago, or at its first reading since; left out where growth is not judged. */
  readonly covered?: Coverage | undefined;
}

/** Why a reading may not replace the last good one. @param bytes size after decompression */
export function refuseReading(
  feed: Feed,
  parsed: ParsedFeed,
  bytes: number,
  earlier: EarlierReadings,
): string | undefined {
  const { minRows, maxRows, maxBytes, mayShrink } = feed.bounds;
  if (bytes > maxBytes) return english('{bytes} bytes are more than the {max} expected', { bytes, max: maxBytes });
  if (parsed.rows < minRows) return tooFew(parsed, minRows);
  if (parsed.rows > maxRows)
    return english('{rows} rows are more than the {max} expected', { rows: parsed.rows, max: maxRows });
  if (
    feed.mode === 'listing' &&
    mayShrink !== true &&
    earlier.rows !== undefined &&
    earlier.rows > SMALL &&
    parsed.rows < earlier.rows * MIN_SHARE
  )
    return english('{rows} rows are less than half of the {before} of the last good reading', {
      rows: parsed.rows,
      before: earlier.rows,
    });
  return feed.effect.kind === 'risk' ? refuseEvidence(feed, parsed, earlier.covered) : undefined;
}

/** Bound of one publisher's claims, so that one list that was taken over cannot speak of most addresses there are. */
function refuseEvidence({ bounds }: Feed, { batch }: ParsedFeed, before: Coverage | undefined): string | undefined {
  const { maxPools = POOLS_MAX, maxCovered = COVERED_MAX } = bounds;
  const pools = batch.pools.length - 1;
  if (pools > maxPools) return english('{pools} pools are more than the {max} expected', { pools, max: maxPools });
  const covered = coverageOf(batch);
  for (const family of [4, 6] as const) {
    const now = covered[family];
    if (now > maxCovered[family]) return english(TOO_MUCH[family], { now, max: maxCovered[family] });
    if (before !== undefined && now > Math.max(SMALL_COVERED[family], GROWTH * before[family]))
      return english(TOO_FAST[family], { now, growth: GROWTH, before: before[family] });
  }
  return undefined;
}

/** With the most frequent reason of the rows that were refused. */
function tooFew({ rows, refused }: ParsedFeed, min: number): string {
  const [most] = [...refused].sort(([, a], [, b]) => b - a);
  if (most === undefined) return english('{rows} rows are fewer than the {min} expected', { rows, min });
  const [code, count] = most;
  return english('{rows} rows are fewer than the {min} expected; {count} refused as {code}', {
    rows,
    min,
    count,
    code,
  });
}
