import { geoEqualEarth, geoPath } from 'd3-geo';
import { useMemo } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import classes from './mini-map.module.css';

const WIDTH = 480;
const HEIGHT = 234;
const topology = world as unknown as Topology<{ countries: GeometryCollection }>;
const land = feature(topology, topology.objects.countries);
const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], { type: 'Sphere' });
const outline = geoPath(projection)(land) ?? '';

interface Props {
  readonly lat: number;
  readonly lon: number;
  readonly label: string;
}

/** World outline with one point, drawn from data in the bundle: no tile server learns who looked what up. */
export function MiniMap({ lat, lon, label }: Props) {
  const point = useMemo(() => projection([lon, lat]), [lat, lon]);
  if (point === null) return null;
  return (
    <svg className={classes.map} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path className={classes.land} d={outline} />
      <circle className={classes.halo} cx={point[0]} cy={point[1]} r="11" />
      <circle className={classes.point} cx={point[0]} cy={point[1]} r="4" />
    </svg>
  );
}
