/**
 * Reads and writes the tables of the three SQLite files, by the names and in the text that they have in
 * PostgreSQL.
 */
import { chmodSync, createReadStream, existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { asBackupTable, type BackupTable, type TableColumns } from '../../core/backup/backup-manifest.ts';
import { type CopyValue, copyBytes, copyFields, copyLine } from '../../core/backup/copy-line.ts';
import { Fault, fault, said } from '../../core/texts/said.ts';
import { migrateSqlite, type Schema } from '../database/migrate.ts';
import { RECORDS } from '../database/migrations/index.ts';
import { bytesOfKey, keyOfBytes } from '../history/postgres/prefix-hex.ts';
import type { PrefixKey } from '../history/prefix-key.ts';
import { EVIDENCE_FILE } from '../history/sqlite/schema.ts';
import { TABLES_VERSION } from '../history/tables.ts';
import { isLibraryTable, PHONE_TABLES } from '../phone-db/phone-database.ts';
import { createSqliteLibraryTable } from '../phone-db/sqlite-phone-database.ts';

/**
 * The schema with the migrations that the tables of a backup have had, and not with later ones.
 * @param dir of the backup
 * @throws Fault where the backup has had one that this release does not know
 */
export function schemaOf<S extends Schema>(schema: S, dir: string, tables: readonly BackupTable[]): S {
  const noted = tables.find(({ name }) => name.replace('evidence_', '') === schema.table.replace('evidence_', ''));
  const at = noted?.columns.indexOf('name') ?? -1;
  const text = noted === undefined ? '' : readFileSync(join(dir, noted.file), 'utf8');
  const names = text.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[at]!]));
  if (!names.every((name) => Object.hasOwn(schema.migrations, name))) throw otherTables();
  const had = Object.entries(schema.migrations).filter(([name], index) => index === 0 || names.includes(name));
  return { ...schema, migrations: Object.fromEntries(had) };
}

/** Each store notes its own migrations: the same ones have other hashes in SQLite and PostgreSQL. */
export const isMigrations = ({ name }: Pick<BackupTable, 'name'>): boolean => /_migrations?$/.test(name);

export const otherTables = (): Error =>
  fault('the tables of this backup are those of another release of pulse; use that release');

const FILES = ['pulse.db', 'evidence.db', 'phone.db'] as const;
type File = (typeof FILES)[number];

const EVIDENCE = 'evidence_';
/** PostgreSQL keeps the version of the evidence tables in a table, SQLite in the head of the file. */
const VERSION_TABLE: TableColumns = { name: `${EVIDENCE}schema`, columns: ['version'] };

export interface TableText {
  readonly table: BackupTable;
  readonly rows: () => Iterable<Uint8Array>;
}

export function* sqliteTables(open: (file: File) => DatabaseSync | undefined): Generator<TableText> {
  for (const file of FILES) {
    const database = open(file);
    if (database === undefined) continue;
    for (const { name, columns } of tablesIn(database, file))
      yield { table: asBackupTable({ name, columns }), rows: () => textOf(database, file, { name, columns }) };
    if (file === 'evidence.db')
      yield { table: asBackupTable(VERSION_TABLE), rows: () => [Buffer.from(copyLine([TABLES_VERSION]))] };
  }
}

/**
 * Compares the tables of a backup with those that its migrations make. A database that was never made is left
 * out as a whole.
 * @param dir of the backup
 * @throws Fault when they differ
 */
export function requireOwnTables(dir: string, tables: readonly BackupTable[]): void {
  for (const file of FILES) {
    const given = tables.filter(({ name }) => fileOf(name) === file && !isLibraryTable(name));
    if (given.length === 0) continue;
    const database = create(file, ':memory:', dir, tables);
    const made = tablesIn(database, file);
    database.close();
    if (namesOf(given) !== namesOf(file === 'evidence.db' ? [...made, VERSION_TABLE] : made)) throw otherTables();
  }
}

const namesOf = (tables: readonly TableColumns[]): string =>
  tables
    .filter((table) => !isMigrations(table))
    .map(({ name, columns }) => `${name}(${columns.toSorted().join()})`)
    .sort()
    .join();

/**
 * Makes the SQLite files of a backup's tables in a folder, each as one file without a log next to it, forced
 * to disk. Files that exist in `done` are left out.
 * @param dir of the backup
 */
export async function fillSqlite(
  folder: string,
  { dir, tables, done }: { readonly dir: string; readonly tables: readonly BackupTable[]; readonly done: string },
  onTable: (table: BackupTable) => void,
): Promise<readonly string[]> {
  const made: string[] = [];
  for (const file of FILES) {
    const own = tables.filter(
      (table) => table.name !== VERSION_TABLE.name && fileOf(table.name) === file && !isMigrations(table),
    );
    if (own.length === 0) continue;
    made.push(file);
    if (existsSync(join(done, file))) continue;
    const path = join(folder, file);
    for (const cut of globSync(`${path}*`)) rmSync(cut);
    const database = create(file, path, dir, tables);
    try {
      await fill(database, file, own, dir, onTable);
    } finally {
      database.close();
    }
    chmodSync(path, 0o600);
    const handle = await open(path, 'r+');
    await handle.sync().finally(() => handle.close());
  }
  return made;
}

const fileOf = (table: string): File =>
  table.startsWith(EVIDENCE) ? 'evidence.db' : table.startsWith('phone_') ? 'phone.db' : 'pulse.db';

const SCHEMAS: Readonly<Record<File, Schema>> = {
  'pulse.db': RECORDS.sqlite,
  'evidence.db': EVIDENCE_FILE,
  'phone.db': PHONE_TABLES,
};

function create(file: File, path: string, dir: string, tables: readonly BackupTable[]): DatabaseSync {
  const database = new DatabaseSync(path);
  migrateSqlite(database, schemaOf(SCHEMAS[file], dir, tables), path);
  return database;
}

async function fill(
  database: DatabaseSync,
  file: File,
  tables: readonly BackupTable[],
  dir: string,
  onTable: (table: BackupTable) => void,
): Promise<void> {
  // A file that is cut short is made again from its beginning.
  database.exec('pragma foreign_keys = off; pragma journal_mode = delete; pragma synchronous = off; begin');
  for (const { name } of tables) if (isLibraryTable(name)) createSqliteLibraryTable(database, name);
  for (const table of tablesIn(database, file))
    if (!isMigrations(table)) database.exec(`delete from ${ownName(table.name, file)}`);
  for (const table of tables) {
    onTable(table);
    const name = ownName(table.name, file);
    const marks = table.columns.map(() => '?').join();
    const insert = database.prepare(`insert into ${name} (${quoted(table)}) values (${marks})`);
    const read = columnsOf(database, name, table).map((type, at) => readerOf(file, table.columns[at]!, type));
    for await (const line of linesOf(join(dir, table.file))) {
      const fields = copyFields(line);
      insert.run(...fields.map((field, at) => (field === null ? null : read[at]!(field))));
    }
  }
  database.exec('commit');
  const broken = database.prepare('pragma foreign_key_check').get();
  if (broken !== undefined)
    throw fault('{name} refers to rows that are not in the backup', { name: broken['table'] as string });
  database.exec('analyze');
}

const quoted = ({ columns }: TableColumns): string => columns.map((name) => `"${name}"`).join();
const ownName = (name: string, file: File): string => (file === 'evidence.db' ? name.slice(EVIDENCE.length) : name);

function tablesIn(database: DatabaseSync, file: File): readonly TableColumns[] {
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all();
  return names.map(({ name }) => ({
    name: file === 'evidence.db' ? `${EVIDENCE}${name}` : String(name),
    columns: database
      .prepare('select name from pragma_table_info(?) order by cid')
      .all(String(name))
      .map((column) => String(column['name'])),
  }));
}

function columnsOf(database: DatabaseSync, name: string, { columns }: TableColumns): readonly string[] {
  const types = new Map(
    database
      .prepare('select name, type from pragma_table_info(?)')
      .all(name)
      .map((column) => [column['name'], String(column['type']).toLowerCase()]),
  );
  return columns.map((column) => types.get(column)!);
}

type Convert<From, To> = (value: From) => To;

/** SQLite holds a prefix as `PrefixKey`, and a flag as 0 or 1. */
function readerOf(file: File, column: string, type: string): Convert<string, SQLInputValue> {
  if (file === 'evidence.db' && column === 'prefix') return (text) => keyOfBytes(Buffer.from(copyBytes(text)));
  if (file === 'evidence.db' && column === 'presence') return (text) => (text === 't' ? 1 : 0);
  if (type === 'blob') return copyBytes;
  return type === 'text' ? (text) => text : Number;
}

function writerOf(file: File, column: string): Convert<CopyValue, CopyValue> {
  if (file === 'evidence.db' && column === 'prefix') return (value) => bytesOfKey(value as PrefixKey);
  if (file === 'evidence.db' && column === 'presence') return (value) => value === 1;
  return (value) => value;
}

const PIECE_CHARACTERS = 256 * 1024;

function* textOf(database: DatabaseSync, file: File, table: TableColumns): Generator<Uint8Array> {
  const write = table.columns.map((column) => writerOf(file, column));
  const statement = database.prepare(`select ${quoted(table)} from ${ownName(table.name, file)}`);
  statement.setReturnArrays(true);
  let piece = '';
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly CopyValue[]>) {
    piece += lineOf(
      table,
      row.map((value, at) => write[at]!(value)),
    );
    if (piece.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  yield Buffer.from(piece);
}

function lineOf({ name }: TableColumns, row: readonly CopyValue[]): string {
  try {
    return copyLine(row);
  } catch (error) {
    throw new Fault(said('{name} holds a text with a NUL character, which PostgreSQL cannot hold', { name }), {
      cause: error,
    });
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_CHARACTERS })) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
