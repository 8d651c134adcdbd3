import { readFileSync } from 'node:fs';

/** Returns the content of a file; undefined if it does not exist. */
export function readOptionalFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
