import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import { grown } from '../../../core/kit/grown.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import {
  type HeldLibrary,
  type ImportStamp,
  type LibraryOutcome,
  type LoadTimes,
  NO_LOADS,
  type PhoneChange,
  type PhoneLibraryWriter,
  withLoads,
} from '../../../service/phone/phone-libraries.ts';
import { HASH_BYTES, type NumberKey } from '../number-key.ts';
import { type HeldEntries, type ImportCounts, noCounts, settleChanges } from '../settle-changes.ts';
import { foldBound, foldIncrements } from './fold-increments.ts';
import { type GenerationFooter, generationFooter } from './generation.ts';
import { appendIncrement, readIncrements } from './increments.ts';
import { LibraryFolder } from './library-folder.ts';
import { LibraryWatch } from './library-watch.ts';
import { nextGeneration, publishGeneration } from './publish-generation.ts';
import { Interner, WORDS, writeRecord } from './record.ts';
import { RecordSorter } from './record-sorter.ts';
import { SharedPhoneLibraries } from './shared-phone-libraries.ts';

/** Writes the file libraries. Any process may: the lock keeps two imports into one library apart, the pointer and the log's sums keep readers whole. */
export class FileLibraryWriter implements PhoneLibraryWriter {
  readonly #folder: string;
  readonly #key: NumberKey;
  readonly #foldBound: typeof foldBound;

  constructor(folder: string, key: NumberKey, options: { readonly foldBound?: typeof foldBound } = {}) {
    this.#folder = folder;
    this.#key = key;
    this.#foldBound = options.foldBound ?? foldBound;
  }

  #libraryFolder(library: PhoneLibraryName): LibraryFolder {
    return new LibraryFolder(join(this.#folder, library));
  }

  async held(library: PhoneLibraryName): Promise<HeldLibrary | undefined> {
    const folder = this.#libraryFolder(library);
    const pointer = await folder.pointer();
    if (pointer === undefined) return undefined;
    const footer = await footerOf(folder.file(pointer.generation));
    const incremented = footer?.folded !== undefined || existsSync(folder.file(pointer.log));
    return footer === undefined ? { incremented } : { dataVersion: footer.dataVersion, incremented };
  }

  async replace(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome> {
    const folder = this.#libraryFolder(library);
    const unlock = folder.lock();
    const next = nextGeneration(folder);
    const sorter = new RecordSorter(next.parts);
    try {
      const tables = new Interner();
      const counts = await this.#encode(batches, tables, undefined, (words, at) => sorter.add(words, at));
      const loads = withLoads(await loadsOf(folder), stamp.shipped === true ? {} : { full: [stamp.at] });
      const about = { library, keyId: this.#key.id, dataVersion: stamp.dataVersion, loadedAt: stamp.at, loads };
      const footer = await publishGeneration(folder, next, sorter, about, tables);
      return { ...counts, records: footer.records };
    } finally {
      sorter.close();
      unlock();
    }
  }

  async apply(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome> {
    const folder = this.#libraryFolder(library);
    const unlock = folder.lock();
    try {
      const pointer = await folder.pointer();
      if (pointer === undefined)
        throw new Error(`library ${library} has no full load yet; import one with --full first`);
      const tables = new Interner();
      let rows = new Uint32Array(1024 * WORDS);
      let used = 0;
      const counts = await this.#encode(batches, tables, this.#reader(library), (words, at) => {
        if (used === rows.length) rows = grown(rows);
        rows.set(words.subarray(at, at + WORDS), used);
        used += WORDS;
      });
      if (used === 0 && counts.unchanged > 0) return counts;
      const head = {
        keyId: this.#key.id,
        dataVersion: stamp.dataVersion,
        at: stamp.at,
        tagSets: tables.tagSets,
        cards: tables.cards,
      };
      appendIncrement(folder.file(pointer.log), head, rows.subarray(0, used));
      await this.#fold(folder, library);
      return counts;
    } finally {
      unlock();
    }
  }

  /** The increment is in already, so a fault here is reported as one of folding. */
  async #fold(folder: LibraryFolder, library: PhoneLibraryName): Promise<void> {
    try {
      await foldIncrements(folder, library, this.#key.id, this.#foldBound);
    } catch (cause) {
      throw new Error(
        `the increment is in, but library ${library} could not be folded into one file: ${(cause as Error).message}`,
        { cause },
      );
    }
  }

  /** Encodes every change, in the order given. */
  async #encode(
    batches: AsyncIterable<readonly PhoneChange[]>,
    tables: Interner,
    held: HeldEntries | undefined,
    sink: (words: Uint32Array, at: number) => void,
  ): Promise<ImportCounts> {
    const counts = noCounts();
    const words = new Uint32Array(WORDS);
    for await (const { hashes, changes } of settleChanges(this.#key, batches, counts, held)) {
      for (const { index, entry } of changes) {
        words.fill(0);
        writeRecord(words, 0, hashes, index * HASH_BYTES, entry, tables);
        sink(words, 0);
      }
    }
    return counts;
  }

  /** What the library holds now, read only when a row has to be joined with it. */
  #reader(library: PhoneLibraryName): HeldEntries {
    let libraries: SharedPhoneLibraries | undefined;
    return async (digits) => {
      libraries ??= await this.#open();
      return libraries.lookupIn(library, digits);
    };
  }

  async #open(): Promise<SharedPhoneLibraries> {
    const watch = new LibraryWatch(this.#folder, this.#key);
    await watch.poll();
    const libraries = new SharedPhoneLibraries(this.#key);
    libraries.use(watch.shared());
    return libraries;
  }

  async close(): Promise<void> {}
}

/** undefined: the file is gone or damaged, which the reading side reports as an unavailable library. */
async function footerOf(path: string): Promise<GenerationFooter | undefined> {
  try {
    return await generationFooter(path);
  } catch {
    return undefined;
  }
}

/** When the loads of the serving library came. Files that can no longer be read add nothing: a full load must be able to replace them. */
async function loadsOf(folder: LibraryFolder): Promise<LoadTimes> {
  const pointer = await folder.pointer();
  if (pointer === undefined) return NO_LOADS;
  return withLoads((await footerOf(folder.file(pointer.generation)))?.loads ?? NO_LOADS, {
    increments: incrementTimes(folder.file(pointer.log)),
  });
}

function incrementTimes(path: string): readonly UnixMs[] {
  try {
    return readIncrements(path, 0).increments.map(({ head }) => unixMs(head.at));
  } catch {
    return [];
  }
}
