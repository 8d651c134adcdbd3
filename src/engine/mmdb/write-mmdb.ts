import type { Prefix } from '../../core/ip/address.ts';
import { grown } from '../../core/kit/grown.ts';
import { MmdbData, MmdbNumber, type MmdbValue } from './mmdb-data.ts';
import { MmdbTree } from './mmdb-tree.ts';

/**
 * - `entries`: ascending and disjoint; equal records are one object or one number.
 * - `recordValue`: returns the value of a record, once for each.
 */
export interface MmdbInput<Entry> {
  readonly entries: Iterable<{ readonly prefix: Prefix; readonly record: Entry }>;
  readonly recordValue: (record: Entry) => MmdbValue;
  readonly ipVersion: 4 | 6;
  readonly buildEpoch: number;
  readonly databaseType: string;
  readonly languages?: readonly string[];
  readonly description: string;
}

const TURN = 50_000;
const NOTHING = new Uint8Array(0);
const MARKER = Uint8Array.from([0xab, 0xcd, 0xef, ...new TextEncoder().encode('MaxMind.com')]);

/**
 * Yields an MMDB file (specification 2.0) in pieces. Pieces are empty while the tree is built, so that the
 * caller gets a turn.
 */
export function* writeMmdb<Entry>({
  entries,
  recordValue,
  ipVersion,
  buildEpoch,
  databaseType,
  languages = [],
  description,
}: MmdbInput<Entry>): Generator<Uint8Array> {
  const tree = new MmdbTree(ipVersion);
  const data = new MmdbData();
  const records = new Map<Entry, number>();
  let offsets = new Uint32Array(64);
  let count = 0;
  for (const { prefix, record } of entries) {
    let number = records.get(record);
    if (number === undefined) {
      number = records.size;
      if (number === offsets.length) offsets = grown(offsets);
      offsets[number] = data.add(recordValue(record));
      records.set(record, number);
    }
    tree.add(prefix, number);
    if (++count % TURN === 0) yield NOTHING;
  }
  const recordSize = tree.recordSize(data.length);
  yield* tree.pieces(recordSize, offsets);
  yield data.bytes();
  yield MARKER;
  const metadata = new MmdbData();
  metadata.add({
    binary_format_major_version: new MmdbNumber('uint16', 2),
    binary_format_minor_version: new MmdbNumber('uint16', 0),
    build_epoch: new MmdbNumber('uint64', buildEpoch),
    database_type: databaseType,
    description: { en: description },
    ip_version: new MmdbNumber('uint16', ipVersion),
    languages,
    node_count: new MmdbNumber('uint32', tree.nodeCount),
    record_size: new MmdbNumber('uint16', recordSize),
  });
  yield metadata.bytes();
}
