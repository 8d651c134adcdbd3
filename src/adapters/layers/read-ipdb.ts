import { bestOf, LAYER_FIELDS, type LayerField, type RawRecord } from '../../core/place/layer-record.ts';
import { said } from '../../core/texts/said.ts';
import { RangeBuilder } from '../../engine/ranges/range-builder.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { rawFromChina } from './china-fields.ts';
import { type Families, type LayerData, LayerFileError, wants } from './layer-data.ts';
import { RecordTable } from './record-table.ts';

interface IpdbMeta {
  readonly build?: number;
  readonly ip_version: number;
  readonly node_count: number;
  readonly languages: Readonly<Record<string, number>>;
  readonly fields: readonly string[];
  readonly total_size: number;
}

export function isIpdb(bytes: Buffer): boolean {
  return metaOf(bytes) !== undefined;
}

function metaOf(bytes: Buffer): { readonly meta: IpdbMeta; readonly start: number } | undefined {
  if (bytes.length < 8 || bytes[4] !== 0x7b) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > 65_536 || 4 + length > bytes.length) return undefined;
  try {
    const meta = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as IpdbMeta;
    const sound =
      Number.isSafeInteger(meta.node_count) &&
      meta.node_count >= 0 &&
      Array.isArray(meta.fields) &&
      typeof meta.languages === 'object' &&
      meta.languages !== null;
    return sound ? { meta, start: 4 + length } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads an IPDB file: `length uint32, JSON header`, then a binary trie of two uint32 a node, then data
 * (`length uint16`, tab-separated fields). A child above `node_count` is data at `child - node_count + 8 ×
 * node_count`. IPv4 hangs at ::ffff:0:0/96. `ip_version` bit 0 is IPv4, bit 1 IPv6. The Chinese column set is
 * read where the file has one, the English one else.
 * @throws LayerFileError naming the offset
 */
export function readIpdb(name: string, bytes: Buffer, families: Families): LayerData {
  const head = metaOf(bytes);
  if (head === undefined) throw new LayerFileError(name, 'no IPDB header', { offset: 0 });
  const { meta, start } = head;
  const file = new IpdbFile(name, bytes, start, meta);
  const v4Root = file.v4Root();
  const v4 = wants(families, 4) && meta.ip_version & 1 ? file.walk(4, v4Root, -1) : undefined;
  const v6 = wants(families, 6) && meta.ip_version & 2 ? file.walk(6, 0, v4Root) : undefined;
  return { ...(v4 && { v4: v4 as RangeSet4 }), ...(v6 && { v6: v6 as RangeSet6 }), ...file.table.finish() };
}

class IpdbFile {
  readonly table = new RecordTable();
  readonly #name: string;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #nodes: number;
  readonly #fields: readonly string[];
  readonly #skip: number;
  readonly #byNode = new Map<number, number>();
  /** Records of a sound file do not overlap, which bounds the bytes to read. */
  #left: number;

  constructor(name: string, bytes: Buffer, start: number, meta: IpdbMeta) {
    this.#name = name;
    this.#bytes = bytes;
    this.#start = start;
    this.#nodes = meta.node_count;
    this.#left = bytes.length;
    this.#fields = meta.fields;
    this.#skip = meta.languages.CN ?? meta.languages.EN ?? 0;
    if (start + this.#nodes * 8 > bytes.length)
      throw new LayerFileError(name, said('tree of {nodes} nodes runs past the file', { nodes: this.#nodes }), {
        offset: bytes.length,
      });
    if (meta.total_size !== bytes.length - start)
      throw new LayerFileError(
        name,
        said('header names {named} bytes of data, the file has {found}', {
          named: meta.total_size,
          found: bytes.length - start,
        }),
        { offset: start },
      );
  }

  v4Root(): number {
    let node = 0;
    for (let depth = 0; depth < 96 && node < this.#nodes; depth++) node = this.#child(node, depth >= 80 ? 1 : 0);
    return node;
  }

  walk(family: 4 | 6, root: number, alias: number): RangeSet4 | RangeSet6 {
    const depthMax = family === 4 ? 32 : 128;
    const out = new RangeBuilder(family, this.#nodes + 16);
    const visit = (node: number, depth: number, path: readonly [number, number, number, number]): void => {
      if (node >= this.#nodes || (node === alias && depth > 0)) {
        const id = node > this.#nodes && node !== alias ? this.#record(node) : 0;
        if (family === 4) out.push4(path[0], id);
        else out.push6(...path, id);
        return;
      }
      if (depth >= depthMax)
        throw new LayerFileError(this.#name, 'tree is deeper than an address', { offset: this.#start + node * 8 });
      if (--budget < 0)
        throw new LayerFileError(this.#name, 'tree folds back on itself', { offset: this.#start + node * 8 });
      visit(this.#child(node, 0), depth + 1, path);
      const right: [number, number, number, number] = [...path];
      right[depth >>> 5] = (right[depth >>> 5]! | (0x8000_0000 >>> (depth & 31))) >>> 0;
      visit(this.#child(node, 1), depth + 1, right);
    };
    let budget = 4 * this.#nodes + 1024;
    visit(root, 0, [0, 0, 0, 0]);
    return out.finish();
  }

  #child(node: number, side: 0 | 1): number {
    return this.#bytes.readUInt32BE(this.#start + node * 8 + side * 4);
  }

  #record(node: number): number {
    const known = this.#byNode.get(node);
    if (known !== undefined) return known;
    const at = this.#start + node - this.#nodes + this.#nodes * 8;
    if (at + 2 > this.#bytes.length || at + 2 + this.#bytes.readUInt16BE(at) > this.#bytes.length)
      throw new LayerFileError(this.#name, 'tree points outside the data', {
        offset: Math.min(at, this.#bytes.length),
      });
    this.#left -= this.#bytes.readUInt16BE(at);
    if (this.#left < 0) throw new LayerFileError(this.#name, 'records lie over one another', { offset: at });
    const cells = this.#bytes.toString('utf8', at + 2, at + 2 + this.#bytes.readUInt16BE(at)).split('\t');
    const id = this.table.add(this.#raw(cells));
    this.#byNode.set(node, id);
    return id;
  }

  #raw(cells: readonly string[]): RawRecord {
    const has = (field: string): string | undefined => {
      const column = this.#fields.indexOf(field);
      return column < 0 ? undefined : cells[this.#skip + column];
    };
    const raw: Partial<Record<LayerField, string | undefined>> = {};
    for (const [field, names] of Object.entries(LAYER_FIELDS))
      raw[field as LayerField] = names
        .map(has)
        .reduce((known, cell) => bestOf(field as LayerField, known, cell) as string | undefined, undefined);
    const { country: iso2, region, city, district, ...more } = raw;
    return { ...more, ...rawFromChina({ country: has('country_name'), iso2, region, city, district }) };
  }
}
