import type { MergedNetwork } from '../../core/place/network-facts.ts';
import { type Image, jsonSection, type SectionInput } from '../image.ts';
import type { RangeSet } from '../ranges/range-set.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6, RANGE_SECTIONS } from '../ranges/range-table6.ts';
import { encodeRecordTexts, type PackedTexts, packedText, RECORD_SECTIONS } from '../record-texts.ts';
import { encodeAsNames } from './as-names.ts';
import { type EncodedTables, type GeoTable, NETWORK, PLACE } from './geo-meta.ts';
import { NETWORK_FLAGS, NETWORK_SECTIONS } from './network-records.ts';

/** The sections of a table that another image has, to be laid out in a new one. */
export function copyTable(image: Image, table: GeoTable): EncodedTables {
  const records = table === PLACE ? RECORD_SECTIONS : NETWORK_SECTIONS;
  return {
    sections: [...RANGE_SECTIONS, ...records].map((suffix) => ({
      id: table + suffix,
      data: image.bytes(table + suffix),
    })),
  };
}

/** The ranges of one family. @param records how many ids may name @param consume ranges are not used again */
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

/** @throws RangeError unless record 0 is empty */
export function encodePlaceRecords(texts: PackedTexts): readonly SectionInput[] {
  if (packedText(texts, 0) !== '') throw new RangeError('place record 0 must be the empty text');
  return encodeRecordTexts(PLACE, texts);
}

const isEmpty = (record: MergedNetwork | undefined): boolean =>
  record !== undefined &&
  record.asn === 0 &&
  record.usageType === '' &&
  !record.hosting &&
  !record.mobile &&
  !record.crawler &&
  !record.relay;

/** @throws RangeError unless record 0 is empty, and for too many usage codes */
export function encodeNetworkRecords(
  records: readonly MergedNetwork[],
  asNames: ReadonlyMap<number, string>,
): readonly SectionInput[] {
  if (!isEmpty(records[0])) throw new RangeError('network record 0 must be the empty one');
  const usageTypes = [...new Set(['', ...records.map((record) => record.usageType)])];
  if (usageTypes.length > 256) throw new RangeError('more than 255 usage codes');
  const usageNumber = new Map(usageTypes.map((code, number) => [code, number]));
  const flags = (record: MergedNetwork): number =>
    (record.hosting ? NETWORK_FLAGS.hosting : 0) |
    (record.mobile ? NETWORK_FLAGS.mobile : 0) |
    (record.crawler ? NETWORK_FLAGS.crawler : 0) |
    (record.relay ? NETWORK_FLAGS.relay : 0);
  return [
    { id: `${NETWORK}RA`, data: Uint32Array.from(records, (record) => record.asn) },
    { id: `${NETWORK}RU`, data: Uint8Array.from(records, (record) => usageNumber.get(record.usageType)!) },
    { id: `${NETWORK}RF`, data: Uint8Array.from(records, flags) },
    jsonSection(`${NETWORK}UT`, usageTypes),
    ...encodeAsNames(NETWORK, asNames),
  ];
}
