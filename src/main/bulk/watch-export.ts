import { setTimeout } from 'node:timers/promises';
import type { ExportOutcome } from './verdict-file.ts';

export interface WatchedFile {
  write(signal: AbortSignal, onProgress?: (prefixes: number) => void): Promise<ExportOutcome>;
}

export interface ExportWatch {
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** Called after each round, even one that left the file unchanged. */
  readonly onLooked: (outcome: ExportOutcome) => void;
  /** Called after a failed round, which left the file unchanged; the next round tries again. */
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
