import { readdirSync } from 'node:fs';
import { type Said, said } from '../../core/texts/said.ts';
import { faultSentence } from '../system/system-fault.ts';

/** Names in a folder that is read while others may change it, sorted. None where there is no folder; one that cannot be read is a fault. */
export function namesIn(folder: string, faults: Said[]): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      faults.push(said('{folder} cannot be read and is left out: {why}', { folder, why: faultSentence(error) }));
    return [];
  }
}
