import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface FolderStamp {
  readonly text: string;
  readonly fault: Error | undefined;
}

/**
 * The stamp changes with the names, sizes and times of all files in some folders, without subfolders. A
 * missing folder counts as empty.
 */
export function folderStamp(folders: readonly string[]): FolderStamp {
  let fault: Error | undefined;
  const lines = folders.flatMap((folder) => {
    try {
      return readdirSync(folder).flatMap((name) => {
        const stat = statSync(join(folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [`${basename(folder)}/${name} ${stat.size} ${stat.mtimeMs}`];
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      fault ??= error as Error;
      return [`${basename(folder)} ${(error as NodeJS.ErrnoException).code}`];
    }
  });
  return { text: lines.join('\n'), fault };
}
