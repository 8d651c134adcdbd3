import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import type { LayerRole } from '../../core/place/merge-place.ts';
import { type Said, said } from '../../core/texts/said.ts';
import { unpackedName } from '../system/map-file.ts';
import { faultSentence } from '../system/system-fault.ts';
import { openMmdb } from './mmdb/open-mmdb.ts';

export const LAYER_KINDS = ['mmdb', 'ipdb', 'xdb', 'ip2region', 'csv', 'geofeed'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

export const layerEnding = (name: string): string => extname(unpackedName(name)).toLowerCase();

/** The order in a list of layers is the order of trust. */
export interface LayerFile {
  readonly id: string;
  readonly files: readonly string[];
  /** Default: recognised from the content when the file is read. */
  readonly kind?: LayerKind;
  /** Default: `china` for the Chinese-made formats (IPDB, xdb, ip2region), else `world`. */
  readonly role?: LayerRole;
  /** The layer is known to hold only this, so the other build does not read it. */
  readonly gives?: 'place' | 'network';
  /**
   * The layer holds all of China; its cities there are published only where a second layer names a city of
   * the same province.
   */
  readonly needsSecond?: true;
  /** The publisher speaks of its own space alone: what these AS numbers announce, and gaps in blocks of theirs. */
  readonly holders?: readonly number[];
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
  /** A fault in a layer that does not ship with the project never stops the build. */
  readonly shipped: boolean;
}

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

/** Names in a folder that is read while others may change it, sorted. None where there is no folder; one that cannot be read is a fault. */
export function namesIn(folder: string, faults: Said[]): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      faults.push(said('{folder} cannot be read and is left out: {why}', { folder, why: faultSentence(error) }));
    return [];
  }
}
