import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface FolderStamp {
  /** Another text when a file came, went or changed, or a folder became readable. */
  readonly text: string;
  /** Of the first folder that cannot be read. */
  readonly fault: Error | undefined;
}

/** Names, sizes and times of all files of some folders, without their subfolders. A folder that is not there is an empty one. */
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
