import { geoAzimuthalEqualArea, geoCentroid, geoContains, geoGraticule10, geoPath } from 'd3-geo';
import type { Feature, Geometry, Polygon } from 'geojson';
import { useMemo } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import classes from './mini-map.module.css';

const WIDTH = 480;
const HEIGHT = 234;
const MARGIN = 14;
/** Pixels a radian: about 10 degrees across at most, so that a small country keeps its neighbours around it. */
const CLOSEST = WIDTH / ((10 * Math.PI) / 180);
/** About 40 degrees across, for a point on no outline: a small island, or a coast the outlines cut off. */
const AT_SEA = WIDTH / ((40 * Math.PI) / 180);

const topology = world as unknown as Topology<{ countries: GeometryCollection }>;
const countries = feature(topology, topology.objects.countries).features;
const graticule = geoGraticule10();

type Point = readonly [lon: number, lat: number];

const countryAt = (point: Point): Feature | undefined => countries.find((country) => geoContains(country, [...point]));

/** The one polygon of a country that the point lies in: a map of France need not reach to Guiana. */
function partAt({ geometry }: Feature, point: Point): Geometry {
  if (geometry.type !== 'MultiPolygon') return geometry;
  const parts = geometry.coordinates.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return parts.find((part) => geoContains(part, [...point])) ?? geometry;
}

/** Outlines around a point, fitted to its country. */
function drawing(point: Point) {
  const country = countryAt(point);
  const part = country && partAt(country, point);
  const [lon, lat] = part === undefined ? point : geoCentroid(part);
  const projection = geoAzimuthalEqualArea().rotate([-lon, -lat]).clipAngle(100);
  if (part === undefined) projection.scale(AT_SEA).translate([WIDTH / 2, HEIGHT / 2]);
  else {
    projection.fitExtent(
      [
        [MARGIN, MARGIN],
        [WIDTH - MARGIN, HEIGHT - MARGIN],
      ],
      part,
    );
    if (projection.scale() > CLOSEST) projection.scale(CLOSEST).translate([WIDTH / 2, HEIGHT / 2]);
  }
  projection.clipExtent([
    [0, 0],
    [WIDTH, HEIGHT],
  ]);
  const path = geoPath(projection);
  return {
    land: path({ type: 'FeatureCollection', features: countries }) ?? '',
    country: country === undefined ? '' : (path(country) ?? ''),
    lines: path(graticule) ?? '',
    spot: projection([...point]),
  };
}

interface Props {
  readonly lat: number;
  readonly lon: number;
  readonly label: string;
}

/** The country around a point, drawn from outlines in the bundle: no tile server learns of a lookup. */
export function MiniMap({ lat, lon, label }: Props) {
  const { land, country, lines, spot } = useMemo(() => drawing([lon, lat]), [lat, lon]);
  if (spot === null) return null;
  return (
    <svg className={classes.map} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path className={classes.lines} d={lines} />
      <path className={classes.land} d={land} />
      <path className={classes.country} d={country} />
      <circle className={classes.halo} cx={spot[0]} cy={spot[1]} r="13" />
      <circle className={classes.point} cx={spot[0]} cy={spot[1]} r="5" />
    </svg>
  );
}
