import { statSync } from 'node:fs';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import { unixMs } from '../../../core/units.ts';
import { NO_LOADS, withLoads } from '../../../service/phone/phone-libraries.ts';
import { type GenerationFooter, scanGeneration } from './generation.ts';
import { type IncrementHead, readIncrements } from './increments.ts';
import type { LibraryFolder, Pointer } from './library-folder.ts';
import { nextGeneration, publishGeneration } from './publish-generation.ts';
import { Interner, type RecordTables, WORDS } from './record.ts';
import { RecordSorter } from './record-sorter.ts';

/** Smallest log that is folded: two million increments, which a start replays in about a second. */
const FOLD_FROM_BYTES = 64 * 1024 * 1024;
/** Past this share of its generation a log is folded, so that folding costs a fixed multiple of what is imported, however large the library. */
const FOLD_SHARE = 0.25;

/** From which length on the log of a library is folded. */
export const foldBound = (generationBytes: number): number => Math.max(FOLD_FROM_BYTES, generationBytes * FOLD_SHARE);

/**
 * Writes generation and log together as a new generation and makes it the serving one; the caller holds the library's lock. Done by the process that
 * imports: the server takes the new file up as it takes up a full load, and answers from the old view until then. Versions stay what they were.
 * @param bound from which length of the log on there is something to do
 * @returns whether a new generation was made
 * @throws Error when the files are damaged; the library is left as it was
 */
export async function foldIncrements(
  folder: LibraryFolder,
  library: PhoneLibraryName,
  keyId: string,
  bound: typeof foldBound = foldBound,
): Promise<boolean> {
  const pointer = await folder.pointer();
  if (pointer === undefined || sizeOf(folder.file(pointer.log)) <= bound(sizeOf(folder.file(pointer.generation))))
    return false;
  const next = nextGeneration(folder);
  const sorter = new RecordSorter(next.parts);
  const tables = new Interner();
  try {
    const base = await addGeneration(folder, pointer, library, keyId, tables, sorter);
    const increments = addIncrements(folder, pointer, keyId, tables, sorter);
    const newest = increments.at(-1);
    const folded = newest === undefined ? base.folded : { dataVersion: newest.dataVersion, at: newest.at };
    const loads = withLoads(base.loads ?? NO_LOADS, { increments: increments.map(({ at }) => unixMs(at)) });
    const about = {
      library,
      keyId,
      dataVersion: base.dataVersion,
      loadedAt: base.loadedAt,
      loads,
      ...(folded === undefined ? {} : { folded }),
    };
    await publishGeneration(folder, next, sorter, about, tables);
    return true;
  } finally {
    sorter.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function addGeneration(
  folder: LibraryFolder,
  pointer: Pointer,
  library: PhoneLibraryName,
  keyId: string,
  tables: Interner,
  sorter: RecordSorter,
): Promise<GenerationFooter> {
  let translate: Translation | undefined;
  return scanGeneration(folder.file(pointer.generation), library, keyId, (words, footer) => {
    translate ??= translationTo(tables, footer);
    addAll(words, translate, sorter);
  });
}

/** Later records of a number take the place of earlier ones in the sorter, and deletions fall out. @returns the heads of the increments */
function addIncrements(
  folder: LibraryFolder,
  pointer: Pointer,
  keyId: string,
  tables: Interner,
  sorter: RecordSorter,
): readonly IncrementHead[] {
  const { increments } = readIncrements(folder.file(pointer.log), 0);
  for (const { head, records } of increments) {
    if (head.keyId !== keyId) throw new Error('the log was written with another PULSE_SECRET; load the library again');
    addAll(records, translationTo(tables, head), sorter);
  }
  return increments.map(({ head }) => head);
}

/** Numbers of one file's tables in the tables of the file being written. */
interface Translation {
  readonly tagSets: readonly number[];
  readonly cards: readonly number[];
}

const translationTo = (tables: Interner, from: RecordTables): Translation => ({
  tagSets: from.tagSets.map((tags) => tables.tagSet(tags)),
  cards: from.cards.map((facts, index) => (index === 0 ? 0 : tables.card(facts))),
});

/** Changes the records in place. */
function addAll(words: Uint32Array, { tagSets, cards }: Translation, sorter: RecordSorter): void {
  for (let at = 0; at < words.length; at += WORDS) {
    const tagsAndDays = words[at + 3] ?? 0;
    words[at + 3] = ((tagSets[tagsAndDays & 0xffff] ?? 0) | (tagsAndDays & 0xffff_0000)) >>> 0;
    words[at + 4] = cards[words[at + 4] ?? 0] ?? 0;
    sorter.add(words, at);
  }
}
