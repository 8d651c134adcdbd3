import type { UnixMs } from '../../core/units.ts';
import type { SectionInput } from '../image.ts';

/** Names of the two tables inside a geo image. */
export const PLACE = 'PL';
export const NETWORK = 'NW';
export type GeoTable = typeof PLACE | typeof NETWORK;

export interface GeoSource {
  readonly id: string;
  /** Version or date of the file, as its publisher names it. */
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
}

/** Free-form facts about the file; `extra` holds facts that a compiler wants to find again, a fingerprint of its inputs for example. */
export interface GeoMeta {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
  readonly sources: readonly GeoSource[];
  readonly extra?: Readonly<Record<string, string | number>>;
}

/** Tables that were encoded already: the sections of the image, in their order. */
export interface EncodedTables {
  readonly sections: readonly SectionInput[];
}
