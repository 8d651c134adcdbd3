import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { findLayers } from '../../src/adapters/layers/find-layers.ts';
import { mapImage } from '../../src/adapters/snapshots/published-images.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { worded } from '../../src/core/texts/said.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import { prepareGeoImage } from '../../src/main/place-data/prepare-geo-image.ts';
import { updateLayers } from '../../src/main/place-data/update-layers.ts';
import { covers } from '../spec/covers.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { testFolder } from '../support/test-folder.ts';
import { makeMmdb } from './synthetic-files.ts';

/** A publisher on this machine: each test sets its answer. */
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
  response.writeHead(404).end();
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url!);
  answer(request, response);
});
await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
const { port } = server.address() as AddressInfo;

const dataDir = testFolder('update');
after(() => {
  server.closeAllConnections();
  server.close();
});
mkdirSync(join(dataDir, 'layers'));
const publishers = { dbip: [`http://127.0.0.1:${port}/city-{month}.mmdb.gz`] };
writeFileSync(join(dataDir, 'layers', 'layers.json'), JSON.stringify({ off: ['ip2region', 'asn'], publishers }));

const NOW = Date.parse('2026-11-22T12:00:00Z');
/** Prefixes of universities in seven countries, among them sample addresses. */
const SPACE = [['129.132.0.0/16', 'CH'], ['130.149.0.0/16', 'DE'], ['131.111.0.0/16', 'GB'], ['133.11.0.0/16', 'JP'], ['128.250.0.0/16', 'AU'], ['130.237.0.0/16', 'SE'], ['193.136.0.0/15', 'PT']] as const; // biome-ignore format: pairs
const city = (name: string, space: readonly (readonly [string, string])[] = SPACE, date = '2026-11-01'): Buffer =>
  makeMmdb({
    recordSize: 24,
    ipVersion: 4,
    entries: space.map(([prefix, country_code]) => [prefix, { country_code, city: name }]),
    buildEpoch: Date.parse(date) / 1000,
  });

/** The content in use before each test: small, of July 2026, so newer than the shipped one. */
beforeEach(() => {
  rmSync(join(dataDir, 'layer-updates'), { recursive: true, force: true });
  mkdirSync(join(dataDir, 'layer-updates'));
  const bytes = city('Old');
  const file = 'dbip.city-2026-07-01-00000000.mmdb';
  writeFileSync(join(dataDir, 'layer-updates', file), bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ file, url: 'http://127.0.0.1/city-2026-07.mmdb.gz', bytes: bytes.length, sha256 }];
  const current = { version: '2026-07-01', fetched_at: '2026-07-02T00:00:00Z', kind: 'mmdb', files };
  writeFileSync(join(dataDir, 'layer-updates', 'dbip.json'), JSON.stringify({ current }));
  asked.length = 0;
});

const publish = (body: Buffer, headers: Record<string, string> = {}): void => {
  answer = (_, response) => response.writeHead(200, headers).end(body);
};
const update = async () => (await updateLayers(dataDir, NOW, { layerMs: 20_000 }))[0]!;
const record = () => JSON.parse(readFileSync(join(dataDir, 'layer-updates', 'dbip.json'), 'utf8'));
const inUse = () => findLayers(dataDir).layers.find(({ id }) => id === 'dbip')!;
async function cityOf(text: string): Promise<string | undefined> {
  const { path } = await prepareGeoImage({ dataDir }, NOW);
  const image = openGeo(mapImage(path, 'geo'));
  return JSON.parse(image.placeJson(image.placeId(parseAnyAddress(text)!)) || '{}').city;
}

test('a new content is used in the next image, dated by its publisher, and the one before is kept', async () => {
  assert.equal(inUse().version, '2026-07-01');
  publish(gzipSync(city('New')));
  assert.deepEqual(await update(), { id: 'dbip', status: 'updated', version: '2026-11-01', before: '2026-07-01' });
  assert.deepEqual(asked, ['/city-2026-11.mmdb.gz']);
  assert.equal(await cityOf('129.132.19.216'), 'New');
  const { current, previous, checked_at, refused } = record();
  assert.deepEqual(
    [current.version, previous.version, checked_at, refused],
    ['2026-11-01', '2026-07-01', '2026-11-22T12:00:00.000Z', undefined],
  );
  assert.equal(readdirSync(join(dataDir, 'layer-updates')).filter((name) => name.endsWith('.mmdb')).length, 2);
});

test('in the first days of a month, when its file is not there yet, the one of the month before is taken', async () => {
  answer = ({ url }, response) =>
    url!.includes('2026-10') ? response.writeHead(200).end(gzipSync(city('October'))) : response.writeHead(404).end();
  assert.equal((await update()).status, 'updated');
  assert.deepEqual(asked, ['/city-2026-11.mmdb.gz', '/city-2026-10.mmdb.gz']);
});

test('unchanged content is asked for conditionally and changes nothing', async () => {
  publish(gzipSync(city('New')), { etag: '"n"' });
  await update();
  const before = record();
  answer = ({ headers }, response) => response.writeHead(headers['if-none-match'] === '"n"' ? 304 : 500).end();
  assert.deepEqual(await update(), { id: 'dbip', status: 'unchanged', version: '2026-11-01', before: '2026-11-01' });
  assert.deepEqual(record(), before);
});

test('unusable content is refused with its reason, the content in use stays, and nothing of the refused one is left', async () => {
  const whole = gzipSync(city('Bad'));
  const moved = SPACE.map(([prefix]): [string, string] => [prefix, 'US']);
  const [first, ...others] = SPACE;
  for (const [body, headers, reason] of [
    [whole.subarray(0, whole.length - 20), {}, /damaged gzip/],
    [city('Bad').subarray(0, 300), {}, /MMDB/],
    [Buffer.from('<!DOCTYPE html><title>Sign in</title>'), {}, /no MMDB metadata marker/],
    [gzipSync(city('Bad', others.slice(1))), {}, /covers \d\d % of the IPv4 space/],
    [
      gzipSync(city('Bad', [[first[0], 'US'], ...moved.slice(1)])),
      {},
      /7 of 7 sample addresses changed, such as .* to US/,
    ],
    [gzipSync(city('Bad', SPACE, '2026-03-01')), {}, /2026-03-01 is older than that of 2026-07-01/],
    [Buffer.alloc(10), { 'content-length': `${2 ** 33}` }, /8589934592 bytes are more than/],
  ] as const) {
    publish(body, headers);
    const outcome = await update();
    assert.equal(outcome.status, 'refused', String(reason));
    assert.match(worded(outcome.reason!), reason);
    assert.deepEqual(
      [record().refused, record().current.version, outcome.version],
      [outcome.reason, '2026-07-01', '2026-07-01'],
    );
    assert.deepEqual(readdirSync(join(dataDir, 'layer-updates')).toSorted(), [
      'dbip.city-2026-07-01-00000000.mmdb',
      'dbip.json',
    ]);
  }
  assert.equal(inUse().version, '2026-07-01');
});

test('a publisher that is slow, or sends its callers to a place that is not followed, is refused; the next good answer clears the reason', async () => {
  answer = (_, response) => void response.writeHead(200).write('x');
  const [slow] = await updateLayers(dataDir, NOW, { layerMs: 300 });
  assert.match(worded(slow!.reason!), /the reading was cut after 0\.3 s/);
  answer = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  assert.match(worded((await update()).reason!), /redirect to file:\/\/, which is not followed/);
  publish(gzipSync(city('New')));
  assert.equal((await update()).status, 'updated');
  assert.equal(record().refused, undefined);
});

test('a file of an update that was cut, changed at the same size or removed is a fault that is named, the shipped content is used, and the next update asks for all of it', async () => {
  covers('LAYERS-PINNED');
  assert.equal(inUse().version, '2026-07-01');
  const file = join(dataDir, 'layer-updates', 'dbip.city-2026-07-01-00000000.mmdb');
  const [bytes, changed] = [readFileSync(file), readFileSync(file)];
  changed[changed.length >> 1]! ^= 1;
  for (const spoil of [() => writeFileSync(file, 'cut'), () => writeFileSync(file, changed), () => rmSync(file)]) {
    spoil();
    assert.ok(inUse().version < '2026-07-01' && inUse().files[0]!.includes('node_modules'));
    assert.match(
      findLayers(dataDir)
        .faults.map((fault) => worded(fault))
        .join(),
      /dbip of 2026-07-01 are missing, or changed since they were fetched/,
    );
    writeFileSync(file, bytes);
    assert.deepEqual([inUse().version, findLayers(dataDir).faults], ['2026-07-01', []]);
  }

  publish(gzipSync(city('New')), { etag: '"n"' });
  await update();
  const fetched = join(dataDir, 'layer-updates', record().current.files[0].file);
  writeFileSync(fetched, Buffer.alloc(readFileSync(fetched).length));
  const held: (string | undefined)[] = [];
  answer = ({ headers }, response) => {
    held.push(headers['if-none-match']);
    response.writeHead(404).end();
  };
  await update();
  assert.deepEqual(new Set(held), new Set([undefined]), 'the publisher is asked for the whole file');
});

test('pulse data update prints the outcome of each layer and fails when one was refused; data list shows date and reason', async () => {
  /** In a process: the publisher answers meanwhile. */
  const pulse = (...args: string[]): Promise<{ code: number; stdout: string }> =>
    new Promise((done) => {
      const env = { ...pulseEnvironment, PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' };
      execFile(process.execPath, [resolve('src/cli/main.ts'), 'data', ...args], { env }, (error, stdout) =>
        done({ code: Number(error?.code ?? 0), stdout }),
      );
    });
  publish(Buffer.from('<html>'));
  const refused = await pulse('update');
  assert.deepEqual(
    [refused.code, /^dbip +refused +2026-07-01 stays: .*no MMDB metadata/.test(refused.stdout)],
    [1, true],
    refused.stdout,
  );
  assert.match(
    pulseOver(dataDir, 'data list').stdout,
    /dbip .*2026-07-01 .*publisher asked \d{4}-\d\d-\d\d\n +its update was refused: /,
  );
  publish(gzipSync(city('New')));
  const taken = await pulse('update', 'dbip', '--json');
  const { layers } = JSON.parse(taken.stdout);
  assert.deepEqual(
    [taken.code, layers],
    [0, [{ id: 'dbip', status: 'updated', version: '2026-11-01', before: '2026-07-01' }]],
  );
  assert.equal(pulseOver(dataDir, 'data update geolite').status, 2);
});
