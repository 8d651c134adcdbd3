import type { LayerRecord } from '../core/place/layer-record.ts';
import { type LayerRole, type PlaceTables as MergeTables, mergePlace, type Place } from '../core/place/merge-place.ts';
import { type ListMatch, type MergedNetwork, networkFacts } from '../core/place/network-facts.ts';
import type { NetworkList, PrefixColumns } from '../core/place/network-list.ts';
import { type PackedTexts, TextPacker } from '../engine/record-texts.ts';
import { emptyRanges, RangeBuilder, RangeRows, type RangeSet } from './build-data-ranges.ts';

/**
 * Lays partitions of one family over each other and calls `decide` once for every distinct tuple of record numbers that occurs.
 * The largest partition is walked in stretches over which the others stay the same, and they are laid over each other first in the same way, so that
 * the many boundaries of one large file do not pay for how many small ones there are.
 * @param decide record numbers, one a partition in the order given → merged record number. The array is reused between calls.
 */
export function sweep(family: 4 | 6, sets: readonly RangeSet[], decide: (ids: Uint32Array) => number): RangeSet {
  const ids = new Uint32Array(sets.length);
  if (sets.length === 0) return { ...emptyRanges(family), ids: Uint32Array.of(decide(ids)) };
  const largest = sets.reduce((best, set, i) => (set.count > sets[best]!.count ? i : best), 0);
  /** What the other partitions say together, numbered; 0: nothing. */
  const tuples = [new Uint32Array(sets.length - 1)];
  const others = sweep(family, sets.toSpliced(largest, 1), (some) => (some.every((id) => id === 0) ? 0 : tuples.push(some.slice()) - 1));
  return overlay(family, sets[largest]!, others, (id, tuple) => {
    const rest = tuples[tuple]!;
    for (let i = 0; i < rest.length; i++) ids[i < largest ? i : i + 1] = rest[i]!;
    ids[largest] = id;
    return decide(ids);
  });
}

/** Lays a small partition over a large one; `decide` is called once for each pair of numbers. */
function overlay(family: 4 | 6, large: RangeSet, small: RangeSet, decide: (id: number, over: number) => number): RangeSet {
  const out = new RangeBuilder(family, large.count + small.count + 16);
  const merged = new PairMemo(decide);
  let at = 0;
  for (let j = 0; j < small.count; j++) {
    const over = small.ids[j]!;
    if (j > 0) {
      while (at + 1 < large.count && compare(large, at + 1, small, j) <= 0) at++;
      out.pushStart(small, j, merged.get(large.ids[at]!, over));
    } else out.pushStart(large, 0, merged.get(large.ids[0]!, over));
    const end = j + 1 < small.count ? firstFrom(large, at + 1, small, j + 1) : large.count;
    out.pushStretch(large, at + 1, end, (id) => merged.get(id, over));
    at = end - 1;
  }
  return out.finish();
}

/** First range of `set`, from `from` on, that does not start before the range `j` of `other`. */
function firstFrom(set: RangeSet, from: number, other: RangeSet, j: number): number {
  let low = from;
  let step = 1;
  while (low + step <= set.count && compare(set, low + step - 1, other, j) < 0) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, set.count);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(set, middle, other, j) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(left: RangeSet, a: number, right: RangeSet, b: number): number {
  const width = left.family === 4 ? 1 : 4;
  for (let i = 0; i < width; i++) {
    const difference = left.starts[a * width + i]! - right.starts[b * width + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Merged number of a pair of numbers. Nearly all pairs are of one number and nothing over it: those have a table of their own. */
class PairMemo {
  readonly #decide: (id: number, over: number) => number;
  /** Merged number plus one by number; 0 where it was not asked for yet. */
  #alone = new Uint32Array(1 << 16);
  readonly #pairs = new Map<number, number>();

  constructor(decide: (id: number, over: number) => number) {
    this.#decide = decide;
  }

  get(id: number, over: number): number {
    if (over === 0) {
      const known = id < this.#alone.length ? this.#alone[id]! : 0;
      return known !== 0 ? known - 1 : this.#single(id);
    }
    const key = over * 0x1_0000_0000 + id;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const merged = this.#decide(id, over);
    this.#pairs.set(key, merged);
    return merged;
  }

  #single(id: number): number {
    if (id >= this.#alone.length) {
      const larger = new Uint32Array(Math.max(2 * this.#alone.length, id + 1));
      larger.set(this.#alone);
      this.#alone = larger;
    }
    const merged = this.#decide(id, 0);
    this.#alone[id] = merged + 1;
    return merged;
  }
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
export function mergePlaces(family: 4 | 6, layers: readonly LayerPart[], tables: MergeTables): { readonly ranges: RangeSet; readonly records: PackedTexts } {
  const records = new TextPacker(layers.reduce((most, layer) => Math.max(most, layer.records.length), 0));
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
      return place === undefined ? 0 : packPlace(records, place);
    },
  );
  return { ranges, records: records.finish() };
}

const KEYS = [
  'continent',
  'country',
  'subdivision',
  'admin_code',
  'region',
  'city',
  'district',
  'tz',
  'lat',
  'lon',
] as const satisfies readonly (keyof Place)[];
/** `,"key":` of each, and the same as the first key of an object. */
const HEADS = KEYS.map((key) => new TextEncoder().encode(`,"${key}":`));
const OPEN_HEADS = KEYS.map((key) => new TextEncoder().encode(`{"${key}":`));
const CLOSE = new TextEncoder().encode('}');

/** Packs what `JSON.stringify` gives for a place. @returns the text's number; 0 for a place that says nothing */
export function packPlace(texts: TextPacker, place: Place): number {
  let heads = OPEN_HEADS;
  for (let i = 0; i < KEYS.length; i++) {
    const value = place[KEYS[i]!];
    if (value === undefined) continue;
    texts.ascii(heads[i]!);
    heads = HEADS;
    if (typeof value === 'string') texts.quoted(value);
    else texts.decimal(value);
  }
  if (heads === HEADS) texts.ascii(CLOSE);
  return texts.end();
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
  const byKey = new Map<string, number>([[networkKey(records[0]!), 0]]);
  const ranges = sweep(family, [...layers.map((layer) => layer.ranges), ...prefixed.map((list) => listRanges(family, list.prefixes!))], (ids) => {
    const said: LayerRecord[] = [];
    let asn: number | undefined;
    for (let i = 0; i < layers.length; i++) {
      const record = layers[i]!.records[ids[i]!];
      if (record === undefined) continue;
      said.push(record);
      asn ??= record.asn;
    }
    const matches: ListMatch[] = [];
    for (let i = 0; i < prefixed.length; i++) {
      const list = prefixed[i]!;
      const holds = list.effect.unrouted !== true || (knowsRoutes && asn === undefined);
      if (holds && ids[layers.length + i] !== 0) matches.push({ list, by: 'prefix' });
    }
    if (asn !== undefined) for (const list of byAsn.get(asn) ?? []) matches.push({ list, by: 'asn' });
    const facts = networkFacts(said, matches);
    const key = networkKey(facts);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    byKey.set(key, records.length);
    return records.push(facts) - 1;
  });
  return { ranges, records };
}

/** Equal for equal records alone. */
export const networkKey = ({ asn, usageType, hosting, mobile, crawler, relay }: MergedNetwork): string =>
  `${asn} ${Number(hosting) | (Number(mobile) << 1) | (Number(crawler) << 2) | (Number(relay) << 3)} ${usageType}`;
