import { join } from 'node:path';
import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../../contract/phone.ts';
import { unixMs } from '../../../core/units.ts';
import { NO_LOADS, withLoads } from '../../../service/phone/phone-libraries.ts';
import type { NumberKey } from '../number-key.ts';
import { findInGeneration, wordsOf } from './find-in-generation.ts';
import { type Generation, loadGeneration } from './generation.ts';
import { IncrementTable } from './increment-table.ts';
import { readIncrements } from './increments.ts';
import { LibraryFolder, type Pointer } from './library-folder.ts';
import type { SharedLibraries, SharedLibrary } from './shared-phone-libraries.ts';

/** One library as loaded by this process. */
interface Loaded {
  readonly pointer: Pointer;
  readonly generation: Generation;
  readonly incrementTable: IncrementTable;
  logEnd: number;
  shared: SharedLibrary;
}

/**
 * Keeps the libraries of a folder in shared memory: `poll` reads the pointers and the tails of the logs and says whether anything changed. One of
 * these in a process (the control thread's); the other threads are sent `shared()`.
 *
 * A library whose files can no longer be read is unreachable from the next poll on, though its memory is still there: an operator who deleted
 * records, or took the library away, must not see it answer.
 */
export class LibraryWatch {
  readonly #folder: string;
  readonly #key: NumberKey;
  readonly #loaded = new Map<PhoneLibraryName, Loaded>();
  readonly #faults = new Map<PhoneLibraryName, string>();

  /** @param folder the libraries' folder; each library has a folder of its name in it */
  constructor(folder: string, key: NumberKey) {
    this.#folder = folder;
    this.#key = key;
  }

  /** Reads what is new; one call after another. True when `shared()` changed. A fault of one library is kept as its state and never thrown. */
  async poll(): Promise<boolean> {
    return (await Promise.all(PHONE_LIBRARIES.map((library) => this.#pollLibrary(library)))).includes(true);
  }

  async #pollLibrary(library: PhoneLibraryName): Promise<boolean> {
    const before = this.#loaded.get(library)?.shared;
    const faultBefore = this.#faults.get(library);
    try {
      await this.#read(library);
      this.#faults.delete(library);
    } catch (error) {
      this.#faults.set(library, error instanceof Error ? error.message : 'cannot be read');
    }
    return before !== this.#loaded.get(library)?.shared || faultBefore !== this.#faults.get(library);
  }

  async #read(library: PhoneLibraryName): Promise<void> {
    const folder = new LibraryFolder(join(this.#folder, library));
    const pointer = await folder.pointer();
    if (pointer === undefined) throw new Error('was never loaded, or its files are gone');
    const loaded = this.#loaded.get(library);
    if (loaded === undefined || loaded.pointer.generation !== pointer.generation)
      this.#loaded.set(library, await load(folder, pointer, library, this.#key));
    else follow(folder, loaded, this.#key);
  }

  /** Both libraries as they are now, for `SharedPhoneLibraries.use` here or in another thread. */
  shared(): SharedLibraries {
    const of = (library: PhoneLibraryName): SharedLibraries[PhoneLibraryName] => {
      const fault = this.#faults.get(library);
      return fault === undefined
        ? (this.#loaded.get(library)?.shared ?? { unavailable: 'was not read yet' })
        : { unavailable: fault };
    };
    return { cn: of('cn'), sg: of('sg') };
  }
}

async function load(
  folder: LibraryFolder,
  pointer: Pointer,
  library: PhoneLibraryName,
  key: NumberKey,
): Promise<Loaded> {
  const generation = await loadGeneration(folder.file(pointer.generation), library, key.id);
  const incrementTable = new IncrementTable();
  const { records, folded, loads = NO_LOADS } = generation.footer;
  const minute = folded === undefined ? {} : { minuteVersion: folded.dataVersion, lastIncrementAt: folded.at };
  const loaded: Loaded = {
    pointer,
    generation,
    incrementTable,
    logEnd: 0,
    shared: { generation, incrementTable: incrementTable.shared(), records, loads, ...minute },
  };
  follow(folder, loaded, key);
  return loaded;
}

/** Applies the frames that were appended since the last look. */
function follow(folder: LibraryFolder, loaded: Loaded, key: NumberKey): void {
  const { increments, end } = readIncrements(folder.file(loaded.pointer.log), loaded.logEnd);
  if (increments.length === 0) return;
  const { generation, incrementTable } = loaded;
  const words = wordsOf(generation);
  const inBase = (w0: number, w1: number, w2: number): boolean => findInGeneration(words, w0, w1, w2) >= 0;
  let count = loaded.shared.records;
  for (const increment of increments) {
    if (increment.head.keyId !== key.id)
      throw new Error('the log was written with another PULSE_SECRET; load the library again');
    count += incrementTable.apply(increment, inBase);
  }
  const newest = increments.at(-1)?.head;
  loaded.logEnd = end;
  loaded.shared = {
    generation,
    incrementTable: incrementTable.shared(),
    records: count,
    loads: withLoads(loaded.shared.loads, { increments: increments.map(({ head }) => unixMs(head.at)) }),
    ...(newest === undefined ? {} : { minuteVersion: newest.dataVersion, lastIncrementAt: newest.at }),
  };
}
