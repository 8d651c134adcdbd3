import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RESTORING } from '../data-folder/restore-marker.ts';
import { PART } from '../system/write-durably.ts';
import { LAST_BACKUP } from './last-backup.ts';

/** These files are made again from the rest, or concern other machines or one process. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'cache',
  'databases',
  'demo',
  'followed',
  LAST_BACKUP,
  'lost',
  'lost+found',
  'pipe',
  'snapshots',
  RESTORING,
]);

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
}

/** Lists the files of a data folder that a backup copies as they are: all but databases and what is made again. */
export function folderFiles(folder: string, inside = ''): readonly FolderFile[] {
  return readdirSync(join(folder, inside))
    .filter((name) => name !== 'lock' && !name.endsWith(PART) && (inside !== '' || !isLeftOut(name)))
    .sort()
    .flatMap((name) => {
      const path = inside === '' ? name : `${inside}/${name}`;
      const stats = statSync(join(folder, path), { throwIfNoEntry: false });
      if (stats?.isDirectory()) return folderFiles(folder, path);
      return stats?.isFile() ? [{ path, bytes: stats.size }] : [];
    });
}

const isLeftOut = (name: string): boolean => LEFT_OUT.has(name) || /\.db(-(wal|shm|journal))?$/.test(name);
