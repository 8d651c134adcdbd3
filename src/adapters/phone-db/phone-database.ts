import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { Schema } from '../database/migrate.ts';

/**
 * Times are Unix seconds; null means that the source does not state it. A null `last_active` deletes the
 * number. `tags` are codes separated by commas.
 */
export interface StoredRecord {
  readonly key: Uint8Array;
  readonly risk: number | null;
  readonly tags: string;
  readonly first_seen: number | null;
  readonly last_active: number | null;
  readonly observed_days: number | null;
  readonly card: string | null;
}

export const COLUMNS = ['risk', 'tags', 'first_seen', 'last_active', 'observed_days', 'card'] as const;

/** A row per library holds the generation in use, and LibraryState with the id of its key as JSON. */
export const DIRECTORY = 'phone_library';
const BASELINE = [
  `create table ${DIRECTORY} (library text primary key, generation integer not null, about text not null)`,
];

export const PHONE_TABLES: Schema = {
  table: 'phone_migrations',
  migrations: { '0001-phone': BASELINE },
  inSqlite: { '0001-phone': BASELINE },
};

export const isLibraryTable = (name: string): boolean => /^phone_(cn|sg)_\d+$/.test(name);

export interface PhoneSession {
  query<Row>(text: string, parameters: readonly (string | number | Uint8Array)[]): Promise<readonly Row[]>;
  /** The keys of the records must be distinct. */
  put(table: string, records: readonly StoredRecord[]): Promise<void>;
  /**
   * Creates and fills a table; the last of several records of one key wins.
   * @returns the number of records
   */
  fill(table: string, batches: AsyncIterable<readonly StoredRecord[]>): Promise<number>;
}

/** The two drivers differ in bulk loading, in locks and in the name of one type. */
export interface PhoneDatabase extends Pick<PhoneSession, 'query'> {
  readonly bytes: 'blob' | 'bytea';
  write<Result>(library: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result>;
  lacksTable(error: unknown): boolean;
  close(): Promise<void>;
}
