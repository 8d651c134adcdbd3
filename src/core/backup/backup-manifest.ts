import { isRecord, parseRecord } from '../kit/json.ts';

export const BACKUP_FORMAT = 1;
/** The manifest is written last: a folder without it is not a whole backup. */
export const MANIFEST_FILE = 'backup.json';

export interface BackupFile {
  /** The path is relative to the backup and to the data folder, with `/` between its parts. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A table, named as in PostgreSQL. `file` holds its rows in COPY's text format. */
export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly file: string;
}

export type TableColumns = Pick<BackupTable, 'name' | 'columns'>;

export interface BackupManifest {
  readonly format: typeof BACKUP_FORMAT;
  readonly release: string;
  /** Accounts, evidence and phone libraries have the state of this moment, RFC 3339. */
  readonly at: string;
  readonly store: 'sqlite' | 'postgresql';
  readonly secret: boolean;
  readonly files: readonly BackupFile[];
  /** The list is empty if the databases of SQLite are among the files as they are. */
  readonly tables: readonly BackupTable[];
}

/** Reads a manifest. Returns undefined unless every field is valid and no path leaves the folder. */
export function readBackupManifest(text: string): BackupManifest | 'newer' | undefined {
  const value = parseRecord(text);
  if (value === undefined || typeof value.format !== 'number') return undefined;
  if (value.format > BACKUP_FORMAT) return 'newer';
  const { release, at, store, secret, files, tables } = value;
  const isValid =
    typeof release === 'string' &&
    typeof at === 'string' &&
    (store === 'sqlite' || store === 'postgresql') &&
    typeof secret === 'boolean' &&
    isListOf(files, isFile) &&
    isListOf(tables, isTable) &&
    new Set(files.map(({ path }) => path)).size === files.length &&
    tables.every(({ file }) => files.some(({ path }) => path === file));
  return isValid ? { format: BACKUP_FORMAT, release, at, store, secret, files, tables } : undefined;
}

export const backupManifestText = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 1)}\n`;

/** This folder of a backup holds tables as text; it has no counterpart in a data folder. */
export const TABLES_FOLDER = 'tables';

export const asBackupTable = ({ name, columns }: TableColumns): BackupTable => ({
  name,
  columns,
  file: `${TABLES_FOLDER}/${name}.copy`,
});

export const isTableFile = ({ path }: BackupFile): boolean => path.startsWith(`${TABLES_FOLDER}/`);

const isListOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is readonly T[] =>
  Array.isArray(value) && value.every(isOne);

const isFile = (value: unknown): value is BackupFile =>
  isRecord(value) &&
  isInsidePath(value.path) &&
  Number.isSafeInteger(value.bytes) &&
  Number(value.bytes) >= 0 &&
  typeof value.sha256 === 'string' &&
  /^[0-9a-f]{64}$/.test(value.sha256);

const isTable = (value: unknown): value is BackupTable =>
  isRecord(value) && isSqlName(value.name) && isListOf(value.columns, isSqlName) && isInsidePath(value.file);

const isSqlName = (value: unknown): value is string => typeof value === 'string' && /^[a-z_][a-z0-9_]*$/.test(value);

function isInsidePath(value: unknown): value is string {
  if (typeof value !== 'string' || /[\\\0:]/.test(value)) return false;
  return value.split('/').every((part) => part !== '' && part !== '.' && part !== '..') && value !== MANIFEST_FILE;
}
