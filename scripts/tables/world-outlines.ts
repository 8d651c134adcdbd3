/**
 * Writes data/world-outlines.json: outlines of countries as SVG paths in one plane, for maps that are drawn
 * without a library (the report of `pulse summarize`, the console). Countries too small for an outline are a
 * point. Sources: world-atlas (ISC) of Natural Earth (public domain), codes of iso-3166 (MIT). Run: `node
 * scripts/tables/world-outlines.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type GeoProjection, geoCentroid, geoNaturalEarth1, geoPath } from 'd3-geo';
import type { Feature, FeatureCollection } from 'geojson';
import { iso31661 } from 'iso-3166';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Units of the drawing; paths are whole ones, each place relative to the one before. */
const WIDTH = 2000;
const MARGIN = 4;

type Country = Feature & { readonly properties: { readonly name: string } };

const countriesOf = (scale: string): readonly Country[] => {
  const topology = JSON.parse(
    readFileSync(new URL(`../../node_modules/world-atlas/countries-${scale}.json`, import.meta.url), 'utf8'),
  ) as Topology<{
    countries: GeometryCollection;
  }>;
  return feature(topology, topology.objects.countries).features as readonly Country[];
};

const alpha2 = new Map(iso31661.map(({ numeric, alpha2: code }) => [numeric, code]));
/**
 * Land that ISO 3166-1 has no number for is drawn without a code, but for Kosovo, whose user-assigned code
 * geolocation data use.
 */
const codeOf = ({ id, properties }: Country): string =>
  properties.name === 'Kosovo' ? 'XK' : (alpha2.get(String(id)) ?? '');

const large = countriesOf('110m').filter((country) => codeOf(country) !== 'AQ');
const world = { type: 'FeatureCollection', features: [...large] } as FeatureCollection;
const projection: GeoProjection = geoNaturalEarth1().fitWidth(WIDTH - 2 * MARGIN, world);
const [[left, top], [, bottom]] = geoPath(projection).bounds(world);
const [x, y] = projection.translate();
projection.translate([x - left + MARGIN, y - top + MARGIN]);
const absolute = geoPath(projection).digits(0);

/** A path with relative steps, and without those that go nowhere. */
function draw(country: Country): string {
  let from: Pair = [0, 0];
  let path = '';
  for (const ring of (absolute(country) ?? '').split('Z')) {
    const [first, ...rest] = ring
      .slice(1)
      .split('L')
      .map((pair) => pair.split(',').map(Number) as unknown as Pair);
    const steps = stepsOf(first!, rest);
    if (steps.length < 2) continue;
    path += `m${stepOf(from, first!)}l${steps.join(' ')}z`.replaceAll(' -', '-');
    from = first!;
  }
  return path;
}

type Pair = readonly [x: number, y: number];
const stepOf = ([x0, y0]: Pair, [x1, y1]: Pair): string => `${x1 - x0} ${y1 - y0}`;

function stepsOf(first: Pair, rest: readonly Pair[]): readonly string[] {
  const stops = [first, ...rest].filter(
    (stop, i, all) => i === 0 || stop[0] !== all[i - 1]![0] || stop[1] !== all[i - 1]![1],
  );
  return stops.slice(1).map((stop, i) => stepOf(stops[i]!, stop));
}

const outlined = new Set(large.map(codeOf));
const points = countriesOf('50m')
  .map((country) => [codeOf(country), projection(geoCentroid(country))!.map((value) => Math.round(value))] as const)
  .filter(([code]) => code !== '' && code !== 'AQ' && !outlined.has(code));
const byCode = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;

writeFileSync(
  new URL('../../data/world-outlines.json', import.meta.url),
  `{"generated": "by scripts/tables/world-outlines.ts, never edited by hand",
  "origin": "world-atlas 2.0.2 (ISC), Natural Earth (public domain); codes of iso-3166 4.4.0 (MIT)",
  "width": ${WIDTH}, "height": ${Math.ceil(bottom - top + 2 * MARGIN)},
  "outlines": [
${large
  .map((country) => [codeOf(country), draw(country)] as const)
  .toSorted(byCode)
  .map((row) => `    ${JSON.stringify(row)}`)
  .join(',\n')}
  ],
  "points": [
${[...new Map(points)]
  .toSorted(byCode)
  .map(([code, [px, py]]) => `    ${JSON.stringify([code, px, py])}`)
  .join(',\n')}
  ]
}
`,
);
process.stdout.write(`${large.length} outlines, ${points.length} points\n`);
