import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../contract/phone.ts';
import type { PhoneAnswer, PhoneFinding } from '../../core/phone/entry.ts';
import {
  type LibraryState,
  LibraryUnavailable,
  type PhoneLibraries,
  versionsOf,
} from '../../service/phone/phone-libraries.ts';
import { hashNumbers, type NumberKey } from './number-key.ts';
import type { PhoneDatabase } from './phone-database.ts';
import { generationOf, readLibrary, type StoredLibrary } from './stored-library.ts';

const ATTEMPTS = 3;
const NO_HASHES = new Uint8Array();

export class DatabasePhoneLibraries implements PhoneLibraries {
  readonly #database: PhoneDatabase;
  readonly #key: NumberKey;
  readonly #generations = new Map<PhoneLibraryName, number>();

  constructor(database: PhoneDatabase, key: NumberKey) {
    this.#database = database;
    this.#key = key;
  }

  async lookup(digits: readonly string[]): Promise<PhoneAnswer> {
    const found = await this.#askAll(hashNumbers(this.#key, digits));
    const findings = digits.map((_, place): readonly PhoneFinding[] =>
      found.flatMap(({ state: { library }, entries }) => {
        const entry = entries.get(place);
        return entry === undefined ? [] : [{ library, entry }];
      }),
    );
    return { dataVersion: versionsOf(found.map(({ state }) => state)), findings };
  }

  async state(): Promise<readonly LibraryState[]> {
    return (await this.#askAll(NO_HASHES)).map(({ state }) => state);
  }

  #askAll(hashes: Uint8Array): Promise<readonly StoredLibrary[]> {
    return Promise.all(PHONE_LIBRARIES.map((library) => this.#ask(library, hashes)));
  }

  async #ask(library: PhoneLibraryName, hashes: Uint8Array): Promise<StoredLibrary> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const generation = this.#generations.get(library) ?? (await generationOf(this.#database, library));
        if (generation === undefined) throw new LibraryUnavailable(library, 'was never loaded, or its file is gone');
        const found = await readLibrary(this.#database, this.#database.bytes, library, generation, hashes);
        this.#generations.set(library, found.generation);
        if (found.generation !== generation) continue;
        if (found.keyId !== this.#key.id)
          throw new LibraryUnavailable(library, 'was loaded with another PULSE_SECRET; load the library again');
        return found;
      } catch (error) {
        this.#generations.delete(library);
        if (error instanceof LibraryUnavailable) throw error;
        if (!this.#database.lacksTable(error))
          throw new LibraryUnavailable(library, 'the database cannot be asked', { cause: error });
      }
    }
    throw new LibraryUnavailable(library, 'is being replaced faster than it can be read');
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
