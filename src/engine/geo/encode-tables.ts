import { type MergedNetwork, packFlags } from '../../core/place/network-facts.ts';
import { type Image, jsonSection, type SectionInput } from '../image.ts';
import type { RangeSet } from '../ranges/range-set.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6, RANGE_SECTIONS } from '../ranges/range-table6.ts';
import { encodeRecordTexts, type PackedTexts, packedText, TextPacker } from '../record-texts.ts';
import { encodeAsNames } from './as-names.ts';
import { type EncodedTables, type GeoTable, NETWORK, PLACE, PLACE_SECTIONS } from './geo-image.ts';
import { NETWORK_SECTIONS } from './network-records.ts';

export function copyTable(image: Image, table: GeoTable): EncodedTables {
  const records = table === PLACE ? PLACE_SECTIONS : NETWORK_SECTIONS;
  return {
    sections: [...RANGE_SECTIONS, ...records].map((suffix) => ({
      id: table + suffix,
      data: image.bytes(table + suffix),
    })),
  };
}

export function encodeTable(
  table: GeoTable,
  ranges: RangeSet,
  records: number,
  consume = false,
): readonly SectionInput[] {
  const { count, ids, family } = ranges;
  for (let i = 0; i < count; i++)
    if (ids[i]! >= records)
      throw new RangeError(`IPv${family} ${table} range ${i} names record ${ids[i]} of ${records}`);
  return ranges.family === 4 ? encodeRanges4(table, ranges) : encodeRanges6(table, ranges, consume);
}

/** Place records begin with these members (GEO_KEYS). */
const TO_COUNTRY = /^\{(?:"continent":"..",)?"country":".."/;

/**
 * Encodes place records, followed by one record with the country alone for each country. @throws RangeError
 * unless record 0 is empty
 */
export function encodePlaceRecords(texts: PackedTexts): readonly SectionInput[] {
  if (packedText(texts, 0) !== '') throw new RangeError('place record 0 must be the empty text');
  const packer = TextPacker.continuing(texts);
  const known = new Map<string | undefined, number>([[undefined, 0]]);
  const countryOf = (id: number): number => {
    const members = TO_COUNTRY.exec(packedText(texts, id))?.[0];
    if (!known.has(members)) {
      packer.text(`${members}}`);
      known.set(members, packer.end());
    }
    return known.get(members)!;
  };
  const countries = Array.from({ length: texts.offsets.length - 1 }, (_, id) => countryOf(id));
  for (const id of known.values()) countries[id] = id;
  return [...encodeRecordTexts(PLACE, packer.finish()), { id: `${PLACE}RC`, data: Uint32Array.from(countries) }];
}

const isEmpty = (record: MergedNetwork | undefined): boolean =>
  record !== undefined && record.asn === 0 && record.usageType === '' && packFlags(record) === 0;

/** @throws RangeError unless record 0 is empty, and for too many usage codes */
export function encodeNetworkRecords(
  records: readonly MergedNetwork[],
  asNames: ReadonlyMap<number, string>,
): readonly SectionInput[] {
  if (!isEmpty(records[0])) throw new RangeError('network record 0 must be the empty one');
  const usageTypes = [...new Set(['', ...records.map((record) => record.usageType)])];
  if (usageTypes.length > 256) throw new RangeError('more than 255 usage codes');
  const usageNumber = new Map(usageTypes.map((code, number) => [code, number]));
  return [
    { id: `${NETWORK}RA`, data: Uint32Array.from(records, (record) => record.asn) },
    { id: `${NETWORK}RU`, data: Uint8Array.from(records, (record) => usageNumber.get(record.usageType)!) },
    { id: `${NETWORK}RF`, data: Uint8Array.from(records, packFlags) },
    jsonSection(`${NETWORK}UT`, usageTypes),
    ...encodeAsNames(NETWORK, asNames),
  ];
}
