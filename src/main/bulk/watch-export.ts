import { setTimeout } from 'node:timers/promises';
import type { ExportOutcome } from './verdict-file.ts';

/** A file that is written again and again. */
export interface WatchedFile {
  write(signal: AbortSignal, onProgress?: (prefixes: number) => void): Promise<ExportOutcome>;
}

export interface ExportWatch {
  /** Between the end of one round and the beginning of the next. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** After each round, also one that left the file as it was. */
  readonly onLooked: (outcome: ExportOutcome) => void;
  /** A round that failed: the file is as it was, and the next round tries again. */
  readonly onFailed: (error: unknown) => void;
}

/** Keeps the file current until it is stopped. */
export async function watchExport(
  file: WatchedFile,
  { pauseMs, signal, onLooked, onFailed }: ExportWatch,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await setTimeout(pauseMs, undefined, { signal });
      onLooked(await file.write(signal));
    } catch (error) {
      if (!signal.aborted) onFailed(error);
    }
  }
}
