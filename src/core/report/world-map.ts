import type { SummaryRanking } from '../../contract/traffic-summary.ts';
import { type Html, html } from '../html/html.ts';
import type { ReportFormat } from './report-format.ts';

/**
 * Outlines of countries in one plane (data/world-outlines.json), by ISO 3166-1 alpha-2 code; '' where land
 * has none.
 */
export interface WorldOutlines {
  readonly width: number;
  readonly height: number;
  readonly outlines: readonly (readonly [code: string, path: string])[];
  readonly points: readonly (readonly [code: string, x: number, y: number])[];
}

const MAP_STEPS = 5;

/** Step 0 has no line and the last step the most. Steps grow by a factor, so small countries stay visible. */
export function mapStep(lines: number, greatest: number): number {
  if (lines === 0) return 0;
  const share = Math.log1p(lines) / Math.log1p(greatest);
  return Math.min(MAP_STEPS, Math.max(1, Math.ceil(share * share * MAP_STEPS)));
}

export function worldMap(ranking: SummaryRanking<string>, world: WorldOutlines, format: ReportFormat): Html {
  const lines = new Map(
    ranking.rows.flatMap(({ value, lines: count }) => (value === undefined ? [] : [[value, count] as const])),
  );
  const greatest = Math.max(1, ...lines.values());
  const said = (code: string): Html =>
    html`<title>${format.country(code)}: ${format.number(lines.get(code) ?? 0)}</title>`;
  const drawn = world.outlines.map(([code, path]) => {
    const step = mapStep(lines.get(code) ?? 0, greatest);
    return step === 0
      ? html`<path class="m0" d="${path}"/>`
      : html`<path class="m${step}" d="${path}">${said(code)}</path>`;
  });
  const small = world.points
    .filter(([code]) => lines.has(code))
    .map(
      ([code, x, y]) =>
        html`<circle class="m${mapStep(lines.get(code)!, greatest)}" cx="${x}" cy="${y}" r="9">${said(code)}</circle>`,
    );
  return html`<svg class="map" viewBox="0 0 ${world.width} ${world.height}" role="img" aria-label="${format.words.countries}">${drawn}${small}</svg>`;
}
