import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { Gazetteer } from './gazetteer.ts';
import { type LayerRecord, layerRecord } from './layer-record.ts';

const NAMES = new Map([
  ['CA-NS', 'Nova Scotia'],
  ['CA-ON', 'Ontario'],
  ['US-OR', 'Oregon'],
  ['US-TX', 'Texas'],
  ['DE-HE', 'Hesse'],
  ['GB-LND', 'London'],
  ['SG-05', 'South West'],
]);
const WORLD: readonly LayerRecord[] = [
  { country: 'CA', region: 'Nova Scotia', city: 'Sydney', point: [46.14, -60.19] },
  { country: 'CA', region: 'Ontario', city: 'Toronto', point: [43.7, -79.42] },
  { country: 'AU', region: 'New South Wales', city: 'Sydney (Surry Hills)', point: [-33.87, 151.2] },
  { country: 'US', region: 'Oregon', city: 'Portland', point: [45.52, -122.68] },
  { country: 'US', region: 'Maine', city: 'Portland', point: [43.66, -70.26] },
  { country: 'US', region: 'Texas', city: 'Dallas', point: [32.78, -96.8] },
  { country: 'DE', region: 'Hesse', city: 'Frankfurt am Main', point: [50.11, 8.68] },
  { country: 'DE', region: 'Brandenburg', city: 'Frankfurt (Oder)', point: [52.34, 14.55] },
  { country: 'GB', region: 'England', city: 'London', point: [51.51, -0.13] },
  { country: 'SG', city: 'Singapore', point: [1.29, 103.85] },
  { country: 'SG', region: 'South West', city: 'Jurong', point: [1.33, 103.72] },
  { country: 'DE', region: 'Berlin', city: 'Berlin', point: [52.5, 13.4] },
  { country: 'DE', region: 'State of Berlin', city: 'Berlin (Mitte)', point: [52.53, 13.38] },
  { country: 'AT', region: 'Vienna', city: 'Vienna', point: [48.21, 16.37] },
  { country: 'DK', region: 'Capital Region', city: 'Kobenhavn', point: [55.68, 12.57] },
];

function completed(country: string, region: string, city: string): LayerRecord {
  const stated = layerRecord({ country, region, city })!;
  const gazetteer = new Gazetteer(NAMES, [stated]);
  for (const record of WORLD) gazetteer.add(record);
  return gazetteer.complete(stated);
}

test('a row of a geofeed gets the name of its region and the coordinates of its town', () => {
  covers('PLACE-GEOFEED');
  for (const [country, region, city, ...expected] of [
    ['CA', 'CA-NS', 'Sydney', 'Nova Scotia', 'Sydney', 46.14],
    ['ca', 'ca-ns', 'SYDNEY', 'Nova Scotia', 'Sydney', 46.14],
    ['AU', '', 'Sydney', 'New South Wales', 'Sydney', -33.87],
    ['US', 'US-OR', 'Portland', 'Oregon', 'Portland', 45.52],
    ['US', 'Oregon', 'Portland', 'Oregon', 'Portland', 45.52],
    ['DE', 'DE-HE', 'Frankfurt', 'Hesse', 'Frankfurt am Main', 50.11],
    ['DE', 'DE-BE', 'Berlin', 'Berlin', 'Berlin', 52.5],
    ['GB', 'GB-LND', 'London', 'England', 'London', 51.51],
    ['SG', 'SG-05', 'Singapore', 'South West', 'Singapore', 1.29],
    ['AT', 'AT-9', 'Wien', 'Vienna', 'Vienna', 48.21],
    ['DK', 'DK-84', 'København', 'Capital Region', 'Kobenhavn', 55.68],
  ] as const) {
    const record = completed(country, region, city);
    assert.deepEqual([record.region, record.city, record.point?.[0]], expected, `${country},${region},${city}`);
  }
});

test('no coordinates where the town is unknown, in another region, or one of several', () => {
  for (const [country, region, city, ...expected] of [
    ['US', '', 'Portland', undefined, 'Portland'],
    ['US', 'US-TX', 'Portland', 'Texas', 'Portland'],
    ['CA', 'CA-ON', 'Sydney', 'Ontario', 'Sydney'],
    ['CA', 'CA-ON', 'NOWHERE BAY', 'Ontario', 'Nowhere Bay'],
    ['CA', 'CA-ON', '', 'Ontario', undefined],
    ['FR', 'FR-XX', 'Sydney', 'FR-XX', 'Sydney'],
  ] as const) {
    const record = completed(country, region, city);
    assert.deepEqual(
      [record.region, record.city, record.point],
      [...expected, undefined],
      `${country},${region},${city}`,
    );
  }
});

test('a place with coordinates, and a country alone, stay as they are', () => {
  const gazetteer = new Gazetteer(NAMES, []);
  for (const record of [...WORLD, { country: 'CA' }]) assert.equal(gazetteer.complete(record), record);
});
