import type { Prefix } from '../../core/ip/address.ts';
import { grown } from '../../core/kit/grown.ts';
import { MmdbData, MmdbNumber, type MmdbValue } from './mmdb-data.ts';

/**
 * - `entries`: ascending and disjoint; equal records are one object or one number.
 * - `recordValue`: returns the value of a record, once for each.
 */
interface MmdbInput<Entry> {
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

/**
 * Marks a record that leads to data; the rest of the word is the number of the data. 0 means unknown, because
 * no node leads to the root.
 */
const DATA = 0x8000_0000;
const SEPARATOR = 16;
const PIECE = 1 << 20;

/**
 * Search tree of an MMDB file (specification 2.0): a node has one record for the next bit 0 and one for 1. In
 * a tree of both families IPv4 is ::/96. The same subtree answers for IPv4-mapped addresses and those of the
 * well-known NAT64 prefix, which are IPv4 addresses here.
 */
export class MmdbTree {
  readonly ipVersion: 4 | 6;
  #records = new Uint32Array(2 * 1024);
  #nodes = 1;
  #ipv4Root: number | undefined;

  constructor(ipVersion: 4 | 6) {
    this.ipVersion = ipVersion;
    if (ipVersion === 4) this.#ipv4Root = 0;
  }

  get nodeCount(): number {
    return this.#nodes;
  }

  /** Adds a prefix with the number of its data. @throws RangeError where it overlaps an earlier prefix */
  add(prefix: Prefix, data: number): void {
    const { family, bits } = prefix;
    if (family > this.ipVersion) throw new RangeError('an IPv6 prefix in a tree of IPv4');
    if (bits === 0) throw new RangeError('a prefix of the whole address space');
    let node = family === 4 ? this.#rootOf4() : 0;
    for (let depth = 0; depth < bits - 1; depth++) node = this.#child(2 * node + bitAt(prefix, depth));
    const record = 2 * node + bitAt(prefix, bits - 1);
    if (this.#records[record] !== 0) throw new RangeError('the prefix overlaps one that was added');
    this.#records[record] = DATA + data;
  }

  recordSize(dataLength: number): 24 | 28 | 32 {
    const most = this.#nodes + SEPARATOR + dataLength;
    return most < 2 ** 24 ? 24 : most < 2 ** 28 ? 28 : 32;
  }

  /** Yields the tree and the zero bytes after it. @param offsets offset of each data in the data section */
  *pieces(recordSize: 24 | 28 | 32, offsets: Uint32Array): Generator<Uint8Array> {
    const nodeBytes = recordSize / 4;
    const perPiece = Math.floor(PIECE / nodeBytes);
    const fieldOf = (record: number): number => {
      const word = this.#records[record]!;
      return word === 0 ? this.#nodes : word < DATA ? word : this.#nodes + SEPARATOR + offsets[word - DATA]!;
    };
    for (let from = 0; from < this.#nodes; from += perPiece) {
      const to = Math.min(this.#nodes, from + perPiece);
      const piece = new Uint8Array((to - from) * nodeBytes);
      for (let node = from; node < to; node++)
        writeNode(piece, (node - from) * nodeBytes, recordSize, fieldOf(2 * node), fieldOf(2 * node + 1));
      yield piece;
    }
    yield new Uint8Array(SEPARATOR);
  }

  #child(record: number): number {
    const word = this.#records[record]!;
    if (word >= DATA) throw new RangeError('the prefix lies in one that was added');
    if (word !== 0) return word;
    const node = this.#nodes++;
    if (2 * node >= this.#records.length) this.#records = grown(this.#records);
    this.#records[record] = node;
    return node;
  }

  #rootOf4(): number {
    if (this.#ipv4Root !== undefined) return this.#ipv4Root;
    let node = 0;
    for (let depth = 0; depth < 96; depth++) node = this.#child(2 * node);
    for (const alias of ALIASES) {
      let above = 0;
      for (let depth = 0; depth < 95; depth++) above = this.#child(2 * above + bitAt(alias, depth));
      this.#records[2 * above + bitAt(alias, 95)] = node;
    }
    this.#ipv4Root = node;
    return node;
  }
}

const ALIASES = [
  { w0: 0, w1: 0, w2: 0xffff, w3: 0 },
  { w0: 0x0064_ff9b, w1: 0, w2: 0, w3: 0 },
] as const;

const bitAt = ({ w0, w1, w2, w3 }: Pick<Prefix, 'w0' | 'w1' | 'w2' | 'w3'>, at: number): number =>
  ((at < 32 ? w0 : at < 64 ? w1 : at < 96 ? w2 : w3) >>> (31 - (at & 31))) & 1;

/** A node of 28-bit records keeps the high four bits of both in its middle byte. */
function writeNode(bytes: Uint8Array, at: number, size: 24 | 28 | 32, left: number, right: number): void {
  if (size === 32) {
    write(bytes, at, 4, left);
    write(bytes, at + 4, 4, right);
    return;
  }
  write(bytes, at, 3, left);
  if (size === 28) bytes[at + 3] = ((left >>> 24) << 4) | (right >>> 24);
  write(bytes, at + (size === 28 ? 4 : 3), 3, right);
}

function write(bytes: Uint8Array, at: number, count: number, value: number): void {
  for (let i = 0; i < count; i++) bytes[at + i] = value >>> (8 * (count - 1 - i));
}
