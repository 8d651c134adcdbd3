import { systemFault } from '../../adapters/system/system-fault.ts';
import { Fault } from '../../core/texts/said.ts';
import { Problem } from '../../service/problem.ts';
import { problemText } from '../../service/problem-text.ts';
import { languageOf } from './language-of.ts';
import { say, sayText } from './say.ts';

/** The sentence of an error for the person at the terminal. */
export function faultText(error: unknown): string {
  if (!(error instanceof Problem)) {
    const sentence = systemFault(error) ?? (error instanceof Fault ? error : undefined);
    return sentence === undefined ? sayText(error instanceof Error ? error.message : String(error)) : say(sentence);
  }
  const { window_from } = error.extras;
  const more = [error.detail, window_from === undefined ? undefined : `window_from ${window_from}`].filter(
    (part) => part !== undefined,
  );
  return `${error.code}: ${problemText(error, languageOf(process.argv))}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
}
