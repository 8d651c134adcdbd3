import type { PhoneLibraryName } from '../../contract/phone.ts';
import type { CardFacts, PhoneEntry } from '../../core/phone/entry.ts';
import { unixMs } from '../../core/units.ts';
import type { LibraryState } from '../../service/phone/phone-libraries.ts';
import { HASH_BYTES } from './number-key.ts';
import { COLUMNS, DIRECTORY, type PhoneDatabase, type PhoneSession, type StoredRecord } from './phone-database.ts';

export interface StoredLibrary {
  readonly generation: number;
  readonly keyId: string;
  readonly state: LibraryState;
  readonly entries: ReadonlyMap<number, PhoneEntry>;
}

type FoundRow = { readonly generation: number; readonly about: string } & (
  | (Omit<StoredRecord, 'key' | 'last_active'> & { readonly place: number; readonly last_active: number })
  | { readonly place: null }
);

/**
 * Names the table of a generation. A library is one of two fixed words and a generation is a number, so it
 * contains no text of a caller.
 */
export const tableOf = (library: PhoneLibraryName, generation: number): string => `phone_${library}_${generation}`;

export async function generationOf(
  database: Pick<PhoneDatabase, 'query' | 'lacksTable'>,
  library: PhoneLibraryName,
): Promise<number | undefined> {
  try {
    const text = `select generation from ${DIRECTORY} where library = $1`;
    return (await database.query<{ generation: number }>(text, [library]))[0]?.generation;
  } catch (error) {
    if (database.lacksTable(error)) return undefined;
    throw error;
  }
}

/**
 * Reads all hashes from one generation, and the directory in the same snapshot, in one statement. A caller
 * that finds another generation there must repeat the question.
 * The hashes travel as one parameter, which takes half the time of one statement per key.
 */
export async function readLibrary(
  session: Pick<PhoneSession, 'query'>,
  bytes: PhoneDatabase['bytes'],
  library: PhoneLibraryName,
  generation: number,
  hashes: Uint8Array,
): Promise<StoredLibrary> {
  const all = `cast($1 as ${bytes})`;
  const text = `with recursive places(place) as (
      select 0 union all select place + 1 from places where place + 1 < length(${all}) / ${HASH_BYTES}
    ), found as (
      select place, ${COLUMNS.map((name) => `t.${name}`)} from places
      join ${tableOf(library, generation)} t on t.key = substr(${all}, place * ${HASH_BYTES} + 1, ${HASH_BYTES})
    ) select d.generation, d.about, found.* from ${DIRECTORY} d left join found on 1 = 1 where d.library = $2`;
  const rows = await session.query<FoundRow>(text, [hashes, library]);
  const [first] = rows;
  if (first === undefined) throw new Error(`library ${library} has no row in ${DIRECTORY}`);
  const { keyId, ...state } = JSON.parse(first.about) as Omit<LibraryState, 'library'> & { readonly keyId: string };
  const entries = new Map<number, PhoneEntry>();
  for (const row of rows) if (row.place !== null) entries.set(row.place, entryOf(row));
  return { generation: first.generation, keyId, state: { library, ...state }, entries };
}

export async function writeState(
  session: PhoneSession,
  { library, ...state }: LibraryState,
  generation: number,
  keyId: string,
): Promise<void> {
  await session.query(
    `insert into ${DIRECTORY} (library, generation, about) values ($1, $2, $3)
     on conflict (library) do update set generation = excluded.generation, about = excluded.about`,
    [library, generation, JSON.stringify({ keyId, ...state })],
  );
}

function entryOf(row: Omit<StoredRecord, 'key' | 'last_active'> & { readonly last_active: number }): PhoneEntry {
  return {
    ...(row.risk === null ? {} : { risk: row.risk }),
    tags: row.tags === '' ? [] : row.tags.split(',').map(Number),
    ...(row.first_seen === null ? {} : { firstSeen: unixMs(row.first_seen * 1000) }),
    lastActive: unixMs(row.last_active * 1000),
    ...(row.observed_days === null ? {} : { observedDays: row.observed_days }),
    ...(row.card === null ? {} : { card: JSON.parse(row.card) as CardFacts }),
  };
}

export const recordOf = (key: Uint8Array, entry: PhoneEntry | undefined): StoredRecord => ({
  key,
  risk: entry?.risk ?? null,
  tags: entry?.tags.join() ?? '',
  first_seen: seconds(entry?.firstSeen),
  last_active: seconds(entry?.lastActive),
  observed_days: entry?.observedDays ?? null,
  card: entry?.card === undefined ? null : JSON.stringify(entry.card),
});

const seconds = (at: number | undefined): number | null => (at === undefined ? null : Math.floor(at / 1000));
