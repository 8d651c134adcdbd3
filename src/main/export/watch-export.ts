import { setTimeout } from 'node:timers/promises';
import type { ExportOutcome, VerdictFile } from './verdict-file.ts';

export interface ExportWatch {
  /** Between the end of one round and the beginning of the next. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  readonly onWritten: (outcome: ExportOutcome) => void;
  /** A round that failed: the file is as it was, and the next round tries again. */
  readonly onFailed: (error: unknown) => void;
}

/** Keeps the file current until it is stopped. */
export async function watchExport(file: VerdictFile, { pauseMs, signal, onWritten, onFailed }: ExportWatch): Promise<void> {
  while (!signal.aborted) {
    try {
      await setTimeout(pauseMs, undefined, { signal });
      const outcome = await file.write(signal);
      if (outcome.bytes !== undefined) onWritten(outcome);
    } catch (error) {
      if (!signal.aborted) onFailed(error);
    }
  }
}
