import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { FOUND, NOT_FOUND, WORLD } from './gazetteer.fixture.ts';
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
  for (const [record, weight = 1] of WORLD) gazetteer.add(record, weight);
  return gazetteer.complete(stated);
}

test('a row of a geofeed gets the name of its region and the coordinates of its town', () => {
  covers('PLACE-GEOFEED');
  for (const [country, region, city, ...expected] of FOUND) {
    const record = completed(country, region, city);
    assert.deepEqual([record.region, record.city, record.point?.[0]], expected, `${country},${region},${city}`);
  }
});

test('no coordinates where the town is unknown, in another region, or one of several', () => {
  for (const [country, region, city, ...expected] of NOT_FOUND) {
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
  for (const [record] of [...WORLD, [{ country: 'CA' }] as const]) assert.equal(gazetteer.complete(record), record);
});
