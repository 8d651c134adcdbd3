import { type PointerEvent, useState } from 'react';
import { formatNumber } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './chart.module.css';

interface Series {
  readonly name: string;
  /** As `pulse.6`. */
  readonly colour: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly dashed?: boolean;
}

interface Props {
  readonly label: string;
  readonly series: readonly Series[];
  /** Bars, one upon the other, in place of areas. */
  readonly bars?: boolean;
  /** Ticks of the vertical axis; by default whole numbers up to the greatest sum. */
  readonly ticks?: readonly number[];
  /** Marked heights, and marked places with their words. */
  readonly bounds?: readonly (readonly [y: number, colour: string])[];
  readonly marks?: readonly (readonly [x: number, colour: string, label?: string])[];
  /** Texts of a place below the axis and in the note at the pointer. */
  readonly tick: (x: number) => string;
  readonly moment?: (x: number) => string;
}

/** The axis of scores, and where levels begin. */
export const SCORE_TICKS = [0, 30, 70, 100] as const;
export const LEVEL_BOUNDS = [
  [70, 'red.6'],
  [30, 'orange.6'],
] as const;

const TICKS_MAX = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Distances of ticks, so that they are even: of time, else of numbers. */
const STEPS = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336].map((hours) => hours * HOUR_MS);

const colourOf = (name: string): string => `var(--mantine-color-${name.replace('.', '-')})`;

/** Values over time as areas or bars: drawn into whatever room there is, with nothing to measure or to fetch. */
export function Chart({
  label,
  series: all,
  bars = false,
  ticks,
  bounds = [],
  marks = [],
  tick,
  moment = tick,
}: Props) {
  const { t, tag } = useLocale();
  const series = all.filter(({ points }) => points.length > 0);
  const [at, setAt] = useState<number>();
  const places = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const width = bars ? (places[1] ?? 1) - (places[0] ?? 0) : 0;
  const from = places[0] ?? 0;
  const span = (places.at(-1) ?? 0) + width - from || 1;
  const heights = bars ? places.map((x) => sumAt(series, x)) : series.flatMap(({ points }) => points.map(([, y]) => y));
  const rows = ticks ?? wholeTicks(Math.max(1, ...heights));
  const top = rows.at(-1)!;
  const left = (x: number): number => (100 * (x - from)) / span;
  const up = (y: number): number => 100 - (100 * y) / top;
  const point = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left: edge, width: room } = currentTarget.getBoundingClientRect();
    const x = from + (span * (clientX - edge)) / room - width / 2;
    setAt(places.reduce((best, one) => (Math.abs(one - x) < Math.abs(best - x) ? one : best), from));
  };
  return (
    <figure aria-label={label} className={classes.chart}>
      {series.length > 1 && (
        <figcaption className={classes.legend}>
          {series.map(({ name, colour }) => (
            <span key={name}>
              <i style={{ background: colourOf(colour) }} /> {name}
            </span>
          ))}
        </figcaption>
      )}
      <div className={classes.plot} onPointerMove={point} onPointerLeave={() => setAt(undefined)}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {rows.map((y) => (
            <path key={y} d={`M0 ${up(y)}H100`} className={classes.grid} />
          ))}
          {series.map(({ name, colour, points, dashed }, row) =>
            bars ? (
              points.map(([x, y]) => (
                <rect
                  key={`${name} ${x}`}
                  x={left(x + width * 0.1)}
                  width={(80 * width) / span}
                  y={up(y + sumAt(series.slice(0, row), x))}
                  height={(100 * y) / top}
                  fill={colourOf(colour)}
                />
              ))
            ) : (
              <g
                key={name}
                stroke={colourOf(colour)}
                fill={colourOf(colour)}
                strokeDasharray={dashed ? '5 4' : undefined}
              >
                <path
                  d={`M${left(points[0]?.[0] ?? from)} 100L${line(points, left, up)}V100`}
                  opacity={0.16}
                  stroke="none"
                />
                <path d={`M${line(points, left, up)}`} fill="none" className={classes.line} />
              </g>
            ),
          )}
          {bounds.map(([y, colour]) => (
            <path key={y} d={`M0 ${up(y)}H100`} stroke={colourOf(colour)} className={classes.bound} />
          ))}
          {marks.map(([x, colour]) => (
            <path key={x} d={`M${left(x)} 0V100`} stroke={colourOf(colour)} className={classes.bound} />
          ))}
        </svg>
        {rows.map((y) => (
          <span key={y} className={classes.y} style={{ top: `${up(y)}%` }}>
            {formatNumber(tag, y)}
          </span>
        ))}
        {placeTicks(from, span, bars ? places : undefined).map((x) => (
          <span key={x} className={classes.x} style={{ left: `${left(x + width / 2)}%` }}>
            {tick(x)}
          </span>
        ))}
        {marks.map(([x, , text]) => (
          <span
            key={x}
            className={classes.mark}
            style={left(x) > 50 ? { right: `${100 - left(x)}%` } : { left: `${left(x)}%` }}
          >
            {text}
          </span>
        ))}
        {at !== undefined && (
          <div
            className={classes.note}
            style={left(at) > 50 ? { right: `${100 - left(at)}%` } : { left: `${left(at)}%` }}
          >
            <b>{moment(at)}</b>
            {series.map(({ name, points }) => {
              const y = points.find(([x]) => x === at)?.[1];
              return y === undefined ? null : (
                <div key={name}>{fill(t.site.labelled, { label: name, value: formatNumber(tag, y) })}</div>
              );
            })}
          </div>
        )}
      </div>
    </figure>
  );
}

const sumAt = (series: readonly Series[], place: number): number =>
  series.reduce((sum, { points }) => sum + (points.find(([x]) => x === place)?.[1] ?? 0), 0);

const line = (points: Series['points'], left: (x: number) => number, up: (y: number) => number): string =>
  points.map(([x, y]) => `${left(x)} ${up(y)}`).join('L');

/** From 0 in at most four equal steps of 1, 2 or 5, ten times as much and so on. */
function wholeTicks(most: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const step = [1, 2, 5, 10].map((one) => one * size).find((one) => one * 4 >= most)!;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

/** Every so many places, or moments that begin an hour or a day where the reader is. */
function placeTicks(from: number, span: number, places: readonly number[] | undefined): readonly number[] {
  if (places !== undefined) {
    const every = Math.ceil(places.length / TICKS_MAX);
    return places.filter((_, i) => i % every === 0);
  }
  const step = STEPS.find((one) => span / one <= TICKS_MAX) ?? Math.ceil(span / TICKS_MAX / DAY_MS) * DAY_MS;
  const midnight = new Date(from).setHours(0, 0, 0, 0);
  const first = midnight + Math.ceil((from - midnight) / step) * step;
  return Array.from({ length: Math.floor((from + span - first) / step) + 1 }, (_, i) => first + i * step);
}
