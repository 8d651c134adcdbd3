import { PHONE_LIBRARIES, type PhoneDataVersion, type PhoneLibraryName } from '../../../contract/phone.ts';
import type { PhoneAnswer, PhoneEntry, PhoneFinding } from '../../../core/phone/entry.ts';
import { unixMs } from '../../../core/units.ts';
import { type LibraryState, LibraryUnavailable, type PhoneLibraries } from '../../../service/phone-libraries.ts';
import { HASH_BYTES, hashNumbers, type NumberKey } from '../number-key.ts';
import { findInGeneration, type Generation } from './generation.ts';
import { findInOverlay, type OverlayView, type SharedOverlay, viewOverlay } from './overlay.ts';
import { isDeletion, readRecord } from './record.ts';

/** One library as a message between threads: shared memory and a few words. */
export interface SharedLibrary {
  readonly generation: Generation;
  readonly overlay: SharedOverlay;
  readonly records: number;
  readonly minuteVersion?: string;
  readonly lastIncrementAt?: number;
}

/** What the control thread posts to the others; a library that cannot be served says why. */
export type SharedLibraries = Readonly<Record<PhoneLibraryName, SharedLibrary | { readonly unavailable: string }>>;

interface View {
  readonly library: PhoneLibraryName;
  readonly shared: SharedLibrary;
  readonly records: Uint32Array;
  readonly directory: Uint32Array;
  readonly overlay: OverlayView;
}

/** Reads the libraries in shared memory. Each HTTP thread has one and is given new views with `use`; an answer takes one view and keeps it. */
export class SharedPhoneLibraries implements PhoneLibraries {
  readonly #key: NumberKey;
  #views: readonly (View | LibraryUnavailable)[] = PHONE_LIBRARIES.map((library) => new LibraryUnavailable(library, 'is loading', { loading: true }));

  constructor(key: NumberKey) {
    this.#key = key;
  }

  use(libraries: SharedLibraries): void {
    this.#views = PHONE_LIBRARIES.map((library) => viewOf(library, libraries[library]));
  }

  lookup(digits: readonly string[]): PhoneAnswer {
    const views = this.#ready();
    const hashes = hashNumbers(this.#key, digits);
    const findings = digits.map((_, index) => findAll(views, hashes, index * HASH_BYTES));
    return { dataVersion: versionsOf(views), findings };
  }

  /** What one library holds of each number, for an importer that joins rows with it. @throws LibraryUnavailable */
  lookupIn(library: PhoneLibraryName, digits: readonly string[]): readonly (PhoneEntry | undefined)[] {
    const view = this.#views[PHONE_LIBRARIES.indexOf(library)];
    if (view === undefined || view instanceof LibraryUnavailable) throw view ?? new LibraryUnavailable(library, 'is unknown');
    const hashes = hashNumbers(this.#key, digits);
    return digits.map((_, index) => findAll([view], hashes, index * HASH_BYTES)[0]?.entry);
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
    records: new Uint32Array(shared.generation.records),
    directory: new Uint32Array(shared.generation.directory),
    overlay: viewOverlay(shared.overlay),
  };
}

const NOTHING: readonly PhoneFinding[] = [];

function findAll(views: readonly View[], hashes: Buffer, at: number): readonly PhoneFinding[] {
  const w0 = hashes.readUInt32LE(at);
  const w1 = hashes.readUInt32LE(at + 4);
  const w2 = hashes.readUInt32LE(at + 8);
  let found: PhoneFinding[] | undefined;
  for (const view of views) {
    const entry = findIn(view, w0, w1, w2);
    if (entry === undefined) continue;
    found ??= [];
    found.push({ library: view.library, entry });
  }
  return found ?? NOTHING;
}

/** The overlay first: its record or deletion is newer than the generation's. */
function findIn(view: View, w0: number, w1: number, w2: number): PhoneEntry | undefined {
  const { overlay, shared } = view;
  const over = findInOverlay(overlay, w0, w1, w2);
  if (over >= 0) return isDeletion(overlay.rows, over) ? undefined : readRecord(overlay.rows, over, overlay.tables);
  const at = findInGeneration(view.records, view.directory, shared.generation.footer.bits, w0, w1, w2);
  return at < 0 ? undefined : readRecord(view.records, at, shared.generation.footer);
}

function versionsOf(views: readonly View[]): PhoneDataVersion {
  const out: Record<string, string> = {};
  for (const { library, shared } of views) out[library] = shared.generation.footer.dataVersion;
  for (const { library, shared } of views) if (shared.minuteVersion !== undefined) out[`${library}_minute`] = shared.minuteVersion;
  return out as unknown as PhoneDataVersion;
}

function stateOf({ library, shared }: View): LibraryState {
  return {
    library,
    records: shared.records,
    dataVersion: shared.generation.footer.dataVersion,
    lastFullAt: unixMs(shared.generation.footer.loadedAt),
    ...(shared.minuteVersion === undefined ? {} : { minuteVersion: shared.minuteVersion }),
    ...(shared.lastIncrementAt === undefined ? {} : { lastIncrementAt: unixMs(shared.lastIncrementAt) }),
  };
}
