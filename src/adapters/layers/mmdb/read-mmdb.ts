import { isRecord } from '../../../core/kit/json.ts';
import { bestOf, LAYER_FIELDS, type LayerField, type RawRecord } from '../../../core/place/layer-record.ts';
import { RangeBuilder } from '../../../engine/ranges/range-builder.ts';
import type { RangeSet4, RangeSet6 } from '../../../engine/ranges/range-set.ts';
import { type Families, type LayerData, LayerFileError, wants } from '../layer-data.ts';
import { RecordTable } from '../record-table.ts';
import { Decoder } from './decoder.ts';
import { type MmdbFile, openMmdb } from './open-mmdb.ts';

type Fields = Readonly<Record<string, unknown>>;

const part = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const english = (value: unknown): unknown => part(part(value, 'names'), 'en');

/**
 * Names the fields of a record in any of the layouts in use: GeoIP2, GeoLite2 and DB-IP's own files (nested,
 * `names.en`), ip-location-db (flat: country_code, state1, city …), IPinfo (flat: country, region, city, lat,
 * lng, asn "AS…"), ipapi.is (flat, or flat within `location`). The record itself shows the layout.
 */
function rawFromMmdb(value: unknown): RawRecord {
  if (!isRecord(value)) return {};
  const { location } = value;
  if (isRecord(location) && typeof location['country_code'] === 'string') return flat({ ...value, ...location });
  return isRecord(value.country) ||
    isRecord(value.location) ||
    isRecord(value.city) ||
    isRecord(value.continent) ||
    isRecord(value.traits)
    ? nested(value)
    : flat(value);
}

function nested(value: Fields): RawRecord {
  const subdivisions = value.subdivisions;
  const location = value.location;
  const traits = value.traits;
  return {
    country: part(value.country, 'iso_code'),
    region: Array.isArray(subdivisions) ? english(subdivisions[0]) : undefined,
    city: english(value.city),
    lat: part(location, 'latitude'),
    lon: part(location, 'longitude'),
    tz: part(location, 'time_zone'),
    asn: value.autonomous_system_number ?? part(traits, 'autonomous_system_number'),
    asName: value.autonomous_system_organization ?? part(traits, 'autonomous_system_organization'),
    hosting: part(traits, 'is_hosting_provider') ?? part(traits, 'user_type') === 'hosting',
    mobile: part(traits, 'connection_type') === 'Cellular' || part(traits, 'user_type') === 'cellular',
  };
}

const SLOTS: readonly string[] = [...Object.values(LAYER_FIELDS).flat(), 'connection_type'];
const SLOT_OF: ReadonlyMap<string, number> = new Map(SLOTS.map((name, slot) => [name, slot]));

/** Gives the slot of a flat record's key for `rawFromCells`; -1 for a key without meaning here. */
const flatSlot = (key: string): number => SLOT_OF.get(key) ?? -1;

const flatCells = (): unknown[] => new Array<unknown>(SLOTS.length).fill(undefined);

const SPANS = Object.entries(LAYER_FIELDS).map(
  ([field, names]) => [field as LayerField, flatSlot(names[0]), flatSlot(names.at(-1)!)] as const,
);
const CONNECTION = SLOTS.indexOf('connection_type');

/** Names of one field are adjacent. `connection_type` is a text of its own meaning. */
function rawFromCells(cells: readonly unknown[]): RawRecord {
  const raw: RawRecord = {};
  for (const [field, first, last] of SPANS)
    for (let slot = first; slot <= last; slot++)
      if (cells[slot] !== undefined) raw[field] = bestOf(field, raw[field], cells[slot]);
  if (cells[CONNECTION] === 'Cellular') raw.mobile ??= true;
  return raw;
}

function flat(value: Fields): RawRecord {
  return rawFromCells(SLOTS.map((key) => value[key]));
}

/**
 * Reads an MMDB file of any known layout (see raw-from-mmdb.ts) by one walk of its tree: no lookups, no
 * object per leaf, each distinct record decoded once, equal neighbours merged.
 * @throws LayerFileError
 */
export function readMmdb(name: string, bytes: Buffer, families: Families): LayerData {
  const file = openMmdb(name, bytes);
  const interner = new RecordInterner(file);
  const v4Root = file.ipVersion === 4 ? 0 : findV4Root(file);
  const v4 = wants(families, 4) ? walk(file, 4, v4Root, -1, interner) : undefined;
  // In an IPv6 tree the IPv4 part is at ::/96; other places that lead to the same node (::ffff:0:0/96,
  // 2002::/16) are aliases.
  const v6 = wants(families, 6) && file.ipVersion === 6 ? walk(file, 6, 0, v4Root, interner) : undefined;
  return {
    ...(v4 && { v4: v4 as RangeSet4 }),
    ...(v6 && { v6: v6 as RangeSet6 }),
    ...interner.table.finish(),
  };
}

/** A file holds a record once, so its position is its identity. */
class RecordInterner {
  readonly table = new RecordTable();
  readonly #file: MmdbFile;
  readonly #byOffset = new OffsetTable();
  readonly #decoder: Decoder;
  readonly #cells = flatCells();

  constructor(file: MmdbFile) {
    this.#file = file;
    this.#decoder = new Decoder(file, new Map());
  }

  id(value: number, nodeOffset: number): number {
    const file = this.#file;
    const at = value - file.nodeCount - 16;
    if (at < 0 || at >= file.dataEnd - file.dataStart)
      throw new LayerFileError(file.name, 'search tree points outside the data section', { offset: nodeOffset });
    const known = this.#byOffset.get(at);
    if (known >= 0) return known;
    const id = this.table.append(this.#raw(file.dataStart + at));
    this.#byOffset.set(at, id);
    return id;
  }

  #raw(offset: number): RawRecord {
    const cells = this.#cells.fill(undefined);
    return this.#decoder.scalars(offset, flatSlot, cells)
      ? rawFromCells(cells)
      : rawFromMmdb(this.#decoder.value(offset));
  }
}

/**
 * Maps offsets to numbers by open addressing without a hash: records are dozens of bytes long, so an offset's
 * upper bits spread them well enough, and neighbours in the file stay neighbours in memory.
 */
class OffsetTable {
  #cells = new Uint32Array(1 << 17);
  #count = 0;

  get(offset: number): number {
    const cells = this.#cells;
    for (let cell = this.#start(offset); ; cell = (cell + 2) & (cells.length - 1)) {
      if (cells[cell] === offset + 1) return cells[cell + 1]!;
      if (cells[cell] === 0) return -1;
    }
  }

  set(offset: number, value: number): void {
    if (4 * ++this.#count > this.#cells.length) {
      const before = this.#cells;
      this.#cells = new Uint32Array(2 * before.length);
      for (let cell = 0; cell < before.length; cell += 2)
        if (before[cell] !== 0) this.#put(before[cell]!, before[cell + 1]!);
    }
    this.#put(offset + 1, value);
  }

  #put(key: number, value: number): void {
    const cells = this.#cells;
    let cell = this.#start(key - 1);
    while (cells[cell] !== 0) cell = (cell + 2) & (cells.length - 1);
    cells[cell] = key;
    cells[cell + 1] = value;
  }

  #start(offset: number): number {
    return ((offset >>> 4) << 1) & (this.#cells.length - 1);
  }
}

type Side = (node: number) => number;

/** Each record size has its own readers of a node's left and right record (specification, "Node Layout"). */
function sides({ bytes, recordSize }: MmdbFile): readonly [Side, Side] {
  if (recordSize === 24)
    return [
      (node) => (bytes[node * 6]! << 16) | (bytes[node * 6 + 1]! << 8) | bytes[node * 6 + 2]!,
      (node) => (bytes[node * 6 + 3]! << 16) | (bytes[node * 6 + 4]! << 8) | bytes[node * 6 + 5]!,
    ];
  if (recordSize === 28)
    return [
      (node) =>
        ((bytes[node * 7 + 3]! & 0xf0) << 20) |
        (bytes[node * 7]! << 16) |
        (bytes[node * 7 + 1]! << 8) |
        bytes[node * 7 + 2]!,
      (node) =>
        ((bytes[node * 7 + 3]! & 0x0f) << 24) |
        (bytes[node * 7 + 4]! << 16) |
        (bytes[node * 7 + 5]! << 8) |
        bytes[node * 7 + 6]!,
    ];
  return [(node) => bytes.readUInt32BE(node * 8), (node) => bytes.readUInt32BE(node * 8 + 4)];
}

function findV4Root(file: MmdbFile): number {
  const [left] = sides(file);
  let node = 0;
  for (let depth = 0; depth < 96 && node < file.nodeCount; depth++) node = left(node);
  return node;
}

/**
 * Walks depth-first, left before right, so ranges come out in address order. The stack holds the right
 * branches still to be visited; a bit of the path is set when its right branch is taken and everything below
 * it is cleared.
 */
function walk(
  file: MmdbFile,
  family: 4 | 6,
  root: number,
  alias: number,
  interner: RecordInterner,
): RangeSet4 | RangeSet6 {
  const { nodeCount, recordSize } = file;
  const [left, right] = sides(file);
  const depthMax = family === 4 ? 32 : 128;
  const out = new RangeBuilder(family, Math.min(nodeCount + 16, 1 << 24));
  const path = new Uint32Array(4);
  const stackNode = new Uint32Array(depthMax + 1);
  const stackDepth = new Uint8Array(depthMax + 1);
  let stacked = 0;
  let node = root;
  let depth = 0;
  // A sound tree is visited at most once a node, plus aliases; far more means that branches lead back up.
  let budget = 4 * nodeCount + 1024;
  for (;;) {
    if (--budget < 0)
      throw new LayerFileError(file.name, 'search tree folds back on itself', { offset: node * (recordSize / 4) });
    if (node < nodeCount && !(node === alias && depth > 0)) {
      if (depth >= depthMax)
        throw new LayerFileError(file.name, 'search tree is deeper than an address', {
          offset: node * (recordSize / 4),
        });
      depth++;
      stackNode[stacked] = right(node);
      stackDepth[stacked++] = depth;
      node = left(node);
      continue;
    }
    const id = node <= nodeCount ? 0 : interner.id(node, 0);
    if (family === 4) out.push4(path[0]!, id);
    else out.push6(path[0]!, path[1]!, path[2]!, path[3]!, id);
    if (stacked === 0) return out.finish();
    node = stackNode[--stacked]!;
    depth = stackDepth[stacked]!;
    takeRight(path, depth);
  }
}

function takeRight(path: Uint32Array, depth: number): void {
  const word = (depth - 1) >>> 5;
  const bit = (depth - 1) & 31;
  path[word] = ((path[word]! & ~(0xffff_ffff >>> bit)) | (0x8000_0000 >>> bit)) >>> 0;
  for (let i = word + 1; i < 4; i++) path[i] = 0;
}
