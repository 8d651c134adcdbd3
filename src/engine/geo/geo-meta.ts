import type { UnixMs } from '../../core/units.ts';
import type { SectionInput } from '../image.ts';

export const PLACE = 'PL';
export const NETWORK = 'NW';
export type GeoTable = typeof PLACE | typeof NETWORK;

export interface GeoSource {
  readonly id: string;
  /** The publisher names a file by this version or date. */
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
}

/**
 * Free-form facts about the file; `extra` holds facts for the compiler, such as a fingerprint of its inputs.
 */
export interface GeoMeta {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
  readonly sources: readonly GeoSource[];
  readonly extra?: Readonly<Record<string, string | number>>;
}

export interface EncodedTables {
  readonly sections: readonly SectionInput[];
}
