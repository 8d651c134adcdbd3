/**
 * These are the checks that readers of MMDB files publish (`Verify` of maxminddb-golang, `mmdbverify`), written
 * apart from our writer. Metadata have the right kinds, and every record of the tree leads to a node or to data.
 * Zeros stand between tree and data, and the tree leads to everything in the data section.
 */
import assert from 'node:assert/strict';

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const POINTER_BASE = [0, 2048, 526_336, 0];

interface Decoded {
  readonly value: unknown;
  readonly end: number;
  readonly type: number;
}

/** Decodes strictly: no pointer to a pointer, no byte past the section, only UTF-8. */
function decode(section: Buffer, at: number, viaPointer = false): Decoded {
  assert.ok(at < section.length, `a value at ${at} of ${section.length}`);
  const control = section[at]!;
  let type = control >> 5;
  let next = at + 1;
  const big = (count: number): number => {
    assert.ok(next + count <= section.length, 'a value runs past its section');
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 256 + section[next++]!;
    return value;
  };
  if (type === 1) {
    assert.ok(!viaPointer, `a pointer to a pointer at ${at}`);
    const size = (control >> 3) & 3;
    const target = size === 3 ? big(4) : ((control & 7) << (8 * (size + 1))) + big(size + 1) + POINTER_BASE[size]!;
    assert.ok(target < section.length, `the pointer at ${at} leaves the section`);
    return { ...decode(section, target, true), end: next };
  }
  if (type === 0) type = 7 + big(1);
  const low = control & 31;
  const size = low < 29 ? low : low === 29 ? 29 + big(1) : low === 30 ? 285 + big(2) : 65_821 + big(3);
  if (type === 2) {
    assert.ok(next + size <= section.length);
    return {
      value: new TextDecoder('utf-8', { fatal: true }).decode(section.subarray(next, next + size)),
      end: next + size,
      type,
    };
  }
  if (type === 5 || type === 6 || type === 9) {
    assert.ok(size <= { 5: 2, 6: 4, 9: 8 }[type], `a number of ${size} bytes`);
    return { value: big(size), end: next, type };
  }
  if (type === 3) {
    assert.equal(size, 8, 'a double of eight bytes');
    return { value: section.readDoubleBE(next), end: next + 8, type };
  }
  if (type === 14) {
    assert.ok(size <= 1, 'a boolean of one bit');
    return { value: size === 1, end: next, type };
  }
  const parts: unknown[] = [];
  for (let i = 0; i < (type === 7 ? 2 * size : size); i++) {
    const part = decode(section, next);
    if (type === 7 && i % 2 === 0) assert.equal(part.type, 2, 'a key is a text');
    parts.push(part.value);
    next = part.end;
  }
  assert.ok(type === 7 || type === 11, `type ${type} at ${at}`);
  if (type === 11) return { value: parts, end: next, type };
  return {
    value: Object.fromEntries(Array.from({ length: size }, (_, i) => [parts[2 * i], parts[2 * i + 1]])),
    end: next,
    type,
  };
}

export interface MmdbMetadata {
  readonly node_count: number;
  readonly record_size: 24 | 28 | 32;
  readonly ip_version: 4 | 6;
  readonly build_epoch: number;
  readonly database_type: string;
  readonly languages: readonly string[];
  readonly description: Readonly<Record<string, string>>;
}

/** Reads a whole file strictly. @returns its metadata and how many values the data section holds @throws AssertionError naming the first fault */
export function verifyMmdb(file: Buffer): { readonly metadata: MmdbMetadata; readonly values: number } {
  const marker = file.lastIndexOf(MARKER);
  assert.ok(marker > 0, 'there is a marker');
  assert.ok(file.length - marker <= 128 * 1024, 'the metadata is in the last 128 KiB');
  const meta = file.subarray(marker + MARKER.length);
  const read = decode(meta, 0);
  assert.equal(read.end, meta.length, 'nothing follows the metadata');
  const metadata = read.value as MmdbMetadata & Readonly<Record<string, unknown>>;
  assert.equal(metadata['binary_format_major_version'], 2);
  assert.equal(metadata['binary_format_minor_version'], 0);
  assert.ok(
    metadata.database_type.length > 0 &&
      Object.keys(metadata.description).length > 0 &&
      Array.isArray(metadata['languages']),
  );
  assert.ok(metadata.ip_version === 4 || metadata.ip_version === 6);
  assert.ok([24, 28, 32].includes(metadata.record_size) && metadata.node_count > 0 && metadata.build_epoch > 0);
  const tree = (metadata.node_count * metadata.record_size) / 4;
  const section = file.subarray(tree + 16, marker);
  assert.ok(
    file.subarray(tree, tree + 16).every((byte) => byte === 0),
    'sixteen zeros follow the tree',
  );
  return { metadata, values: checkSection(section, offsetsOf(file, metadata, section.length)) };
}

/** Returns the offsets in the data section to which the records of the tree lead. */
function offsetsOf(file: Buffer, { node_count: nodes, record_size: size }: MmdbMetadata, sectionLength: number) {
  const offsets = new Set<number>();
  const reached = new Set([0]);
  for (let node = 0; node < nodes; node++) {
    for (const side of [0, 1]) {
      const value = recordOf(file, node, size, side);
      if (value < nodes) {
        assert.ok(value > node || reached.has(value), `node ${node} leads back to ${value}`);
        reached.add(value);
      } else if (value > nodes) {
        assert.ok(
          value >= nodes + 16 && value - nodes - 16 < sectionLength,
          `node ${node} leads to ${value}, outside the data`,
        );
        offsets.add(value - nodes - 16);
      }
    }
  }
  assert.equal(reached.size, nodes, 'every node is reached');
  return offsets;
}

function recordOf(file: Buffer, node: number, size: 24 | 28 | 32, side: number): number {
  const at = (node * size) / 4;
  if (size === 24) return file.readUIntBE(at + 3 * side, 3);
  if (size === 32) return file.readUInt32BE(at + 4 * side);
  const middle = file[at + 3]!;
  return side === 0
    ? (middle >> 4) * 2 ** 24 + file.readUIntBE(at, 3)
    : (middle & 15) * 2 ** 24 + file.readUIntBE(at + 4, 3);
}

function checkSection(section: Buffer, offsets: Set<number>): number {
  let values = 0;
  for (let at = 0; at < section.length; values++) {
    assert.ok(offsets.delete(at), `the tree does not lead to the data at ${at}`);
    at = decode(section, at).end;
  }
  assert.deepEqual([...offsets], [], 'the tree leads to the beginning of a value alone');
  return values;
}
