import { readFileSync, statSync } from 'node:fs';
import { fault } from '../../core/texts/said.ts';

export function readOptionalFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws Fault for a folder, whose read error would not name it; Error if nothing is there */
export function requireFile(path: string): void {
  if (statSync(path).isDirectory()) throw fault('{path} is a folder', { path });
}
