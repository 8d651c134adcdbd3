/**
 * The memory bound of a batch: cost of the lookups of its addresses in the place, network and evidence tables
 * cost, without reading a body or writing a byte. Prints microseconds of processor time an address, one line
 * a round.
 *
 *   node bench/peers/locate-addresses.ts DATA_DIR ADDRESSES_FILE ROUNDS
 */

import { readFileSync } from 'node:fs';
import { argv, cpuUsage } from 'node:process';
import { openShared } from '../../src/adapters/snapshots/published-images.ts';
import { randomHashSeed } from '../../src/adapters/system/own-process.ts';
import { AddressColumns } from '../../src/core/ip/address-columns.ts';
import { unixMs } from '../../src/core/units.ts';
import { BulkLookup, locatedColumns } from '../../src/engine/bulk-lookup.ts';
import { emptyEvidence } from '../../src/engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../../src/engine/evidence/evidence-delta.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import { readCurrentGeo } from '../../src/main/place-data/read-current-geo.ts';

const [dataDir, addressesFile, rounds] = argv.slice(2);
const texts = readFileSync(addressesFile!, 'utf8').trim().split('\n');
const geo = await readCurrentGeo(dataDir!);
if (geo === undefined) throw new Error(`${dataDir} has no image`);
const seed = randomHashSeed();
const evidence = new LiveEvidence(
  emptyEvidence({ dataVersion: 'none', builtAt: unixMs(0), ...NO_POSITION }, seed),
  seed,
);
const bulk = new BulkLookup(openGeo(openShared(geo.image, 'geo')), evidence);
const addresses = new AddressColumns(texts.length);
for (const text of texts) addresses.addText(text);

/** Addresses located together, as a batch does it. */
const STRETCH = 250;
const into = locatedColumns(STRETCH);
const PASSES = 20;
function pass(): void {
  for (let from = 0; from < addresses.count; from += STRETCH)
    bulk.locate(addresses, from, Math.min(from + STRETCH, addresses.count), into);
}
for (let i = 0; i < PASSES; i++) pass();
for (let round = 0; round < Number(rounds); round++) {
  const before = cpuUsage();
  for (let i = 0; i < PASSES; i++) pass();
  const { user, system } = cpuUsage(before);
  process.stdout.write(`${(user + system) / PASSES / addresses.count}\n`);
}
