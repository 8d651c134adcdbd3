/** Each bound that a source of the catalogue states is enforced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import type { Coverage } from '../../src/core/feeds/coverage.ts';
import type { Feed, FeedBounds, ParsedFeed } from '../../src/core/feeds/feed.ts';
import { rowOptionsOf } from '../../src/core/feeds/parse-feed.ts';
import { refuseReading } from '../../src/core/feeds/refuse-reading.ts';
import { RowBuilder } from '../../src/core/feeds/row-builder.ts';
import type { Address } from '../../src/core/ip/address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { covers } from '../spec/covers.ts';

const PUBLIC: Readonly<Record<4 | 6, Address>> = { 4: parseAnyAddress('45.0.0.0')!, 6: parseAnyAddress('2a00::')! };
const FAMILIES = [4, 6] as const;

/** Reason for which a row of this length is not taken. */
function rowRefusal(feed: Feed, family: 4 | 6, bits: number): string | undefined {
  const rows = new RowBuilder(rowOptionsOf(feed));
  rows.scanner.take(PUBLIC[family]);
  rows.scanner.bits = bits;
  rows.addScanned();
  return [...rows.refused.keys()][0];
}

/** A reading of so many rows that speaks of nothing else. */
const reading = (rows: number, batch = new CaptureBatchBuilder().build()): ParsedFeed => ({
  batch,
  asns: new Uint32Array(),
  rows,
  refused: new Map(),
  publishedAt: undefined,
});

const readingOf = ({ bounds }: Feed, prefixes: readonly (readonly [4 | 6, number])[], pools = 0): ParsedFeed => {
  const batch = new CaptureBatchBuilder();
  for (const [family, bits] of prefixes) {
    const { w0, w1, w2, w3 } = PUBLIC[family];
    batch.append(family, w0, w1, w2, w3, bits, 0, Number.NaN, 0);
  }
  for (let pool = 0; pool < pools; pool++) batch.poolId(`pool ${pool}`);
  return reading(bounds.minRows, batch.build());
};

/** So many /0 rows that a list speaks of more than the bound. */
const wideRows = (family: 4 | 6, max: Coverage) =>
  Array.from({ length: Math.floor(max[family] / 2 ** (family === 4 ? 32 : 64)) + 1 }, () => [family, 0] as const);

/** For each bound: a reading inside it is taken, and one just outside it is not. */
const ENFORCED: { readonly [Bound in keyof FeedBounds]-?: (feed: Feed) => boolean } = {
  minRows: (feed) =>
    refuseReading(feed, reading(feed.bounds.minRows), 0, {}) === undefined &&
    (feed.bounds.minRows === 0 || refuseReading(feed, reading(feed.bounds.minRows - 1), 0, {}) !== undefined),
  emptyShows: (feed) =>
    refuseReading(feed, { ...reading(0), head: feed.bounds.emptyShows! }, 0, {}) === undefined &&
    refuseReading(feed, { ...reading(0), head: '' }, 0, {}) !== undefined,
  maxRows: (feed) =>
    refuseReading(feed, reading(feed.bounds.maxRows), 0, {}) === undefined &&
    refuseReading(feed, reading(feed.bounds.maxRows + 1), 0, {}) !== undefined,
  maxBytes: (feed) =>
    refuseReading(feed, reading(feed.bounds.minRows), feed.bounds.maxBytes, {}) === undefined &&
    refuseReading(feed, reading(feed.bounds.minRows), feed.bounds.maxBytes + 1, {}) !== undefined,
  mayShrink: (feed) =>
    refuseReading(feed, reading(feed.bounds.minRows), 0, { rows: feed.bounds.maxRows }) === undefined,
  maxPools: (feed) =>
    refuseReading(feed, readingOf(feed, [], feed.bounds.maxPools!), 0, {}) === undefined &&
    refuseReading(feed, readingOf(feed, [], feed.bounds.maxPools! + 1), 0, {}) !== undefined,
  maxCovered: (feed) =>
    FAMILIES.every(
      (family) =>
        refuseReading(feed, readingOf(feed, wideRows(family, feed.bounds.maxCovered!)), 0, {})?.values.max ===
        feed.bounds.maxCovered![family],
    ),
  widest: (feed) =>
    FAMILIES.every(
      (family) =>
        rowRefusal(feed, family, feed.bounds.widest![family]) === undefined &&
        rowRefusal(feed, family, feed.bounds.widest![family] - 1) === 'prefix_too_wide',
    ),
  narrowest: (feed) =>
    FAMILIES.every(
      (family) =>
        rowRefusal(feed, family, feed.bounds.narrowest![family]) === undefined &&
        rowRefusal(feed, family, feed.bounds.narrowest![family] + 1) === 'prefix_too_narrow',
    ),
};

test('every bound that a source of the catalogue states is enforced, of evidence and of network lists', () => {
  const ignored = CATALOGUE.flatMap((feed) =>
    (Object.keys(feed.bounds) as (keyof FeedBounds)[])
      .filter((bound) => !ENFORCED[bound](feed))
      .map((bound) => `${feed.id}: ${bound}`),
  );
  assert.deepEqual(ignored, []);
  covers('FEED-BOUNDS');
});

test('a cloud’s /11 in the census of anycast prefixes does not make the cloud anycast', () => {
  for (const id of ['anycast-4', 'anycast-6']) {
    const rows = new RowBuilder(rowOptionsOf(CATALOGUE.find((feed) => feed.id === id)!));
    for (const text of ['34.64.0.0/11', '34.120.0.0/20', '2600:1900::/35', '2600:1901:81d4::/48']) rows.addText(text);
    assert.deepEqual([rows.refused, rows.finish().rows], [new Map([['prefix_too_wide', 2]]), 2]);
  }
});
