import { grown } from '../../core/kit/grown.ts';
import type { Image, SectionInput } from '../image.ts';
import type { AddressHash } from './address-hash.ts';
import { bucketShift, ROW_WORDS } from './evidence-row.ts';
import type { RowSets } from './row-sets.ts';
import { compareEntries, sortEntries } from './sort-entries.ts';

/**
 * Rows of single addresses (IPv4 /32, IPv6 /128), found by hash. A hit costs three dependent memory accesses,
 * whatever the size. Lists give their addresses few different rows, so the last access usually hits the
 * cache.
 *
 *   H4BK / H6BK  buckets[b]: first entry of bucket b; b = the top bits of the address's seeded hash
 *   H4EN / H6EN  entries of a bucket side by side, ascending by address: key words (1 or 4), then the number
 *   of a row set
 *   H4BM / H6BM  one bit per /24 (IPv4; a small table shares a bit among those with the same last bits), one
 *   per hash of a
 *                /64 (IPv6): 0 = no entry there, which ends almost every lookup
 */
export class HostRows {
  readonly #keyWords: 1 | 4;
  #words: Uint32Array;
  #count = 0;

  constructor(family: 4 | 6) {
    this.#keyWords = family === 4 ? 1 : 4;
    this.#words = new Uint32Array((this.#keyWords + ROW_WORDS) * 1024);
  }

  get count(): number {
    return this.#count;
  }

  add(w0: number, w1: number, w2: number, w3: number, row0: number, row1: number, row2: number): void {
    const width = this.#keyWords + ROW_WORDS;
    let at = this.#count++ * width;
    if (at + width > this.#words.length) this.#words = grown(this.#words);
    const words = this.#words;
    words[at++] = w0;
    if (width > 4) {
      words[at++] = w1;
      words[at++] = w2;
      words[at++] = w3;
    }
    words[at++] = row0;
    words[at++] = row1;
    words[at] = row2;
  }

  sections(sets: RowSets, hash: AddressHash): readonly SectionInput[] {
    const family = this.#keyWords === 1 ? 4 : 6;
    const { buckets, entries } = inBuckets(family, this.#words, this.#count, this.#keyWords + ROW_WORDS, hash);
    const kept = joinRows(entries, buckets, this.#keyWords, sets);
    return hostSections(family, buckets, entries, kept, hash);
  }
}

export const entryWords = (family: 4 | 6): 2 | 5 => (family === 4 ? 2 : 5);

/** @param entries in bucket order, one an address */
function hostSections(
  family: 4 | 6,
  buckets: Uint32Array,
  entries: Uint32Array,
  count: number,
  hash: AddressHash,
): readonly SectionInput[] {
  return [
    { id: `H${family}BM`, data: family === 4 ? bitmap4(entries, count) : bitmap6(entries, count, hash) },
    { id: `H${family}BK`, data: buckets },
    { id: `H${family}EN`, data: entries.subarray(0, count * entryWords(family)) },
  ];
}

/** @param entries one an address, in any order */
export function placedSections(family: 4 | 6, entries: Uint32Array, hash: AddressHash): readonly SectionInput[] {
  const count = Math.floor(entries.length / entryWords(family));
  const placed = inBuckets(family, entries, count, entryWords(family), hash);
  return hostSections(family, placed.buckets, placed.entries, count, hash);
}

function inBuckets(
  family: 4 | 6,
  words: Uint32Array,
  count: number,
  width: number,
  hash: AddressHash,
): { readonly buckets: Uint32Array; readonly entries: Uint32Array } {
  const shift = bucketShift(count);
  const bucketOf =
    family === 4
      ? (at: number) => hash.ipv4(words[at]!) >>> shift
      : (at: number) => hash.ipv6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!) >>> shift;
  const buckets = new Uint32Array(2 ** (32 - shift) + 1);
  for (let i = 0; i < count; i++) buckets[bucketOf(i * width) + 1]! += 1;
  for (let b = 1; b < buckets.length; b++) buckets[b]! += buckets[b - 1]!;
  const entries = new Uint32Array(count * width);
  const next = buckets.slice(0, -1);
  for (let i = 0; i < count; i++) {
    const from = i * width;
    const to = next[bucketOf(from)]!++ * width;
    for (let w = 0; w < width; w++) entries[to + w] = words[from + w]!;
  }
  for (let b = 0; b + 1 < buckets.length; b++) sortEntries(entries, buckets[b]!, buckets[b + 1]!, width, width);
  return { buckets, entries };
}

/**
 * Merges the entries of each address in sorted buckets and joins their row sets. `buckets` is rewritten;
 * returns the number of entries left.
 */
function joinRows(entries: Uint32Array, buckets: Uint32Array, keyWords: 1 | 4, sets: RowSets): number {
  const width = keyWords + ROW_WORDS;
  const rows: number[] = [];
  let kept = 0;
  let from = 0;
  for (let b = 0; b + 1 < buckets.length; b++) {
    const to = buckets[b + 1]!;
    buckets[b] = kept;
    for (let i = from; i < to; ) {
      let end = i + 1;
      while (end < to && sameKey(entries, i * width, end * width, keyWords)) end++;
      const target = kept++ * (keyWords + 1);
      const row = i * width + keyWords;
      let set: number;
      if (end - i === 1) set = sets.internRow(entries[row]!, entries[row + 1]!, entries[row + 2]!);
      else {
        rows.length = 0;
        for (let at = row; at < end * width; at += width)
          for (let w = 0; w < ROW_WORDS; w++) rows.push(entries[at + w]!);
        set = sets.intern(rows);
      }
      for (let w = 0; w < keyWords; w++) entries[target + w] = entries[i * width + w]!;
      entries[target + keyWords] = set;
      i = end;
    }
    from = to;
  }
  buckets[buckets.length - 1] = kept;
  return kept;
}

function sameKey(entries: Uint32Array, a: number, b: number, keyWords: number): boolean {
  for (let w = 0; w < keyWords; w++) if (entries[a + w] !== entries[b + w]) return false;
  return true;
}

const NETS4_WORDS = 2 ** 24 / 32;

const bitmapOf = (bits: number): Uint32Array => new Uint32Array(2 ** Math.max(5, Math.ceil(Math.log2(bits))) / 32);

function bitmap4(entries: Uint32Array, count: number): Uint32Array {
  const bits = bitmapOf(Math.min(32 * NETS4_WORDS, 64 * count));
  for (let i = 0; i < count; i++) {
    const net = entries[2 * i]! >>> 8;
    bits[(net >>> 5) & (bits.length - 1)]! |= 1 << (net & 31);
  }
  return bits;
}

function bitmap6(entries: Uint32Array, count: number, hash: AddressHash): Uint32Array {
  const bits = bitmapOf(8 * count);
  const shift = bitmapShift(bits);
  for (let i = 0; i < count; i++) {
    const bit = hash.net6(entries[5 * i]!, entries[5 * i + 1]!) >>> shift;
    bits[bit >>> 5]! |= 1 << (bit & 31);
  }
  return bits;
}

const bitmapShift = (bits: Uint32Array): number => Math.clz32(Math.max(1, bits.length * 32 - 1));

export class HostTable {
  readonly family: 4 | 6;
  readonly bitmap: Uint32Array;
  readonly buckets: Uint32Array;
  readonly entries: Uint32Array;
  readonly hash: AddressHash;
  readonly #shift: number;
  readonly #bitmapShift: number;

  constructor(image: Image, family: 4 | 6, hash: AddressHash) {
    this.family = family;
    this.hash = hash;
    this.bitmap = image.words32(`H${family}BM`);
    this.buckets = image.words32(`H${family}BK`);
    this.entries = image.words32(`H${family}EN`);
    this.#shift = Math.clz32(Math.max(1, this.buckets.length - 1)) + 1;
    this.#bitmapShift = bitmapShift(this.bitmap);
  }

  get count(): number {
    return this.entries.length / entryWords(this.family);
  }

  find4(w0: number): number {
    const { bitmap, entries } = this;
    if (((bitmap[(w0 >>> 13) & (bitmap.length - 1)]! >>> ((w0 >>> 8) & 31)) & 1) === 0) return -1;
    const bucket = this.hash.ipv4(w0) >>> this.#shift;
    const end = 2 * this.buckets[bucket + 1]!;
    for (let at = 2 * this.buckets[bucket]!; at < end; at += 2) if (entries[at] === w0) return at + 1;
    return -1;
  }

  find6(w0: number, w1: number, w2: number, w3: number): number {
    const bit = this.hash.net6(w0, w1) >>> this.#bitmapShift;
    if (((this.bitmap[bit >>> 5]! >>> (bit & 31)) & 1) === 0) return -1;
    const bucket = this.hash.ipv6(w0, w1, w2, w3) >>> this.#shift;
    const { entries } = this;
    const end = 5 * this.buckets[bucket + 1]!;
    for (let at = 5 * this.buckets[bucket]!; at < end; at += 5) {
      if (entries[at] === w0 && entries[at + 1] === w1 && entries[at + 2] === w2 && entries[at + 3] === w3)
        return at + 4;
    }
    return -1;
  }

  sortedKeys(): Uint32Array {
    const { entries, count } = this;
    const keyWords = this.family === 4 ? 1 : 4;
    const keys = new Uint32Array(keyWords * count);
    for (let i = 0; i < count; i++)
      for (let w = 0; w < keyWords; w++) keys[i * keyWords + w] = entries[i * (keyWords + 1) + w]!;
    if (keyWords === 1) keys.sort();
    else sortEntries(keys, 0, count, keyWords, keyWords);
    return keys;
  }

  sizeFaults(): readonly string[] {
    const { buckets, bitmap, entries, family } = this;
    const powerOfTwo = (value: number): boolean => value > 0 && (value & (value - 1)) === 0;
    if (!powerOfTwo(buckets.length - 1) || buckets.length < 3) return [`${buckets.length} bucket bounds`];
    if (!powerOfTwo(bitmap.length) || (family === 4 && bitmap.length > NETS4_WORDS))
      return [`the bitmap has ${bitmap.length} words`];
    const width = entryWords(family);
    return entries.length % width !== 0 || buckets[0] !== 0 || buckets[buckets.length - 1] !== entries.length / width
      ? ['the buckets do not end at the last entry']
      : [];
  }

  faults(setFault: (set: number) => string | undefined): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const { buckets, entries } = this;
    const keyWords = this.family === 4 ? 1 : 4;
    const width = keyWords + 1;
    for (let b = 0; b + 1 < buckets.length; b++) {
      if (buckets[b]! > buckets[b + 1]!) return [...faults, `bucket ${b} ends before it begins`];
      for (let i = buckets[b]!; i < buckets[b + 1]! && faults.length < 5; i++) {
        const at = i * width;
        if (i > buckets[b]! && compareEntries(entries, at - width, entries, at, keyWords) >= 0)
          faults.push(`entry ${i} does not come after the one before`);
        const found =
          keyWords === 1
            ? this.find4(entries[at]!)
            : this.find6(entries[at]!, entries[at + 1]!, entries[at + 2]!, entries[at + 3]!);
        if (found !== at + keyWords) faults.push(`entry ${i} is not where a lookup seeks it`);
        const fault = setFault(entries[at + keyWords]!);
        if (fault !== undefined) faults.push(`entry ${i}: ${fault}`);
      }
    }
    return faults;
  }
}
