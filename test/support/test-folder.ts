import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.once('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/**
 * Makes an empty folder, removed when this process ends: behind every hook, so that whatever still works over
 * it has stopped by then.
 */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `pulse-${name}-`));
  made.push(folder);
  return folder;
}
