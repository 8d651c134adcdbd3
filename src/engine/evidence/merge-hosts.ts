import type { SectionInput } from '../image.ts';
import type { AddressHash } from './address-hash.ts';
import type { EvidenceDelta } from './evidence-delta.ts';
import { bucketShift, ROW_WORDS, SET } from './evidence-row.ts';
import { type HostTable, hostSections } from './host-table.ts';
import { CHANGE_WORDS, type RowChanges } from './row-changes.ts';
import type { RowSets } from './row-sets.ts';
import { compareEntries, sortEntries } from './sort-entries.ts';

/** Sections of a host table (see host-table.ts) after the changes to single addresses: bucket by bucket, and buckets without changes are copied. */
export function mergeHosts(
  table: HostTable,
  changes: EvidenceDelta,
  ops: RowChanges,
  sets: RowSets,
): readonly SectionInput[] {
  const merge = new HostMerge(table, changes, ops, sets);
  merge.run();
  return merge.sections();
}

class HostMerge {
  readonly #family: 4 | 6;
  readonly #keyWords: 1 | 4;
  readonly #width: number;
  readonly #hash: AddressHash;
  readonly #shift: number;
  readonly #old: { readonly buckets: Uint32Array; readonly entries: Uint32Array };
  readonly #ops: RowChanges;
  readonly #sets: RowSets;
  /** Where the changes of each bucket begin among `#changes`. */
  readonly #first: Uint32Array;
  /** The changes bucket by bucket, in their order: key words, then what RowChanges writes. Side by side, because columns would be read all over the place. */
  readonly #changes: Uint32Array;
  readonly #changeWidth: number;
  readonly #buckets: Uint32Array;
  readonly #entries: Uint32Array;
  readonly #rows: number[] = [];
  #kept = 0;

  constructor(table: HostTable, changes: EvidenceDelta, ops: RowChanges, sets: RowSets) {
    this.#family = table.family;
    this.#keyWords = table.family === 4 ? 1 : 4;
    this.#width = this.#keyWords + ROW_WORDS;
    this.#changeWidth = this.#keyWords + CHANGE_WORDS;
    this.#hash = table.hash;
    this.#ops = ops;
    this.#sets = sets;
    const mine = hostChanges(changes, table.family, ops);
    const oldShift = Math.clz32(Math.max(1, table.buckets.length - 1)) + 1;
    this.#shift = Math.min(oldShift, bucketShift(table.count + mine.length));
    this.#old = this.#shift === oldShift ? table : this.#spread(table);
    const buckets = 2 ** (32 - this.#shift);
    const { words } = changes;
    const { first, places } = inBuckets(mine.length, buckets, (n) => this.#bucketOf(words, 4 * mine[n]!));
    this.#first = first;
    this.#changes = new Uint32Array(mine.length * this.#changeWidth);
    for (let n = 0; n < mine.length; n++) {
      const at = places[n]! * this.#changeWidth;
      for (let w = 0; w < this.#keyWords; w++) this.#changes[at + w] = words[4 * mine[n]! + w]!;
      ops.write(mine[n]!, this.#changes, at + this.#keyWords);
    }
    this.#buckets = new Uint32Array(buckets + 1);
    this.#entries = new Uint32Array((table.count + mine.length) * this.#width);
  }

  run(): void {
    const { buckets } = this.#old;
    for (let b = 0; b + 1 < this.#buckets.length; b++) {
      this.#buckets[b] = this.#kept;
      if (this.#first[b] === this.#first[b + 1]) this.#copy(buckets[b]!, buckets[b + 1]!);
      else this.#mergeBucket(buckets[b]!, buckets[b + 1]!, this.#first[b]!, this.#first[b + 1]!);
    }
    this.#buckets[this.#buckets.length - 1] = this.#kept;
  }

  sections(): readonly SectionInput[] {
    return hostSections(this.#family, this.#buckets, this.#entries, this.#kept, this.#hash);
  }

  #bucketOf(words: Uint32Array, at: number): number {
    const hash =
      this.#family === 4
        ? this.#hash.ipv4(words[at]!)
        : this.#hash.ipv6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
    return hash >>> this.#shift;
  }

  /** The old entries in more buckets. Each new bucket is part of one old one, so entries stay ascending in it. */
  #spread(table: HostTable): { readonly buckets: Uint32Array; readonly entries: Uint32Array } {
    const { entries } = table;
    const width = this.#width;
    const { first, places } = inBuckets(table.count, 2 ** (32 - this.#shift), (n) =>
      this.#bucketOf(entries, n * width),
    );
    const spread = new Uint32Array(entries.length);
    for (let n = 0; n < places.length; n++) {
      const to = places[n]! * width;
      for (let w = 0; w < width; w++) spread[to + w] = entries[n * width + w]!;
    }
    return { buckets: first, entries: spread };
  }

  #copy(from: number, to: number): void {
    const { entries } = this.#old;
    const out = this.#entries;
    let at = this.#kept * this.#width;
    for (let word = from * this.#width; word < to * this.#width; word++) out[at++] = entries[word]!;
    this.#kept += to - from;
  }

  /** Old entries and changes of one bucket, both ascending by address. */
  #mergeBucket(from: number, to: number, firstChange: number, endChange: number): void {
    const { entries } = this.#old;
    const changes = this.#changes;
    const step = this.#changeWidth;
    sortEntries(changes, firstChange, endChange, step, this.#keyWords);
    let entry = from;
    for (let at = firstChange * step; at < endChange * step; ) {
      const key = at;
      let side = entry === to ? 1 : compareEntries(entries, entry * this.#width, changes, key, this.#keyWords);
      while (side < 0) {
        this.#copy(entry, ++entry);
        side = entry === to ? 1 : compareEntries(entries, entry * this.#width, changes, key, this.#keyWords);
      }
      this.#rows.length = 0;
      if (side === 0) this.#take(entry++);
      for (; at < endChange * step && compareEntries(changes, at, changes, key, this.#keyWords) === 0; at += step)
        this.#ops.apply(changes, at + this.#keyWords, this.#rows);
      this.#emit(changes, key);
    }
    this.#copy(entry, to);
  }

  #take(entry: number): void {
    const { entries } = this.#old;
    const at = entry * this.#width + this.#keyWords;
    if (entries[at + 2] === SET) this.#sets.copyTo(entries[at]!, this.#rows);
    else for (let w = 0; w < ROW_WORDS; w++) this.#rows.push(entries[at + w]!);
  }

  #emit(words: Uint32Array, key: number): void {
    const rows = this.#rows;
    if (rows.length === 0) return;
    const out = this.#entries;
    let at = this.#kept++ * this.#width;
    for (let w = 0; w < this.#keyWords; w++) out[at++] = words[key + w]!;
    if (rows.length === ROW_WORDS) for (let w = 0; w < ROW_WORDS; w++) out[at++] = rows[w]!;
    else {
      out[at] = this.#sets.intern(rows);
      out[at + 1] = 0;
      out[at + 2] = SET;
    }
  }
}

/** Numbers of the changes to single addresses of a family. */
function hostChanges({ family, bits, length }: EvidenceDelta, wanted: 4 | 6, ops: RowChanges): Uint32Array {
  const found = new Uint32Array(length);
  const longest = wanted === 4 ? 32 : 128;
  let count = 0;
  for (let i = 0; i < length; i++) if (family[i] === wanted && bits[i] === longest && ops.takes(i)) found[count++] = i;
  return found.subarray(0, count);
}

/** Counting sort, stable: where each of the numbers 0 to `count` goes, bucket after bucket, and where each bucket begins. */
function inBuckets(
  count: number,
  buckets: number,
  bucketOf: (n: number) => number,
): { readonly first: Uint32Array; readonly places: Uint32Array } {
  const first = new Uint32Array(buckets + 1);
  for (let n = 0; n < count; n++) first[bucketOf(n) + 1]! += 1;
  for (let b = 0; b < buckets; b++) first[b + 1]! += first[b]!;
  const next = first.slice(0, -1);
  const places = new Uint32Array(count);
  for (let n = 0; n < count; n++) places[n] = next[bucketOf(n)]!++;
  return { first, places };
}
