import { statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { reasonOf, type Said, type SystemError, said, systemSentence, worded } from '../../core/texts/said.ts';
import type { StoreFault } from '../../service/store-fault.ts';

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

export interface NetworkFault {
  readonly cause: string;
  readonly kind: StoreFault;
}

export const NO_ANSWER: NetworkFault = { cause: 'it does not answer', kind: 'no_answer' };

/** Every kind of server fails alike before it is reached, under these codes of the system. */
const FAULTS: readonly (readonly [RegExp, NetworkFault])[] = [
  [/\bECONNREFUSED\b/, { cause: 'nothing listens at the address', kind: 'unreachable' }],
  [/\b(ENOTFOUND|EAI_\w+)\b/, { cause: 'the name of its host is not known', kind: 'unknown_host' }],
  [/\b(ETIMEDOUT|EHOST\w+|ENET\w+)\b/, NO_ANSWER],
];

export const networkFault = (text: string): NetworkFault | undefined =>
  FAULTS.find(([pattern]) => pattern.test(text))?.[1];

type Say = (fields: { readonly cause?: string; readonly since: string | undefined }) => void;

/** Returns what is told the cause at each look at a store: it says each change once, and since when. */
export function storeReport(store: object, away: Say, back: Say): (cause: string | undefined) => void {
  let since: string | undefined;
  let told: string | undefined;
  return (cause) => {
    if (cause === told) return;
    told = cause;
    if (cause === undefined) {
      back({ ...store, since });
      since = undefined;
      return;
    }
    since ??= new Date().toISOString();
    away({ ...store, cause, since });
  };
}
