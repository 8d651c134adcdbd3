import { readdirSync } from 'node:fs';
import { english } from '../../core/texts/said.ts';

/** Names in a folder that is read while others may change it, sorted. None where there is no folder; one that cannot be read is a fault. */
export function namesIn(folder: string, faults: string[]): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      faults.push(english('{folder} cannot be read and is left out: {why}', { folder, why: message }));
    return [];
  }
}
