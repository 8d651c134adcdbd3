import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { fault } from '../../core/texts/said.ts';

/**
 * The tables of one store. A change of them is a new migration with the next number; a released one is never edited,
 * because it has run somewhere. An edit changes its hash, and the store is refused. `inSqlite`: the same in SQLite,
 * which says what tables there must be.
 */
export interface Schema {
  readonly table: string;
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  readonly inSqlite: Schema['migrations'];
}

interface Held {
  readonly columns: readonly string[];
  readonly applied: readonly (readonly [name: string, hash: string | null])[];
}

const BASELINE = '0.2.0';

const COLUMNS = {
  sqlite: `select m.name || '.' || c.name as one from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'`,
  postgres: `select c.relname || '.' || a.attname as one
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
};

const columnsOf = (database: DatabaseSync): string[] =>
  database
    .prepare(COLUMNS.sqlite)
    .all()
    .map(({ one }) => String(one));

const appliedQuery = ({ table }: Schema, columns: readonly string[]): string | undefined =>
  columns.includes(`${table}.name`)
    ? `select name, ${columns.includes(`${table}.hash`) ? 'hash' : 'null as hash'} from ${table} order by name`
    : undefined;

const hashOf = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';\n')).digest('hex');

/**
 * Returns the statements that bring a store up to date.
 * @param place names the store in a fault
 * @throws Fault where a newer release made it, its migrations are others, or it is older than the baseline
 */
function missingStatements(schema: Schema, { columns, applied }: Held, place: string): readonly string[] {
  const { table, migrations } = schema;
  for (const [name, noted] of applied) {
    if (!Object.hasOwn(migrations, name)) throw otherRelease(place, name);
    const own = hashOf(migrations[name]!);
    if (noted !== null && noted !== own) throw otherRelease(place, `${name} ${noted.slice(0, 8)}`);
  }
  const known = new Set(applied.flatMap(([name, hash]) => (hash === null ? [] : [name])));
  const isHeld = holdsTables(schema, columns, known, place);
  const statements: string[] = [];
  if (!columns.includes(`${table}.hash`))
    statements.push(
      columns.includes(`${table}.name`)
        ? `alter table ${table} add column hash text`
        : `create table ${table} (name text primary key, timestamp text not null, hash text)`,
    );
  const at = new Date().toISOString();
  for (const [index, [name, made]] of Object.entries(migrations).entries()) {
    if (known.has(name)) continue;
    if (index > 0 || !isHeld) statements.push(...made);
    statements.push(
      `insert into ${table} (name, timestamp, hash) values ('${name}', '${at}', '${hashOf(made)}')
       on conflict (name) do update set hash = excluded.hash`,
    );
  }
  return statements;
}

function holdsTables(schema: Schema, columns: readonly string[], known: ReadonlySet<string>, place: string): boolean {
  const wanted = columnsMade(schema, known);
  const tables = new Set(wanted.map(tableOf));
  const held = new Set(columns.filter((column) => tables.has(tableOf(column))));
  const lost = wanted.filter((column) => !held.has(column));
  if (known.size === 0) {
    if (held.size > 0 && (lost.length > 0 || held.size > wanted.length)) throw beforeBaseline(place);
  } else if (lost.length > 0) {
    const names = [...new Set(lost.map(tableOf))].join(', ');
    throw fault('{place} lacks tables or columns that another program removed, of {names}: restore a backup', {
      place,
      names,
    });
  }
  return held.size > 0;
}

/** Every open asks for them, and making them takes milliseconds. */
const madeColumns = new Map<string, readonly string[]>();

function columnsMade({ table, inSqlite }: Schema, known: ReadonlySet<string>): readonly string[] {
  const key = [table, ...known].join();
  const earlier = madeColumns.get(key);
  if (earlier !== undefined) return earlier;
  const made = new DatabaseSync(':memory:');
  for (const [index, [name, statements]] of Object.entries(inSqlite).entries())
    if (index === 0 || known.has(name)) made.exec(statements.join(';'));
  const columns = columnsOf(made);
  made.close();
  madeColumns.set(key, columns);
  return columns;
}

const tableOf = (column: string): string => column.split('.')[0]!;

export const otherRelease = (place: string, migration: string): Error =>
  fault('{place} was written by another release of pulse (its tables are those of {migration}); use that release', {
    place,
    migration,
  });

export const beforeBaseline = (place: string): Error =>
  fault(
    '{place} was written by another release of pulse, from before {release}, and cannot be upgraded: go on with that release, or start again over an empty PULSE_DATA_DIR (and an empty database), where `pulse evidence import` takes your captures again',
    { place, release: BASELINE },
  );

/** What a database lacks, without changing it. @throws Fault where this release cannot use it */
export function checkSqlite(database: DatabaseSync, schema: Schema, place: string): readonly string[] {
  const columns = columnsOf(database);
  const query = appliedQuery(schema, columns);
  const rows = query === undefined ? [] : database.prepare(query).all();
  const applied = rows.map(({ name, hash }) => [String(name), hash as string | null] as const);
  return missingStatements(schema, { columns, applied }, place);
}

export function migrateSqlite(database: DatabaseSync, schema: Schema, place: string): void {
  if (checkSqlite(database, schema, place).length === 0) return;
  database.exec('begin immediate');
  try {
    for (const statement of checkSqlite(database, schema, place)) database.exec(statement);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

export async function checkPostgres(client: ClientBase, schema: Schema, place: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ one: string }>(COLUMNS.postgres);
  const columns = rows.map(({ one }) => one);
  const query = appliedQuery(schema, columns);
  const found = query === undefined ? [] : (await client.query<{ name: string; hash: string | null }>(query)).rows;
  const applied = found.map(({ name, hash }) => [name, hash] as const);
  return missingStatements(schema, { columns, applied }, place);
}

/** Applies what is missing, in one transaction. @param lock advisory lock that writers of these tables hold */
export async function migratePostgres(client: ClientBase, schema: Schema, place: string, lock: number): Promise<void> {
  // Writers may hold the lock for long, and a store that is up to date must not wait for them.
  if ((await checkPostgres(client, schema, place)).length === 0) return;
  await client.query('begin; set local statement_timeout = 0');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    for (const statement of await checkPostgres(client, schema, place)) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
