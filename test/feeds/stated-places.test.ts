/** Countries that a list about networks states become a layer of places, before the shipped ones. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { NetworkListFiles } from '../../src/adapters/feeds/network-list-files.ts';
import { findLayers } from '../../src/adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../src/adapters/layers/find-network-lists.ts';
import { networkListOf } from '../../src/core/feeds/network-list-of.ts';
import { parseFeed, rowOptionsOf } from '../../src/core/feeds/parse-feed.ts';
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
