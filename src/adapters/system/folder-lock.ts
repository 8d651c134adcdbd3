import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

/** SQLite's own code for "another connection holds it". */
const SQLITE_BUSY = 5;
const RETRY_MS = 100;

export interface FolderLock {
  release(): void;
}

/**
 * Holds a folder for this process. The lock is the kernel's (SQLite takes it on a file of its own), so it ends with the process however that ends, and a
 * file that is left behind holds nothing.
 * @param waitMs how long a process that is just stopping is waited for
 * @returns undefined when another process still holds it
 */
export async function lockFolder(folder: string, waitMs: number): Promise<FolderLock | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const until = performance.now() + waitMs; ; await setTimeout(RETRY_MS)) {
    const lock = tryLock(join(folder, 'lock'));
    if (lock !== undefined || performance.now() >= until) return lock;
  }
}

function tryLock(path: string): FolderLock | undefined {
  const file = new DatabaseSync(path);
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => file.close() };
}
