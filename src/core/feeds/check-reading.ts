import type { Feed, ParsedFeed } from './feed.ts';

/** Share of the last good reading's rows a new one must have: a list that halves overnight is a broken list until a person looks. */
const MIN_SHARE = 0.5;
/** Below this many rows a list may shrink freely: small lists halve for good reasons. */
const SMALL = 50;

/**
 * Whether a reading may replace the last good one. @returns the reason it may not, or undefined
 * @param bytes size after decompression
 * @param lastRows rows of the last accepted reading
 */
export function refuseReading(feed: Feed, parsed: ParsedFeed, bytes: number, lastRows: number | undefined): string | undefined {
  const { minRows, maxRows, maxBytes } = feed.bounds;
  if (bytes > maxBytes) return `${bytes} bytes are more than the ${maxBytes} expected`;
  if (parsed.rows < minRows) return `${parsed.rows} rows are fewer than the ${minRows} expected${firstReason(parsed)}`;
  if (parsed.rows > maxRows) return `${parsed.rows} rows are more than the ${maxRows} expected`;
  if (feed.mode === 'listing' && lastRows !== undefined && lastRows > SMALL && parsed.rows < lastRows * MIN_SHARE)
    return `${parsed.rows} rows are less than half of the ${lastRows} of the last good reading`;
  return undefined;
}

function firstReason(parsed: ParsedFeed): string {
  const [most] = [...parsed.refused].sort(([, a], [, b]) => b - a);
  return most === undefined ? '' : `; ${most[1]} refused as ${most[0]}`;
}
