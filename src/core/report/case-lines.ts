import type { Explanation, IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { registryLink } from '../ip/registry-link.ts';
import { explainLines } from './explain-lines.ts';
import {
  type PaintedLine,
  padded,
  type ShownExplanation,
  type VerdictLinesOptions,
  verdictLines,
  widthOf,
} from './verdict-lines.ts';

/**
 * - `explanation`: undefined where the reader may not see it.
 * - `known`: the facts that such a reader knows.
 * - `link`: page of the verdict of this moment; undefined where no public address is known.
 * - `isPast`: true for a verdict on a past moment: signals, network and place are those of today then.
 */
export interface CaseOptions extends Omit<VerdictLinesOptions, 'explanationOf' | 'width'> {
  readonly explanation: Explanation | undefined;
  readonly known?: ShownExplanation | undefined;
  readonly link: string | undefined;
  readonly isPast: boolean;
}

export function caseLines(document: IPRisk | PulseIPRisk, options: CaseOptions): readonly PaintedLine[] {
  const { words, explanation, known, link, sourceText, isPast } = options;
  const labels = words.case;
  const { risk, geo } = document.meta.data_version;
  const all: readonly (readonly [string, string])[] = [
    [labels.moment, isPast ? `${document.computed_at} · ${labels.past}` : document.computed_at],
    [labels.data, `${risk}, ${geo}`],
    [labels.registry, registryLink(parseAnyAddress(document.ip)!, document.ip)],
    [labels.link, link ?? ''],
  ];
  const facts = all.filter(([, value]) => value !== '');
  const gap = Math.max(...facts.map(([label]) => widthOf(label))) + 2;
  return [
    ...verdictLines([document], {
      ...options,
      explanationOf: () => explanation ?? known,
      width: Number.POSITIVE_INFINITY,
    }),
    ...(explanation === undefined ? [] : explainLines(explanation, { words, sourceText })),
    [''],
    ...facts.map(([label, value]): PaintedLine => [`  ${padded(label, gap)}${value}`]),
  ];
}

export const caseText = (document: IPRisk | PulseIPRisk, options: CaseOptions): string =>
  caseLines(document, options)
    .map((line) => line.map((part) => (typeof part === 'string' ? part : part.text)).join(''))
    .join('\n');
