import { statSync } from 'node:fs';
import { type Said, said } from '../../core/texts/said.ts';

const OF_OTHERS = 0o077;

/**
 * Says why a data folder is open to other users, with the command that closes it; undefined if only its owner
 * may enter. The umask closes our own files, but a folder made by hand keeps its mode. Windows has no such
 * permissions.
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

export function checkSecretMode(path: string): Said | undefined {
  const mode = modeForOthers(path);
  return mode === undefined
    ? undefined
    : said(
        'other users of this machine may read the secret of PULSE_SECRET_FILE (mode {mode}); close it with: chmod go= {path}',
        { mode, path: shellWord(path) },
      );
}

function modeForOthers(path: string): string | undefined {
  if (process.getuid === undefined) return undefined;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & OF_OTHERS) === 0 ? undefined : (mode & 0o777).toString(8);
}

export const shellWord = (text: string): string =>
  /^[\w/.:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
