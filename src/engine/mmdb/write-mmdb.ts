import type { ExportEntry, ExportRecord } from '../../core/export/export-record.ts';
import { grown } from '../../core/kit/grown.ts';
import { MmdbData, MmdbNumber, type MmdbValue } from './mmdb-data.ts';
import { MmdbTree } from './mmdb-tree.ts';

export interface MmdbInput {
  /** Ascending and disjoint. */
  readonly entries: Iterable<ExportEntry>;
  /** 4 for a file of IPv4 alone. */
  readonly ipVersion: 4 | 6;
  /** Seconds since 1970. */
  readonly buildEpoch: number;
  readonly databaseType: string;
  readonly description: string;
}

/** Entries after which the caller gets a turn. */
const TURN = 50_000;
const NOTHING = new Uint8Array(0);
const MARKER = Uint8Array.from([0xab, 0xcd, 0xef, ...new TextEncoder().encode('MaxMind.com')]);

/**
 * Yields an MMDB file (specification 2.0) in pieces. Pieces are empty while the tree is built, so that the
 * caller gets a turn.
 */
export function* writeMmdb({
  entries,
  ipVersion,
  buildEpoch,
  databaseType,
  description,
}: MmdbInput): Generator<Uint8Array> {
  const tree = new MmdbTree(ipVersion);
  const data = new MmdbData();
  const records = new Map<ExportRecord, number>();
  let offsets = new Uint32Array(64);
  let count = 0;
  for (const { prefix, record } of entries) {
    let number = records.get(record);
    if (number === undefined) {
      number = records.size;
      if (number === offsets.length) offsets = grown(offsets);
      offsets[number] = data.add(fieldsOf(record));
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
    languages: [],
    node_count: new MmdbNumber('uint32', tree.nodeCount),
    record_size: new MmdbNumber('uint16', recordSize),
  });
  yield metadata.bytes();
}

function fieldsOf({ risk, evidence_state, network }: ExportRecord): MmdbValue {
  const { score, level, signals } = risk;
  return {
    risk: { score: new MmdbNumber('uint16', score), level, ...(signals && { signals }) },
    evidence_state,
    ...(network && {
      network: {
        ...(network.asn !== undefined && { asn: new MmdbNumber('uint32', network.asn) }),
        ...(network.usage_type !== undefined && { usage_type: network.usage_type }),
      },
    }),
  };
}
