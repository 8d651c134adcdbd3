import { closeSync, fsyncSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeWhole } from '../../system/write-whole.ts';
import { bitsFor, type GenerationFooter, HEAD_BYTES, MAGIC, TRAILER_BYTES } from './generation.ts';
import { type RecordTables, WORDS } from './record.ts';
import { bytesOf } from './record-sorter.ts';

/** The facts of a library that its records do not show. */
export type GenerationFacts = Omit<GenerationFooter, 'records' | 'bits' | 'bodyCrc' | keyof RecordTables>;

/** Writes a generation file and syncs it. `parts` are ascending and hold no number twice. */
export function writeGeneration(
  path: string,
  parts: Iterable<Uint32Array>,
  about: GenerationFacts,
  tables: RecordTables,
): GenerationFooter {
  const file = openSync(path, 'wx');
  try {
    let bodyCrc = 0;
    const write = (bytes: Uint8Array): void => {
      writeWhole(file, bytes);
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
      for (let row = 0; row < count; row++) lead[row] = part[row * WORDS]!;
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
    for (let index = 0; index < lead.length; index++) {
      const bucket = bits === 0 ? 0 : lead[index]! >>> shift;
      while (next <= bucket) {
        directory[next] = row;
        next++;
      }
      row++;
    }
  }
  directory.fill(records, next);
  return directory;
}
