import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { grown } from '../../../core/kit/grown.ts';
import { writeWhole } from '../../system/write-whole.ts';
import { isDeletion, RECORD_BYTES, WORDS } from './record.ts';

const PARTITIONS = 256;
/** Bytes held before the parts are written out. */
const HELD_MAX = 256 * 1024 * 1024;
const FIRST_ROWS = 64;

/**
 * Sorts any number of records in bounded memory: they are dealt out by the top eight bits of word 0 (uniform, being a keyed hash), spilled to
 * files when there are many, and each part is sorted alone. Of several records of one number the last one given stays; deletions fall out.
 */
export class RecordSorter {
  readonly #folder: string;
  readonly #rows: Uint32Array[] = Array.from({ length: PARTITIONS }, () => new Uint32Array(0));
  readonly #used = new Uint32Array(PARTITIONS);
  readonly #heldMax: number;
  #heldBytes = 0;
  #files: number[] = [];

  /** @param folder made when the records do not fit in memory; `close` removes it */
  constructor(folder: string, heldMax = HELD_MAX) {
    this.#folder = folder;
    this.#heldMax = heldMax;
  }

  /** Copies the record at word `at`. */
  add(words: Uint32Array, at: number): void {
    const part = words[at]! >>> 24;
    const used = this.#used[part]!;
    let rows = this.#rows[part]!;
    if (used + WORDS > rows.length) {
      const larger = grown(rows, FIRST_ROWS * WORDS);
      this.#heldBytes += (larger.length - rows.length) * 4;
      this.#rows[part] = larger;
      rows = larger;
    }
    for (let word = 0; word < WORDS; word++) rows[used + word] = words[at + word]!;
    this.#used[part] = used + WORDS;
    if (this.#heldBytes > this.#heldMax) this.#spill();
  }

  #spill(): void {
    if (this.#files.length === 0) {
      mkdirSync(this.#folder, { recursive: true });
      this.#files = this.#rows.map((_, part) => openSync(join(this.#folder, String(part)), 'w'));
    }
    this.#rows.forEach((rows, part) => {
      writeWhole(this.#files[part]!, new Uint8Array(rows.buffer, 0, this.#used[part]! * 4));
      this.#rows[part] = new Uint32Array(0);
    });
    this.#used.fill(0);
    this.#heldBytes = 0;
  }

  /** The sorted records, part by part. Consumes what was given. */
  *sorted(): Generator<Uint32Array> {
    if (this.#files.length > 0) this.#spill();
    for (let part = 0; part < PARTITIONS; part++) {
      const rows = this.#files.length > 0 ? this.#read(part) : this.#rows[part]!.subarray(0, this.#used[part]);
      yield sortPart(rows);
      this.#rows[part] = new Uint32Array(0);
    }
  }

  #read(part: number): Uint32Array {
    const bytes = readFileSync(join(this.#folder, String(part)));
    return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }

  close(): void {
    for (const file of this.#files) closeSync(file);
    this.#files = [];
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Sorts one part by words 0, 1, 2. A double holds the 24 bits of word 0 the part leaves open and the row's place, so the native sort does the work. */
function sortPart(rows: Uint32Array): Uint32Array {
  const count = rows.length / WORDS;
  const order = new Float64Array(count);
  for (let row = 0; row < count; row++) order[row] = (rows[row * WORDS]! & 0xff_ffff) * 2 ** 29 + row;
  order.sort();
  const places = Uint32Array.from(order, (value) => value % 2 ** 29);
  sortTies(rows, places);
  return keepLast(rows, places);
}

const compare = (rows: Uint32Array, a: number, b: number): number => {
  for (let word = 0; word < 3; word++) {
    const difference = rows[a * WORDS + word]! - rows[b * WORDS + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Rows equal in word 0 are rare in a keyed hash, except where one number came several times. */
function sortTies(rows: Uint32Array, places: Uint32Array): void {
  for (let from = 0; from < places.length; ) {
    const lead = rows[places[from]! * WORDS];
    let to = from + 1;
    while (to < places.length && rows[places[to]! * WORDS] === lead) to++;
    if (to - from > 1) places.subarray(from, to).sort((a, b) => compare(rows, a, b) || a - b);
    from = to;
  }
}

function keepLast(rows: Uint32Array, places: Uint32Array): Uint32Array {
  const out = new Uint32Array(rows.length);
  let used = 0;
  for (let index = 0; index < places.length; index++) {
    const row = places[index]!;
    const next = places[index + 1];
    if (next !== undefined && compare(rows, row, next) === 0) continue;
    if (isDeletion(rows, row * WORDS)) continue;
    out.set(rows.subarray(row * WORDS, row * WORDS + WORDS), used);
    used += WORDS;
  }
  return out.subarray(0, used);
}

export const bytesOf = (words: Uint32Array): Buffer =>
  Buffer.from(words.buffer, words.byteOffset, (words.length / WORDS) * RECORD_BYTES);
