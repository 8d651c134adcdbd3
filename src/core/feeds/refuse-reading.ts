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
const UNITS = { 4: 'IPv4 addresses', 6: 'IPv6 /64 networks' };

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
  if (bytes > maxBytes) return `${bytes} bytes are more than the ${maxBytes} expected`;
  if (parsed.rows < minRows) return `${parsed.rows} rows are fewer than the ${minRows} expected${firstReason(parsed)}`;
  if (parsed.rows > maxRows) return `${parsed.rows} rows are more than the ${maxRows} expected`;
  if (
    feed.mode === 'listing' &&
    mayShrink !== true &&
    earlier.rows !== undefined &&
    earlier.rows > SMALL &&
    parsed.rows < earlier.rows * MIN_SHARE
  )
    return `${parsed.rows} rows are less than half of the ${earlier.rows} of the last good reading`;
  return feed.effect.kind === 'risk' ? refuseEvidence(feed, parsed, earlier.covered) : undefined;
}

/** Bound of one publisher's claims, so that one list that was taken over cannot speak of most addresses there are. */
function refuseEvidence({ bounds }: Feed, { batch }: ParsedFeed, before: Coverage | undefined): string | undefined {
  const { maxPools = POOLS_MAX, maxCovered = COVERED_MAX } = bounds;
  const pools = batch.pools.length - 1;
  if (pools > maxPools) return `${pools} pools are more than the ${maxPools} expected`;
  const covered = coverageOf(batch);
  for (const family of [4, 6] as const) {
    const now = covered[family];
    if (now > maxCovered[family]) return `${now} ${UNITS[family]} are more than the ${maxCovered[family]} expected`;
    if (before !== undefined && now > Math.max(SMALL_COVERED[family], GROWTH * before[family]))
      return `${now} ${UNITS[family]} are more than ${GROWTH} times the ${before[family]} of a day ago`;
  }
  return undefined;
}

function firstReason(parsed: ParsedFeed): string {
  const [most] = [...parsed.refused].sort(([, a], [, b]) => b - a);
  return most === undefined ? '' : `; ${most[1]} refused as ${most[0]}`;
}
