import { said } from '../../../core/texts/said.ts';
import { LayerFileError } from '../layer-data.ts';
import { decodeValue } from './decoder.ts';

/**
 * The parts of an MMDB file (MaxMind DB File Format Specification 2.0) are search tree, 16 zero bytes, data
 * section, marker and metadata map.
 */
export interface MmdbFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly nodeCount: number;
  readonly recordSize: 24 | 28 | 32;
  readonly ipVersion: 4 | 6;
  readonly databaseType: string;
  readonly buildEpoch: number;
  readonly dataStart: number;
  readonly dataEnd: number;
}

const MARKER = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');

export function isMmdb(bytes: Buffer): boolean {
  return bytes.subarray(Math.max(0, bytes.length - 128 * 1024)).includes(MARKER);
}

/** @throws LayerFileError when the file has no sound metadata or its tree is longer than the file */
export function openMmdb(name: string, bytes: Buffer): MmdbFile {
  const marker = bytes.lastIndexOf(MARKER);
  if (marker < 0) throw new LayerFileError(name, 'no MMDB metadata marker, the file is truncated or no MMDB');
  const metaStart = marker + MARKER.length;
  const meta = decodeValue({ name, bytes, dataStart: metaStart, dataEnd: bytes.length }, metaStart) as Record<
    string,
    unknown
  >;
  const whole = (key: string): number => {
    const value = meta?.[key];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
      throw new LayerFileError(name, said('metadata has no usable {key}', { key }), { offset: metaStart });
    return value;
  };
  const recordSize = whole('record_size');
  const ipVersion = whole('ip_version');
  const nodeCount = whole('node_count');
  if (recordSize !== 24 && recordSize !== 28 && recordSize !== 32)
    throw new LayerFileError(name, said('record size {size} is none of 24, 28, 32', { size: recordSize }), {
      offset: metaStart,
    });
  if (ipVersion !== 4 && ipVersion !== 6)
    throw new LayerFileError(name, said('ip_version {version} is neither 4 nor 6', { version: ipVersion }), {
      offset: metaStart,
    });
  const dataStart = nodeCount * (recordSize / 4) + 16;
  if (dataStart > marker)
    throw new LayerFileError(name, said('search tree of {nodes} nodes runs past the data', { nodes: nodeCount }), {
      offset: marker,
    });
  return {
    name,
    bytes,
    nodeCount,
    recordSize,
    ipVersion,
    databaseType: typeof meta.database_type === 'string' ? meta.database_type : '',
    buildEpoch: typeof meta.build_epoch === 'number' ? meta.build_epoch : 0,
    dataStart,
    dataEnd: marker,
  };
}
