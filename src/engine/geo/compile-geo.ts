import type { MergedNetwork } from '../../core/place/network-facts.ts';
import { buildImage, type Image, type ImageBuffer, jsonSection, ownMemory, type SectionInput } from '../image.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6, RANGE_SECTIONS } from '../ranges/range-table6.ts';
import { encodeRecordTexts, packedText, packTexts, RECORD_SECTIONS } from '../record-texts.ts';
import {
  type EncodedTables,
  type GeoInput,
  NETWORK,
  type NetworkTables,
  PLACE,
  type PlaceTables,
} from './geo-input.ts';
import { NETWORK_FLAGS, NETWORK_SECTIONS } from './network-records.ts';

/**
 * Compiles place and network tables into one geo image.
 * @param memory where the bytes of the file are laid out
 * @returns the bytes of the file
 * @throws RangeError when an id names no record or the tables are too large for the format
 */
export function compileGeo(input: GeoInput): Uint8Array<ArrayBuffer>;
export function compileGeo<B extends ImageBuffer>(input: GeoInput, memory: (size: number) => B): Uint8Array<B>;
export function compileGeo(
  input: GeoInput,
  memory: (size: number) => ImageBuffer = ownMemory,
): Uint8Array<ImageBuffer> {
  const { place, network } = input;
  const sections = [
    jsonSection('META', input.meta),
    ...encodePlaces(place).sections,
    ...encodeNetworks(network).sections,
  ];
  return buildImage('geo', sections, memory);
}

/** The sections of the place tables, which do not depend on the rest of the image. @throws as `compileGeo` */
export function encodePlaces(place: GeoInput['place']): EncodedTables {
  if ('sections' in place) return place;
  return {
    sections:
      'reuse' in place
        ? copySections(place.reuse.image, PLACE, [...RANGE_SECTIONS, ...RECORD_SECTIONS])
        : placeSections(place),
  };
}

/** The sections of the network tables, which do not depend on the rest of the image. @throws as `compileGeo` */
export function encodeNetworks(network: GeoInput['network']): EncodedTables {
  if ('sections' in network) return network;
  return {
    sections:
      'reuse' in network
        ? copySections(network.reuse.image, NETWORK, [...RANGE_SECTIONS, ...NETWORK_SECTIONS])
        : networkSections(network),
  };
}

function copySections(image: Image, name: string, suffixes: readonly string[]): readonly SectionInput[] {
  return suffixes.map((suffix) => ({ id: name + suffix, data: image.bytes(name + suffix) }));
}

function requireIds(ids: Uint32Array, count: number, records: number, what: string): void {
  for (let i = 0; i < count; i++)
    if (ids[i]! >= records) throw new RangeError(`${what} range ${i} names record ${ids[i]} of ${records}`);
}

function placeSections({ ranges4, ranges6, records }: PlaceTables): readonly SectionInput[] {
  const texts = 'offsets' in records ? records : packTexts(records);
  const count = texts.offsets.length - 1;
  if (packedText(texts, 0) !== '') throw new RangeError('place record 0 must be the empty text');
  requireIds(ranges4.ids, ranges4.count, count, 'IPv4 place');
  requireIds(ranges6.ids, ranges6.count, count, 'IPv6 place');
  return [...encodeRanges4(PLACE, ranges4), ...encodeRanges6(PLACE, ranges6), ...encodeRecordTexts(PLACE, texts)];
}

const isEmpty = (record: MergedNetwork | undefined): boolean =>
  record !== undefined &&
  record.asn === 0 &&
  record.usageType === '' &&
  !record.hosting &&
  !record.mobile &&
  !record.crawler &&
  !record.relay;

function networkSections({ ranges4, ranges6, records }: NetworkTables): readonly SectionInput[] {
  if (!isEmpty(records[0])) throw new RangeError('network record 0 must be the empty one');
  requireIds(ranges4.ids, ranges4.count, records.length, 'IPv4 network');
  requireIds(ranges6.ids, ranges6.count, records.length, 'IPv6 network');
  const usageTypes = [...new Set(['', ...records.map((record) => record.usageType)])];
  if (usageTypes.length > 256) throw new RangeError('more than 255 usage codes');
  const usageNumber = new Map(usageTypes.map((code, number) => [code, number]));
  const flags = (record: MergedNetwork): number =>
    (record.hosting ? NETWORK_FLAGS.hosting : 0) |
    (record.mobile ? NETWORK_FLAGS.mobile : 0) |
    (record.crawler ? NETWORK_FLAGS.crawler : 0) |
    (record.relay ? NETWORK_FLAGS.relay : 0);
  return [
    ...encodeRanges4(NETWORK, ranges4),
    ...encodeRanges6(NETWORK, ranges6),
    { id: `${NETWORK}RA`, data: Uint32Array.from(records, (record) => record.asn) },
    { id: `${NETWORK}RU`, data: Uint8Array.from(records, (record) => usageNumber.get(record.usageType)!) },
    { id: `${NETWORK}RF`, data: Uint8Array.from(records, flags) },
    jsonSection(`${NETWORK}UT`, usageTypes),
  ];
}
