import { HASH_WORDS } from '../number-key.ts';
import type { Generation } from './generation.ts';
import { WORDS } from './record.ts';

/** The part of a generation that is searched; made once a thread. */
export interface GenerationWords {
  readonly records: Uint32Array;
  readonly directory: Uint32Array;
  readonly bits: number;
}

export const wordsOf = ({ records, directory, footer }: Generation): GenerationWords => ({
  records: new Uint32Array(records),
  directory: new Uint32Array(directory),
  bits: footer.bits,
});

/** Row of the record of a hash, or -1. Allocates nothing. */
export function findInGeneration(
  { records, directory, bits }: GenerationWords,
  w0: number,
  w1: number,
  w2: number,
): number {
  const bucket = bits === 0 ? 0 : w0 >>> (32 - bits);
  const begin = directory[bucket] ?? 0;
  const end = directory[bucket + 1] ?? 0;
  return search(records, begin, end, guess(begin, end, bits, w0), w0, w1, w2);
}

/** Where in its bucket a record should be: hashes are spread evenly. */
const guess = (begin: number, end: number, bits: number, w0: number): number =>
  begin + Math.floor((end - begin) * (((w0 << bits) >>> 0) / 2 ** 32));

/** Walks from `from` to the first record that is not less, and on to the one that is equal. */
function search(
  records: Uint32Array,
  begin: number,
  end: number,
  from: number,
  w0: number,
  w1: number,
  w2: number,
): number {
  let row = from;
  while (row > begin && (records[(row - 1) * WORDS] ?? 0) >= w0) row -= 1;
  for (; row < end; row += 1) {
    const at = row * WORDS;
    const lead = records[at] ?? 0;
    if (lead > w0) return -1;
    if (lead === w0 && records[at + 1] === w1 && records[at + 2] === w2) return row;
  }
  return -1;
}

/**
 * Rows of many hashes, each -1 when it is not there. One search waits for the directory and then for a record, so a thousand one after another wait two
 * thousand times. Here they go together, a stage at a time: no load of a stage depends on another, the processor has many under way at once, and the last
 * stage finds near what it compares.
 * @param hashes four words a number, the leading word first
 */
export function findManyInGeneration({ records, directory, bits }: GenerationWords, hashes: Uint32Array): Int32Array {
  const count = hashes.length / HASH_WORDS;
  const begins = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const rows = new Int32Array(count);
  for (let index = 0; index < count; index += 1) {
    const w0 = hashes[index * HASH_WORDS] ?? 0;
    const bucket = bits === 0 ? 0 : w0 >>> (32 - bits);
    begins[index] = directory[bucket] ?? 0;
    ends[index] = directory[bucket + 1] ?? 0;
  }
  const leads = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    const row = guess(begins[index] ?? 0, ends[index] ?? 0, bits, hashes[index * HASH_WORDS] ?? 0);
    rows[index] = row;
    // Only read to have it near. Kept, so that no compiler leaves the load out.
    leads[index] = records[row * WORDS] ?? 0;
  }
  for (let index = 0; index < count; index += 1) {
    const at = index * HASH_WORDS;
    rows[index] = search(
      records,
      begins[index] ?? 0,
      ends[index] ?? 0,
      rows[index] ?? 0,
      hashes[at] ?? 0,
      hashes[at + 1] ?? 0,
      hashes[at + 2] ?? 0,
    );
  }
  return rows;
}
