import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import {
  checkFolder,
  type FolderFault,
  type Found,
  type FoundPart,
  recordFault,
  type StartCommand,
} from '../../core/data-folder/check-folder.ts';
import {
  FOLDER_PARTS,
  type FolderPart,
  type FolderRecord,
  folderRecordText,
  type PartRecord,
  RECORD_FORMAT,
} from '../../core/data-folder/folder-record.ts';
import type { SecretLines } from '../../core/data-folder/secret-lines.ts';
import { fault, said } from '../../core/texts/said.ts';
import { inspectLedger, type LedgerFile, ledgerState } from '../counters/memory/inspect-ledger.ts';
import { checkSqlite } from '../database/migrate.ts';
import { RECORDS } from '../database/migrations/index.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import { type Identity, sqliteState } from '../database/sqlite-state.ts';
import { isPostgresUnavailable } from '../database/store-faults.ts';
import { checkEvidenceFile } from '../history/sqlite/schema.ts';
import { PHONE_TABLES } from '../phone-db/phone-database.ts';
import { lockFolder } from '../system/folder-lock.ts';
import { writeDurably } from '../system/write-durably.ts';
import { shellWord } from './check-folder-mode.ts';
import { findSecret, secretPlace } from './deployment-secret.ts';
import { readRecord, recordPath } from './read-record.ts';
import { isRestoring } from './restore-marker.ts';

export type FolderTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'> & Partial<Pick<Config, 'secretFile'>>;

/**
 * - `torn`: a crash left these files of the ledger unfinished, which is not damage.
 * - `settle`: records the parts created since the check. Call it when they are open, before anything depends on them.
 */
export interface DataFolder {
  readonly torn: readonly LedgerFile[];
  settle(): Promise<void>;
}

const DATABASE = 'the database of PULSE_DATABASE_URL';
const LOCK_MS = 10_000;

/**
 * Checks a data folder and creates its `data.json` if it has none.
 * @param charges whether to read every charge of the ledger, for a process that counts
 * @param databaseMayWait whether an unreachable database over the network is taken for the recorded one
 * @throws Error when a part is missing, emptied, damaged or foreign: one line for each fault, with the
 * command that goes on
 * @throws Error when another release wrote the folder, or the database of PULSE_DATABASE_URL cannot be
 * reached
 */
export async function openDataFolder(
  config: FolderTarget,
  charges = false,
  databaseMayWait = false,
): Promise<DataFolder> {
  const state = await folderState(config, charges, databaseMayWait);
  if (state.faults.length > 0)
    throw fault('the data folder {dataDir} is not whole:\n{lines}', {
      dataDir: config.dataDir,
      lines: state.faults.map(({ sentence }) => sentence),
    });
  if (state.record === undefined) await changeRecord(config.dataDir, (record) => record);
  return {
    torn: state.torn,
    settle: () => settle(config, state.found.accounts),
  };
}

interface FolderState {
  readonly record: FolderRecord | undefined;
  readonly found: { readonly [Part in FolderPart]?: FoundPart };
  readonly torn: readonly LedgerFile[];
  readonly faults: readonly FolderFault[];
}

export async function folderState(
  config: FolderTarget,
  charges: boolean,
  databaseMayWait = false,
): Promise<FolderState> {
  const { dataDir } = config;
  if (isRestoring(dataDir))
    throw fault(
      'a restore into {dataDir} was cut short; run `pulse restore` (or `pulse data import`) with the same backup again',
      { dataDir },
    );
  const read = readRecord(dataDir);
  if (read === 'newer')
    throw fault('{dataDir} was written by a newer release of pulse; use that one, or a newer one', {
      dataDir: recordPath(dataDir),
    });
  const record = read === 'damaged' ? undefined : read;
  const files = charges
    ? inspectLedger(join(dataDir, 'ledger')).map((one) => ({ ...one, file: join(dataDir, 'ledger', one.file) }))
    : [];
  const accounts = await findAccounts(config).catch((error): FoundPart => {
    const known = databaseMayWait && isPostgresUnavailable(error.cause) ? record?.parts.accounts : undefined;
    if (known?.store !== 'postgresql') throw error;
    return { file: DATABASE, store: known.store, found: { state: 'there', id: known.id } };
  });
  const found = findParts(config, record, accounts);
  if (config.databaseUrl === undefined) checkPhoneFile(dataDir);
  const damaged = files.filter(({ unreadable }) => unreadable > 0);
  const goOn: StartCommand = (one) => startCommand(dataDir, one);
  const faults =
    read === 'damaged'
      ? [recordFault(recordPath(dataDir), goOn)]
      : checkFolder({ record, found, charges: damaged, goOn });
  return { record, found, torn: files.filter(({ unreadable }) => unreadable === 0), faults };
}

function findParts(
  config: FolderTarget,
  record: FolderRecord | undefined,
  accounts: FoundPart,
  readThrough?: number,
): FolderState['found'] {
  const { dataDir } = config;
  const folderId = record?.id;
  const evidence = join(dataDir, 'evidence.db');
  return {
    secret: findSecretPart(config, record, accounts),
    accounts,
    // With PostgreSQL, accounts and evidence share one database.
    ...(config.databaseUrl === undefined && {
      evidence: {
        file: evidence,
        store: 'file' as const,
        found: sqliteState(evidence, EVIDENCE_IDENTITY, readThrough),
      },
    }),
    ledger: {
      file: join(dataDir, 'ledger', 'seed'),
      store: 'file',
      found: findSeed(join(dataDir, 'ledger'), folderId),
    },
  };
}

const ACCOUNTS_IDENTITY: Identity = {
  table: 'store_identity',
  query: 'select store_id from store_identity where id = 1',
  isOurs(database, path) {
    if (database.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get() === undefined)
      return false;
    checkSqlite(database, RECORDS.sqlite, path);
    return true;
  },
};
const EVIDENCE_IDENTITY: Identity = {
  table: 'identity',
  query: 'select store from identity',
  isOurs(database, path) {
    if (database.prepare('pragma user_version').get()!['user_version'] === 0) return false;
    checkEvidenceFile(database, path);
    return true;
  },
};

function findSecretPart(config: FolderTarget, record: FolderRecord | undefined, accounts: FoundPart): FoundPart {
  const { found, lines } = findSecret(config);
  const file = secretPlace(config);
  const store = config.secret === undefined ? 'file' : 'environment';
  if (lines !== undefined) {
    const ids = record && secretIds(record.id, lines);
    // A folder that was last used with the former secret is the right one.
    return {
      file,
      store,
      found: { state: 'there', id: ids?.find((id) => id === record?.parts.secret?.id) ?? ids?.[0] },
    };
  }
  if (found.state === 'absent' && accounts.store === 'file' && accounts.found.state === 'there' && holdsKeys(config))
    return {
      file,
      store,
      found: { state: 'absent', needed: said('pulse.db holds API keys that were made with it') },
    };
  return { file, store, found };
}

const secretIds = (folderId: string, { secret, former }: SecretLines): readonly string[] =>
  [secret, ...(former === undefined ? [] : [former.secret])].map((one) => fingerprint(folderId, one));

function holdsKeys(config: FolderTarget): boolean {
  const database = openSqlite(sqlitePath(config), { readOnly: true });
  try {
    const made = database.prepare("select 1 from sqlite_master where name = 'api_keys'").get() !== undefined;
    return made && database.prepare('select 1 from api_keys limit 1').get() !== undefined;
  } finally {
    database.close();
  }
}

function findSeed(dir: string, folderId: string | undefined): Found {
  const { seed, holdsCharges } = ledgerState(dir);
  if (seed === undefined)
    return {
      state: 'absent',
      ...(holdsCharges && { needed: said('the charges next to it can be assigned only with it') }),
    };
  if (seed.fault !== undefined) return { state: 'damaged', how: seed.fault };
  return { state: 'there', id: folderId && fingerprint(folderId, seed.bytes) };
}

/** The fingerprint does not reveal its input and differs between folders. */
const fingerprint = (folderId: string, of: string | Uint8Array): string =>
  createHash('sha256').update(`pulse/data-folder/1\n${folderId}\n`).update(of).digest('hex').slice(0, 32);

async function findAccounts(config: FolderTarget, readThrough?: number): Promise<FoundPart> {
  const file = sqlitePath(config);
  if (config.databaseUrl === undefined)
    return { file, store: 'file', found: sqliteState(file, ACCOUNTS_IDENTITY, readThrough) };
  const { postgresStoreId } = await import('./postgres-store-id.ts');
  const id = await postgresStoreId(config.databaseUrl);
  return {
    file: DATABASE,
    store: 'postgresql',
    found: id === undefined ? { state: 'absent' } : { state: 'there', id },
  };
}

function checkPhoneFile(dataDir: string): void {
  const path = join(dataDir, 'phone.db');
  if (!existsSync(path)) return;
  const database = openSqlite(path, { readOnly: true });
  try {
    checkSqlite(database, PHONE_TABLES, path);
  } finally {
    database.close();
  }
}

function partsOf(found: FolderState['found']): { readonly [Part in FolderPart]?: PartRecord } {
  const parts: { [Part in FolderPart]?: PartRecord } = {};
  for (const part of FOLDER_PARTS) {
    const here = found[part];
    if (here?.found.state === 'there') parts[part] = { store: here.store, id: here.found.id ?? '' };
  }
  return parts;
}

async function settle(config: FolderTarget, accounts: FoundPart | undefined): Promise<void> {
  const isKnown = accounts?.store === 'postgresql' && accounts.found.state === 'there';
  const again = isKnown ? accounts : await findAccounts(config, 0);
  const settled = (record: FolderRecord): FolderRecord => ({
    ...record,
    parts: { ...record.parts, ...partsOf(findParts(config, { ...record, parts: {} }, again, 0)) },
  });
  const record = readRecord(config.dataDir);
  if (typeof record === 'object' && folderRecordText(settled(record)) === folderRecordText(record)) return;
  await changeRecord(config.dataDir, settled);
}

async function changeRecord(dataDir: string, change: (record: FolderRecord) => FolderRecord): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const lock = await lockFolder(dataDir, LOCK_MS);
  if (lock === undefined)
    throw fault('another process has held {lock} for {seconds} s', {
      lock: join(dataDir, 'lock'),
      seconds: LOCK_MS / 1000,
    });
  try {
    const record = readRecord(dataDir);
    const before = typeof record === 'object' ? record : undefined;
    const after = change(before ?? { format: RECORD_FORMAT, id: randomUUID(), parts: {} });
    if (before === undefined || folderRecordText(before) !== folderRecordText(after))
      await writeDurably(recordPath(dataDir), Buffer.from(folderRecordText(after)));
  } finally {
    lock.release();
  }
}

/**
 * Returns the shell command that goes on without a faulty part. It moves damaged files to `lost/` and removes
 * `data.json`; the next start creates new ones.
 */
function startCommand(dataDir: string, { part, kind, file }: Omit<FolderFault, 'sentence'>): string {
  const forget = `rm -f ${shellWord(join(dataDir, 'data.json'))}`;
  const lost = shellWord(join(dataDir, 'lost'));
  // SQLite would replay a write-ahead log that stays behind into the new database.
  const move = (path: string, more = ''): string => `mkdir -p ${lost} && mv ${shellWord(path)}${more} ${lost}`;
  if (kind === 'charges') return move(file);
  if (part === 'identity' || kind === 'foreign' || kind === 'moved') return forget;
  if (part === 'secret') return `(umask 077; openssl rand -hex 32 >${shellWord(file)}) && ${forget}`;
  if (part === 'ledger') return `${move(join(dataDir, 'ledger'))} && ${forget}`;
  return kind === 'missing' ? forget : `${move(file, '*')} && ${forget}`;
}
