import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { FolderFault } from '../../core/data-folder/check-folder.ts';
import { FOLDER_PARTS, type FolderRecord } from '../../core/data-folder/folder-record.ts';
import { fault } from '../../core/texts/fault.ts';
import { keepReadable, setLedgerAside } from '../counters/memory/inspect-ledger.ts';
import { lockFolder } from '../system/folder-lock.ts';
import { changeRecord, type FolderState, type FolderTarget, folderState } from './open-data-folder.ts';

export interface Moved {
  /** Relative to the data folder. */
  readonly from: string;
  readonly to: string;
}

export interface AcceptedLoss {
  readonly part: FolderFault['part'];
  readonly file: string;
  readonly kind: FolderFault['kind'];
  readonly moved: readonly Moved[];
}

/** Goes on without faulty parts: damaged files get another name, and `data.json` no longer asks for them. */
export async function acceptLoss(
  config: FolderTarget,
  parts: readonly FolderFault['part'][],
  stamp: string,
): Promise<readonly AcceptedLoss[]> {
  const { record: before, found, faults } = await folderState(config, true);
  const sound = parts.filter((part) => !faults.some((fault) => fault.stops && fault.part === part));
  if (sound.length > 0)
    throw fault('{parts}: nothing is missing or damaged; nothing was changed', { parts: sound.join(', ') });
  const lock = await lockFolder(join(config.dataDir, 'ledger'), 0);
  if (lock === undefined)
    throw fault('a pulse answers requests from {dataDir}; stop it first', { dataDir: config.dataDir });
  try {
    const accepted = faults
      .filter(({ part }) => parts.includes(part))
      .map((fault) => ({ ...fault, moved: setAside(config.dataDir, fault, stamp) }));
    // Without data.json the next start records the parts it finds.
    if (!parts.includes('identity')) {
      const expected = before?.parts ?? missedIn(found, faults);
      await changeRecord(config.dataDir, (record) => ({ ...record, parts: without(expected, accepted) }));
    }
    return accepted.map(({ part, file, kind, moved }) => ({ part, file, kind, moved }));
  } finally {
    lock.release();
  }
}

/** Signs that a folder without a record must still show before it is gone on with. */
const missedIn = (found: FolderState['found'], faults: readonly FolderFault[]): FolderRecord['parts'] =>
  Object.fromEntries(
    FOLDER_PARTS.filter((part) => faults.some((fault) => fault.part === part)).map((part) => [
      part,
      { store: found[part]!.store, id: '' },
    ]),
  );

/** Unreadable charges are not a reason to forget the ledger. */
function without(parts: FolderRecord['parts'], accepted: readonly FolderFault[]): FolderRecord['parts'] {
  const gone = new Set<string>(accepted.filter(({ kind }) => kind !== 'charges').map(({ part }) => part));
  return Object.fromEntries(Object.entries(parts).filter(([part]) => !gone.has(part)));
}

function setAside(dataDir: string, { part, kind, file }: FolderFault, stamp: string): readonly Moved[] {
  const ledger = join(dataDir, 'ledger');
  if (kind === 'charges')
    return [inFolder(dataDir, ledger, { from: basename(file), to: keepReadable(ledger, basename(file)) })];
  if (kind === 'foreign' || kind === 'moved') return [];
  // Charges without their seed belong to callers whom nothing can name.
  if (part === 'ledger')
    return existsSync(ledger) ? setLedgerAside(ledger).map((one) => inFolder(dataDir, ledger, one)) : [];
  return [file, `${file}-wal`, `${file}-shm`]
    .filter((path) => existsSync(path))
    .map((path) => rename(dataDir, path, stamp));
}

function rename(dataDir: string, path: string, stamp: string): Moved {
  const moved = { from: basename(path), to: `${basename(path)}.lost-${stamp}` };
  renameSync(path, join(dirname(path), moved.to));
  return inFolder(dataDir, dirname(path), moved);
}

const inFolder = (dataDir: string, folder: string, { from, to }: Moved): Moved => ({
  from: relative(dataDir, join(folder, from)),
  to: relative(dataDir, join(folder, to)),
});
