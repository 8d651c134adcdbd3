import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { release } from '../../core/kit/release.ts';
import { plainText } from '../../core/logs/plain-text.ts';
import type { LayerRole } from '../../core/place/merge-place.ts';
import { MOST_USAGE_CODES } from '../../core/place/usage-code.ts';
import { said } from '../../core/texts/said.ts';
import { readBody } from '../system/read-body.ts';
import { faultSentence } from '../system/system-fault.ts';
import { type Families, type LayerData, LayerFileError } from './layer-data.ts';
import { type LayerFile, type LayerKind, layerEnding } from './layer-file.ts';
import { isMmdb } from './mmdb/open-mmdb.ts';
import { readMmdb } from './mmdb/read-mmdb.ts';
import { GEOFEED, readCsv } from './read-csv.ts';
import { isIpdb, readIpdb } from './read-ipdb.ts';
import { isIp2regionDb, isXdb, readIp2regionDb, readXdb } from './read-xdb.ts';

/** Names the format by the file's content; text files go by their extension. undefined: none of the known ones. */
export function kindOf(file: string, bytes: Buffer): LayerKind | undefined {
  if (isIpdb(bytes)) return 'ipdb';
  if (isMmdb(bytes)) return 'mmdb';
  if (isXdb(bytes)) return 'xdb';
  if (isIp2regionDb(bytes)) return 'ip2region';
  const extension = layerEnding(file);
  const isText = !plainText(bytes.subarray(0, HEAD_BYTES)).includes(0);
  return extension === '.geofeed' ? 'geofeed' : ['.csv', '.tsv'].includes(extension) && isText ? 'csv' : undefined;
}

const HEAD_BYTES = 4096;
const UNPACKED_MAX_BYTES = 4 * 2 ** 30;

const roleOf = (kind: LayerKind): LayerRole =>
  kind === 'ipdb' || kind === 'xdb' || kind === 'ip2region' ? 'china' : 'world';

export interface ReadLayer {
  readonly role: LayerRole;
  /** An owner's own table or a publisher's geofeed, where databases of the world guess. */
  readonly stated: boolean;
  readonly parts: readonly LayerData[];
}

/** Reads the files of one layer that concern a family; of a layer with an unreadable one nothing is used. */
export function readLayer(layer: LayerFile, families: Families): ReadLayer {
  let role = layer.role;
  let stated = !layer.shipped;
  const parts: LayerData[] = [];
  for (const file of layer.files) {
    if (layer.files.length > 1 && families !== 'both' && !basename(file).includes(`ipv${families}`)) continue;
    const bytes = readBytes(file);
    const kind = layer.kind ?? kindOf(file, bytes);
    if (kind === undefined) throw new LayerFileError(file, 'is none of MMDB, IPDB, xdb, ip2region .db, CSV, geofeed');
    role ??= roleOf(kind);
    stated &&= kind === 'csv' || kind === 'geofeed';
    parts.push(requireUsageCodes(file, READERS[kind](file, bytes, families)));
    release(bytes);
  }
  return { role: role ?? 'world', stated, parts };
}

/** A text of any form is a usage code, so codes differ from names by how many of them there are. */
function requireUsageCodes(file: string, data: LayerData): LayerData {
  const codes = new Set(data.records.map((record) => record?.usage));
  if (codes.size - 1 <= MOST_USAGE_CODES) return data;
  throw new LayerFileError(
    file,
    said('usage_type has more than {max} different values, so they are not codes', { max: MOST_USAGE_CODES }),
  );
}

const READERS: Readonly<Record<LayerKind, (file: string, bytes: Buffer, families: Families) => LayerData>> = {
  mmdb: readMmdb,
  ipdb: readIpdb,
  xdb: readXdb,
  ip2region: readIp2regionDb,
  csv: (file, bytes, families) => readCsv(file, bytes, families),
  geofeed: (file, bytes, families) => readCsv(file, bytes, families, GEOFEED),
};

function readBytes(file: string): Buffer {
  try {
    const { buffer, byteOffset, length } = readBody(readFileSync(file), UNPACKED_MAX_BYTES);
    return Buffer.from(buffer, byteOffset, length);
  } catch (error) {
    throw new LayerFileError(file, said('cannot be read: {why}', { why: faultSentence(error) }), undefined, error);
  }
}
