import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { writeDurablySync } from '../system/write-durably.ts';

/** An empty file of the data folder: its time is that of the last backup. */
export const LAST_BACKUP = 'last-backup';

export const noteBackup = (dataDir: string): void => writeDurablySync(join(dataDir, LAST_BACKUP), '');

export function lastBackup(dataDir: string): UnixMs | undefined {
  const seen = statSync(join(dataDir, LAST_BACKUP), { throwIfNoEntry: false });
  return seen && unixMs(Math.floor(seen.mtimeMs));
}
