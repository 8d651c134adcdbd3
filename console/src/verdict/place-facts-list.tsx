import { Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import type { Geo } from '../../../src/contract/documents.ts';
import type { Names } from '../../../src/core/names/names-in.ts';
import { later } from '../components/later.tsx';
import { countryName, timeInZone } from '../format.ts';
import { fill, useLocale } from '../locale.tsx';
import classes from './facts.module.css';

/** Its outlines are fetched when the reader comes to it. */
const MiniMap = later(async () => (await import('./mini-map.tsx')).MiniMap, null);

/**
 * The place, from the deepest name that is known, and its map. Absent keys are absent here too; nothing is
 * filled in.
 */
export function PlaceFactsList({ geo, names }: { readonly geo: Geo | undefined; readonly names: Names }) {
  const { t, tag } = useLocale();
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  if (geo === undefined) return <Text c="dimmed">{t.verdict.noPlace}</Text>;
  const place = names.place(geo);
  const local = geo.tz === undefined ? undefined : timeInZone(tag, geo.tz, new Date());
  const rows: readonly (readonly [string, string | undefined])[] = [
    [t.verdict.placeName, place === '' ? undefined : place],
    [
      t.verdict.adminCode,
      geo.admin_code === undefined ? geo.subdivision : [geo.subdivision, geo.admin_code].filter(Boolean).join(' · '),
    ],
    [t.verdict.timeZone, geo.tz],
    [t.verdict.localTime, local],
    [
      t.verdict.coordinates,
      geo.lat === undefined || geo.lon === undefined ? undefined : `${geo.lat.toFixed(2)}, ${geo.lon.toFixed(2)}`,
    ],
  ];
  return (
    <>
      <dl className={classes.facts}>
        {rows
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {geo.lat !== undefined && geo.lon !== undefined && (
        <div ref={ref} className={classes.mapSpace}>
          {inViewport && (
            <MiniMap
              lat={geo.lat}
              lon={geo.lon}
              label={fill(t.verdict.mapOf, { country: geo.country === undefined ? '' : countryName(tag, geo.country) })}
            />
          )}
        </div>
      )}
    </>
  );
}
