import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { rawFromChina } from './china-fields.ts';
import { type Families, type LayerData, LayerFileError, wants } from './layer-data.ts';
import { RecordTable } from './record-table.ts';

const HEADER_BYTES = 256;
const VECTOR_BYTES = 256 * 256 * 8;

interface XdbHeader {
  readonly family: 4 | 6;
  readonly indexFirst: number;
  readonly indexLast: number;
  readonly entryBytes: number;
}

/**
 * The header is `version uint16, cache policy uint16, created uint32, first index uint32, last index uint32`,
 * from version 3 on also `address version uint16, pointer bytes uint16`; all little-endian.
 */
function headerOf(bytes: Buffer): XdbHeader | undefined {
  if (bytes.length < HEADER_BYTES + VECTOR_BYTES) return undefined;
  const version = bytes.readUInt16LE(0);
  if (version !== 2 && version !== 3) return undefined;
  const family = version === 3 && bytes.readUInt16LE(16) === 6 ? 6 : 4;
  const indexFirst = bytes.readUInt32LE(8);
  const indexLast = bytes.readUInt32LE(12);
  const entryBytes = (family === 4 ? 8 : 32) + 6;
  if (indexFirst < HEADER_BYTES + VECTOR_BYTES || indexLast < indexFirst || (indexLast - indexFirst) % entryBytes !== 0)
    return undefined;
  return { family, indexFirst, indexLast, entryBytes };
}

export function isXdb(bytes: Buffer): boolean {
  return headerOf(bytes) !== undefined;
}

/**
 * Reads an ip2region `.xdb` file, structure version 2 (IPv4) or 3 (IPv4 or IPv6). Index entries: first
 * address, last address (IPv4 little-endian,
 * IPv6 in network order), data length uint16, data offset uint32. Data is UTF-8: `country|area|province|city|ISP` or
 * `country|province|city|ISP|ISO code`, distinguished by the last field.
 * @throws LayerFileError naming the offset
 */
export function readXdb(name: string, bytes: Buffer, families: Families): LayerData {
  const header = headerOf(bytes);
  if (header === undefined) throw new LayerFileError(name, 'no xdb header of version 2 or 3', { offset: 0 });
  const { family, indexFirst, indexLast, entryBytes } = header;
  if (indexLast + entryBytes > bytes.length)
    throw new LayerFileError(name, 'file ends inside its index, truncated', { offset: bytes.length });
  const table = new RecordTable();
  if (!wants(families, family)) return table.finish();
  const rows = new RangeRows(family, (indexLast - indexFirst) / entryBytes + 1);
  const byPointer = new Map<number, number>();
  let left = bytes.length;
  for (let at = indexFirst; at <= indexLast; at += entryBytes) {
    const tail = at + entryBytes - 6;
    const length = bytes.readUInt16LE(tail);
    const offset = bytes.readUInt32LE(tail + 2);
    if (offset + length > bytes.length)
      throw new LayerFileError(name, 'index points outside the data', { offset: tail });
    if (endsBeforeStart(bytes, at, family))
      throw new LayerFileError(name, 'range ends before it starts', { offset: at });
    const key = offset * 65_536 + length;
    let id = byPointer.get(key);
    if (id === undefined) {
      left -= length;
      if (left < 0) throw new LayerFileError(name, 'records lie over one another', { offset: tail });
      id = table.add(rawFromXdb(bytes.toString('utf8', offset, offset + length)));
      byPointer.set(key, id);
    }
    if (family === 4) rows.add4(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), id);
    else rows.add6(words6(bytes, at), words6(bytes, at + 16), id);
  }
  const set = rows.partition();
  return family === 4 ? { v4: set as RangeSet4, ...table.finish() } : { v6: set as RangeSet6, ...table.finish() };
}

const endsBeforeStart = (bytes: Buffer, at: number, family: 4 | 6): boolean =>
  family === 4
    ? bytes.readUInt32LE(at + 4) < bytes.readUInt32LE(at)
    : bytes.compare(bytes, at, at + 16, at + 16, at + 32) < 0;

function rawFromXdb(text: string): ReturnType<typeof rawFromChina> {
  const fields = text.split('|');
  const iso2 = /^[A-Z]{2}$/.test(fields[4] ?? '') ? fields[4] : undefined;
  return iso2 === undefined
    ? rawFromChina({ country: fields[0], region: fields[2], city: fields[3] })
    : rawFromChina({ country: fields[0], iso2, region: fields[1], city: fields[2] });
}

const words6 = (bytes: Buffer, at: number): number[] => [0, 4, 8, 12].map((i) => bytes.readUInt32BE(at + i));

const INDEX_BYTES = 12;

export function isIp2regionDb(bytes: Buffer): boolean {
  if (bytes.length < 8 + INDEX_BYTES) return false;
  const first = bytes.readUInt32LE(0);
  const last = bytes.readUInt32LE(4);
  // A note of the maker may follow the index. The index covers the whole space: its first entry starts at
  // 0.0.0.0.
  return (
    first >= 8 &&
    last >= first &&
    (last - first) % INDEX_BYTES === 0 &&
    last + INDEX_BYTES <= bytes.length &&
    bytes.readUInt32LE(first) === 0
  );
}

/**
 * Reads an ip2region v1 `.db` file (IPv4). Layout, all little-endian: `first index offset, last index
 * offset`, a header of block pointers,
 * data (city id uint32, then `country|area|province|city|ISP` in UTF-8), index entries `first address, last address, data length << 24 | data offset`.
 * @throws LayerFileError naming the offset
 */
export function readIp2regionDb(name: string, bytes: Buffer, families: Families): LayerData {
  if (!isIp2regionDb(bytes))
    throw new LayerFileError(name, 'index does not fit the file, truncated or no ip2region .db', { offset: 0 });
  const table = new RecordTable();
  if (!wants(families, 4)) return table.finish();
  const first = bytes.readUInt32LE(0);
  const last = bytes.readUInt32LE(4);
  const rows = new RangeRows(4, (last - first) / INDEX_BYTES + 1);
  const byPointer = new Map<number, number>();
  for (let at = first; at <= last; at += INDEX_BYTES) {
    const from = bytes.readUInt32LE(at);
    const to = bytes.readUInt32LE(at + 4);
    const pointer = bytes.readUInt32LE(at + 8);
    if (to < from) throw new LayerFileError(name, 'range ends before it starts', { offset: at });
    let id = byPointer.get(pointer);
    if (id === undefined) {
      const offset = pointer & 0xff_ffff;
      const length = pointer >>> 24;
      if (length < 5 || offset + length > bytes.length)
        throw new LayerFileError(name, 'index points outside the data', { offset: at + 8 });
      const [country, , region, city] = bytes.toString('utf8', offset + 4, offset + length).split('|');
      id = table.add(rawFromChina({ country, region, city }));
      byPointer.set(pointer, id);
    }
    rows.add4(from, to, id);
  }
  return { v4: rows.partition() as RangeSet4, ...table.finish() };
}
