import type { LayerKind } from './layer-file.ts';
import { openMmdb } from './mmdb/open-mmdb.ts';

export function contentDate(
  name: string,
  kind: LayerKind,
  bytes: Buffer,
  lastModified: string | undefined,
): string | undefined {
  const seconds =
    kind === 'mmdb'
      ? openMmdb(name, bytes).buildEpoch
      : kind === 'xdb' && bytes.length >= 8
        ? bytes.readUInt32LE(4)
        : 0;
  const at = seconds > 0 ? seconds * 1000 : Date.parse(lastModified ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}
