import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { type Config, VERSION } from '../../config.ts';
import {
  BACKUP_FORMAT,
  type BackupFile,
  type BackupManifest,
  type BackupTable,
  backupManifestText,
  MANIFEST_FILE,
  TABLES_FOLDER,
} from '../../core/backup/backup-manifest.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import { readRecords } from '../counters/memory/charge-record.ts';
import { secretText } from '../data-folder/deployment-secret.ts';
import { folderState } from '../data-folder/open-data-folder.ts';
import { syncFolder, writeDurably } from '../system/write-durably.ts';
import { copyFile, type Digest, digestOf, type FolderFile, folderFiles, writeFrom } from './folder-files.ts';
import { noteBackup } from './last-backup.ts';
import { openMoment, type SqliteMoment } from './sqlite-moment.ts';

export type BackupConfig = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret' | 'secretFile'>;

export interface BackupOptions {
  readonly withSecret: boolean;
  readonly asTables?: boolean;
  readonly onProgress: (step: Said) => void;
  readonly signal?: AbortSignal;
}

const MIB = 1024 * 1024;
/** Files may grow by this much while they are copied. */
const SPARE_BYTES = 16 * MIB;
/** The text of a table takes up to this many times the bytes of its database. */
const TEXT_FACTOR = 3;

/**
 * Copies an installation into a new folder while the service runs. A folder without a manifest is not a whole
 * backup; what a fault left of it is removed.
 * @throws Fault when the data folder is not whole, the target holds something, or its disk is too small
 */
export async function writeBackup(config: BackupConfig, dir: string, options: BackupOptions): Promise<BackupManifest> {
  const manifest = await writeNew(config, dir, options);
  noteBackup(config.dataDir);
  return manifest;
}

async function writeNew(config: BackupConfig, dir: string, options: BackupOptions): Promise<BackupManifest> {
  await requireWhole(config);
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw fault('{dir} is not empty; a backup gets a new folder, or one whose content you have removed', { dir });
  if (`${resolve(dir)}${sep}`.startsWith(`${resolve(config.dataDir)}${sep}`))
    throw fault('{dir} is inside the data folder; choose a folder outside', { dir });
  const wasThere = existsSync(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  try {
    return await new BackupWriter(config, dir, options).write();
  } catch (error) {
    if (wasThere) for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true, force: true });
    else rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

async function requireWhole(config: BackupConfig): Promise<void> {
  const { record, faults } = await folderState(config, false);
  if (faults.length > 0)
    throw fault('the data folder {dataDir} is not whole:\n{lines}', {
      dataDir: config.dataDir,
      lines: faults.map(({ sentence }) => sentence),
    });
  if (record === undefined)
    throw fault('{dataDir} holds no data of a service; name its folder with PULSE_DATA_DIR', {
      dataDir: config.dataDir,
    });
}

type Copied = Pick<BackupManifest, 'tables'> & { readonly atMs: number };

class BackupWriter {
  readonly #config: BackupConfig;
  readonly #dir: string;
  readonly #options: BackupOptions;
  readonly #files: BackupFile[] = [];

  constructor(config: BackupConfig, dir: string, options: BackupOptions) {
    this.#config = config;
    this.#dir = dir;
    this.#options = options;
  }

  async write(): Promise<BackupManifest> {
    const { databaseUrl, dataDir } = this.#config;
    // Images are older than the databases of the backup, never newer: a service goes on from them.
    await this.#copyAll(this.#plainFiles());
    const { atMs, tables } =
      databaseUrl === undefined ? await this.#copyDatabases() : await this.#copyTables(databaseUrl);
    if (existsSync(join(dataDir, 'ledger'))) await this.#copyLedger();
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      release: VERSION,
      at: new Date(atMs).toISOString(),
      store: databaseUrl === undefined ? 'sqlite' : 'postgresql',
      secret: this.#options.withSecret,
      files: this.#files,
      tables,
    };
    for (const folder of new Set(this.#files.map(({ path }) => dirname(join(this.#dir, path)))))
      await syncFolder(folder);
    await writeDurably(join(this.#dir, MANIFEST_FILE), Buffer.from(backupManifestText(manifest)));
    return manifest;
  }

  #plainFiles(): readonly FolderFile[] {
    const { withSecret } = this.#options;
    return folderFiles(this.#config.dataDir).filter(
      ({ path }) =>
        path !== 'secret' && !path.startsWith('ledger/') && (withSecret || !/^sensor\/(secret|ssh_host_)/.test(path)),
    );
  }

  async #copyAll(files: readonly FolderFile[]): Promise<void> {
    const { dataDir, databaseUrl } = this.#config;
    const databases =
      databaseUrl === undefined ? databasesIn(dataDir).map((name) => statSync(join(dataDir, name)).size) : [];
    const factor = this.#options.asTables ? TEXT_FACTOR : 1;
    await requireSpace(
      this.#dir,
      sum([...files.map(({ bytes }) => bytes), ...databases.map((bytes) => factor * bytes)]),
    );
    if (this.#options.withSecret)
      this.#note('secret', await writeFrom(Buffer.from(`${secretText(this.#config).trim()}\n`), this.#place('secret')));
    for (const { path } of files) await this.#copyOne(path);
  }

  async #copyOne(path: string): Promise<void> {
    this.#say(path);
    const from = join(this.#config.dataDir, path);
    try {
      this.#note(path, await copyFile(from, this.#place(path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(from)) throw error;
      rmSync(this.#place(path), { force: true });
    }
  }

  async #copyDatabases(): Promise<Copied> {
    const { dataDir } = this.#config;
    const names = databasesIn(dataDir);
    const moment = await openMoment(names.map((name) => join(dataDir, name)));
    try {
      if (this.#options.asTables) return { atMs: moment.atMs, tables: await this.#writeTables(names, moment) };
      for (const name of names) {
        const to = this.#place(name);
        await moment.copy(join(dataDir, name), to, (share) => this.#say(name, share));
        requireSound(to, name);
        this.#note(name, await digestOf(to));
      }
    } finally {
      moment.close();
    }
    return { atMs: moment.atMs, tables: [] };
  }

  async #writeTables(names: readonly string[], moment: SqliteMoment): Promise<readonly BackupTable[]> {
    const { sqliteTables } = await import('./sqlite-tables.ts');
    const tables: BackupTable[] = [];
    for (const { table, rows } of sqliteTables((file) =>
      names.includes(file) ? moment.reader(join(this.#config.dataDir, file)) : undefined,
    )) {
      this.#say(table.file);
      this.#note(table.file, await writeFrom(Readable.from(rows()), this.#place(table.file)));
      tables.push(table);
    }
    return tables;
  }

  async #copyTables(databaseUrl: string): Promise<Copied> {
    const { withTablesMoment } = await import('./fill-tables.ts');
    return withTablesMoment(databaseUrl, async ({ atMs, tables, bytes, copy }) => {
      await requireSpace(this.#dir, bytes);
      for (const table of tables) {
        this.#say(`${TABLES_FOLDER}/${table.name}`);
        this.#note(table.file, await copy(table, this.#place(table.file)));
      }
      return { atMs, tables };
    });
  }

  /**
   * Copies the charges after the databases, so that it holds every charge up to the moment. Logs go first: a
   * log that is folded meanwhile is in the totals, which name it.
   */
  async #copyLedger(): Promise<void> {
    const inLedger = (): readonly string[] => folderFiles(this.#config.dataDir, 'ledger').map(({ path }) => path);
    const isLog = (path: string): boolean => path.endsWith('.log');
    for (const path of inLedger().filter(isLog)) {
      const bytes = readLog(join(this.#config.dataDir, path));
      if (bytes !== undefined) this.#note(path, await writeFrom(bytes, this.#place(path)));
    }
    for (const path of inLedger().filter((one) => !isLog(one))) await this.#copyOne(path);
  }

  #place(path: string): string {
    const to = join(this.#dir, path);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    return to;
  }

  #note(path: string, digest: Digest): void {
    this.#files.push({ path, ...digest });
  }

  #say(file: string, share?: number): void {
    const { onProgress, signal } = this.#options;
    signal?.throwIfAborted();
    onProgress(
      share === undefined
        ? said('backup: {file}', { file })
        : said('backup: {file}, {percent} %', { file, percent: Math.floor(100 * share) }),
    );
  }
}

const databasesIn = (dataDir: string): readonly string[] =>
  ['evidence.db', 'phone.db', 'pulse.db'].filter((name) => existsSync(join(dataDir, name)));

const LOG_READS_MAX = 5;

/** Reads a log whose thread may be writing: two reads in a row do not both meet a write half way. */
function readLog(path: string): Uint8Array | undefined {
  let bytes: Uint8Array | undefined;
  for (let reads = 0; reads < LOG_READS_MAX; reads++) {
    try {
      bytes = readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    if (readRecords(bytes, () => {}).unreadable === 0) break;
  }
  return bytes;
}

function requireSound(path: string, name: string): void {
  const database = new DatabaseSync(path);
  try {
    const { quick_check: why } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (why !== 'ok') throw fault('{name} is damaged ({why}); there is no backup', { name, why });
    database.exec('pragma journal_mode = delete');
  } finally {
    database.close();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

export async function requireSpace(dir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const needed = bytes + SPARE_BYTES;
  if (bavail * bsize < needed)
    throw fault('{dir}: {needed} MiB are needed and {free} MiB are free', {
      dir,
      needed: Math.ceil(needed / MIB),
      free: Math.floor((bavail * bsize) / MIB),
    });
}
