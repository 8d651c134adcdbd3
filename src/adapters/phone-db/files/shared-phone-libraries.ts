import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../../contract/phone.ts';
import type { PhoneAnswer, PhoneEntry, PhoneFinding } from '../../../core/phone/entry.ts';
import { unixMs } from '../../../core/units.ts';
import {
  type LibraryState,
  LibraryUnavailable,
  type LoadTimes,
  type PhoneLibraries,
} from '../../../service/phone/phone-libraries.ts';
import { HASH_WORDS, hashNumbers, type NumberKey } from '../number-key.ts';
import { versionsOf } from '../versions-of.ts';
import { findManyInGeneration, type GenerationWords, wordsOf } from './find-in-generation.ts';
import type { Generation } from './generation.ts';
import { findManyInIncrements, type IncrementsView, type SharedIncrements, viewIncrements } from './increment-table.ts';
import { isDeletion, readRecord, WORDS } from './record.ts';
import { bytesOf } from './record-sorter.ts';

/** One library as a message between threads: shared memory and a few words. */
export interface SharedLibrary {
  readonly generation: Generation;
  readonly incrementTable: SharedIncrements;
  readonly records: number;
  readonly minuteVersion?: string;
  readonly lastIncrementAt?: number;
  readonly loads: LoadTimes;
}

/** What the control thread posts to the others; a library that cannot be served says why. */
export type SharedLibraries = Readonly<Record<PhoneLibraryName, SharedLibrary | { readonly unavailable: string }>>;

interface View {
  readonly library: PhoneLibraryName;
  readonly shared: SharedLibrary;
  readonly words: GenerationWords;
  readonly incrementTable: IncrementsView;
}

/** Reads the libraries in shared memory. Each HTTP thread has one and is given new views with `use`; an answer takes one view and keeps it. */
export class SharedPhoneLibraries implements PhoneLibraries {
  readonly #key: NumberKey;
  #views: readonly (View | LibraryUnavailable)[] = PHONE_LIBRARIES.map(
    (library) => new LibraryUnavailable(library, 'is loading', { loading: true }),
  );

  constructor(key: NumberKey) {
    this.#key = key;
  }

  use(libraries: SharedLibraries): void {
    this.#views = PHONE_LIBRARIES.map((library) => viewOf(library, libraries[library]));
  }

  lookup(digits: readonly string[]): PhoneAnswer {
    const views = this.#ready();
    return { dataVersion: versionsOf(views.map(stateOf)), findings: findAll(views, hashWords(this.#key, digits)) };
  }

  /** What one library holds of each number, for an importer that joins rows with it. @throws LibraryUnavailable */
  lookupIn(library: PhoneLibraryName, digits: readonly string[]): readonly (PhoneEntry | undefined)[] {
    const view = this.#views[PHONE_LIBRARIES.indexOf(library)];
    if (view === undefined || view instanceof LibraryUnavailable)
      throw view ?? new LibraryUnavailable(library, 'is unknown');
    return findAll([view], hashWords(this.#key, digits)).map((found) => found[0]?.entry);
  }

  state(): readonly LibraryState[] {
    return this.#ready().map(stateOf);
  }

  close(): void {}

  /** @throws LibraryUnavailable for the first library that cannot be asked: never an answer from the other alone */
  #ready(): readonly View[] {
    return this.#views.map((view) => {
      if (view instanceof LibraryUnavailable) throw view;
      return view;
    });
  }
}

function viewOf(library: PhoneLibraryName, shared: SharedLibraries[PhoneLibraryName]): View | LibraryUnavailable {
  if ('unavailable' in shared) return new LibraryUnavailable(library, shared.unavailable);
  return {
    library,
    shared,
    words: wordsOf(shared.generation),
    incrementTable: viewIncrements(shared.incrementTable),
  };
}

/** The keyed hashes as the words records hold. */
function hashWords(key: NumberKey, digits: readonly string[]): Uint32Array {
  const words = new Uint32Array(digits.length * HASH_WORDS);
  bytesOf(words).set(hashNumbers(key, digits));
  return words;
}

const NOTHING: readonly PhoneFinding[] = [];

/** What the libraries hold of each hash, in the order of the views. */
function findAll(views: readonly View[], hashes: Uint32Array): readonly (readonly PhoneFinding[])[] {
  const findings = new Array<readonly PhoneFinding[]>(hashes.length / HASH_WORDS).fill(NOTHING);
  for (const view of views) {
    const rows = findManyInGeneration(view.words, hashes);
    const overs = findManyInIncrements(view.incrementTable, hashes);
    for (let index = 0; index < rows.length; index++) {
      const entry = entryOf(view, rows[index]!, overs[index]!);
      if (entry === undefined) continue;
      const finding = { library: view.library, entry };
      const before = findings[index]!;
      findings[index] = before.length === 0 ? [finding] : [...before, finding];
    }
  }
  return findings;
}

/** The increments first: their record or deletion is newer than the generation's. `row` and the word `over` are -1 where there is none. */
function entryOf({ incrementTable, words, shared }: View, row: number, over: number): PhoneEntry | undefined {
  if (over >= 0)
    return isDeletion(incrementTable.rows, over)
      ? undefined
      : readRecord(incrementTable.rows, over, incrementTable.tables);
  return row < 0 ? undefined : readRecord(words.records, row * WORDS, shared.generation.footer);
}

function stateOf({ library, shared }: View): LibraryState {
  return {
    library,
    records: shared.records,
    dataVersion: shared.generation.footer.dataVersion,
    lastFullAt: unixMs(shared.generation.footer.loadedAt),
    loads: shared.loads,
    ...(shared.minuteVersion === undefined ? {} : { minuteVersion: shared.minuteVersion }),
    ...(shared.lastIncrementAt === undefined ? {} : { lastIncrementAt: unixMs(shared.lastIncrementAt) }),
  };
}
