import { statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { type Said, said, worded } from '../../core/texts/said.ts';
import { reasonOf, type SystemError, systemSentence } from '../../core/texts/system-sentence.ts';

export function systemFault(error: unknown): Said | undefined {
  const sentence = systemSentence(error);
  const { code, path, syscall } = (sentence === undefined ? {} : error) as Partial<SystemError>;
  const file = code === 'ENOTDIR' || (code === 'EEXIST' && syscall === 'mkdir') ? fileOnPath(path) : undefined;
  return file === undefined
    ? sentence
    : said('{file} is a file where a folder should be; move it away or delete it ({code})', { file, code: code! });
}

export const faultSentence = (error: unknown): Said => systemFault(error) ?? reasonOf(error);

export const faultText = (error: unknown): string => worded(faultSentence(error));

function fileOnPath(path = ''): string | undefined {
  let part = isAbsolute(path) ? '/' : '';
  for (const name of path.split(sep)) {
    part = join(part, name);
    const found = statSync(part, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) return found && part;
  }
  return undefined;
}
