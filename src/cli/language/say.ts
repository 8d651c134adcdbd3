import { systemFault } from '../../adapters/system/system-fault.ts';
import { CHINESE, type Text } from '../../core/texts/chinese.ts';
import { Fault, inLanguage, type Said, type With } from '../../core/texts/said.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import { isDegraded, type MissingSourcesReport, type SourcesReport } from '../../service/ports.ts';
import { Problem, problemText } from '../../service/problem.ts';
import { languageOf } from './language-of.ts';

export const isChinese = (): boolean => languageOf(process.argv) === 'zh';

/** A text that is a sentence of ours without parameters, or somebody else's, which stays as it is. */
export const sayText = (text: string): string =>
  isChinese() && Object.hasOwn(CHINESE, text) ? CHINESE[text as Text] : text;

export const sourceText = (text: string): string => (isChinese() ? sourceTextZh(text) : text);

export function say<T extends Text>(text: T, ...values: With<T>): string;
export function say(sentence: Said): string;
export function say(sentence: Said | Text, values: Said['values'] = {}): string {
  return inLanguage(languageOf(process.argv), typeof sentence === 'string' ? { text: sentence, values } : sentence);
}

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

export function missingText({ ids, retired, expected, since }: SourcesReport): string {
  const counts = { missing: ids.length, expected };
  const late =
    since === undefined
      ? say('{missing} of {expected:source|sources} of evidence late or missing', counts)
      : say('{missing} of {expected:source|sources} of evidence late or missing, the longest since {since}', {
          ...counts,
          since: minute(since),
        });
  return retired.length === 0 ? late : say('{late}; {count} retired', { late, count: retired.length });
}

export function degradedText(leftOut: MissingSourcesReport | undefined): string | undefined {
  if (leftOut === undefined || !isDegraded(leftOut)) return undefined;
  return leftOut.silent
    ? say('degraded: it is not known which sources verdicts lack, because no server notes it')
    : say('degraded: {missing}; `pulse feeds list` shows them', { missing: missingText(leftOut) });
}

const minute = (at: UnixMs): string => isoTime(at).slice(0, 16).replace('T', ' ');
