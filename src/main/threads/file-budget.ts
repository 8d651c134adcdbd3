import { readFileSync } from 'node:fs';

/** The process and each thread open files that are not connections: databases, ledger logs, images. */
const OWN_FILES = 128;
const THREAD_FILES = 32;
/** A connection costs memory too. */
const PROCESS_MAX = 20_000;
const THREAD_MIN = 16;

const RELAYS_MAX = 256;
const RELAYS_SHARE = 1 / 4;
const THREAD_RELAYS_MIN = 2;
/** Both ends of a relay's connection are in this process. */
const RELAY_FILES = 2;

export interface FileBudget {
  readonly connectionsMax: number;
  readonly relaysMax: number;
}

export function fileBudget(openFiles: number, threads: number): FileBudget {
  const left = openFiles - OWN_FILES - threads * THREAD_FILES;
  const relays = Math.min(RELAYS_MAX, (left * RELAYS_SHARE) / RELAY_FILES);
  const relaysMax = Math.max(THREAD_RELAYS_MIN, Math.floor(relays / threads));
  const connections = Math.min(PROCESS_MAX, left - threads * relaysMax * RELAY_FILES);
  return { relaysMax, connectionsMax: Math.max(THREAD_MIN, Math.floor(connections / threads)) };
}

/** Infinity where there is no limit, or where it cannot be read (only Linux shows it). */
export function openFilesMax(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
