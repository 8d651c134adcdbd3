import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import type { Said } from '../../core/texts/said.ts';
import { say } from '../language/say.ts';

/** A line on the terminal with the step of long work; nothing elsewhere. */
export function stepLine(): { readonly update: (step: Said) => void; readonly end: () => void } {
  const show = process.stderr.isTTY ? terminalProgress() : () => {};
  return { update: (step) => show(say(step)), end: () => show('') };
}
