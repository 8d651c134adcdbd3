import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One statement of SQLite that ran on the answering thread. */
export interface StatementRun {
  readonly sql: string;
  readonly rows: number;
  /** Steps of SQLite's virtual machine: grows with the rows that are looked at, whatever comes out. */
  readonly steps: number;
  readonly ms: number;
}

/** What the answering thread did synchronously for one request (count-sync-work.mjs). */
export interface SyncWork {
  readonly label?: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Synchronous calls of the file system, with the path where there is one. */
  readonly files: readonly string[];
  readonly statements: readonly StatementRun[];
  /** Longest turn of the event loop while the request was under way, by the clock and by the processor time of the thread, milliseconds. */
  readonly holdMs: number;
  readonly holdCpuMs: number;
}

const HOOK = pathToFileURL(resolve(import.meta.dirname, 'count-sync-work.mjs')).href;

/** Environment of a server with one answering thread whose synchronous work is noted in a file. */
export const notingSyncWork = (file: string): Readonly<Record<string, string>> => ({
  PULSE_WORKERS: '1',
  NODE_OPTIONS: `--import=${HOOK}`,
  TEST_SYNC_WORK: file,
});

/** What was noted so far, in the order of the answers. */
export const readSyncWork = (file: string): readonly SyncWork[] => linesOf<SyncWork>(file);

/** Every statement that the thread of the records database has run so far. */
export const readRecordStatements = (file: string): readonly StatementRun[] => linesOf<StatementRun>(`${file}.records`);

const linesOf = <Line>(file: string): readonly Line[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
