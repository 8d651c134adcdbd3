import type { PhoneLibraryName } from '../../contract/phone.ts';

/** A record as it is stored. Times are Unix seconds; null: the source does not state it. Without `last_active` the number is to be deleted. */
export interface StoredRecord {
  /** Keyed hash of the number, HASH_BYTES. */
  readonly key: Uint8Array;
  readonly risk: number | null;
  /** Codes, separated by commas. */
  readonly tags: string;
  readonly first_seen: number | null;
  readonly last_active: number | null;
  readonly observed_days: number | null;
  /** CardFacts as JSON. */
  readonly card: string | null;
}

/** Columns besides the key. */
export const COLUMNS = ['risk', 'tags', 'first_seen', 'last_active', 'observed_days', 'card'] as const;

/** One row a library: the generation that serves, and LibraryState with the id of its key as JSON. */
export const DIRECTORY = 'phone_library';
export const CREATE_DIRECTORY = `create table if not exists ${DIRECTORY} (library text primary key, generation integer not null, about text not null)`;

/** The statements of one connection. Parameters are $1, $2 and so on. */
export interface PhoneSession {
  query<Row>(text: string, parameters: readonly (string | number | Uint8Array)[]): Promise<readonly Row[]>;
  /** Writes and deletes; no key twice. */
  put(table: string, records: readonly StoredRecord[]): Promise<void>;
  /** Makes the table and fills it; of several records of one key the last one counts. @returns records in it */
  fill(table: string, batches: AsyncIterable<readonly StoredRecord[]>): Promise<number>;
}

/** The database of both libraries. Its two drivers differ in how they load many records, in locks and in the name of one type. */
export interface PhoneDatabase extends Pick<PhoneSession, 'query'> {
  readonly bytes: 'blob' | 'bytea';
  /** One transaction; no other import into the library runs meanwhile. */
  write<Result>(library: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result>;
  /** Whether a statement failed because its table is not there. */
  lacksTable(error: unknown): boolean;
  close(): Promise<void>;
}
