import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import type { LoadTimes } from '../../../service/phone/phone-libraries.ts';
import { readInto } from '../../system/read-into.ts';
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
/** Whole records at a time. */
const SCAN_CHUNK = 4 * 1024 * 1024;

/** Width of the directory for so many records. */
export const bitsFor = (records: number): number =>
  Math.min(26, Math.max(0, Math.ceil(Math.log2(Math.max(1, records / PER_BUCKET)))));

/**
 * Loads a generation into shared memory and checks it on the way: magic, both sums, sizes, the directory's order, and the key.
 * @throws Error naming what is wrong; the message holds no number
 */
export function loadGeneration(path: string, library: PhoneLibraryName, keyId: string): Promise<Generation> {
  return withFile(path, async (file) => {
    const { footer, footerAt } = await readFooter(file);
    checkFooter(footer, footerAt, library, keyId);
    const recordBytes = footer.records * RECORD_BYTES;
    const records = new SharedArrayBuffer(recordBytes);
    const directory = new SharedArrayBuffer((2 ** footer.bits + 1) * 4);
    const head = Buffer.alloc(HEAD_BYTES);
    let crc = await readFully(file, head, 0);
    crc = await readFully(file, new Uint8Array(records), HEAD_BYTES, crc);
    crc = await readFully(file, new Uint8Array(directory), HEAD_BYTES + recordBytes, crc);
    checkBody(head, crc, footer);
    checkDirectory(new Uint32Array(directory), footer.records);
    return { footer, records, directory };
  });
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
): Promise<GenerationFooter> {
  return withFile(path, async (file) => {
    const { footer, footerAt } = await readFooter(file);
    checkFooter(footer, footerAt, library, keyId);
    const head = Buffer.alloc(HEAD_BYTES);
    let crc = await readFully(file, head, 0);
    const recordsEnd = HEAD_BYTES + footer.records * RECORD_BYTES;
    const words = new Uint32Array(SCAN_CHUNK / 4);
    for (let at = HEAD_BYTES; at < footerAt; ) {
      const size = Math.min(SCAN_CHUNK, (at < recordsEnd ? recordsEnd : footerAt) - at);
      crc = await readFully(file, new Uint8Array(words.buffer, 0, size), at, crc);
      (at < recordsEnd ? records : directory)(words.subarray(0, size / 4), footer);
      at += size;
    }
    checkBody(head, crc, footer);
    return footer;
  });
}

/** What a generation file says of itself; only the footer is read and checked. @throws Error when it is damaged */
export function generationFooter(path: string): Promise<GenerationFooter> {
  return withFile(path, async (file) => (await readFooter(file)).footer);
}

async function withFile<Result>(path: string, read: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(path, 'r');
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

function checkFooter(footer: GenerationFooter, footerAt: number, library: PhoneLibraryName, keyId: string): void {
  if (footer.library !== library) throw new Error(`the file holds library ${footer.library}`);
  if (footer.keyId !== keyId) throw new Error('the file was written with another PULSE_SECRET; load the library again');
  if (HEAD_BYTES + footer.records * RECORD_BYTES + (2 ** footer.bits + 1) * 4 !== footerAt)
    throw new Error('the file has the wrong size');
}

function checkBody(head: Buffer, crc: number, { bodyCrc }: GenerationFooter): void {
  if (head.toString('latin1', 0, 8) !== MAGIC || crc !== bodyCrc) throw new Error('the file is damaged');
}

async function readFooter(file: FileHandle): Promise<{ readonly footer: GenerationFooter; readonly footerAt: number }> {
  const { size } = await file.stat();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  if (size < HEAD_BYTES + TRAILER_BYTES) throw new Error('the file is too short');
  await readFully(file, trailer, size - TRAILER_BYTES);
  const length = trailer.readUInt32LE(0);
  const footerAt = size - TRAILER_BYTES - length;
  if (trailer.toString('latin1', 8) !== MAGIC || footerAt < HEAD_BYTES) throw new Error('the file has no footer');
  const text = Buffer.alloc(length);
  if ((await readFully(file, text, footerAt)) !== trailer.readUInt32LE(4)) throw new Error('the footer is damaged');
  return { footer: JSON.parse(text.toString()) as GenerationFooter, footerAt };
}

/** Fills `into` from `position` on and returns the CRC-32 continued over it. */
async function readFully(file: FileHandle, into: Uint8Array, position: number, crc = 0): Promise<number> {
  let sum = crc;
  const end = await readInto(file, into, position, (piece) => {
    sum = crc32(piece, sum);
  });
  if (end < into.length) throw new Error('the file ends early');
  return sum;
}

function checkDirectory(directory: Uint32Array, records: number): void {
  for (let i = 1; i < directory.length; i++) {
    if (directory[i]! < directory[i - 1]!) throw new Error('the directory is not ascending');
  }
  if (directory.at(-1) !== records) throw new Error('the directory does not cover the records');
}
