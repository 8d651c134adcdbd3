import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import type { ReadingProgress } from '../../core/logs/line-format.ts';
import { say } from '../language/say.ts';

const PAUSE_MS = 200;

export interface ProgressLine {
  readonly update: (progress: ReadingProgress) => void;
  readonly end: () => void;
}

/**
 * A line on the terminal with share, rate and time left of a file that is being read; nothing elsewhere.
 * @param work stands before it
 */
export function progressLine(work: string): ProgressLine {
  const startedAt = performance.now();
  const show = process.stderr.isTTY ? terminalProgress() : () => {};
  let shownAt = 0;
  const update = (progress: ReadingProgress): void => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs - shownAt < PAUSE_MS) return;
    shownAt = elapsedMs;
    show(`${work}: ${progressText(progress, elapsedMs / 1000)}`);
  };
  return { update, end: () => show('') };
}

export function progressText({ records, share }: ReadingProgress, seconds: number): string {
  const rate = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(records / seconds);
  if (share === undefined || share === 0) return say('{records:line|lines} · {rate} lines/s', { records, rate });
  const left = Math.round((seconds * (1 - share)) / share);
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return say('{percent} % · {rate} lines/s · {time} left', { percent: Math.floor(100 * share), rate, time });
}
