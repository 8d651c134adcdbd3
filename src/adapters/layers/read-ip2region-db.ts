import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet4 } from '../../engine/ranges/range-set.ts';
import { rawFromChina } from './china-fields.ts';
import { type Families, type LayerData, LayerFileError, wants } from './layer-data.ts';
import { RecordTable } from './record-table.ts';

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
