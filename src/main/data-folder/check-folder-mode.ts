import { statSync } from 'node:fs';

/** Every permission of the group and of others. */
const OF_OTHERS = 0o077;

/**
 * Why a data folder is open to other users of the machine, with the command that mends it; undefined when only its owner may enter. What this program makes is
 * closed by its umask, but a folder of an earlier release, or one made by hand, keeps the permissions it has. Windows has no such permissions.
 */
export function checkFolderMode(dataDir: string): string | undefined {
  if (process.getuid === undefined) return undefined;
  const mode = statSync(dataDir, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OF_OTHERS) === 0) return undefined;
  return `other users of this machine may enter the data folder (mode ${(mode & 0o777).toString(8)}); close it with: chmod -R go= ${shellWord(dataDir)}`;
}

/** A text as a shell takes it for one word. */
export const shellWord = (text: string): string => (/^[\w/.:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
