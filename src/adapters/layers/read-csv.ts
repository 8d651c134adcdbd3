import { splitRow } from '../../core/csv/split-row.ts';
import type { Address } from '../../core/ip/address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { compareAddresses, lastAddress, parsePrefix } from '../../core/ip/prefix.ts';
import { LAYER_FIELDS, type LayerField, type RawRecord } from '../../core/place/layer-record.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { type Families, type LayerData, LayerFileError, wants } from './layer-data.ts';
import { RecordTable } from './record-table.ts';

/** Column → its content. `first`+`last` or `network` place the row. */
export type CsvColumn = 'first' | 'last' | 'network' | LayerField | undefined;

/** Header names of the files in use, lower case without spaces, dashes and underscores. */
const HEADERS: Readonly<Record<string, CsvColumn>> = {
  start: 'first', startip: 'first', ipstart: 'first', iprangestart: 'first', rangestart: 'first', first: 'first', ipfrom: 'first', from: 'first',
  end: 'last', endip: 'last', ipend: 'last', iprangeend: 'last', rangeend: 'last', last: 'last', ipto: 'last', to: 'last',
  network: 'network', prefix: 'network', cidr: 'network', ip: 'network', iprange: 'network', range: 'network',
  ...Object.fromEntries(
    Object.entries(LAYER_FIELDS).flatMap(([field, names]) => names.map((name) => [name.replaceAll('_', ''), field as LayerField])),
  ),
}; // biome-ignore format: grouped by meaning

/** RFC 8805 section 2.1.1: prefix, country, region (ISO 3166-2), city, postal code. */
export const GEOFEED_COLUMNS: readonly CsvColumn[] = ['network', 'country', 'region', 'city', undefined];
/** ip-location-db `asn-ipv4.csv`, `asn-ipv6.csv` and their `-num` forms. */
const ASN_COLUMNS: readonly CsvColumn[] = ['first', 'last', 'asn', 'asName'];

/** A file may name a column `constructor`. */
const columnNamed = (header: string): CsvColumn => (Object.hasOwn(HEADERS, header) ? HEADERS[header] : undefined);

/** Columns by the first line, or undefined when it names no range and so is data. */
function columnsOf(line: string): readonly CsvColumn[] | undefined {
  const columns = splitRow(line).map((cell) => columnNamed(cell.toLowerCase().replace(/[\s_-]/g, '')));
  return columns.includes('network') || (columns.includes('first') && columns.includes('last')) ? columns : undefined;
}

/** Columns of a file without a header, by the shape of its first row; undefined when it is nothing known. */
function guessColumns(line: string): readonly CsvColumn[] | undefined {
  const cells = splitRow(line);
  if (cells.length >= 3 && address(cells[0]!, 4) && address(cells[1]!, 4) && /^\d+$/.test(cells[2]!))
    return ASN_COLUMNS;
  if (cells.length >= 3 && address(cells[0]!, 4) && address(cells[1]!, 4) && /^[A-Za-z]{2}$/.test(cells[2]!))
    return cells.length === 3
      ? ['first', 'last', 'country']
      : ['first', 'last', 'country', 'region', undefined, 'city', undefined, 'lat', 'lon', 'tz'];
  if (cells.length >= 2 && parsePrefix(cells[0]!) && /^([A-Za-z]{2})?$/.test(cells[1]!)) return GEOFEED_COLUMNS;
  return undefined;
}

/**
 * Reads a CSV file. Columns come from `columns`, else from its header, else from the shape of the first row. Rows may nest and overlap:
 * the more specific one wins. Lines that start with # are comments.
 * @throws LayerFileError naming the line; a file is taken whole or not at all
 */
export function readCsv(name: string, bytes: Buffer, families: Families, columns?: readonly CsvColumn[]): LayerData {
  const rows = new CsvRows(name, families);
  const reader = new LineReader(bytes);
  let layout = columns;
  for (let text = reader.next(); text !== undefined; text = reader.next()) {
    if (text === '' || text.startsWith('#')) continue;
    if (layout === undefined) {
      layout = columnsOf(text);
      if (layout !== undefined) continue;
      layout = guessColumns(text);
      if (layout === undefined)
        throw new LayerFileError(name, 'no header with network, or start and end, and no known form without one', {
          line: reader.line,
        });
    }
    rows.add(text, layout, reader.line);
  }
  if (layout === undefined) throw new LayerFileError(name, 'holds no rows');
  return rows.finish();
}

class CsvRows {
  readonly #name: string;
  readonly #families: Families;
  readonly #rows4: RangeRows;
  readonly #rows6: RangeRows;
  readonly #table = new RecordTable();
  /** Record number by the cells that make it: neighbouring rows say the same again and again. */
  readonly #byCells = new Map<string, number>();

  constructor(name: string, families: Families) {
    this.#name = name;
    this.#families = families;
    this.#rows4 = new RangeRows(4, wants(families, 4) ? 1 << 16 : 1);
    this.#rows6 = new RangeRows(6, wants(families, 6) ? 1 << 16 : 1);
  }

  add(text: string, layout: readonly CsvColumn[], line: number): void {
    const cells = splitRow(text, ',', 1 + layout.findLastIndex((column) => column !== undefined));
    let first: Address | undefined;
    let last: Address | undefined;
    let said = '';
    for (let i = 0; i < layout.length; i++) {
      const column = layout[i];
      const cell = cells[i];
      if (column === undefined || cell === undefined) continue;
      if (column === 'first') first = address(cell, 4);
      else if (column === 'last') last = address(cell, first?.family ?? 4);
      else if (column === 'network') {
        const prefix = parsePrefix(cell);
        first = prefix;
        last = prefix && lastAddress(prefix);
      } else said += `${cell}\n`;
    }
    if (first === undefined || last === undefined || first.family !== last.family)
      throw new LayerFileError(this.#name, 'row has no readable range', { line });
    if (compareAddresses(first, last) > 0)
      throw new LayerFileError(this.#name, 'range ends before it starts', { line });
    if (!wants(this.#families, first.family)) return;
    let id = this.#byCells.get(said);
    if (id === undefined) {
      id = this.#table.add(rawFrom(cells, layout));
      this.#byCells.set(said, id);
    }
    if (first.family === 4) this.#rows4.add4(first.w0, last.w0, id);
    else this.#rows6.add6([first.w0, first.w1, first.w2, first.w3], [last.w0, last.w1, last.w2, last.w3], id);
  }

  finish(): LayerData {
    return {
      ...(this.#rows4.length > 0 && { v4: this.#rows4.partition() as RangeSet4 }),
      ...(this.#rows6.length > 0 && { v6: this.#rows6.partition() as RangeSet6 }),
      records: this.#table.records,
    };
  }
}

function rawFrom(cells: readonly string[], layout: readonly CsvColumn[]): RawRecord {
  const raw: RawRecord = {};
  layout.forEach((column, i) => {
    const cell = cells[i];
    if (
      column !== undefined &&
      column !== 'first' &&
      column !== 'last' &&
      column !== 'network' &&
      cell !== undefined &&
      cell !== ''
    )
      raw[column] = cell;
  });
  return raw;
}

/** An address as text or as a whole number (below 2^32: IPv4 unless the row's first address was IPv6). */
function address(cell: string, family: 4 | 6): Address | undefined {
  const parsed = parseAnyAddress(cell);
  if (parsed !== undefined || !/^\d{1,39}$/.test(cell)) return parsed;
  const value = BigInt(cell);
  if (value >> 128n) return undefined;
  const word = (shift: bigint): number => Number((value >> shift) & 0xffff_ffffn);
  return value >> 32n || family === 6
    ? { family: 6, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) }
    : { family: 4, w0: Number(value), w1: 0, w2: 0, w3: 0 };
}

/** Lines of a file as text, one at a time, without ever making the whole file a string. */
class LineReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** Number of the line last returned, from 1. */
  line = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3;
  }

  next(): string | undefined {
    if (this.#at >= this.#bytes.length) return undefined;
    let end = this.#bytes.indexOf(10, this.#at);
    if (end < 0) end = this.#bytes.length;
    const text = this.#bytes.toString('utf8', this.#at, end).trim();
    this.#at = end + 1;
    this.line++;
    return text;
  }
}
