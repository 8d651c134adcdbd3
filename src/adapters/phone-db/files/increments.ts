import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolderSync } from '../../system/write-durably.ts';
import { writeWhole } from '../../system/write-whole.ts';
import { RECORD_BYTES, type RecordTables } from './record.ts';

/**
 * The append log of one generation: every import since its full load, in order. A frame counts as soon as it is complete and its sum is right; a torn one
 * at the end (a crash while appending: cut off, or zeros where its bytes did not reach the disk) is never read, and the next writer cuts it off. A wrong sum
 * with more behind it is damage: the library cannot be read, rather than lose the imports that follow.
 *
 *   0    length of the head, number of records, CRC-32 of head and records, 0        (16 bytes)
 *   16   head: JSON IncrementHead, padded with spaces to a multiple of 4
 *   …    records, 32 bytes each, pointing into the head's own tables
 */
export interface IncrementHead extends RecordTables {
  readonly keyId: string;
  readonly dataVersion: string;
  /** Unix milliseconds of the import. */
  readonly at: number;
}

export interface Increment {
  readonly head: IncrementHead;
  readonly records: Uint32Array;
}

const FRAME_HEAD_BYTES = 16;

/** Appends one frame and syncs it. */
export function appendIncrement(path: string, head: IncrementHead, records: Uint32Array): void {
  const file = openSync(path, 'a+');
  try {
    const { end } = readFrames(file, 0);
    const { size } = fstatSync(file);
    if (size > end) ftruncateSync(file, end);
    const text = Buffer.from(JSON.stringify(head));
    const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
    const body = Buffer.concat([padded, Buffer.from(records.buffer, records.byteOffset, records.byteLength)]);
    const frameHead = Buffer.alloc(FRAME_HEAD_BYTES);
    frameHead.writeUInt32LE(padded.length, 0);
    frameHead.writeUInt32LE(records.byteLength / RECORD_BYTES, 4);
    frameHead.writeUInt32LE(crc32(body), 8);
    const frame = Buffer.concat([frameHead, body]);
    writeWhole(file, frame);
    fsyncSync(file);
    // The file is new: its name must survive a crash as well as its bytes.
    if (size === 0) syncFolderSync(dirname(path));
  } finally {
    closeSync(file);
  }
}

export interface ReadIncrements {
  readonly increments: readonly Increment[];
  /** Offset after the last complete frame: where the next read goes on. */
  readonly end: number;
}

/** Complete frames from `from` on; an absent file has none. @throws Error when a frame in front of others is damaged */
export function readIncrements(path: string, from: number): ReadIncrements {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { increments: [], end: from };
    throw error;
  }
  try {
    return readFrames(file, from);
  } finally {
    closeSync(file);
  }
}

function readFrames(file: number, from: number): ReadIncrements {
  const size = fstatSync(file).size;
  const increments: Increment[] = [];
  let at = from;
  for (;;) {
    const frame = readFrame(file, at, size);
    if (frame === undefined) return { increments, end: at };
    increments.push(frame.increment);
    at = frame.end;
  }
}

function readFrame(
  file: number,
  at: number,
  size: number,
): { readonly increment: Increment; readonly end: number } | undefined {
  const frameHead = Buffer.alloc(FRAME_HEAD_BYTES);
  if (at + FRAME_HEAD_BYTES > size || readSync(file, frameHead, 0, FRAME_HEAD_BYTES, at) < FRAME_HEAD_BYTES)
    return undefined;
  const headLength = frameHead.readUInt32LE(0);
  // A head is never empty.
  if (headLength === 0) return undefined;
  const bytes = headLength + frameHead.readUInt32LE(4) * RECORD_BYTES;
  const end = at + FRAME_HEAD_BYTES + bytes;
  if (end > size) return undefined;
  const body = new Uint8Array(bytes);
  for (let filled = 0; filled < bytes; ) {
    const read = readSync(file, body, filled, bytes - filled, at + FRAME_HEAD_BYTES + filled);
    if (read === 0) return undefined;
    filled += read;
  }
  if (crc32(body) !== frameHead.readUInt32LE(8)) {
    if (end < size) throw new Error('the log of increments is damaged');
    return undefined;
  }
  const head = JSON.parse(Buffer.from(body.buffer, 0, headLength).toString()) as IncrementHead;
  return { increment: { head, records: new Uint32Array(body.buffer.slice(headLength)) }, end };
}
