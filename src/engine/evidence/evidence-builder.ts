import { RISK_TYPES } from '../../contract/risk.ts';
import { grown } from '../../core/kit/grown.ts';
import { buildImage, Image, jsonSection, type SectionInput } from '../image.ts';
import type { RangeSet4, RangeSet6 } from '../ranges/range-set.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6 } from '../ranges/range-table6.ts';
import { AddressHash, type HashSeed, nextSeed } from './address-hash.ts';
import { type EvidenceColumns, type EvidenceMeta, type LiveSource, ROW_OP } from './evidence-delta.ts';
import {
  CAPTURED_AT_MAX,
  POOLS_MAX,
  PREFIXES,
  packRowKey,
  packRowKey2,
  ROW_KEY_WORDS,
  SOURCES_MAX,
  word1Of,
} from './evidence-row.ts';
import { HostRows, placedSections } from './host-table.ts';
import { PrefixRows } from './prefix-rows.ts';
import { RowSets } from './row-sets.ts';

class RowKeys {
  #words = new Uint32Array(64);
  #count = 0;
  readonly #numbers = new Map<number, number>();
  #lastKey = -1;
  #lastNumber = 0;

  words(): Uint32Array {
    return this.#words.subarray(0, ROW_KEY_WORDS * this.#count);
  }

  number(source: number, type: number, pool: number, bits: number, following: boolean): number {
    const first = packRowKey(source, pool);
    const second = packRowKey2(type, bits, following);
    const key = keyOf(first, second);
    if (key === this.#lastKey) return this.#lastNumber;
    const number = this.#numbers.get(key) ?? this.#append(first, second, key);
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  #append(first: number, second: number, key: number): number {
    const number = this.#count++;
    if (ROW_KEY_WORDS * this.#count > this.#words.length) this.#words = grown(this.#words);
    this.#words[ROW_KEY_WORDS * number] = first;
    this.#words[ROW_KEY_WORDS * number + 1] = second;
    this.#numbers.set(key, number);
    return number;
  }
}

const keyOf = (first: number, second: number): number => first * 0x2_0000 + second;

/**
 * Compiles evidence rows into one image. Register sources and pools, add rows in any order and any number of
 * chunks, then compile once. Rows of one prefix stay apart until an address is looked up.
 */
export class EvidenceBuilder {
  readonly #sources: LiveSource[] = [];
  readonly #sourceNumbers = new Map<string, number>();
  readonly #pools: string[] = [''];
  readonly #poolNumbers = new Map<string, number>([['', 0]]);
  #dropped = 0;
  readonly #rowKeys = new RowKeys();
  readonly #hosts4 = new HostRows(4);
  readonly #hosts6 = new HostRows(6);
  readonly #prefixes4 = new PrefixRows(4);
  readonly #prefixes6 = new PrefixRows(6);

  /**
   * Returns the number of a source for `EvidenceColumns.source`. The same id gives the same number and keeps
   * its first state. Past the limit the number is SOURCES_MAX.
   */
  source(source: LiveSource): number {
    const known = this.#sourceNumbers.get(source.id);
    if (known !== undefined) return known;
    if (this.#sources.length === SOURCES_MAX) return SOURCES_MAX;
    const { id, family, lastRunAt, runDays, sharedBy } = source;
    this.#sources.push(
      sharedBy === undefined ? { id, family, lastRunAt, runDays } : { id, family, lastRunAt, runDays, sharedBy },
    );
    this.#sourceNumbers.set(id, this.#sources.length - 1);
    return this.#sources.length - 1;
  }

  /** 0 is the pool '' and every pool past POOLS_MAX. */
  pool(name: string): number {
    const known = this.#poolNumbers.get(name);
    if (known !== undefined) return known;
    if (this.#pools.length === POOLS_MAX) return 0;
    this.#poolNumbers.set(name, this.#pools.length);
    return this.#pools.push(name) - 1;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get length(): number {
    return this.#hosts4.count + this.#hosts6.count + this.#prefixes4.count + this.#prefixes6.count;
  }

  /** Adds rows that use this builder's numbers. A row that does not fit the format is dropped and counted. */
  add(rows: EvidenceColumns): void {
    const { words } = rows;
    for (let i = 0; i < rows.length; i++) {
      const family = rows.family[i]!;
      const bits = rows.bits[i]!;
      const following = rows.op[i] === ROW_OP.following;
      const at = rows.capturedAt[i]!;
      const days = following ? 0 : rows.days[i]!;
      if (!this.#fits(rows, i)) {
        this.#dropped++;
        continue;
      }
      const rowKey = this.#rowKeys.number(rows.source[i]!, rows.type[i]!, rows.pool[i]!, bits, following);
      const row0 = at % 0x1_0000_0000;
      const row1 = word1Of(at, days);
      if (family === 4) {
        if (bits === 32) this.#hosts4.add(words[4 * i]!, 0, 0, 0, row0, row1, rowKey);
        else this.#prefixes4.add(words[4 * i]!, 0, 0, 0, bits, row0, row1, rowKey);
      } else if (bits === 128)
        this.#hosts6.add(words[4 * i]!, words[4 * i + 1]!, words[4 * i + 2]!, words[4 * i + 3]!, row0, row1, rowKey);
      else
        this.#prefixes6.add(
          words[4 * i]!,
          words[4 * i + 1]!,
          words[4 * i + 2]!,
          words[4 * i + 3]!,
          bits,
          row0,
          row1,
          rowKey,
        );
    }
  }

  /**
   * Returns the finished file; the builder cannot be used afterwards. @param seed random, unless the same
   * bytes must come out again
   */
  compile(meta: EvidenceMeta, seed: HashSeed): Uint8Array<ArrayBuffer> {
    const sets = new RowSets(seed);
    const hash = new AddressHash(seed);
    const hosts = [...this.#hosts4.sections(sets, hash), ...this.#hosts6.sections(sets, hash)];
    const ranges4 = this.#prefixes4.flatten(sets) as RangeSet4;
    const ranges6 = this.#prefixes6.flatten(sets) as RangeSet6;
    const bytes = buildImage('evidence', [
      jsonSection('META', { ...meta, seed, sources: this.#sources, pools: this.#pools }),
      { id: 'PROF', data: this.#rowKeys.words() },
      ...encodeRanges4(PREFIXES, ranges4),
      ...encodeRanges6(PREFIXES, ranges6),
      ...sets.sections(),
      ...hosts,
    ]);
    return withShortBuckets(bytes);
  }

  #fits(rows: EvidenceColumns, i: number): boolean {
    const family = rows.family[i]!;
    const bits = rows.bits[i]!;
    const at = rows.capturedAt[i]!;
    if (rows.op[i] !== ROW_OP.fixed && rows.op[i] !== ROW_OP.following) return false;
    if ((family !== 4 && family !== 6) || bits > (family === 4 ? 32 : 128)) return false;
    if (
      rows.source[i]! >= this.#sources.length ||
      rows.pool[i]! >= this.#pools.length ||
      rows.type[i]! >= RISK_TYPES.length
    )
      return false;
    if (!Number.isInteger(at) || at < 0 || at > CAPTURED_AT_MAX) return false;
    if (rows.days[i]! > 0x3fff || (rows.op[i] === ROW_OP.fixed && (rows.days[i]! & 1) === 0)) return false;
    return !hasHostBits(rows.words, i, family, bits);
  }
}

function hasHostBits(words: Uint32Array, i: number, family: number, bits: number): boolean {
  let over = 0;
  for (let w = 0; w < 4; w++) {
    const kept = Math.max(0, Math.min(32, bits - 32 * w));
    const host = w > 0 && family === 4 ? -1 : kept === 32 ? 0 : 0xffff_ffff >>> kept;
    over |= words[4 * i + w]! & host;
  }
  return over !== 0;
}

/**
 * Addresses in one bucket beyond which an image is rehashed with another seed. Buckets hold five on average,
 * so chance alone never makes one this long. Reading it to its end takes sixteen cache lines.
 */
export const BUCKET_MAX = 64;
/** Seeds tried. Past them the image is used as it is: it answers correctly, only slower. */
const SEEDS_MAX = 4;

function withShortBuckets(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let short = bytes;
  for (let tried = 1; tried < SEEDS_MAX; tried++) {
    const image = new Image(short.buffer, 'evidence');
    if (longestBucket(image) <= BUCKET_MAX) return short;
    short = withNextSeed(image);
  }
  return short;
}

function withNextSeed(image: Image): Uint8Array<ArrayBuffer> {
  const meta = image.json('META') as { readonly seed: HashSeed };
  const seed = nextSeed(meta.seed);
  const hash = new AddressHash(seed);
  const replaced = new Map<string, SectionInput>(
    [
      ...placedSections(4, image.words32('H4EN'), hash),
      ...placedSections(6, image.words32('H6EN'), hash),
      jsonSection('META', { ...meta, seed }),
    ].map((section) => [section.id, section]),
  );
  return buildImage(
    'evidence',
    image.entries.map(({ id }) => replaced.get(id) ?? { id, data: image.bytes(id) }),
  );
}

function longestBucket(image: Image): number {
  let longest = 0;
  for (const id of ['H4BK', 'H6BK']) {
    const buckets = image.words32(id);
    for (let b = 1; b < buckets.length; b++) longest = Math.max(longest, buckets[b]! - buckets[b - 1]!);
  }
  return longest;
}
