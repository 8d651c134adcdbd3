import type { UnixMs } from '../../core/units.ts';
import type { SectionInput } from '../image.ts';
import type { RangeSet4, RangeSet6 } from '../ranges/range-set.ts';
import type { PackedTexts } from '../record-texts.ts';
import type { GeoImage } from './geo-image.ts';

/** What a network record says, in values. Record 0 is the empty one: nothing known. */
export interface NetworkRecord {
  /** 0 = unknown. */
  readonly asn: number;
  /** Usage code, '' = unknown. At most 255 different ones in an image. */
  readonly usageType: string;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
}

/** The same shape as NetworkFacts of the services: what a look-up returns, made once per record and thread. */
export interface NetworkRecordFacts {
  /** Pre-rendered JSON of the network block; undefined when neither key is known. */
  readonly json: string | undefined;
  readonly usageType: string | undefined;
  readonly asn: number | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
}

/** Place records: JSON object texts by id, entry 0 is '' (nothing known). Ids of the ranges index it. */
export interface PlaceTables {
  readonly ranges4: RangeSet4;
  readonly ranges6: RangeSet6;
  readonly records: readonly string[] | PackedTexts;
}

export interface NetworkTables {
  readonly ranges4: RangeSet4;
  readonly ranges6: RangeSet6;
  /** Entry 0 is the empty record. */
  readonly records: readonly NetworkRecord[];
}

export interface GeoSource {
  readonly id: string;
  /** Version or date of the file, as its publisher names it. */
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
}

/** Free-form facts about the file; `extra` holds what a compiler wants to find again, a fingerprint of its inputs for example. */
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
  /** New tables, or an opened image whose place sections are copied unchanged. */
  readonly place: PlaceTables | EncodedTables | { readonly reuse: GeoImage };
  readonly network: NetworkTables | EncodedTables | { readonly reuse: GeoImage };
}
