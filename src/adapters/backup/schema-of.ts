import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupTable } from '../../core/backup/backup-manifest.ts';
import { fault } from '../../core/texts/said.ts';
import type { Schema } from '../database/migrate.ts';

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
