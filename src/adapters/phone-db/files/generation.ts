import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import type { LoadTimes } from '../../../service/phone-libraries.ts';
import { HASH_WORDS } from '../number-key.ts';
import { RECORD_BYTES, type RecordTables, WORDS } from './record.ts';
import { bytesOf } from './record-sorter.ts';

/**
 * A generation file: one library as of one full load, never changed after it was written.
 *
 *   0        "PULSEPH1", padded to 64 bytes
 *   64       records, 32 bytes each, ascending by words 0, 1, 2 (record.ts)
 *   …        directory: 2^bits + 1 words; bucket b (the top bits of word 0) holds records directory[b] up to directory[b+1]
 *   …        footer: JSON GenerationFooter in UTF-8
 *   end-16   length of the footer, CRC-32 of the footer, "PULSEPH1"
 *
 * The footer comes last so that a file is written in one pass. It carries the CRC-32 of everything before it.
 */
export interface GenerationFooter extends RecordTables {
  readonly library: PhoneLibraryName;
  /** Which key the numbers were hashed with (number-key.ts). */
  readonly keyId: string;
  readonly dataVersion: string;
  /** Unix milliseconds of the full load. */
  readonly loadedAt: number;
  /** The newest increment that was folded in since the full load. */
  readonly folded?: { readonly dataVersion: string; readonly at: number };
  /** When loads came up to this generation; absent in files of earlier versions. */
  readonly loads?: LoadTimes;
  readonly records: number;
  readonly bits: number;
  readonly bodyCrc: number;
}

/** A generation in shared memory: one copy for all threads. */
export interface Generation {
  readonly footer: GenerationFooter;
  readonly records: SharedArrayBuffer;
  readonly directory: SharedArrayBuffer;
}

const MAGIC = 'PULSEPH1';
const HEAD_BYTES = 64;
const TRAILER_BYTES = 16;
/** About this many records a bucket: three cache lines, one search step. */
const PER_BUCKET = 8;
const READ_CHUNK = 64 * 1024 * 1024;
/** Whole records at a time. */
const SCAN_CHUNK = 4 * 1024 * 1024;

const bitsFor = (records: number): number => Math.min(26, Math.max(0, Math.ceil(Math.log2(Math.max(1, records / PER_BUCKET)))));

/** Writes a generation file and syncs it. `parts` are ascending and hold no number twice. */
export function writeGeneration(
  path: string,
  parts: Iterable<Uint32Array>,
  about: Omit<GenerationFooter, 'records' | 'bits' | 'bodyCrc' | keyof RecordTables>,
  tables: RecordTables,
): GenerationFooter {
  const file = openSync(path, 'wx');
  try {
    let bodyCrc = 0;
    const write = (bytes: Uint8Array): void => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      bodyCrc = crc32(bytes, bodyCrc);
    };
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(MAGIC, 'latin1');
    write(head);
    let records = 0;
    // The directory's width follows from the number of records, known at the end only: the leading words wait (4 bytes a record).
    const leads: Uint32Array[] = [];
    for (const part of parts) {
      write(bytesOf(part));
      const count = part.length / WORDS;
      const lead = new Uint32Array(count);
      for (let row = 0; row < count; row += 1) lead[row] = part[row * WORDS] ?? 0;
      leads.push(lead);
      records += count;
    }
    const bits = bitsFor(records);
    const directory = directoryOf(leads, records, bits);
    write(new Uint8Array(directory.buffer));
    const footer: GenerationFooter = { ...about, records, bits, bodyCrc, tagSets: tables.tagSets, cards: tables.cards };
    const text = Buffer.from(JSON.stringify(footer));
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(text.length, 0);
    trailer.writeUInt32LE(crc32(text), 4);
    trailer.write(MAGIC, 8, 'latin1');
    write(text);
    write(trailer);
    fsyncSync(file);
    return footer;
  } finally {
    closeSync(file);
  }
}

function directoryOf(leads: readonly Uint32Array[], records: number, bits: number): Uint32Array {
  const directory = new Uint32Array(2 ** bits + 1);
  const shift = 32 - bits;
  let next = 0;
  let row = 0;
  for (const lead of leads) {
    for (let index = 0; index < lead.length; index += 1) {
      const bucket = bits === 0 ? 0 : (lead[index] ?? 0) >>> shift;
      while (next <= bucket) {
        directory[next] = row;
        next += 1;
      }
      row += 1;
    }
  }
  directory.fill(records, next);
  return directory;
}

/**
 * Loads a generation into shared memory and checks it on the way: magic, both sums, sizes, the directory's order, and the key.
 * @throws Error naming what is wrong; the message holds no number
 */
export function loadGeneration(path: string, library: PhoneLibraryName, keyId: string): Generation {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    const { footer, footerAt } = readFooter(file, size);
    checkFooter(footer, footerAt, library, keyId);
    const recordBytes = footer.records * RECORD_BYTES;
    const directoryBytes = (2 ** footer.bits + 1) * 4;
    const head = Buffer.alloc(HEAD_BYTES);
    readFully(file, head, 0);
    const records = new SharedArrayBuffer(recordBytes);
    const directory = new SharedArrayBuffer(directoryBytes);
    let crc = crc32(head);
    crc = readFully(file, new Uint8Array(records), HEAD_BYTES, crc);
    crc = readFully(file, new Uint8Array(directory), HEAD_BYTES + recordBytes, crc);
    if (head.toString('latin1', 0, 8) !== MAGIC || crc !== footer.bodyCrc) throw new Error('the file is damaged');
    checkDirectory(new Uint32Array(directory), footer.records);
    return { footer, records, directory };
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a generation file from end to end without holding it, and checks what `loadGeneration` checks.
 * @param each is given whole records, in the file's order; the words are reused
 * @throws Error after any number of calls of `each`: what came of them must not be kept
 */
export function scanGeneration(
  path: string,
  library: PhoneLibraryName,
  keyId: string,
  each: (words: Uint32Array, footer: GenerationFooter) => void,
): GenerationFooter {
  const file = openSync(path, 'r');
  try {
    const { footer, footerAt } = readFooter(file, fstatSync(file).size);
    checkFooter(footer, footerAt, library, keyId);
    const head = Buffer.alloc(HEAD_BYTES);
    let crc = readFully(file, head, 0);
    const recordsEnd = HEAD_BYTES + footer.records * RECORD_BYTES;
    const words = new Uint32Array(SCAN_CHUNK / 4);
    for (let at = HEAD_BYTES; at < footerAt; ) {
      const size = Math.min(SCAN_CHUNK, (at < recordsEnd ? recordsEnd : footerAt) - at);
      const bytes = new Uint8Array(words.buffer, 0, size);
      crc = readFully(file, bytes, at, crc);
      if (at < recordsEnd) each(words.subarray(0, size / 4), footer);
      at += size;
    }
    if (head.toString('latin1', 0, 8) !== MAGIC || crc !== footer.bodyCrc) throw new Error('the file is damaged');
    return footer;
  } finally {
    closeSync(file);
  }
}

/** What a generation file says of itself; only the footer is read and checked. @throws Error when it is damaged */
export function generationFooter(path: string): GenerationFooter {
  const file = openSync(path, 'r');
  try {
    return readFooter(file, fstatSync(file).size).footer;
  } finally {
    closeSync(file);
  }
}

function checkFooter(footer: GenerationFooter, footerAt: number, library: PhoneLibraryName, keyId: string): void {
  if (footer.library !== library) throw new Error(`the file holds library ${footer.library}`);
  if (footer.keyId !== keyId) throw new Error('the file was written with another PULSE_SECRET; load the library anew');
  if (HEAD_BYTES + footer.records * RECORD_BYTES + (2 ** footer.bits + 1) * 4 !== footerAt) throw new Error('the file has the wrong size');
}

function readFooter(file: number, size: number): { readonly footer: GenerationFooter; readonly footerAt: number } {
  const trailer = Buffer.alloc(TRAILER_BYTES);
  if (size < HEAD_BYTES + TRAILER_BYTES) throw new Error('the file is too short');
  readFully(file, trailer, size - TRAILER_BYTES);
  const length = trailer.readUInt32LE(0);
  const footerAt = size - TRAILER_BYTES - length;
  if (trailer.toString('latin1', 8) !== MAGIC || footerAt < HEAD_BYTES) throw new Error('the file has no footer');
  const text = Buffer.alloc(length);
  readFully(file, text, footerAt);
  if (crc32(text) !== trailer.readUInt32LE(4)) throw new Error('the footer is damaged');
  return { footer: JSON.parse(text.toString()) as GenerationFooter, footerAt };
}

/** Fills `into` from `position` on and returns the CRC-32 continued over it. */
function readFully(file: number, into: Uint8Array, position: number, crc = 0): number {
  let sum = crc;
  for (let at = 0; at < into.length; ) {
    const read = readSync(file, into, at, Math.min(READ_CHUNK, into.length - at), position + at);
    if (read === 0) throw new Error('the file ends early');
    sum = crc32(into.subarray(at, at + read), sum);
    at += read;
  }
  return sum;
}

function checkDirectory(directory: Uint32Array, records: number): void {
  for (let index = 1; index < directory.length; index += 1) {
    if ((directory[index] ?? 0) < (directory[index - 1] ?? 0)) throw new Error('the directory is not ascending');
  }
  if (directory.at(-1) !== records) throw new Error('the directory does not cover the records');
}

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
export function findInGeneration({ records, directory, bits }: GenerationWords, w0: number, w1: number, w2: number): number {
  const bucket = bits === 0 ? 0 : w0 >>> (32 - bits);
  const begin = directory[bucket] ?? 0;
  const end = directory[bucket + 1] ?? 0;
  return search(records, begin, end, guess(begin, end, bits, w0), w0, w1, w2);
}

/** Where in its bucket a record should be: hashes are spread evenly. */
const guess = (begin: number, end: number, bits: number, w0: number): number => begin + Math.floor((end - begin) * (((w0 << bits) >>> 0) / 2 ** 32));

/** Walks from `from` to the first record that is not less, and on to the one that is equal. */
function search(records: Uint32Array, begin: number, end: number, from: number, w0: number, w1: number, w2: number): number {
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
    rows[index] = search(records, begins[index] ?? 0, ends[index] ?? 0, rows[index] ?? 0, hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0);
  }
  return rows;
}
