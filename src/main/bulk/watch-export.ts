import { setTimeout } from 'node:timers/promises';
import type { ExportOutcome } from './verdict-file.ts';

export interface WatchedFile {
  write(signal: AbortSignal, onProgress?: (prefixes: number) => void): Promise<ExportOutcome>;
}

/**
 * - `onLooked`: called after each round, even one that left the file unchanged.
 * - `onFailed`: called after a failed round, which left the file unchanged; the next round tries again.
 */
export interface ExportWatch {
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly onLooked: (outcome: ExportOutcome) => void;
  readonly onFailed: (error: unknown) => void;
}

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
