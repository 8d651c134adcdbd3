import { join } from 'node:path';
import type { FolderFault } from '../../core/data-folder/check-folder.ts';
import { shellWord } from './check-folder-mode.ts';

/**
 * Returns the shell command that goes on without a faulty part. It moves damaged files to `lost/` and removes
 * `data.json`; the next start creates new ones.
 */
export function startCommand(dataDir: string, { part, kind, file }: Omit<FolderFault, 'sentence'>): string {
  const forget = `rm -f ${shellWord(join(dataDir, 'data.json'))}`;
  const lost = shellWord(join(dataDir, 'lost'));
  // SQLite would replay a write-ahead log that stays behind into the new database.
  const move = (path: string, more = ''): string => `mkdir -p ${lost} && mv ${shellWord(path)}${more} ${lost}`;
  if (kind === 'charges') return move(file);
  if (part === 'identity' || kind === 'foreign' || kind === 'moved') return forget;
  // Accounts have keys that need a secret, so a start does not create one by itself.
  if (part === 'secret') return `(umask 077; openssl rand -hex 32 >${shellWord(file)}) && ${forget}`;
  if (part === 'ledger') return `${move(join(dataDir, 'ledger'))} && ${forget}`;
  return kind === 'missing' ? forget : `${move(file, '*')} && ${forget}`;
}
