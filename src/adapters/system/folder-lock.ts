import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 100;

export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process. The lock belongs to the kernel (SQLite takes it on its own file), so it
 * ends with the process in any case, and a leftover file locks nothing.
 * @param waitMs how long to wait for a process that is just stopping
 * @returns undefined if another process still holds it
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
