import type { Pool } from 'pg';
import { PHONE_LIBRARIES, type PhoneLibraryName } from '../../../contract/phone.ts';
import type { CardFacts, PhoneAnswer, PhoneEntry, PhoneFinding } from '../../../core/phone/entry.ts';
import { unixMs } from '../../../core/units.ts';
import {
  type LibraryState,
  LibraryUnavailable,
  type LoadTimes,
  NO_LOADS,
  type PhoneLibraries,
} from '../../../service/phone/phone-libraries.ts';
import { openPool } from '../../database/open-pool.ts';
import { hashNumbers, type NumberKey } from '../number-key.ts';
import { versionsOf } from '../versions-of.ts';
import { COLUMN_NAMES, DIRECTORY, readLoads, tableOf, uuidAt } from './phone-tables.ts';

/** A row of the directory, as the pool gives it. */
interface DirectoryRow {
  readonly library: PhoneLibraryName;
  readonly generation: number;
  readonly key_id: string;
  readonly data_version: string;
  readonly loaded_at: Date;
  readonly minute_version: string | null;
  readonly last_increment_at: Date | null;
  readonly records: number;
}

export interface EntryRow {
  readonly key: string;
  readonly risk: number | null;
  readonly tags: readonly number[];
  readonly first_seen: number | null;
  readonly last_active: number;
  readonly observed_days: number | null;
  readonly province: string | null;
  readonly city_code: string | null;
  readonly carrier: string | null;
  readonly attribute: number | null;
  readonly card_type: number | null;
}

/** Opens the reader of one thread: a small pool, connected when first asked. */
export function openPostgresPhoneLibraries(databaseUrl: string, key: NumberKey): PhoneLibraries {
  return new PostgresPhoneLibraries(databaseUrl, key);
}

/**
 * Both libraries over PostgreSQL. One round trip a batch and table: each statement reads the directory and the records in one snapshot, so an answer never
 * mixes generations; a table that was replaced meanwhile is noticed in the same row and asked again.
 */
class PostgresPhoneLibraries implements PhoneLibraries {
  readonly #pool: Pool;
  readonly #key: NumberKey;
  readonly #generations = new Map<PhoneLibraryName, number>();

  constructor(databaseUrl: string, key: NumberKey) {
    this.#key = key;
    this.#pool = openPool(databaseUrl);
  }

  async lookup(digits: readonly string[]): Promise<PhoneAnswer> {
    const hashes = hashNumbers(this.#key, digits);
    const keys = digits.map((_, index) => uuidAt(hashes, index));
    const distinct = [...new Set(keys)];
    const found = await Promise.all(PHONE_LIBRARIES.map((library) => this.#ask(library, distinct)));
    const findings = keys.map((key): readonly PhoneFinding[] =>
      found.flatMap(({ directory, entries }) => {
        const entry = entries.get(key);
        return entry === undefined ? [] : [{ library: directory.library, entry }];
      }),
    );
    return { dataVersion: versionsOf(found.map(({ directory }) => stateOf(directory))), findings };
  }

  async #ask(
    library: PhoneLibraryName,
    keys: readonly string[],
  ): Promise<{ readonly directory: DirectoryRow; readonly entries: ReadonlyMap<string, PhoneEntry> }> {
    try {
      for (let attempt = 0; attempt < 3; attempt++) {
        const generation = this.#generations.get(library) ?? (await this.#learn(library));
        const rows = await this.#select(library, generation, keys);
        const directory = rows?.[0];
        if (directory !== undefined && directory.generation === generation)
          return { directory: checked(directory, library, this.#key), entries: entriesOf(rows) };
        this.#generations.delete(library);
      }
      throw new LibraryUnavailable(library, 'is being replaced faster than it can be read');
    } catch (error) {
      throw error instanceof LibraryUnavailable
        ? error
        : new LibraryUnavailable(library, 'PostgreSQL cannot be asked', { cause: error });
    }
  }

  /** undefined: the table was dropped, a newer one serves. */
  async #select(
    library: PhoneLibraryName,
    generation: number,
    keys: readonly string[],
  ): Promise<(DirectoryRow & Partial<EntryRow>)[] | undefined> {
    const table = tableOf(library, generation);
    const text = `select d.*, replace(t.key::text, '-', '') as key, ${COLUMN_NAMES.map((name) => `t.${name}`)}
      from ${DIRECTORY} d left join ${table} t on t.key = any($2::uuid[]) where d.library = $1`;
    try {
      const { rows } = await this.#pool.query({ name: `phone ${table}`, text, values: [library, keys] });
      return rows;
    } catch (error) {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return undefined;
      throw error;
    }
  }

  async #learn(library: PhoneLibraryName): Promise<number> {
    const { rows } = await this.#pool.query(`select generation from ${DIRECTORY} where library = $1`, [library]);
    if (rows[0] === undefined) throw new LibraryUnavailable(library, 'was never loaded');
    const generation = rows[0].generation as number;
    this.#generations.set(library, generation);
    return generation;
  }

  async state(): Promise<readonly LibraryState[]> {
    return Promise.all(
      PHONE_LIBRARIES.map(async (library) =>
        stateOf((await this.#ask(library, [])).directory, await this.#loadsOf(library)),
      ),
    );
  }

  async #loadsOf(library: PhoneLibraryName): Promise<LoadTimes> {
    try {
      return await readLoads(this.#pool, library);
    } catch (error) {
      // Nothing was loaded since the version before this table.
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return NO_LOADS;
      throw new LibraryUnavailable(library, 'PostgreSQL cannot be asked', { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const UNDEFINED_TABLE = '42P01';

function checked(directory: DirectoryRow, library: PhoneLibraryName, key: NumberKey): DirectoryRow {
  if (directory.key_id !== key.id)
    throw new LibraryUnavailable(library, 'was loaded with another PULSE_SECRET; load the library again');
  return directory;
}

const entriesOf = (rows: readonly Partial<EntryRow>[] | undefined): ReadonlyMap<string, PhoneEntry> =>
  new Map(
    (rows ?? []).flatMap((row) =>
      row.key === undefined || row.key === null ? [] : [[row.key, entryOf(row as EntryRow)] as const],
    ),
  );

/** A row as an entry. Times are stored as Unix seconds. */
export function entryOf(row: EntryRow): PhoneEntry {
  const {
    risk,
    tags,
    first_seen,
    last_active,
    observed_days: observedDays,
    province,
    city_code: cityCode,
    carrier,
    attribute,
    card_type: cardType,
  } = row;
  const card: CardFacts = withoutNulls({ province, cityCode, carrier, attribute, cardType });
  return {
    ...withoutNulls({ risk, firstSeen: first_seen === null ? null : unixMs(first_seen * 1000), observedDays }),
    tags,
    lastActive: unixMs(last_active * 1000),
    ...(Object.keys(card).length === 0 ? {} : { card }),
  };
}

const withoutNulls = <Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };

const stateOf = (row: DirectoryRow, loads = NO_LOADS): LibraryState => ({
  library: row.library,
  records: row.records,
  dataVersion: row.data_version,
  lastFullAt: unixMs(row.loaded_at.getTime()),
  loads,
  ...(row.minute_version === null ? {} : { minuteVersion: row.minute_version }),
  ...(row.last_increment_at === null ? {} : { lastIncrementAt: unixMs(row.last_increment_at.getTime()) }),
});
