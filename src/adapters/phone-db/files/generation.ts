import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import type { LoadTimes } from '../../../service/phone-libraries.ts';
import { RECORD_BYTES, type RecordTables } from './record.ts';

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

export const MAGIC = 'PULSEPH1';
export const HEAD_BYTES = 64;
export const TRAILER_BYTES = 16;
/** About this many records a bucket: three cache lines, one search step. */
const PER_BUCKET = 8;
const READ_CHUNK = 64 * 1024 * 1024;
/** Whole records at a time. */
const SCAN_CHUNK = 4 * 1024 * 1024;

/** Width of the directory for so many records. */
export const bitsFor = (records: number): number => Math.min(26, Math.max(0, Math.ceil(Math.log2(Math.max(1, records / PER_BUCKET)))));

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
 * @param records is given whole records, in the file's order; the words are reused
 * @param directory is given the directory after them, piece by piece; the words are reused
 * @throws Error after any number of calls: their results must not be kept
 */
export function scanGeneration(
  path: string,
  library: PhoneLibraryName,
  keyId: string,
  records: (words: Uint32Array, footer: GenerationFooter) => void,
  directory: (words: Uint32Array, footer: GenerationFooter) => void = () => {},
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
      (at < recordsEnd ? records : directory)(words.subarray(0, size / 4), footer);
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
  if (footer.keyId !== keyId) throw new Error('the file was written with another PULSE_SECRET; load the library again');
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
