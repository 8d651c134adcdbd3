import { extname } from 'node:path';
import type { LayerRole } from '../../core/place/merge-place.ts';
import { unpackedName } from '../system/packed-name.ts';

export const LAYER_KINDS = ['mmdb', 'ipdb', 'xdb', 'ip2region', 'csv', 'geofeed'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

/** Ending of a layer's name in lower case, without that of its packing. */
export const layerEnding = (name: string): string => extname(unpackedName(name)).toLowerCase();

/** A layer by name: its files, their kind, and how far it is believed. The order of a list of them is the order of trust. */
export interface LayerFile {
  readonly id: string;
  /** Absolute paths; several when a layer comes one family a file. */
  readonly files: readonly string[];
  /** Left out: recognised from the content when the file is read. */
  readonly kind?: LayerKind;
  /** Left out: `china` for the Chinese-made formats (IPDB, xdb, ip2region), else `world`. */
  readonly role?: LayerRole;
  /** Known beforehand to hold only the one: the other build does not read it. */
  readonly gives?: 'place' | 'network';
  /** It holds all of China; its cities there are published only where a second layer names a city of the same province. */
  readonly needsSecond?: true;
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
  /** True: ships with the project. A fault in another one never stops the build. */
  readonly shipped: boolean;
}
