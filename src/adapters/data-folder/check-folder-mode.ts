import { statSync } from 'node:fs';
import { type Said, said } from '../../core/texts/said.ts';

/** Every permission of the group and of others. */
const OF_OTHERS = 0o077;

/**
 * Why a data folder is open to other users of the machine, with the command that mends it; undefined when only its owner may enter. Files of this program are
 * closed by its umask, but a folder made by hand keeps the permissions it has. Windows has no such permissions.
 */
export function checkFolderMode(dataDir: string): Said | undefined {
  const mode = modeForOthers(dataDir);
  return mode === undefined
    ? undefined
    : said('other users of this machine may enter the data folder (mode {mode}); close it with: chmod -R go= {path}', {
        mode,
        path: shellWord(dataDir),
      });
}

/** The same of the file that PULSE_SECRET_FILE names. */
export function checkSecretMode(path: string): Said | undefined {
  const mode = modeForOthers(path);
  return mode === undefined
    ? undefined
    : said(
        'other users of this machine may read the secret of PULSE_SECRET_FILE (mode {mode}); close it with: chmod go= {path}',
        { mode, path: shellWord(path) },
      );
}

/** Permissions of a path that is open to others, octal. */
function modeForOthers(path: string): string | undefined {
  if (process.getuid === undefined) return undefined;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & OF_OTHERS) === 0 ? undefined : (mode & 0o777).toString(8);
}

/** A text as a shell takes it for one word. */
export const shellWord = (text: string): string =>
  /^[\w/.:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
