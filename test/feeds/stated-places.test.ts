/** Places that a list about networks states become a layer of places, before the shipped ones. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE, CLOUD_REGIONS, feedById } from '../../src/adapters/feeds/catalogue.ts';
import { NetworkListFiles } from '../../src/adapters/feeds/network-list-files.ts';
import { findLayers } from '../../src/adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../src/adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../../src/adapters/layers/layer-file.ts';
import { readFamily } from '../../src/adapters/layers/read-family.ts';
import { subdivisionNames } from '../../src/adapters/layers/tables.ts';
import type { Geo } from '../../src/contract/documents.ts';
import { networkListOf } from '../../src/core/feeds/network-list-of.ts';
import { parseFeed, rowOptionsOf } from '../../src/core/feeds/parse-feed.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { countryCode } from '../../src/core/place/country-code.ts';
import { packedText } from '../../src/engine/record-texts.ts';
import { covers } from '../spec/covers.ts';
import { testFolder } from '../support/test-folder.ts';

const feed = feedById('hexydec-datacentres')!;
const listOf = (text: string) =>
  networkListOf(feed, parseFeed(new TextEncoder().encode(text), feed.format, rowOptionsOf(feed)));
const ROWS =
  '"Amazon AWS",52.94.248.152/29,in\n"Amazon AWS",2600:1f01::/32,\nLinode,45.33.0.0/17,us\nIBM,not a network,de\n';

test('a list that states countries is a layer between the operator’s and the shipped ones, with its licence', () => {
  covers('PLACE-STATED');
  const dataDir = testFolder('stated');
  const sink = new NetworkListFiles(join(dataDir, 'network'), () => true);
  assert.equal(sink.put(feed, listOf(ROWS)), true);
  const path = join(dataDir, 'network', 'hexydec-datacentres.geofeed');
  assert.equal(readFileSync(path, 'utf8'), '# MIT; hexydec/ip-ranges\n52.94.248.152/29,IN\n45.33.0.0/17,US\n');
  const { layers, faults } = findLayers(dataDir);
  assert.deepEqual(faults, []);
  const [first, second] = layers;
  assert.deepEqual(
    [first?.id, first?.kind, first?.licence, first?.attribution, second?.id],
    ['hexydec-datacentres', 'geofeed', 'MIT', 'hexydec/ip-ranges', 'registry'],
  );
  assert.deepEqual(findNetworkLists(dataDir).faults, [], 'the layer is not taken for a list');
});

test('a change of countries alone is a change of the list; places that stay are not compiled again', () => {
  const dataDir = testFolder('stated-again');
  const sink = new NetworkListFiles(join(dataDir, 'network'), () => true);
  sink.put(feed, listOf(ROWS));
  const path = join(dataDir, 'network', 'hexydec-datacentres.geofeed');
  utimesSync(path, 1000, 1000);
  assert.equal(sink.put(feed, listOf(ROWS)), false);
  assert.equal(sink.put(feed, listOf(`${ROWS}IBM,9.9.0.0/24,\n`)), true, 'another network without a country');
  assert.equal(statSync(path).mtimeMs, 1_000_000);
  assert.equal(sink.put(feed, listOf(ROWS.replace(',in', ',ie'))), true);
  assert.match(readFileSync(path, 'utf8'), /^52\.94\.248\.152\/29,IE$/m);
});

test('an operator’s own layer is believed first', () => {
  const dataDir = testFolder('stated-own');
  const sink = new NetworkListFiles(join(dataDir, 'network'), () => true);
  sink.put(feed, listOf(ROWS));
  new NetworkListFiles(join(dataDir, 'layers'), () => true);
  writeFileSync(join(dataDir, 'layers', 'own.geofeed'), '52.94.248.152/29,DE,,,\n');
  assert.deepEqual(
    findLayers(dataDir)
      .layers.slice(0, 2)
      .map(({ id }) => id),
    ['own', 'hexydec-datacentres'],
  );
});

test('every list that states places of its own space names its AS numbers, and every region of a cloud a known place', () => {
  const known = subdivisionNames();
  for (const [region, place] of CLOUD_REGIONS) {
    const [country = '', code = ''] = place.split(',');
    assert.equal(countryCode(country), country, region);
    assert.ok(code === '' || known.has(code), `${region}: ${code}`);
  }
  for (const { id, format, holders } of CATALOGUE) {
    const states =
      (format.kind === 'json' && format.region !== undefined) || (format.kind === 'csv' && format.city !== undefined);
    assert.equal(holders !== undefined, states, id);
  }
});

const AS_NUMBERS = [
  '8.8.0.0,8.8.127.255,64500,Own',
  '8.8.128.0,8.8.255.255,64501,Other',
  ...[0, 1, 2].map((i) => `8.10.${2 * i}.0,8.10.${2 * i}.255,${i < 2 ? '64500,Own' : '64501,Other'}`),
].join('\n');
const WORLD = [
  'network,country,region,city,latitude,longitude',
  '8.0.0.0/8,US,Florida,Miami,25.77,-80.19',
  '9.0.0.0/8,CA,Nova Scotia,Sydney,46.14,-60.19',
  '10.0.0.0/8,US,Oregon,Boardman,45.84,-119.7',
  ...[1, 2, 3].map((i) => `11.0.${i}.0/24,US,Ohio,Boardman,41.0${i},-80.66`),
].join('\n');

/** Places at addresses, by a geofeed of AS64500 and a world-wide layer. */
function placesAt(geofeed: string, addresses: readonly string[], asNumbers: string | undefined = AS_NUMBERS) {
  const dataDir = testFolder('own-space');
  const sink = new NetworkListFiles(join(dataDir, 'network'), () => true);
  const starlink = { ...feedById('starlink')!, holders: [64500] };
  const parsed = parseFeed(new TextEncoder().encode(geofeed), starlink.format, rowOptionsOf(starlink));
  sink.put(starlink, networkListOf(starlink, parsed));
  const write = (name: string, text: string): string => {
    writeFileSync(join(dataDir, name), text);
    return join(dataDir, name);
  };
  const layers: LayerFile[] = [
    ...findLayers(dataDir).layers.filter(({ id }) => id === 'starlink'),
    { id: 'world', files: [write('world.csv', WORLD)], role: 'world', gives: 'place', version: '1', shipped: true },
  ];
  if (asNumbers !== undefined)
    layers.push({ id: 'asn', files: [write('asn.csv', asNumbers)], gives: 'network', version: '1', shipped: true });
  const { place, readings } = readFamily({ family: 4, layers, lists: [], place: true, network: false }, () => {});
  const { ranges, records } = place!;
  const foreign = readings[0]!.leftOutForeign;
  const places = addresses.map((text) => {
    const { w0 } = parseAnyAddress(text)!;
    const row = ranges.starts.subarray(0, ranges.count).findLastIndex((start) => start <= w0);
    return JSON.parse(packedText(records, ranges.ids[row]!) || '{}') as Geo;
  });
  return { places, foreign };
}

test('a town of a geofeed keeps its region, coordinates and time zone', () => {
  covers('PLACE-GEOFEED');
  const rows = '# comment\n8.8.0.0/24,CA,CA-NS,Sydney,B1P\n8.8.1.0/24,US,,Boardman,\n';
  const [place, namesake] = placesAt(rows, ['8.8.0.1', '8.8.1.1']).places;
  assert.equal(namesake?.region, 'Oregon', 'the town of most addresses, not of most records');
  assert.deepEqual(place, {
    continent: 'NA',
    country: 'CA',
    region: 'Nova Scotia',
    city: 'Sydney',
    tz: 'America/Glace_Bay',
    lat: 46.14,
    lon: -60.19,
  });
});

test('a publisher is believed about addresses that it announces and gaps in blocks of its own, and about no others', () => {
  covers('PLACE-OWN-SPACE');
  const rows = ['8.8.0.0/16', '8.9.0.0/24', '8.10.0.0/23', '8.10.3.0/24']
    .map((net) => `${net},CA,CA-NS,Sydney,\n`)
    .join('');
  const asked = ['8.8.127.255', '8.8.128.0', '8.9.0.1', '8.10.1.1', '8.10.3.1', '8.11.3.1'];
  const cities = (asNumbers?: string) => {
    const { places, foreign } = placesAt(rows, asked, asNumbers);
    return [foreign, ...places.map(({ city }) => city)];
  };
  assert.deepEqual(cities(), [2, 'Sydney', 'Miami', 'Miami', 'Sydney', 'Miami', 'Miami']);
  assert.deepEqual(cities(''), [3, ...asked.map(() => 'Miami')], 'nobody can be told without AS numbers');
});

test('a row of a geofeed without a place asks not to be located; a list of countries says nothing there', () => {
  const [silent, unknown, other] = placesAt('8.8.0.0/24,,,,\n8.8.1.0/24,ZZ,,,\n8.8.2.0/24,EU,,,\n', [
    '8.8.0.1',
    '8.8.1.1',
    '8.8.2.1',
  ]).places;
  assert.deepEqual([silent, unknown, other?.city], [{}, {}, 'Miami']);
  assert.doesNotMatch(listOf(ROWS).places!.join(' '), /2600:1f01/);
});
