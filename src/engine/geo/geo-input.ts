import type { MergedNetwork } from '../../core/place/network-facts.ts';
import type { UnixMs } from '../../core/units.ts';
import type { SectionInput } from '../image.ts';
import type { RangeSet4, RangeSet6 } from '../ranges/range-set.ts';
import type { PackedTexts } from '../record-texts.ts';

/** Names of the two tables inside a geo image. */
export const PLACE = 'PL';
export const NETWORK = 'NW';
export type GeoTable = typeof PLACE | typeof NETWORK;

/** Place records: JSON object texts by id, entry 0 is '' (nothing known). Ids of the ranges index it. */
export interface PlaceTables {
  readonly ranges4: RangeSet4;
  readonly ranges6: RangeSet6;
  readonly records: readonly string[] | PackedTexts;
}

export interface NetworkTables {
  readonly ranges4: RangeSet4;
  readonly ranges6: RangeSet6;
  /** Entry 0 is the empty record: nothing known. At most 255 different usage codes in an image. */
  readonly records: readonly MergedNetwork[];
}

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

export interface GeoInput {
  readonly meta: GeoMeta;
  readonly place: PlaceTables | EncodedTables;
  readonly network: NetworkTables | EncodedTables;
}
