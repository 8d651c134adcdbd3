import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { networkList } from '../../src/adapters/layers/find-network-lists.ts';
import { mapImage } from '../../src/adapters/snapshots/published-images.ts';
import { createLogger } from '../../src/adapters/system/create-logger.ts';
import { systemClock } from '../../src/adapters/system/own-process.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { worded } from '../../src/core/texts/said.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import type { ControlContext } from '../../src/main/jobs/background-job.ts';
import { layersSeen } from '../../src/main/metrics/layers-seen.ts';
import { geoImages, isWhole } from '../../src/main/place-data/current-geo-image.ts';
import { findInputs, inputsStamp } from '../../src/main/place-data/find-inputs.ts';
import { geoImageJob } from '../../src/main/place-data/geo-image-job.ts';
import { localImagePath } from '../../src/main/place-data/local-image-path.ts';
import { prepareGeoImage } from '../../src/main/place-data/prepare-geo-image.ts';
import { verifyData } from '../../src/main/place-data/verify-data.ts';
import type { DataMessage } from '../../src/service/serving/data-state.ts';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { serveProcess } from '../support/serve-process.ts';
import { sessionOpener } from '../support/session-opener.ts';
import { testFolder } from '../support/test-folder.ts';
import { makeMmdb } from './synthetic-files.ts';

const dataDir = testFolder('image');
mkdirSync(join(dataDir, 'layers'));
const layer = (name: string, content: string | Buffer): void => writeFileSync(join(dataDir, 'layers', name), content);
layer('layers.json', '{"off": ["dbip", "ip2region", "asn"]}');
layer(
  'own.csv',
  'network,country,city,lat,lon,asn\n168.95.1.0/24,CH,Zurich,47.37,8.54,64500\n2a00::/20,DE,Berlin,52.5,13.4,\n',
);

const prepare = (steps: string[] = []) =>
  prepareGeoImage({ dataDir }, Date.now(), { onProgress: (step) => steps.push(worded(step)) });
const look = async (path: string, text: string) => {
  const image = openGeo(mapImage(path, 'geo'));
  const address = parseAnyAddress(text)!;
  return { place: image.placeJson(image.placeId(address)), network: image.networkFacts(image.networkId(address)) };
};

const pointer = () => JSON.parse(readFileSync(join(dataDir, 'images', 'geo.json'), 'utf8'));

test('a service that is stopped right after its first image keeps it for the next start; with little memory a warning comes before the build', async (t) => {
  t.mock.method(process, 'availableMemory', () => 400 * 2 ** 20);
  const said: unknown[] = [];
  const { promise: published, resolve } = Promise.withResolvers<void>();
  const context = {
    config: { dataDir },
    log: { ...createLogger('fatal'), info() {}, warn: (_: unknown, text: unknown) => void said.push(text) },
    clock: systemClock,
    publish: ({ type }: DataMessage) => type === 'geo' && resolve(),
    progress: (step: string) => void said.push(step),
  };
  const job = await geoImageJob.start(context as unknown as ControlContext);
  await published;
  await job.stop();
  assert.match(String(said[0]), /takes about \d+ MB of memory, and 400 MB are free: give the service 1 GB/);
  assert.deepEqual(readdirSync(join(dataDir, 'images')).toSorted(), [pointer().file, 'geo.json']);
});

test('an image is built again only when an input changed, and the pointer names it and the one before; a faulty layer is reported and harms nothing', async () => {
  const first = await prepare();
  assert.equal(first.rebuilt, false);
  assert.deepEqual(JSON.parse((await look(first.path, '168.95.1.1')).place), {
    continent: 'EU',
    country: 'CH',
    city: 'Zurich',
    tz: 'Europe/Zurich',
    lat: 47.37,
    lon: 8.54,
  });
  assert.equal((await look(first.path, '168.95.1.1')).network.json, '{"asn":64500,"usage_type":"DNS"}');
  assert.equal(JSON.parse((await look(first.path, '2a00::1')).place).city, 'Berlin');
  assert.equal((await look(first.path, '168.95.2.9')).place, '');
  const named = pointer();
  layer('own.csv', 'network,country,city\n168.95.1.0/24,CH,Geneva\n');
  const sound = makeMmdb({ recordSize: 24, ipVersion: 4, entries: [['8.0.0.0/8', { country_code: 'US' }]] });
  layer('cut.mmdb', sound.subarray(0, sound.length - 20));
  const next = await prepare();
  assert.equal(JSON.parse((await look(next.path, '168.95.1.1')).place).city, 'Geneva');
  assert.notEqual(next.dataVersion, first.dataVersion);
  assert.match(next.faults.map((fault) => worded(fault)).join(), /cut\.mmdb: /);
  const { file, before } = pointer();
  assert.deepEqual([join(dataDir, 'images', file), before], [next.path, named]);
  const { path, faults } = await verifyData(dataDir);
  assert.deepEqual([path, faults], [next.path, []]);
  const again = await prepare();
  assert.deepEqual([again.rebuilt, again.path, again.faults], [false, next.path, next.faults]);
});

test('a layer that is refused or gives nothing is not in the version, and build, list, doctor and metrics name it', async () => {
  covers('LAYER-USED');
  layer('blocks.csv', 'network,geoname_id,postal_code,latitude,longitude\n168.95.1.0/24,1,1,47.4,8.5\n');
  layer('feed.geofeed', '168.95.1.0/25,,,,\n168.95.3.0/24,EU,,,\n');
  const build = pulseOver(dataDir, 'data build --json');
  assert.equal(build.status, 1, build.stderr);
  const built = JSON.parse(build.stdout);
  assert.match(built.faults.join('\n'), /blocks\.csv: nothing in it is used/);
  assert.match(built.left_out.join('\n'), /feed\.geofeed: countries .*: EU 1/);
  const { dataVersion } = pointer();
  assert.match(dataVersion, /feed-.*own-/);
  assert.doesNotMatch(dataVersion, /blocks|cut/);
  assert.equal(openGeo(mapImage(built.path, 'geo')).meta.dataVersion, dataVersion);
  assert.equal((await look(built.path, '168.95.1.1')).place, '', 'asked not to locate it');
  assert.equal(JSON.parse((await look(built.path, '168.95.1.129')).place).city, 'Geneva');

  const list = JSON.parse(pulseOver(dataDir, 'data list --json').stdout);
  assert.equal(list.data_version, dataVersion);
  const states = Object.fromEntries(list.layers.map(({ id, state }: { id: string; state: string }) => [id, state]));
  assert.deepEqual(states, { blocks: 'gives_nothing', cut: 'refused', feed: 'used', own: 'used', registry: 'used' });
  for (const name of [/cut\.mmdb: /, /blocks\.csv: /]) assert.match(list.faults.join('\n'), name);
  assert.deepEqual(list.layers.find(({ id }: { id: string }) => id === 'feed').left_out, {
    rows: 0,
    foreign: 0,
    countries: { EU: 1 },
  });
  assert.match(pulseOver(dataDir, 'data list').stdout, /blocks .*\n +gives_nothing\n/);

  const doctor = pulseOver(dataDir, 'doctor').stdout;
  for (const text of [/place data.*blocks\.csv/, /place data.*cut\.mmdb/, /place data.*EU 1/])
    assert.match(doctor, text);
  const layers = await layersSeen({ dataDir });
  assert.deepEqual(layers.map(({ layer, file, used, leftOut }) => [layer, file, used, leftOut]).toSorted(), [
    ['blocks', 'blocks.csv', false, 0],
    ['cut', 'cut.mmdb', false, 0],
    ['feed', 'feed.geofeed', true, 1],
    ['own', 'own.csv', true, 0],
    ['registry', 'registered.csv', true, 0],
  ]);

  layer('own.csv', 'network,country,city\n168.95.1.0/24,CH,Geneva\n168.95.2.0/33,CH,Geneva\n');
  assert.equal(JSON.parse(pulseOver(dataDir, 'data list --json').stdout).layers[3].state, 'not_built');
  for (const name of ['blocks.csv', 'feed.geofeed', 'cut.mmdb']) rmSync(join(dataDir, 'layers', name));
  layer('own.csv', 'network,country,city\n168.95.1.0/24,CH,Geneva\n');
  assert.equal(pulseOver(dataDir, 'data build').status, 0);
});

test('lists that arrive some seconds apart while an image is being served are one build', async () => {
  await prepare();
  const list = (id: string): string => join(dataDir, 'network', `${id}.json`);
  const images: number[] = [];
  const context = {
    config: { dataDir },
    log: { ...createLogger('fatal'), info() {} },
    clock: systemClock,
    publish: ({ type }: DataMessage) => type === 'geo' && images.push(performance.now()),
    progress() {},
  };
  mkdirSync(join(dataDir, 'network'), { recursive: true });
  const job = await geoImageJob.start(context as unknown as ControlContext);
  assert.equal(images.length, 1, 'the image that is there is served at once');
  // The first look finds nothing to build.
  await sleep(3000);
  for (const [id, prefix] of [
    ['one', '9.9.6.0/24'],
    ['two', '9.9.7.0/24'],
  ] as const) {
    writeFileSync(list(id), JSON.stringify({ id, version: '1', effect: { usage: 'ORG' }, prefixes: [prefix] }));
    await sleep(2500);
  }
  await eventually(() => images.length > 1, { withinMs: 120_000 });
  const { path, rebuilt } = await prepare();
  await job.stop();
  assert.deepEqual([images.length, rebuilt], [2, false]);
  for (const address of ['9.9.6.1', '9.9.7.1']) assert.equal((await look(path, address)).network.usageType, 'ORG');
  for (const id of ['one', 'two']) rmSync(list(id));
  await prepare();
});

test('a new list leaves the place tables as they were and is seen at once', async () => {
  const mine = {
    id: 'mine',
    version: '1',
    effect: { usage: 'WLA', mobile: true },
    priority: 99,
    prefixes: ['168.95.1.0/25'],
  };
  mkdirSync(join(dataDir, 'network'), { recursive: true });
  writeFileSync(join(dataDir, 'network', 'mine.json'), JSON.stringify(mine));
  const steps: string[] = [];
  const built = await prepare(steps);
  assert.ok(built.rebuilt && !steps.some((step) => step.startsWith('merge places')), steps.join(', '));
  const { place, network } = await look(built.path, '168.95.1.1');
  assert.deepEqual([JSON.parse(place).city, network.usageType, network.mobile], ['Geneva', 'WLA', true]);
  const given = networkList('given', {
    id: 'mine',
    version: '2',
    effect: { usage: 'ORG' },
    priority: 99,
    prefixes: ['168.95.1.0/25'],
  });
  const replaced = await prepareGeoImage({ dataDir }, Date.now(), { networkLists: [given] });
  assert.equal((await look(replaced.path, '168.95.1.1')).network.usageType, 'ORG');
});

test('a list that names anycast space leaves country and continent of its place; places are read again only for a country of its own', async () => {
  const { path: before } = await prepare();
  writeFileSync(
    join(dataDir, 'network', 'seen.json'),
    JSON.stringify({ id: 'seen', version: '1', effect: { usage: 'ANY' }, prefixes: ['168.95.1.0/25'] }),
  );
  const steps: string[] = [];
  const { path } = await prepare(steps);
  assert.notEqual(path, before);
  assert.ok(steps.includes('merge networks IPv4') && !steps.includes('merge places IPv4'), steps.join());
  assert.deepEqual(JSON.parse((await look(path, '168.95.1.1')).place), { continent: 'EU', country: 'CH' });
  assert.equal(JSON.parse((await look(path, '168.95.1.129')).place).city, 'Geneva');
  const given = {
    id: 'given',
    version: '1',
    effect: { anycast: true, country: 'US' },
    prefixes: ['168.95.1.0/26', '198.18.0.0/24'],
  };
  writeFileSync(join(dataDir, 'network', 'given.json'), JSON.stringify(given));
  const registered = await prepare(steps);
  assert.ok(steps.includes('merge places IPv4'), steps.join());
  assert.deepEqual(JSON.parse((await look(registered.path, '168.95.1.1')).place), { continent: 'NA', country: 'US' });
  assert.deepEqual(JSON.parse((await look(registered.path, '168.95.1.65')).place), { continent: 'EU', country: 'CH' });
  assert.equal((await look(registered.path, '168.95.1.1')).network.usageType, 'WLA');
  for (const name of ['seen.json', 'given.json']) rmSync(join(dataDir, 'network', name));
});

test('a command takes the image whose inputs have not changed, and makes a new one when one has', async () => {
  const file = join(dataDir, 'network', 'touched.json');
  const write = (usage: string) =>
    writeFileSync(
      file,
      JSON.stringify({ id: 'touched', version: usage, effect: { usage }, prefixes: ['198.18.0.0/24'] }),
    );
  write('ANY');
  const { path } = await prepare();
  assert.equal(pointer().stamp, inputsStamp(dataDir));
  utimesSync(file, 1, 1);
  assert.notEqual(pointer().stamp, inputsStamp(dataDir));
  assert.equal((await prepare()).path, path, 'a touched file holds what it held');
  assert.equal(pointer().stamp, inputsStamp(dataDir), 'the next start need not read it again');
  write('EDU');
  assert.equal(await localImagePath(dataDir, Date.now()), path, 'a command that reads builds nothing');
  assert.notEqual((await prepare()).path, path);
  rmSync(file);
  await prepare();
});

test('a truncated or missing image is built again, a whole one where that is asked for, and old ones are removed', async () => {
  const { path } = await prepare();
  truncateSync(path, 100);
  assert.equal((await prepare()).rebuilt, true);
  assert.equal((await prepareGeoImage({ dataDir }, Date.now(), { force: true })).rebuilt, true);
  const { current } = await geoImages(dataDir).read();
  assert.deepEqual([isWhole(dataDir, current!), isWhole(dataDir, { ...current!, file: 'geo-00.img' })], [true, false]);
  assert.ok(readdirSync(join(dataDir, 'images')).filter((name) => name.endsWith('.img')).length <= 2);
});

test('a new list does not take place tables over from an image that was damaged since', async () => {
  const { path } = await prepare();
  const bytes = readFileSync(path);
  const at = bytes.indexOf('Geneva');
  assert.ok(at > 0);
  writeFileSync(path, bytes.fill('Zeneva', at, at + 6));
  writeFileSync(
    join(dataDir, 'network', 'more.json'),
    JSON.stringify({ id: 'more', version: '1', effect: { usage: 'ORG' }, prefixes: ['9.9.8.0/24'] }),
  );
  assert.equal(JSON.parse((await look((await prepare()).path, '168.95.1.1')).place).city, 'Geneva');
});

test('a folder that cannot be read ends nothing: lookups go on and are degraded, the log and the operator page name the folder, until it can be read', async (t) => {
  await prepare();
  const { accountId } = createKey(dataDir, 'operator', ['--operator']);
  const swap = (away: boolean): void => {
    for (const folder of ['layers', 'network'].map((name) => join(dataDir, name))) {
      if (!away) rmSync(folder);
      renameSync(away ? folder : `${folder}-away`, away ? `${folder}-away` : folder);
      // A file in the place of a folder cannot be listed, by root neither.
      if (away) writeFileSync(folder, '');
    }
  };
  swap(true);
  for (const folder of ['layers', 'network'])
    assert.match(
      findInputs(dataDir)
        .faults.map((fault) => worded(fault))
        .join(),
      new RegExp(`${folder} cannot be read and is left out: .*${folder} is a file where a folder should be`),
    );
  const server = await serveProcess({ dataDir });
  t.after(() => server.kill());
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  t.after(() => accounts.close());
  const headers = await sessionOpener(accounts, server).open(accountId);
  const faults = async (): Promise<readonly { job: string; reason: string }[]> =>
    ((await (await fetch(`${server.base}/console/api/operator/feeds`, { headers })).json()) as { faults: [] }).faults;
  await eventually(async () => (await faults()).length === 2);
  for (const { job, reason } of await faults()) {
    assert.match(
      `${job}: ${reason}`,
      /^(?:place and network: .*layers|network lists: .*network): .*move it away or delete it \(ENOTDIR\)/,
    );
    assert.match(server.output(), new RegExp(`ENOTDIR[^\\n]*"${job} failed`));
  }
  const lookUp = () => fetch(`${server.base}/v1/ip/168.95.1.1`);
  const degraded = await lookUp();
  assert.deepEqual([degraded.status, degraded.headers.get('x-pulse-degraded')], [200, '1']);
  swap(false);
  await eventually(
    async () => (await faults()).length === 0 && (await lookUp()).headers.get('x-pulse-degraded') === null,
  );
});
