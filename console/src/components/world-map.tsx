import outlines from '../../../data/world-outlines.json';
import type { SummaryRow } from '../../../src/contract/traffic-summary.ts';
import { mapStep, type WorldOutlines } from '../../../src/core/report/world-map.ts';
import { countryName, formatNumber } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './world-map.module.css';

const world = outlines as unknown as WorldOutlines;

interface Props {
  readonly label: string;
  /** Counts by country. */
  readonly rows: readonly SummaryRow<string>[];
}

/** The world, each country coloured by its lines: outlines in the bundle, no tile server. */
export function WorldMap({ label, rows }: Props) {
  const { t, tag } = useLocale();
  const lines = new Map(
    rows.flatMap(({ value, lines: count }) => (value === undefined ? [] : [[value, count] as const])),
  );
  const greatest = Math.max(1, ...lines.values());
  const stepOf = (code: string): string => classes[`step${mapStep(lines.get(code) ?? 0, greatest)}`] ?? '';
  const name = (code: string): string =>
    fill(t.site.aside, { text: countryName(tag, code), aside: formatNumber(tag, lines.get(code) ?? 0) });
  return (
    <svg className={classes.map} viewBox={`0 0 ${world.width} ${world.height}`} role="img" aria-label={label}>
      {world.outlines.map(([code, path]) => (
        <path key={path} d={path} className={stepOf(code)}>
          {lines.has(code) && <title>{name(code)}</title>}
        </path>
      ))}
      {world.points
        .filter(([code]) => lines.has(code))
        .map(([code, x, y]) => (
          <circle key={code} cx={x} cy={y} r="9" className={stepOf(code)}>
            <title>{name(code)}</title>
          </circle>
        ))}
    </svg>
  );
}
