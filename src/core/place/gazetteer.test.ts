import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { WORLD } from './gazetteer.fixture.ts';
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
