import { statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Text } from '../../core/texts/chinese.ts';
import { type Said, said, worded } from '../../core/texts/said.ts';
import { targetOf } from './begin-part.ts';

const MEANINGS: Readonly<Record<string, Text>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not change it',
  EROFS: 'it is on a file system that cannot be written to',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it is there already',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOENT: 'it is not there, or its folder is not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'this process has too many files open',
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'it is not an address of this machine',
};

type SystemError = NodeJS.ErrnoException & { dest?: string; address?: string; port?: number };

/** A fault of the operating system as a sentence that names the file or address. @returns undefined for every other error */
export function systemFault(error: unknown): Said | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, dest, address, port, syscall } = error as SystemError;
  const meaning = code === undefined ? undefined : MEANINGS[code];
  if (code === undefined || meaning === undefined) return undefined;
  const file = code === 'ENOTDIR' || (code === 'EEXIST' && syscall === 'mkdir') ? fileOnPath(path) : undefined;
  if (file !== undefined)
    return said('{file} is a file where a folder should be; move it away or delete it ({code})', { file, code });
  const subject = address === undefined ? (dest ?? (path && targetOf(path))) : `${address}:${port}`;
  const why = said(meaning as 'the disk is full');
  return subject === undefined
    ? said('{why} ({code})', { why, code })
    : said('{subject}: {why} ({code})', { subject, why, code });
}

/** The English sentence about any error, to be kept. */
export const faultText = (error: unknown): string => {
  const fault = systemFault(error);
  if (fault !== undefined) return worded(fault);
  return error instanceof Error ? error.message : String(error);
};

/** The first part of a path that is a file and not a folder. */
function fileOnPath(path = ''): string | undefined {
  let part = isAbsolute(path) ? '/' : '';
  for (const name of path.split(sep)) {
    part = join(part, name);
    const found = statSync(part, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) return found && part;
  }
  return undefined;
}
