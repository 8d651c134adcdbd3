import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import type { ConsoleCountry } from '../../../src/contract/console.ts';
import { countryName } from '../format.ts';
import { useLocale } from '../locale.tsx';
import { BarList } from './bar-list.tsx';
import classes from './country-counts.module.css';
import { later } from './later.tsx';

/** The outlines of the world are a tenth of a megabyte. */
const WorldMap = later(async () => (await import('./world-map.tsx')).WorldMap, <Skeleton height={200} />);
const LISTED_MAX = 12;

interface Props {
  readonly label: string;
  readonly countries: readonly ConsoleCountry[];
  /** Name of the row without a known country. */
  readonly unknown: string;
  /** Name of the row of all that are not listed one by one. */
  readonly others: string;
  readonly empty: string;
}

/** Counts by country on a map, and the greatest as a list, which says the same without the map. */
export function CountryCounts({ label, countries, unknown, others, empty }: Props) {
  const { tag } = useLocale();
  const rows = useMemo(
    () =>
      countries.map(({ country, count }) => ({
        name: country === undefined ? unknown : countryName(tag, country),
        value: count,
      })),
    [countries, tag, unknown],
  );
  const listed = useMemo(() => listedRows(rows, others), [rows, others]);
  const placed = useMemo(
    () => countries.flatMap(({ country, count }) => (country === undefined ? [] : [{ value: country, lines: count }])),
    [countries],
  );
  return (
    <div className={placed.length > 0 ? classes.both : ''}>
      {placed.length > 0 && <WorldMap label={label} rows={placed} />}
      <BarList label={label} rows={listed} empty={empty} />
    </div>
  );
}

type Row = { readonly name: string; readonly value: number };

function listedRows(rows: readonly Row[], others: string): readonly Row[] {
  const rest = rows.slice(LISTED_MAX).reduce((sum, { value }) => sum + value, 0);
  return rest === 0 ? rows : [...rows.slice(0, LISTED_MAX), { name: others, value: rest }];
}
