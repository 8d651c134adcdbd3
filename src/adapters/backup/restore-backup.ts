import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import {
  type BackupFile,
  type BackupManifest,
  backupManifestText,
  isTableFile,
  MANIFEST_FILE,
  readBackupManifest,
} from '../../core/backup/backup-manifest.ts';
import { readFolderRecord } from '../../core/data-folder/folder-record.ts';
import { fault } from '../../core/texts/fault.ts';
import { type Said, said } from '../../core/texts/said.ts';
import { shellWord } from '../data-folder/check-folder-mode.ts';
import { isRestoring, RESTORING, restoreMarker } from '../data-folder/restore-marker.ts';
import { lockFolder } from '../system/folder-lock.ts';
import { readOptionalFile } from '../system/read-optional-file.ts';
import { syncFolder, writeDurably } from '../system/write-durably.ts';
import { copyFile, type Digest, digestOf } from './copy-file.ts';
import { requireSpace } from './write-backup.ts';

type RestoreConfig = Pick<Config, 'dataDir' | 'databaseUrl'>;
type OnProgress = (step: Said) => void;

/**
 * Restores a backup into an empty data folder, and an empty database. Everything is verified before anything
 * is changed. While `restoreMarker` exists no service starts over the folder, and the same restore may be run
 * again.
 * @throws Fault when the backup is not whole, or folder or database hold data or are in use
 */
export async function restoreBackup(
  config: RestoreConfig,
  dir: string,
  onProgress: OnProgress,
): Promise<BackupManifest> {
  const manifest = readManifest(dir);
  requireSameStore(config, manifest);
  await requireUnusedFolder(config.dataDir, manifest);
  await verifyFiles(dir, manifest, onProgress);
  const tables = config.databaseUrl === undefined ? undefined : await import('./fill-tables.ts');
  const state = await tables?.requireUnusedDatabase(
    config.databaseUrl!,
    isRestoring(config.dataDir) ? storeIdOf(dir) : undefined,
  );
  const lock = await lockFolder(config.dataDir, 0);
  if (lock === undefined) throw inUse(config.dataDir);
  try {
    await stageFiles(config.dataDir, dir, manifest, onProgress);
    if (tables !== undefined && state === 'unused')
      await tables.fillTables({ ...config, databaseUrl: config.databaseUrl! }, dir, manifest.tables, ({ name }) =>
        onProgress(said('restoring {file}', { file: name })),
      );
    await moveIntoPlace(config.dataDir, manifest);
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

function requireSameStore({ databaseUrl }: RestoreConfig, { store }: BackupManifest): void {
  if (store === 'postgresql' && databaseUrl === undefined)
    throw fault('the backup is of PostgreSQL; name an empty database with PULSE_DATABASE_URL');
  if (store === 'sqlite' && databaseUrl !== undefined)
    throw fault('the backup is of SQLite; unset PULSE_DATABASE_URL to restore it');
}

/** An unused folder may hold locks and the entries that a file system makes by itself. */
const HARMLESS: ReadonlySet<string> = new Set(['lock', 'lost+found', RESTORING]);

async function requireUnusedFolder(dataDir: string, manifest: BackupManifest): Promise<void> {
  if (!existsSync(dataDir)) return;
  const ledger = join(dataDir, 'ledger');
  if (existsSync(ledger)) {
    const lock = await lockFolder(ledger, 0);
    if (lock === undefined) throw inUse(dataDir);
    lock.release();
  }
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

/** Id of the accounts that the backup holds. */
function storeIdOf(dir: string): string | undefined {
  const record = readFolderRecord(readFileSync(join(dir, 'data.json'), 'utf8'));
  return typeof record === 'object' ? record.parts.accounts?.id : undefined;
}

/** Copies all files next to their places. A fault leaves the data folder as it was. */
async function stageFiles(
  dataDir: string,
  dir: string,
  manifest: BackupManifest,
  onProgress: OnProgress,
): Promise<void> {
  const staging = join(dataDir, RESTORING);
  const isAgain = isRestoring(dataDir);
  const files = folderFilesOf(manifest).filter(({ path }) => !isAgain || !existsSync(join(dataDir, path)));
  try {
    await requireSpace(
      dataDir,
      files.reduce((sum, { bytes }) => sum + bytes, 0),
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
}

const folderFilesOf = ({ files }: BackupManifest): readonly BackupFile[] => files.filter((file) => !isTableFile(file));

/** Moves every file to its place, and removes the marker when all are there for good. */
async function moveIntoPlace(dataDir: string, manifest: BackupManifest): Promise<void> {
  const staging = join(dataDir, RESTORING);
  const folders = new Set<string>([dataDir]);
  for (const { path } of folderFilesOf(manifest)) {
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
