import type { Text } from './chinese.ts';
import { type Said, said, sentenceOf, worded } from './said.ts';

const MEANINGS: Readonly<Record<string, Text>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not change it',
  EROFS: 'it is on a file system that cannot be written to',
  EISDIR: 'it is a folder, not a file',
  EEXIST: 'it is there already',
  ENOTDIR: 'a part of the path is a file, not a folder; move it away or delete it',
  ENOENT: 'it is not there, or its folder is not',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'this process has too many files open',
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'it is not an address of this machine',
};

/** An error of the operating system, as Node throws it. */
export type SystemError = Error & {
  readonly code?: string;
  readonly path?: string;
  readonly syscall?: string;
  readonly dest?: string;
  readonly address?: string;
  readonly port?: number;
  readonly errcode?: number;
};

const SQLITE_FULL = 13;

/** A fault of the operating system as a sentence that names the file or address. @returns undefined for every other error */
export function systemSentence(error: unknown): Said | undefined {
  if (!(error instanceof Error)) return undefined;
  const { path, dest, address, port, errcode } = error as SystemError;
  const code = errcode === SQLITE_FULL ? 'ENOSPC' : (error as SystemError).code;
  const meaning = code === undefined ? undefined : MEANINGS[code];
  if (code === undefined || meaning === undefined) return undefined;
  const subject = address === undefined ? (dest ?? (path && targetOf(path))) : `${address}:${port}`;
  const why = said(meaning as 'the disk is full');
  return subject === undefined
    ? said('{why} ({code})', { why, code })
    : said('{subject}: {why} ({code})', { subject, why, code });
}

/** Returns the target of a file that is being written, or the path itself. */
const targetOf = (path: string): string =>
  path.replace(/([^/\\]*)$/, (name) => /^\.(.+)\.[\da-f-]{36}\.part$/.exec(name)?.[1] ?? name);

/** The sentence about any error; one that is not ours has its own message in it. */
export const reasonOf = (error: unknown): Said => systemSentence(error) ?? sentenceOf(error);

export const reasonText = (error: unknown): string => worded(reasonOf(error));
