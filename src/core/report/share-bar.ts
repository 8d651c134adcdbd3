import { type Html, html } from '../html/html.ts';
import type { ReportFormat } from './report-format.ts';

export interface Part {
  readonly name: string;
  readonly kind: string;
  readonly lines: number;
}

const WIDTH = 1000;
const HEIGHT = 26;

export function shareBar(label: string, parts: readonly Part[], format: ReportFormat): Html {
  const whole = parts.reduce((sum, { lines }) => sum + lines, 0);
  let x = 0;
  const pieces = parts.map(({ name, kind, lines }) => {
    const width = whole === 0 ? 0 : (WIDTH * lines) / whole;
    const piece = html`<rect class="k-${kind}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="${HEIGHT}"><title>${name}: ${format.number(lines)}</title></rect>`;
    x += width;
    return piece;
  });
  return html`<svg class="share" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${pieces}</svg>
<ul class="legend">${parts.map(
    ({ name, kind, lines }) =>
      html`<li>${kindMark(kind)}${name} <b>${format.percent(lines, whole)}</b> <span>${format.number(lines)}</span></li>`,
  )}</ul>`;
}

export const kindMark = (kind: string): Html =>
  html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="k-${kind}" width="10" height="10" rx="2"/></svg>`;
