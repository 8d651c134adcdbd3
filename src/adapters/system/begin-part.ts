import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How the names of unfinished files end. */
export const PART = '.part';

const begun = new Set<string>();

/** A free name in the target's folder, for a file that becomes the target when it is whole. To be followed by `endPart`. */
export function beginPart(path: string): string {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}${PART}`);
  begun.add(part);
  return part;
}

/** The file that a part is to become, or the path itself. */
export const targetOf = (path: string): string =>
  path.replace(/([^/\\]*)$/, (name) => /^\.(.+)\.[\da-f-]{36}\.part$/.exec(name)?.[1] ?? name);

/** Removes the file where it was not renamed. */
export async function endPart(part: string): Promise<void> {
  await rm(part, { force: true });
  begun.delete(part);
}

export function endPartSync(part: string): void {
  rmSync(part, { force: true });
  begun.delete(part);
}

/** For a process that is ended at once: removes the files that this thread has begun. */
export function removeParts(): void {
  for (const part of begun) rmSync(part, { force: true });
}
