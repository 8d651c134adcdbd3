import { targetOf } from '../adapters/system/begin-part.ts';
import type { Text } from '../core/texts/chinese.ts';
import { say } from './say.ts';

const MEANINGS: Readonly<Record<string, Text>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not change it',
  EROFS: 'it is on a file system that cannot be written to',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'a file stands where a folder should be',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOENT: 'it is not there, or its folder is not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'this process has too many files open',
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'it is not an address of this machine',
};

/** A fault of the operating system as a sentence that names the file or address. @returns undefined for every other error */
export function systemFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, dest, address, port } = error as NodeJS.ErrnoException & {
    dest?: string;
    address?: string;
    port?: number;
  };
  const meaning = code === undefined ? undefined : MEANINGS[code];
  if (meaning === undefined) return undefined;
  const subject = address === undefined ? (dest ?? (path && targetOf(path))) : `${address}:${port}`;
  return `${subject === undefined ? '' : `${subject}: `}${say({ text: meaning, values: {} })} (${code})`;
}
