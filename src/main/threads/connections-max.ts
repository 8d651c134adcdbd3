import { readFileSync } from 'node:fs';

/** Files that are not connections: the process's own, and those of each thread (databases, ledger logs, images). */
const OWN_FILES = 128;
const THREAD_FILES = 32;
/** However many files there may be: a connection costs memory too. */
const PROCESS_MAX = 20_000;
const THREAD_MIN = 16;

/** Connections each of `threads` threads may have open when the process may have `openFiles` files open. */
export function connectionsMax(openFiles: number, threads: number): number {
  const left = Math.min(PROCESS_MAX, openFiles - OWN_FILES - threads * THREAD_FILES);
  return Math.max(THREAD_MIN, Math.floor(left / threads));
}

/** Files this process may have open; Infinity where that is not limited or cannot be read (it is read on Linux). */
export function openFilesMax(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
