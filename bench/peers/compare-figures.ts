import { median } from './measure.ts';

/**
 * Rates are better when higher; every other figure with a unit (time, memory, size) when lower. Figures
 * without a unit are not compared.
 */
const RATE = /\/s\b|per second|lines a processor second/;
const COST = /(^|[\s,])(ns|µs|ms|s|seconds|MB|MiB|RSS|CPU)([\s,]|$)/;
/** Figures with their unit in the cell: `12 ms`, `0.1 / 0.6 / 8 ms`, `2.8 M/s (0.07 s)`. */
const WITH_UNIT = /((?:[\d,.]+ \/ )*[\d,.]+) (M?\/s|ns|µs|ms|s|MB|MiB|bytes)(?![\w/])/g;
/** A figure may be worse by this part. */
const MARGIN = 1.05;

/** Costs in the markdown tables that a benchmark prints, by row and column; a rate as its reciprocal. */
export function costsOf(printed: string): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  let head: readonly string[] | undefined;
  for (const line of printed.split('\n')) {
    const cells = /^\|(.*)\|$/
      .exec(line)?.[1]
      ?.split('|')
      .map((cell) => cell.trim());
    if (cells === undefined) head = undefined;
    else if (head === undefined) head = cells;
    else
      for (const [i, cell] of cells.entries()) {
        const column = head[i]!;
        if (i === 0) continue;
        // Texts before the figures name the row.
        const row = cells.slice(0, i).filter((text) => !/^[\d,.]+$/.test(text) && text.search(WITH_UNIT) < 0);
        for (const [name, cost] of costsIn(cell, column)) costs.set([...row, name].join(', '), cost);
      }
  }
  return costs;
}

/** The costs of one cell, each with the name of its column. */
function costsIn(cell: string, column: string): readonly (readonly [string, number])[] {
  const isRate = RATE.test(column);
  const alone = /^[\d,]*\.?\d+(e[+-]?\d+)?$/.test(cell);
  const figures =
    alone && (isRate || COST.test(column))
      ? [{ name: column, value: numberOf(cell), isRate }]
      : [...cell.matchAll(WITH_UNIT)].flatMap(([, texts, unit]) =>
          texts!.split(' / ').map((text, i, all) => ({
            name: [column, unit, ...(all.length > 1 ? [i + 1] : [])].join(' '),
            value: numberOf(text),
            isRate: unit!.endsWith('/s'),
          })),
        );
  return figures.flatMap(({ name, value, isRate: rate }) =>
    value > 0 ? [[name, rate ? 1 / value : value] as const] : [],
  );
}

const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

export interface Worse {
  readonly figure: string;
  /** 1.1: ten per cent worse, the median of the pairs. */
  readonly ratio: number;
}

/**
 * Figures that were worse in every pair, and by more than 5 % in the median: one that noise alone moves is
 * better in one of five pairs, 97 times of 100.
 */
export function worseFigures(pairs: readonly { readonly before: string; readonly now: string }[]): readonly Worse[] {
  const runs = pairs.map(({ before, now }) => ({ before: costsOf(before), now: costsOf(now) }));
  return [...(runs[0]?.now.keys() ?? [])].flatMap((figure) => {
    const ratios = runs.map(({ before, now }) => now.get(figure)! / before.get(figure)!).filter(Number.isFinite);
    const ratio = median(ratios);
    return ratios.length === pairs.length && Math.min(...ratios) > 1 && ratio > MARGIN ? [{ figure, ratio }] : [];
  });
}
