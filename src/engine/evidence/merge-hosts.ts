import type { SectionInput } from '../image.ts';
import type { AddressHash } from './address-hash.ts';
import type { ChangedRows } from './changed-rows.ts';
import { bucketShift, ROW_WORDS, SET } from './evidence-row.ts';
import { type HostTable, hostSections } from './host-table.ts';
import { compareEntries, sortEntries } from './sort-entries.ts';

/** Sections of a host table (see host-table.ts) after the changes to single addresses: bucket by bucket, and buckets without changes are copied. */
export function mergeHosts(table: HostTable, changed: ChangedRows): readonly SectionInput[] {
  const merge = new HostMerge(table, changed);
  merge.run();
  return merge.sections();
}

/** In the place of a row: nothing is left of this address. */
const GONE = SET - 1;

class HostMerge {
  readonly #family: 4 | 6;
  readonly #keyWords: 1 | 4;
  readonly #width: number;
  readonly #hash: AddressHash;
  readonly #shift: number;
  readonly #old: { readonly buckets: Uint32Array; readonly entries: Uint32Array };
  /** Where the changes of each bucket begin among `#changes`. */
  readonly #first: Uint32Array;
  /** Entries to be written instead of those of the same addresses, bucket by bucket. */
  readonly #changes: Uint32Array;
  readonly #buckets: Uint32Array;
  readonly #entries: Uint32Array;
  #kept = 0;

  constructor(table: HostTable, changed: ChangedRows) {
    this.#family = table.family;
    this.#keyWords = table.family === 4 ? 1 : 4;
    this.#width = this.#keyWords + ROW_WORDS;
    this.#hash = table.hash;
    const { overlay } = changed;
    const mine = overlay.entries(table.family, (bits) => bits === (table.family === 4 ? 32 : 128));
    const oldShift = Math.clz32(Math.max(1, table.buckets.length - 1)) + 1;
    this.#shift = Math.min(oldShift, bucketShift(table.count + mine.length));
    this.#old = this.#shift === oldShift ? table : this.#spread(table);
    const unordered = new Uint32Array(mine.length * this.#width);
    for (const [n, entry] of mine.entries()) {
      const at = n * this.#width;
      for (let w = 0; w < this.#keyWords; w++) unordered[at + w] = overlay.wordOf(entry, w);
      const rows = changed.of(entry);
      if (rows.length === 0) rows.push(0, 0, GONE);
      unordered.set(rows.length === ROW_WORDS ? rows : [changed.sets.intern(rows), 0, SET], at + this.#keyWords);
    }
    const buckets = 2 ** (32 - this.#shift);
    const ordered = this.#inBuckets(unordered, mine.length, buckets);
    this.#first = ordered.buckets;
    this.#changes = ordered.entries;
    this.#buckets = new Uint32Array(buckets + 1);
    this.#entries = new Uint32Array((table.count + mine.length) * this.#width);
  }

  run(): void {
    const { buckets, entries } = this.#old;
    for (let b = 0; b + 1 < this.#buckets.length; b++) {
      this.#buckets[b] = this.#kept;
      if (this.#first[b] === this.#first[b + 1]) this.#copy(entries, buckets[b]!, buckets[b + 1]!);
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
  #spread({ entries, count }: HostTable): { readonly buckets: Uint32Array; readonly entries: Uint32Array } {
    return this.#inBuckets(entries, count, 2 ** (32 - this.#shift));
  }

  /** Entries bucket after bucket, and where each bucket begins. Counting sort, stable. */
  #inBuckets(
    entries: Uint32Array,
    count: number,
    buckets: number,
  ): { readonly buckets: Uint32Array; readonly entries: Uint32Array } {
    const width = this.#width;
    const first = new Uint32Array(buckets + 1);
    for (let n = 0; n < count; n++) first[this.#bucketOf(entries, n * width) + 1]! += 1;
    for (let b = 0; b < buckets; b++) first[b + 1]! += first[b]!;
    const next = first.slice(0, -1);
    const ordered = new Uint32Array(count * width);
    for (let n = 0; n < count; n++) {
      const to = next[this.#bucketOf(entries, n * width)]!++ * width;
      for (let w = 0; w < width; w++) ordered[to + w] = entries[n * width + w]!;
    }
    return { buckets: first, entries: ordered };
  }

  #copy(words: Uint32Array, from: number, to: number): void {
    const out = this.#entries;
    let at = this.#kept * this.#width;
    for (let word = from * this.#width; word < to * this.#width; word++) out[at++] = words[word]!;
    this.#kept += to - from;
  }

  /** Old entries and changes of one bucket, both ascending by address. */
  #mergeBucket(from: number, to: number, firstChange: number, endChange: number): void {
    const { entries } = this.#old;
    const [changes, width, keyWords] = [this.#changes, this.#width, this.#keyWords];
    sortEntries(changes, firstChange, endChange, width, keyWords);
    let entry = from;
    for (let change = firstChange; change < endChange; change++) {
      let side = 1;
      while (entry < to) {
        side = compareEntries(entries, entry * width, changes, change * width, keyWords);
        if (side >= 0) break;
        this.#copy(entries, entry, ++entry);
      }
      if (side === 0) entry++;
      if (changes[change * width + keyWords + 2] !== GONE) this.#copy(changes, change, change + 1);
    }
    this.#copy(entries, entry, to);
  }
}
