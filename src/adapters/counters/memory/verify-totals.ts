import { crc32 } from 'node:zlib';
import { SlotIndex } from '../../../core/kit/slot-index.ts';
import { isPoolNumber, RECORD_BYTES, RECORD_WORDS, recordIn } from './charge-record.ts';
import { isLogName } from './ledger-files.ts';

export interface TotalsFault {
  readonly at: number;
  readonly how: string;
}

export const SLICE_ROWS = 4096;

export const MAGIC = 'PULSEQT2';
export const HEADER_BYTES = 20;

/** Checks every byte of a day's totals. It shares no code with the reader. */
export function verifyTotals(bytes: Buffer, day: number): TotalsFault | undefined {
  const check = checkTotals(bytes, day);
  for (;;) {
    const { done, value } = check.next();
    if (done === true) return value;
  }
}

export const rowsOffset = (bytes: Buffer): number => HEADER_BYTES + bytes.readUInt32LE(8);

export function* checkTotals(bytes: Buffer, day: number): Generator<void, TotalsFault | undefined> {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return { at: 0, how: 'the magic number is missing' };
  if (bytes.length < HEADER_BYTES) return { at: bytes.length, how: 'it ends inside its header' };
  const listLength = bytes.readUInt32LE(8);
  const rowsAt = HEADER_BYTES + listLength;
  if (listLength % 4 !== 0 || rowsAt > bytes.length)
    return { at: 8, how: `a list of names of ${listLength} bytes does not fit` };
  const rowBytes = bytes.length - rowsAt;
  const rows = bytes.readUInt32LE(12);
  if (rows * RECORD_BYTES !== rowBytes) return { at: 12, how: `${rowBytes} bytes are not ${rows} rows` };
  const fault = listFault(bytes.subarray(HEADER_BYTES, rowsAt), day) ?? (yield* rowsFault(bytes.subarray(rowsAt)));
  if (fault !== undefined) return { at: fault.at + (fault.inRows ? rowsAt : HEADER_BYTES), how: fault.how };
  return crc32(bytes.subarray(HEADER_BYTES)) !== bytes.readUInt32LE(16)
    ? { at: 16, how: 'the checksum differs' }
    : undefined;
}

interface PartFault extends TotalsFault {
  readonly inRows: boolean;
}

function listFault(list: Buffer, day: number): PartFault | undefined {
  // Latin-1 has one character per byte, so an index in the text is an offset in the file.
  const text = list.toString('latin1');
  const names = text.replace(/\n{0,3}$/, '');
  const seen = new Set<string>();
  let at = 0;
  for (const name of names === '' ? [] : names.split('\n')) {
    if (!isLogName(name, day)) return { inRows: false, at, how: 'the name of a log of that day belongs here' };
    if (seen.has(name)) return { inRows: false, at, how: 'a log is named twice' };
    seen.add(name);
    at += name.length + 1;
  }
  const padded = Math.ceil(names.length / 4) * 4;
  return padded === text.length
    ? undefined
    : { inRows: false, at: padded, how: 'the list of names is longer than its names' };
}

function* rowsFault(bytes: Buffer): Generator<void, PartFault | undefined> {
  const words = new Int32Array(new Uint8Array(bytes).buffer);
  const index = new SlotIndex((id) => words[RECORD_WORDS * (id - 1)]!, words.length / RECORD_WORDS);
  const isKnown = (at: number): boolean => {
    for (let id = index.first(words[at]!); id !== 0; id = index.next())
      if (words[RECORD_WORDS * (id - 1)] === words[at] && words[RECORD_WORDS * (id - 1) + 1] === words[at + 1])
        return true;
    return false;
  };
  for (let at = 0; at < words.length; at += RECORD_WORDS) {
    const how = rowFault(words, at) ?? (isKnown(at) ? 'a counter has a second row' : undefined);
    if (how !== undefined) return { inRows: true, at: at * 4, how };
    index.add(words[at]!, 1 + at / RECORD_WORDS);
    if ((at / RECORD_WORDS) % SLICE_ROWS === SLICE_ROWS - 1) yield;
  }
  return undefined;
}

function rowFault(words: Int32Array, at: number): string | undefined {
  const row = recordIn(words, at);
  if (row === undefined) return 'a row does not pass its check';
  if (!isPoolNumber(row.pool)) return `pool ${row.pool} does not exist`;
  return row.minute < 0 ? 'a counter was refunded less than nothing' : undefined;
}
