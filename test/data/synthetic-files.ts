/** Small files of every binary layer format, written from the formats' descriptions. For tests. */
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';

/** A binary trie over 128- or 32-bit keys; leaves are indices of payloads. */
interface Node {
  children: [Node | number | undefined, Node | number | undefined];
}

const bitOf = (words: readonly number[], depth: number) => ((words[depth >>> 5]! >>> (31 - (depth & 31))) & 1) as 0 | 1;

function trie(keys: readonly { readonly words: readonly number[]; readonly bits: number }[]): Node {
  const root: Node = { children: [undefined, undefined] };
  for (const [leaf, { words, bits }] of keys.entries()) {
    let node = root;
    for (let depth = 0; depth < bits - 1; depth++) {
      const side = bitOf(words, depth);
      const known = node.children[side];
      const next: Node = typeof known === 'object' ? known : { children: [undefined, undefined] };
      node.children[side] = next;
      node = next;
    }
    node.children[bitOf(words, bits - 1)] = leaf;
  }
  return root;
}

function number(root: Node): Node[] {
  const nodes: Node[] = [root];
  for (let i = 0; i < nodes.length; i++)
    for (const child of nodes[i]!.children) if (typeof child === 'object' && !nodes.includes(child)) nodes.push(child);
  return nodes;
}

const key6 = (text: string, v4: readonly number[]): { words: readonly number[]; bits: number } => {
  const prefix = parsePrefix(text)!;
  return prefix.family === 4
    ? { words: [...v4, prefix.w0], bits: 96 + prefix.bits }
    : { words: [prefix.w0, prefix.w1, prefix.w2, prefix.w3], bits: prefix.bits };
};

function encode(value: unknown): Buffer {
  const head = (type: number, size: number): Buffer => {
    const extra = size < 29 ? [] : size < 285 ? [size - 29] : [(size - 285) >> 8, (size - 285) & 255];
    const low = size < 29 ? size : size < 285 ? 29 : 30;
    return Buffer.from(type > 7 ? [low, type - 7, ...extra] : [(type << 5) | low, ...extra]);
  };
  if (typeof value === 'string') return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([head(6, 4), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([head(3, 8), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([head(7, entries.length), ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)])]);
}

export interface MmdbSpec {
  /** Unix seconds; left out: 14 November 2023. */
  readonly buildEpoch?: number;
  readonly recordSize: 24 | 28 | 32;
  readonly ipVersion: 4 | 6;
  readonly entries: readonly (readonly [string, unknown])[];
  /** Let 2002::/16 lead to the IPv4 tree, as real files do. */
  readonly alias?: boolean;
}

export function makeMmdb({ recordSize, ipVersion, entries, alias, buildEpoch = 1_700_000_000 }: MmdbSpec): Buffer {
  const keys = entries.map(([text]) =>
    ipVersion === 6 ? key6(text, [0, 0, 0]) : { words: [parsePrefix(text)!.w0], bits: parsePrefix(text)!.bits },
  );
  const root = trie(keys);
  if (alias === true) {
    let v4: Node = root;
    for (let depth = 0; depth < 96; depth++) v4 = v4.children[0] as Node;
    let node = root;
    for (let depth = 0; depth < 15; depth++) {
      const side = bitOf([0x2002_0000], depth);
      if (typeof node.children[side] !== 'object') node.children[side] = { children: [undefined, undefined] };
      node = node.children[side] as Node;
    }
    node.children[0] = v4;
  }
  const nodes = number(root);
  const data: Buffer[] = [];
  const offsets: number[] = [];
  for (const [i, [, value]] of entries.entries()) {
    // The same object is written once, as writers of real files do.
    const known = entries.findIndex(([, earlier]) => earlier === value);
    offsets.push(known < i ? offsets[known]! : data.reduce((sum, part) => sum + part.length, 0));
    data.push(known < i ? Buffer.alloc(0) : encode(value));
  }
  const record = (child: Node | number | undefined): number =>
    child === undefined
      ? nodes.length
      : typeof child === 'number'
        ? nodes.length + 16 + offsets[child]!
        : nodes.indexOf(child);
  const tree = Buffer.concat(
    nodes.map(({ children }) => {
      const [left, right] = [record(children[0]), record(children[1])];
      const bytes = Buffer.alloc(recordSize / 4);
      if (recordSize === 32) {
        bytes.writeUInt32BE(left, 0);
        bytes.writeUInt32BE(right, 4);
      } else {
        bytes.writeUIntBE(left & 0xff_ffff, 0, 3);
        bytes.writeUIntBE(right & 0xff_ffff, recordSize / 4 - 3, 3);
        if (recordSize === 28) bytes[3] = ((left >>> 24) << 4) | (right >>> 24);
      }
      return bytes;
    }),
  );
  const meta = encode({
    node_count: nodes.length,
    record_size: recordSize,
    ip_version: ipVersion,
    database_type: 'Test',
    build_epoch: buildEpoch,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'), meta]);
}

type Row = readonly [from: string, to: string, text: string];
const words = (text: string): number[] => {
  const address = parseAnyAddress(text)!;
  return address.family === 4 ? [address.w0] : [address.w0, address.w1, address.w2, address.w3];
};

/** A sound file covers the space from 0.0.0.0; a first row is added when the rows do not. */
export function makeIp2regionDb(rows: readonly Row[]): Buffer {
  const all: readonly Row[] = rows[0]?.[0] === '0.0.0.0' ? rows : [['0.0.0.0', '0.255.255.255', '0|0|0|0|0'], ...rows];
  const data: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 8;
  for (const [from, to, text] of all) {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(text)]);
    const entry = Buffer.alloc(12);
    entry.writeUInt32LE(words(from)[0]!, 0);
    entry.writeUInt32LE(words(to)[0]!, 4);
    entry.writeUInt32LE(((bytes.length << 24) | at) >>> 0, 8);
    index.push(entry);
    data.push(bytes);
    at += bytes.length;
  }
  const head = Buffer.alloc(8);
  head.writeUInt32LE(at, 0);
  head.writeUInt32LE(at + 12 * (all.length - 1), 4);
  return Buffer.concat([head, ...data, ...index]);
}

function makeXdb(version: 2 | 3, family: 4 | 6, rows: readonly Row[]): Buffer {
  const head = Buffer.alloc(256 + 256 * 256 * 8);
  const data: Buffer[] = [];
  const index: Buffer[] = [];
  let at = head.length;
  for (const [from, to, text] of rows) {
    const bytes = Buffer.from(text);
    const size = family === 4 ? 4 : 16;
    const entry = Buffer.alloc(2 * size + 6);
    for (const [i, edge] of [from, to].entries())
      for (const [w, word] of words(edge).entries()) {
        if (family === 4) entry.writeUInt32LE(word, i * size);
        else entry.writeUInt32BE(word, i * size + 4 * w);
      }
    entry.writeUInt16LE(bytes.length, 2 * size);
    entry.writeUInt32LE(at, 2 * size + 2);
    index.push(entry);
    data.push(bytes);
    at += bytes.length;
  }
  head.writeUInt16LE(version, 0);
  head.writeUInt32LE(at, 8);
  head.writeUInt32LE(at + (index.length - 1) * index[0]!.length, 12);
  head.writeUInt16LE(family, 16);
  return Buffer.concat([head, ...data, ...index]);
}

export const makeXdb4 = (version: 2 | 3, rows: readonly Row[]): Buffer => makeXdb(version, 4, rows);
export const makeXdb6 = (rows: readonly Row[]): Buffer => makeXdb(3, 6, rows);

export function makeIpdb(fields: readonly string[], entries: readonly (readonly [string, readonly string[]])[]) {
  const nodes = number(trie(entries.map(([text]) => key6(text, [0, 0, 0xffff]))));
  const data: Buffer[] = [];
  const offsets: number[] = [];
  for (const [, cells] of entries) {
    offsets.push(data.reduce((sum, part) => sum + part.length, 0));
    const text = Buffer.from(cells.join('\t'));
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length);
    data.push(length, text);
  }
  const tree = Buffer.concat(
    nodes.map(({ children }) => {
      const bytes = Buffer.alloc(8);
      for (const side of [0, 1] as const) {
        const child = children[side];
        // Nothing known is the node count itself; data follows the tree, and its place is counted from the node count.
        bytes.writeUInt32BE(
          child === undefined
            ? nodes.length
            : typeof child === 'number'
              ? nodes.length + 1 + offsets[child]!
              : nodes.indexOf(child),
          side * 4,
        );
      }
      return bytes;
    }),
  );
  const body = Buffer.concat([tree, Buffer.alloc(1), ...data]);
  const meta = Buffer.from(
    JSON.stringify({
      build: 1,
      ip_version: 3,
      node_count: nodes.length,
      languages: { CN: 0 },
      fields,
      total_size: body.length,
    }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(meta.length);
  return Buffer.concat([length, meta, body]);
}
