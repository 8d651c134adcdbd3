import { backup, type DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { fault } from '../../core/texts/said.ts';
import { openSqlite } from '../database/open-sqlite.ts';

const PAGES_PER_STEP = 2000;
const FIND_MOMENT_MS = 30_000;

export interface SqliteMoment {
  readonly atMs: number;
  copy(path: string, to: string, onProgress: (share: number) => void): Promise<void>;
  reader(path: string): DatabaseSync;
  close(): void;
}

/**
 * Opens several SQLite databases at one common moment, while other processes write to them. It takes no lock:
 * it begins a read transaction on each, and begins again unless none of them was changed meanwhile. An open
 * transaction keeps its state, so that a copy is never started over.
 */
export async function openMoment(paths: readonly string[]): Promise<SqliteMoment> {
  const readers = new Map<string, DatabaseSync>();
  const watchers: DatabaseSync[] = [];
  const close = (): void => {
    for (const database of [...readers.values(), ...watchers]) database.close();
  };
  try {
    for (const path of paths) {
      readers.set(path, openSqlite(path, { readOnly: true }));
      watchers.push(openSqlite(path, { readOnly: true }));
    }
    const atMs = await beginTogether([...readers.values()], watchers);
    return {
      atMs,
      async copy(path, to, onProgress) {
        await backup(readers.get(path)!, to, {
          rate: PAGES_PER_STEP,
          progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / Math.max(1, totalPages)),
        });
      },
      reader: (path) => readers.get(path)!,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function beginTogether(readers: readonly DatabaseSync[], watchers: readonly DatabaseSync[]): Promise<number> {
  for (const until = performance.now() + FIND_MOMENT_MS; performance.now() < until; await setImmediate()) {
    const before = versionsOf(watchers);
    for (const reader of readers) {
      reader.exec('begin');
      // A transaction gets its state at its first read.
      reader.prepare('select count(*) from sqlite_master').get();
    }
    const at = Date.now();
    if (versionsOf(watchers) === before) return at;
    for (const reader of readers) reader.exec('rollback');
  }
  throw fault('the databases were changed without a pause for {seconds} s; try again', {
    seconds: FIND_MOMENT_MS / 1000,
  });
}

/** The versions change with every commit of another connection. */
const versionsOf = (watchers: readonly DatabaseSync[]): string =>
  watchers.map((watcher) => String(watcher.prepare('pragma data_version').get()!['data_version'])).join();
