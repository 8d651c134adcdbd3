import { statSync } from 'node:fs';
import { fault } from '../../core/texts/fault.ts';

/** @throws Fault for a folder, whose read error would not name it; Error if nothing is there */
export function requireFile(path: string): void {
  if (statSync(path).isDirectory()) throw fault('{path} is a folder', { path });
}
