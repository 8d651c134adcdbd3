import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { PhoneEntry } from '../../core/phone/entry.ts';
import { fault } from '../../core/texts/said.ts';
import {
  type ImportStamp,
  type LibraryOutcome,
  mergeEntry,
  NO_LOADS,
  type PhoneChange,
  type PhoneLibraryWriter,
  withLoads,
} from '../../service/phone/phone-libraries.ts';
import { HASH_BYTES, hashNumbers, type NumberKey } from './number-key.ts';
import type { PhoneDatabase, PhoneSession, StoredRecord } from './phone-database.ts';
import { generationOf, readLibrary, recordOf, type StoredLibrary, tableOf, writeState } from './stored-library.ts';

type ImportCounts = {
  -readonly [Count in 'upserts' | 'deletions' | 'unchanged']: NonNullable<LibraryOutcome[Count]>;
};

const noCounts = (): ImportCounts => ({ upserts: 0, deletions: 0, unchanged: 0 });

interface PreparedBatch {
  readonly hashes: Buffer;
  /**
   * The last change of each number, whose hash is at `index`. Without an entry the number is deleted. `held`
   * means that the library has it now.
   */
  readonly changes: readonly {
    readonly index: number;
    readonly entry: PhoneEntry | undefined;
    readonly held: boolean;
  }[];
}

type StoredEntries = (hashes: Buffer) => Promise<ReadonlyMap<number, PhoneEntry>>;

async function* settleChanges(
  key: NumberKey,
  batches: AsyncIterable<readonly PhoneChange[]>,
  counts: ImportCounts,
  held?: StoredEntries,
): AsyncGenerator<PreparedBatch> {
  for await (const batch of batches) {
    const hashes = hashNumbers(
      key,
      batch.map(({ digits }) => digits),
    );
    const present = await held?.(hashes);
    const changes = new Map<string, PreparedBatch['changes'][number]>();
    batch.forEach((change, index) => {
      const before = present?.get(index);
      const entry =
        'deleted' in change ? undefined : change.merge === true ? mergeEntry(before, change.entry) : change.entry;
      if (entry !== undefined && entry === before) {
        counts.unchanged++;
        return;
      }
      counts[entry === undefined ? 'deletions' : 'upserts']++;
      changes.set(change.digits, { index, entry, held: before !== undefined });
    });
    yield { hashes, changes: [...changes.values()] };
  }
}

const NO_HASHES = new Uint8Array();

/**
 * Writes the libraries. A full load fills the table of a new generation. Every import is one transaction, so
 * readers see the library before it or after it.
 */
export class DatabaseLibraryWriter implements PhoneLibraryWriter {
  readonly #database: PhoneDatabase;
  readonly #key: NumberKey;

  constructor(database: PhoneDatabase, key: NumberKey) {
    this.#database = database;
    this.#key = key;
  }

  async held(library: PhoneLibraryName): Promise<string | undefined> {
    return (await this.#stored(this.#database, library))?.state.dataVersion;
  }

  replace(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    { dataVersion, at, shipped }: ImportStamp,
  ): Promise<LibraryOutcome> {
    return this.#database.write(library, async (session) => {
      const before = await this.#stored(session, library);
      const generation = (before?.generation ?? 0) + 1;
      const counts = noCounts();
      const settled = settleChanges(this.#key, batches, counts);
      const records = await session.fill(tableOf(library, generation), recordsOfAll(settled));
      const loads = withLoads(before?.state.loads ?? NO_LOADS, shipped === true ? {} : { full: [at] });
      await writeState(session, { library, records, dataVersion, lastFullAt: at, loads }, generation, this.#key.id);
      if (before !== undefined) await session.query(`drop table ${tableOf(library, before.generation)}`, []);
      return { ...counts, records };
    });
  }

  apply(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    { dataVersion, at }: ImportStamp,
  ): Promise<LibraryOutcome> {
    return this.#database.write(library, async (session) => {
      const before = await this.#stored(session, library);
      if (before === undefined)
        throw fault('library {library} has no full load yet; import one with --full first', { library });
      const { generation, keyId, state } = before;
      if (keyId !== this.#key.id)
        throw fault('library {library} was loaded with another PULSE_SECRET; load it again with --full', { library });
      const counts = noCounts();
      const held: StoredEntries = async (hashes) =>
        (await readLibrary(session, this.#database.bytes, library, generation, hashes)).entries;
      let { records } = state;
      for await (const batch of settleChanges(this.#key, batches, counts, held)) {
        await session.put(tableOf(library, generation), recordsOf(batch));
        for (const { entry, held } of batch.changes) records += Number(entry !== undefined) - Number(held);
      }
      if (counts.unchanged > 0 && counts.upserts + counts.deletions === 0) return counts;
      const loads = withLoads(state.loads, { increments: [at] });
      const after = { ...state, records, minuteVersion: dataVersion, lastIncrementAt: at, loads };
      await writeState(session, after, generation, keyId);
      return counts;
    });
  }

  async #stored(session: Pick<PhoneSession, 'query'>, library: PhoneLibraryName): Promise<StoredLibrary | undefined> {
    const { bytes } = this.#database;
    const lacksTable = (error: unknown): boolean => this.#database.lacksTable(error);
    const generation = await generationOf(
      { query: (text, parameters) => session.query(text, parameters), lacksTable },
      library,
    );
    return generation === undefined ? undefined : readLibrary(session, bytes, library, generation, NO_HASHES);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

async function* recordsOfAll(batches: AsyncIterable<PreparedBatch>): AsyncGenerator<readonly StoredRecord[]> {
  for await (const batch of batches) yield recordsOf(batch);
}

const recordsOf = ({ hashes, changes }: PreparedBatch): readonly StoredRecord[] =>
  changes.map(({ index, entry }) => recordOf(hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES), entry));
