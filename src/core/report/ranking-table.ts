import type { SummaryRanking } from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import { fillWords } from '../texts/said.ts';
import type { ReportFormat } from './report-format.ts';

interface RankingOptions<Value> {
  readonly label: string;
  readonly whole: number;
  readonly most: number;
  readonly nameOf: (value: Value) => string;
  readonly kindOf?: (value: Value | undefined) => string;
}

export function rankingTable<Value>(
  { rows, others }: SummaryRanking<Value>,
  options: RankingOptions<Value>,
  format: ReportFormat,
): Html {
  const { words } = format;
  if (rows.length === 0) return html`<p class="soft">${words.none}</p>`;
  const shown = rows.slice(0, options.most);
  const hidden = rows.slice(options.most);
  const more = {
    values: hidden.length + (others?.values ?? 0),
    lines: hidden.reduce((sum, { lines }) => sum + lines, others?.lines ?? 0),
  };
  const greatest = Math.max(1, ...shown.map(({ lines }) => lines));
  const row = (name: string, lines: number, kind: string): Html => html`<tr><th scope="row">${name}</th>
<td class="bar"><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${kind}" width="${Math.max(0.5, (100 * Math.min(lines, greatest)) / greatest).toFixed(1)}" height="10"/></svg></td>
<td class="n">${format.percent(lines, options.whole)}</td><td class="n soft">${format.number(lines)}</td></tr>`;
  return html`<table class="ranking" aria-label="${options.label}"><tbody>
${shown.map(({ value, lines }) => row(value === undefined ? words.unknown : options.nameOf(value), lines, options.kindOf?.(value) ?? 'accent'))}
${more.values > 0 && row(fillWords(words.others, { n: format.number(more.values) }), more.lines, 'k-none')}
</tbody></table>`;
}
