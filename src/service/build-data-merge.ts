import type { LayerRecord } from '../core/place/layer-record.ts';
import { type LayerRole, type PlaceTables as MergeTables, mergePlace, type Place } from '../core/place/merge-place.ts';
import { type ListMatch, type MergedNetwork, networkFacts } from '../core/place/network-facts.ts';
import type { NetworkList, PrefixColumns } from '../core/place/network-list.ts';
import { RangeBuilder, RangeRows, type RangeSet } from './build-data-ranges.ts';

/**
 * Lays partitions of one family over each other and calls `decide` once for every distinct tuple of record numbers that occurs.
 * @param decide record numbers, one a partition in the order given → merged record number. The array is reused between calls.
 */
export function sweep(family: 4 | 6, sets: readonly RangeSet[], decide: (ids: Uint32Array) => number): RangeSet {
  const width = family === 4 ? 1 : 4;
  const k = sets.length;
  const at = new Uint32Array(k);
  const ids = new Uint32Array(k);
  const memo = new TupleMemo(k, decide);
  const out = new RangeBuilder(
    family,
    sets.reduce((sum, set) => sum + set.count, 16),
  );
  for (let i = 0; i < k; i++) ids[i] = sets[i]!.ids[0]!;
  if (family === 4) out.push4(0, memo.get(ids));
  else out.push6(0, 0, 0, 0, memo.get(ids));
  for (;;) {
    let next = -1;
    for (let i = 0; i < k; i++) {
      if (at[i]! + 1 >= sets[i]!.count) continue;
      if (next < 0 || compare(sets[i]!.starts, at[i]! + 1, sets[next]!.starts, at[next]! + 1, width) < 0) next = i;
    }
    if (next < 0) return out.finish();
    const starts = sets[next]!.starts;
    const o = (at[next]! + 1) * width;
    const here = at[next]! + 1;
    for (let i = 0; i < k; i++) {
      if (i !== next && (at[i]! + 1 >= sets[i]!.count || compare(sets[i]!.starts, at[i]! + 1, starts, here, width) !== 0)) continue;
      at[i]! += 1;
      ids[i] = sets[i]!.ids[at[i]!]!;
    }
    if (family === 4) out.push4(starts[o]!, memo.get(ids));
    else out.push6(starts[o]!, starts[o + 1]!, starts[o + 2]!, starts[o + 3]!, memo.get(ids));
  }
}

function compare(left: Uint32Array, a: number, right: Uint32Array, b: number, width: number): number {
  for (let i = 0; i < width; i++) {
    const difference = left[a * width + i]! - right[b * width + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Open addressing over tuples of k numbers, all in typed arrays. */
class TupleMemo {
  readonly #k: number;
  readonly #decide: (ids: Uint32Array) => number;
  #slots: Int32Array;
  #tuples: Uint32Array;
  #values: Uint32Array;
  #count = 0;

  constructor(k: number, decide: (ids: Uint32Array) => number) {
    this.#k = k;
    this.#decide = decide;
    this.#slots = new Int32Array(1 << 16).fill(-1);
    this.#tuples = new Uint32Array(k << 15);
    this.#values = new Uint32Array(1 << 15);
  }

  get(ids: Uint32Array): number {
    const k = this.#k;
    const mask = this.#slots.length - 1;
    let slot = hash(ids, 0, k) & mask;
    for (;;) {
      const entry = this.#slots[slot]!;
      if (entry < 0) break;
      let i = 0;
      while (i < k && this.#tuples[entry * k + i] === ids[i]) i++;
      if (i === k) return this.#values[entry]!;
      slot = (slot + 1) & mask;
    }
    const value = this.#decide(ids);
    this.#slots[slot] = this.#count;
    this.#tuples.set(ids, this.#count * k);
    this.#values[this.#count++] = value;
    if (this.#count === this.#values.length) this.#grow();
    return value;
  }

  #grow(): void {
    const tuples = new Uint32Array(this.#tuples.length * 2);
    tuples.set(this.#tuples);
    this.#tuples = tuples;
    const values = new Uint32Array(this.#values.length * 2);
    values.set(this.#values);
    this.#values = values;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      let slot = hash(tuples, entry * this.#k, this.#k) & mask;
      while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry;
    }
  }
}

function hash(ids: Uint32Array, from: number, k: number): number {
  let h = 0x9e37_79b9;
  for (let i = 0; i < k; i++) {
    h = Math.imul(h ^ ids[from + i]!, 0x85eb_ca6b);
    h ^= h >>> 15;
  }
  return h >>> 0;
}

/** One family's part of a layer, as the merge takes it. */
export interface LayerPart {
  readonly role: LayerRole;
  readonly ranges: RangeSet;
  readonly records: readonly (LayerRecord | undefined)[];
}

/**
 * Merges the places of layers, most trusted first, into one partition.
 * @returns the partition and its records as JSON texts, entry 0 the empty text
 */
export function mergePlaces(family: 4 | 6, layers: readonly LayerPart[], tables: MergeTables): { readonly ranges: RangeSet; readonly records: string[] } {
  const records = [''];
  const byText = new Map<string, number>();
  const ranges = sweep(
    family,
    layers.map((layer) => layer.ranges),
    (ids) => {
      const said: { role: LayerRole; record: LayerRecord }[] = [];
      for (let i = 0; i < layers.length; i++) {
        const record = layers[i]!.records[ids[i]!];
        if (record !== undefined) said.push({ role: layers[i]!.role, record });
      }
      const place = said.length === 0 ? undefined : mergePlace(said, tables);
      if (place === undefined) return 0;
      const text = placeText(place);
      const known = byText.get(text);
      if (known !== undefined) return known;
      byText.set(text, records.length);
      return records.push(text) - 1;
    },
  );
  return { ranges, records };
}

/** A text as JSON. Most names are plain ASCII, which needs no escape. */
function quoted(text: string): string {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126 || code === 34 || code === 92) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** What `JSON.stringify` gives for a place, key by key in its own order: there are hundreds of thousands. */
export function placeText(place: Place): string {
  let text = '';
  for (const key in place) {
    const value = place[key as keyof Place];
    if (value !== undefined) text += `${text === '' ? '{' : ','}"${key}":${typeof value === 'string' ? quoted(value) : value}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Ranges of one family that a list names: 1 inside, 0 outside. */
export function listRanges(family: 4 | 6, prefixes: PrefixColumns): RangeSet {
  const rows = new RangeRows(family);
  const { words, bits } = prefixes;
  for (let i = 0; i < prefixes.length; i++) {
    if (prefixes.family[i] !== family) continue;
    const first = [0, 0, 0, 0];
    const last = [0, 0, 0, 0];
    for (let w = 0; w < (family === 4 ? 1 : 4); w++) {
      const held = bits[i]! - 32 * w;
      const mask = held <= 0 ? 0 : held >= 32 ? 0xffff_ffff : (0xffff_ffff << (32 - held)) >>> 0;
      first[w] = (words[4 * i + w]! & mask) >>> 0;
      last[w] = (first[w]! | ~mask) >>> 0;
    }
    if (family === 4) rows.add4(first[0]!, last[0]!, 1);
    else rows.add6(first, last, 1);
  }
  return rows.partition();
}

/** Merges network layers (most trusted first) and lists into one partition. Record 0 is the empty one. */
export function mergeNetworks(
  family: 4 | 6,
  layers: readonly LayerPart[],
  lists: readonly NetworkList[],
): { readonly ranges: RangeSet; readonly records: MergedNetwork[] } {
  const byAsn = new Map<number, NetworkList[]>();
  for (const list of lists)
    for (const asn of list.asns ?? []) {
      const own = byAsn.get(asn);
      if (own === undefined) byAsn.set(asn, [list]);
      else own.push(list);
    }
  const prefixed = lists.filter((list) => list.prefixes?.family.includes(family) === true);
  const knowsRoutes = layers.some(({ records }) => records.some((record) => record?.asn !== undefined));
  const records: MergedNetwork[] = [networkFacts([], [])];
  const byText = new Map<string, number>([[JSON.stringify(records[0]), 0]]);
  const ranges = sweep(family, [...layers.map((layer) => layer.ranges), ...prefixed.map((list) => listRanges(family, list.prefixes!))], (ids) => {
    const said = layers.map((layer, i) => layer.records[ids[i]!]).filter((record) => record !== undefined);
    const asn = said.find((record) => record.asn !== undefined)?.asn;
    const matches: ListMatch[] = [];
    for (let i = 0; i < prefixed.length; i++) {
      const list = prefixed[i]!;
      const holds = list.effect.unrouted !== true || (knowsRoutes && asn === undefined);
      if (holds && ids[layers.length + i] !== 0) matches.push({ list, by: 'prefix' });
    }
    if (asn !== undefined) for (const list of byAsn.get(asn) ?? []) matches.push({ list, by: 'asn' });
    const facts = networkFacts(said, matches);
    const text = JSON.stringify(facts);
    const known = byText.get(text);
    if (known !== undefined) return known;
    byText.set(text, records.length);
    return records.push(facts) - 1;
  });
  return { ranges, records };
}
