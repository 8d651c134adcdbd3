import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress, type ZlibOptions } from 'node:zlib';

export type PackedKind = 'gzip' | 'zstd';

const MAGIC: Readonly<Record<PackedKind, readonly number[]>> = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] };

export const PACKED_BYTES = MAGIC.zstd.length;

export const packedKind = (head: Uint8Array): PackedKind | undefined =>
  (['gzip', 'zstd'] as const).find((packing) => MAGIC[packing].every((byte, i) => head[i] === byte));

export const unpackWith = (packing: PackedKind, { chunkSize }: Pick<ZlibOptions, 'chunkSize'> = {}): Transform =>
  packing === 'gzip'
    ? createGunzip(chunkSize === undefined ? {} : { chunkSize })
    : createZstdDecompress(chunkSize === undefined ? {} : { chunkSize });
