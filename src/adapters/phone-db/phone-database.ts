import type { PhoneLibraryName } from '../../contract/phone.ts';

/**
 * A stored record. Times are Unix seconds; null means that the source does not state it. A null `last_active`
 * deletes the number.
 */
export interface StoredRecord {
  /** Keyed hash of the number, HASH_BYTES long. */
  readonly key: Uint8Array;
  readonly risk: number | null;
  /** Codes separated by commas. */
  readonly tags: string;
  readonly first_seen: number | null;
  readonly last_active: number | null;
  readonly observed_days: number | null;
  readonly card: string | null;
}

/** Columns except the key. */
export const COLUMNS = ['risk', 'tags', 'first_seen', 'last_active', 'observed_days', 'card'] as const;

/** Has a row per library: the generation in use, and LibraryState with the id of its key as JSON. */
export const DIRECTORY = 'phone_library';
export const CREATE_DIRECTORY = `create table if not exists ${DIRECTORY} (library text primary key, generation integer not null, about text not null)`;

/** Statements of one connection. Parameters are $1, $2 and so on. */
export interface PhoneSession {
  query<Row>(text: string, parameters: readonly (string | number | Uint8Array)[]): Promise<readonly Row[]>;
  /** Writes or deletes records, whose keys must be distinct. */
  put(table: string, records: readonly StoredRecord[]): Promise<void>;
  /**
   * Creates and fills a table; the last of several records of one key wins.
   * @returns the number of records
   */
  fill(table: string, batches: AsyncIterable<readonly StoredRecord[]>): Promise<number>;
}

/**
 * The database of both libraries. Its two drivers differ in bulk loading, in locks and in the name of one
 * type.
 */
export interface PhoneDatabase extends Pick<PhoneSession, 'query'> {
  readonly bytes: 'blob' | 'bytea';
  /** Runs work in a transaction. No other import into the library runs meanwhile. */
  write<Result>(library: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result>;
  /** Whether a statement failed because its table does not exist. */
  lacksTable(error: unknown): boolean;
  close(): Promise<void>;
}
