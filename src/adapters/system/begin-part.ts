import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export const PART = '.part';

const begun = new Set<string>();

/**
 * Returns an unused name in the target's folder, for a file that is renamed to the target when complete. Every
 * call needs an `endPart`.
 */
export function beginPart(path: string): string {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}${PART}`);
  begun.add(part);
  return part;
}

export async function endPart(part: string): Promise<void> {
  await rm(part, { force: true });
  begun.delete(part);
}

export function endPartSync(part: string): void {
  rmSync(part, { force: true });
  begun.delete(part);
}

/** Removes the parts that this thread has begun; call it before the process ends. */
export function removeParts(): void {
  for (const part of begun) rmSync(part, { force: true });
}
