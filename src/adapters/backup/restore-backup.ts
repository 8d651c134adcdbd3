import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import {
  type BackupFile,
  type BackupManifest,
  type BackupTable,
  backupManifestText,
  isTableFile,
  MANIFEST_FILE,
  readBackupManifest,
} from '../../core/backup/backup-manifest.ts';
import { folderRecordText, type PartStore, readFolderRecord } from '../../core/data-folder/folder-record.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import { shellWord } from '../data-folder/check-folder-mode.ts';
import { readRecord, recordPath } from '../data-folder/read-record.ts';
import { isRestoring, RESTORING, restoreMarker } from '../data-folder/restore-marker.ts';
import { readOptionalFile } from '../system/files.ts';
import { lockFolder } from '../system/folder-lock.ts';
import { syncFolder, writeDurably } from '../system/write-durably.ts';
import { copyFile, type Digest, digestOf } from './folder-files.ts';
import { requireSpace } from './write-backup.ts';

type RestoreConfig = Pick<Config, 'dataDir' | 'databaseUrl'>;
type OnProgress = (step: Said) => void;

export interface RestoreOptions {
  readonly intoAnyStore: boolean;
  readonly onProgress: OnProgress;
}

/**
 * Restores a backup into an empty data folder, and an empty database. Everything is verified before anything
 * is changed. While `restoreMarker` exists no service starts over the folder, and the same restore may be run
 * again.
 * @throws Fault when the backup is not whole, or folder or database hold data or are in use
 */
export async function restoreBackup(
  config: RestoreConfig,
  dir: string,
  { intoAnyStore, onProgress }: RestoreOptions,
): Promise<BackupManifest> {
  const { dataDir, databaseUrl } = config;
  const manifest = readManifest(dir);
  requireStore(config, manifest, intoAnyStore);
  const hasTables = manifest.tables.length > 0;
  const text = hasTables ? await import('./sqlite-tables.ts') : undefined;
  await requireUnusedFolder(dataDir, manifest);
  await verifyFiles(dir, manifest, onProgress);
  text?.requireOwnTables(dir, manifest.tables);
  const postgres = databaseUrl === undefined ? undefined : await import('./fill-tables.ts');
  const state = await postgres?.requireUnusedDatabase(databaseUrl!, isRestoring(dataDir) ? storeIdOf(dir) : undefined);
  const lock = await lockFolder(dataDir, 0);
  if (lock === undefined) throw inUse(dataDir);
  const onTable = ({ name }: BackupTable): void => onProgress(said('restoring {file}', { file: name }));
  try {
    const paths = await stageFiles(config, dir, manifest, onProgress);
    if (state === 'unused') await postgres!.fillTables(databaseUrl!, dir, manifest.tables, onTable);
    const place = { dir, tables: manifest.tables, done: dataDir };
    const made = databaseUrl === undefined ? await text?.fillSqlite(join(dataDir, RESTORING), place, onTable) : [];
    await recordStore(join(dataDir, RESTORING), databaseUrl === undefined ? 'file' : 'postgresql');
    await moveIntoPlace(dataDir, [...paths, ...(made ?? [])]);
  } finally {
    lock.release();
  }
  return manifest;
}

function readManifest(dir: string): BackupManifest {
  const text = readOptionalFile(join(dir, MANIFEST_FILE));
  if (text === undefined)
    throw fault('{dir} is not a whole backup: it has no {file}, which is written last', { dir, file: MANIFEST_FILE });
  const manifest = readBackupManifest(text.toString());
  if (manifest === 'newer') throw fault('{dir} was written by a newer release of pulse; use that one', { dir });
  if (manifest === undefined) throw fault('{file} is damaged; nothing was changed', { file: join(dir, MANIFEST_FILE) });
  return manifest;
}

function requireStore({ databaseUrl }: RestoreConfig, manifest: BackupManifest, intoAnyStore: boolean): void {
  const { store, tables } = manifest;
  if (store === (databaseUrl === undefined ? 'sqlite' : 'postgresql')) return;
  if (tables.length === 0)
    throw fault(
      'the backup is of SQLite; unset PULSE_DATABASE_URL to restore it, or move the installation with `pulse data export` and `pulse data import`',
    );
  if (intoAnyStore) return;
  throw store === 'sqlite'
    ? fault('the tables are those of SQLite; unset PULSE_DATABASE_URL, or take them into it with `pulse data import`')
    : fault(
        'the backup is of PostgreSQL; name an empty database with PULSE_DATABASE_URL, or take it into SQLite with `pulse data import`',
      );
}

/** An unused folder may hold locks and the entries that a file system makes by itself. */
const HARMLESS: ReadonlySet<string> = new Set(['lock', 'lost+found', RESTORING]);

async function requireUnusedFolder(dataDir: string, manifest: BackupManifest): Promise<void> {
  if (!existsSync(dataDir)) return;
  if (await isServed(dataDir)) throw inUse(dataDir);
  const begun = readOptionalFile(restoreMarker(dataDir))?.toString();
  if (begun === backupManifestText(manifest)) return;
  if (begun !== undefined)
    throw fault('a restore of another backup into {dataDir} was cut short; finish it, or empty the folder', {
      dataDir,
    });
  if (readdirSync(dataDir).some((name) => !HARMLESS.has(name)))
    throw fault('{dataDir} holds data; move it away first: {command}', {
      dataDir,
      command: `mv ${shellWord(dataDir)} ${shellWord(`${dataDir}.before`)}`,
    });
}

export async function isServed(dataDir: string): Promise<boolean> {
  const ledger = join(dataDir, 'ledger');
  if (!existsSync(ledger)) return false;
  const lock = await lockFolder(ledger, 0);
  lock?.release();
  return lock === undefined;
}

const inUse = (dataDir: string): Error => fault('a service uses {dataDir}; stop it first', { dataDir });

async function verifyFiles(dir: string, { files }: BackupManifest, onProgress: OnProgress): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const damaged: Said[] = [];
  for (const file of files) {
    const path = join(dir, file.path);
    if (!existsSync(path)) {
      damaged.push(said('{path} is missing', { path }));
      continue;
    }
    const digest = await digestOf(path, (count) => {
      done += count;
      onProgress(said('verifying, {percent} %', { percent: Math.floor((100 * done) / Math.max(1, total)) }));
    });
    if (!isSame(digest, file)) damaged.push(said('{path} is not what was written', { path }));
  }
  if (damaged.length > 0) throw fault('{dir} is damaged; nothing was changed:\n{lines}', { dir, lines: damaged });
}

const isSame = (digest: Digest, file: BackupFile): boolean =>
  digest.bytes === file.bytes && digest.sha256 === file.sha256;

function storeIdOf(dir: string): string | undefined {
  const record = readFolderRecord(readFileSync(join(dir, 'data.json'), 'utf8'));
  return typeof record === 'object' ? record.parts.accounts?.id : undefined;
}

/**
 * Copies all files next to their places. A fault leaves the data folder as it was.
 * @returns the paths of all files, also of those that are in place
 */
async function stageFiles(
  { dataDir, databaseUrl }: RestoreConfig,
  dir: string,
  manifest: BackupManifest,
  onProgress: OnProgress,
): Promise<readonly string[]> {
  const staging = join(dataDir, RESTORING);
  const isAgain = isRestoring(dataDir);
  const all = manifest.files.filter((file) => !isTableFile(file));
  const files = all.filter(({ path }) => !isAgain || !existsSync(join(dataDir, path)));
  // The databases of SQLite take no more than the text of their tables.
  const made = databaseUrl === undefined ? manifest.files.filter(isTableFile) : [];
  try {
    await requireSpace(
      dataDir,
      [...files, ...made].reduce((sum, { bytes }) => sum + bytes, 0),
    );
    await writeDurably(restoreMarker(dataDir), Buffer.from(backupManifestText(manifest)));
    await syncFolder(dataDir);
    for (const file of files) {
      onProgress(said('restoring {file}', { file: file.path }));
      const to = join(staging, file.path);
      rmSync(to, { force: true });
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
      if (!isSame(await copyFile(join(dir, file.path), to), file))
        throw fault('{path} is not what was written', { path: file.path });
    }
  } catch (error) {
    if (!isAgain) rmSync(staging, { recursive: true, force: true });
    throw error;
  }
  return all.map(({ path }) => path);
}

async function recordStore(staging: string, store: PartStore): Promise<void> {
  const record = readRecord(staging);
  if (typeof record !== 'object' || record.parts.accounts === undefined) return;
  const { evidence, accounts, ...parts } = record.parts;
  const moved = {
    ...record,
    parts: {
      ...parts,
      accounts: { ...accounts, store },
      ...(evidence !== undefined && store === 'file' && { evidence }),
    },
  };
  await writeDurably(recordPath(staging), Buffer.from(folderRecordText(moved)));
}

async function moveIntoPlace(dataDir: string, paths: readonly string[]): Promise<void> {
  const staging = join(dataDir, RESTORING);
  const folders = new Set<string>([dataDir]);
  for (const path of paths) {
    const to = join(dataDir, path);
    for (let folder = dirname(to); folder.length >= dataDir.length; folder = dirname(folder)) folders.add(folder);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    if (existsSync(join(staging, path))) renameSync(join(staging, path), to);
  }
  for (const folder of folders) await syncFolder(folder);
  for (const name of readdirSync(staging))
    if (name !== MANIFEST_FILE) rmSync(join(staging, name), { recursive: true, force: true });
  rmSync(restoreMarker(dataDir));
  rmdirSync(staging);
  await syncFolder(dataDir);
}
