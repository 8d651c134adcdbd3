/** A publisher or a sender of captures at worst: readings outside the bounds are not taken in, and accepted readings never stop images. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { fileReader } from '../../src/adapters/feeds/open-feeds.ts';
import { QuarantineFiles } from '../../src/adapters/feeds/quarantine-files.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { worded } from '../../src/core/texts/said.ts';
import { DAY_MS, MINUTE_MS, unixMs } from '../../src/core/units.ts';
import { openEvidence, verifyEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence, mergeEvidenceSince } from '../../src/service/compile/compile-evidence.ts';
import type { FeedState } from '../../src/service/feeds/feed-ports.ts';
import { importMirror, type MirrorFile } from '../../src/service/feeds/import-mirror.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { importCaptures } from '../../src/service/intake/import-captures.ts';
import { anyCharacter } from '../support/any-character.ts';
import { FIXED_SEED } from '../support/fixed-seed.ts';
import { testFolder } from '../support/test-folder.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
/** Named by each of two sources: together more than sixteen bits number. */
const POOLS = 33_000;
const LEFT_OUT = 2 * POOLS - 65_535;

/** An address for each pool of the source's own. */
function send(store: SqliteHistory, source: string, first: number): void {
  const builder = new CaptureBatchBuilder();
  for (let n = 0; n < POOLS; n++)
    builder.add({ family: 4, w0: first + n, w1: 0, w2: 0, w3: 0, bits: 32 }, { pool: `${source} ${n}` });
  store.recordCaptures({ id: source, family: source, mode: 'events', riskType: 'proxy' }, NOW, builder.build(), NOW);
}

test('a store with more pools than an image numbers is compiled and merged: the pools past the limit are left out and counted, no row is', async () => {
  const store = new SqliteHistory(':memory:');
  send(store, 'one', 0x2d00_0000);
  const half = openEvidence((await compileEvidence(store, NOW, FIXED_SEED)).bytes.buffer);
  send(store, 'two', 0x2e00_0000);

  const compiled = await compileEvidence(store, NOW, FIXED_SEED);
  const merged = (await mergeEvidenceSince(store, half, NOW))!;
  for (const { bytes, dropped } of [compiled, merged]) {
    assert.deepEqual(dropped, { rows: 0, pools: LEFT_OUT });
    const image = openEvidence(bytes.buffer);
    assert.deepEqual(verifyEvidence(image), []);
    assert.equal(image.hosts4.count, 2 * POOLS);
    const last = new LiveEvidence(image, FIXED_SEED).observations({
      family: 4,
      w0: 0x2e00_0000 + POOLS - 1,
      w1: 0,
      w2: 0,
      w3: 0,
    });
    assert.deepEqual(last.map(({ family, pools }) => [family, pools]), [['two', []]]); // biome-ignore format: one row
  }
  store.close();
});

test('a reading of the store that is given up leaves it open for the next', async () => {
  const store = new SqliteHistory(':memory:');
  await assert.rejects(
    store.scan(() => {
      throw new Error('given up');
    }),
    /given up/,
  );
  assert.equal(await store.scan(({ head }) => head.sequence), 0);
  store.close();
});

const folder = testFolder('hostile');

/** A list with pools in a column, read by the schedule. */
const TUNNELS = feedById('shadowwhisperer-tunnels')!;
/** A plain list, which may name networks. */
const PROXIES: Feed = {
  ...feedById('iplocate-proxies')!,
  bounds: { minRows: 100, maxRows: 50_000, maxBytes: 8 * 2 ** 20 },
};

const address = (n: number): string => `45.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`;
const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

/** One publisher's feed over a store of its own. */
function publisher(feed: Feed, own: readonly string[] = []) {
  const path = join(folder, `${feed.id}.txt`);
  const quarantine = new QuarantineFiles(join(folder, 'feeds'));
  const clock = { at: NOW, now: () => clock.at };
  const store = new SqliteHistory(':memory:');
  const known = new Map<string, FeedState>();
  const states = {
    get: (id: string) => known.get(id) ?? { failures: 0, rows: 0, refused: {} },
    put: (id: string, state: FeedState) => void known.set(id, state),
  };
  const parts = {
    ...{ store, states, clock, quarantine, networks: { put: () => false, knowsRelay: () => true } },
    own: own.map((text) => parsePrefix(text)!),
  };
  return {
    clock,
    store,
    parts,
    state: () => states.get(feed.id),
    publish: (body: string | Uint8Array) => {
      writeFileSync(path, body);
      return refreshFeed(feed, fileReader(path), parts);
    },
  };
}

const reasonOf = (outcome: Awaited<ReturnType<typeof refreshFeed>>): string =>
  outcome.status === 'accepted' ? 'accepted' : `${outcome.status}: ${worded(outcome.reason)}`;

test('a list of pools: more of them than it may name are refused and the last good reading stays', async () => {
  const { store, publish } = publisher(TUNNELS);
  const csv = (count: number, pools: number): string =>
    `ip,company_name\n${lines(count, (n) => `${address(n)},pool ${n % pools}`)}`;
  assert.equal(reasonOf(await publish(csv(1000, 500))), 'accepted');
  assert.match(reasonOf(await publish(csv(1000, 501))), /^refused: 501 pools are more than the 500 expected$/);
  assert.equal((await compileEvidence(store, NOW, FIXED_SEED)).rows, 1000);
  assert.equal(reasonOf(await publish(csv(1000, 500))), 'accepted');
  store.close();
});

test('a plain list: wide prefixes, every address, half of the last reading, HTML, and a gigabyte are not taken in', async () => {
  const { store, publish, state } = publisher(PROXIES);
  const good = lines(1000, address);
  const gigabyte = Buffer.concat(Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(1024 ** 2, '8.8.8.8\n'))));
  assert.equal(reasonOf(await publish(good)), 'accepted');
  const eights = lines(215, (n) => `${n + 1}.0.0.0/8`);
  assert.match(
    reasonOf(await publish(eights)),
    /^refused: 0 rows are fewer than the 100 expected; \d+ refused as prefix_too_wide$/,
  );
  assert.equal(reasonOf(await publish(`${good}\n${eights}`)), 'accepted', 'a bad row is counted and is not fatal');
  assert.ok(state().refused.prefix_too_wide! > 200);
  const sixteens = lines(20_000, (n) => `${1 + Math.floor(n / 256)}.${n % 256}.0.0/16`);
  assert.match(reasonOf(await publish(sixteens)), /IPv4 addresses are more than the 16777216 expected$/);
  assert.match(
    reasonOf(await publish(`${good}\n${lines(200, (n) => `46.${n}.0.0/16`)}`)),
    /^refused: 13108200 IPv4 addresses are more than 4 times the 1000 of a day ago$/,
  );
  assert.match(reasonOf(await publish(lines(400, address))), /^refused: 400 rows are less than half of the 1000 /);
  const tests = publisher({ ...PROXIES, bounds: { ...PROXIES.bounds, mayShrink: true } });
  for (const rows of [1000, 150, 2000])
    assert.equal(reasonOf(await tests.publish(lines(rows, address))), 'accepted', 'results of the last test alone');
  tests.store.close();
  assert.match(
    reasonOf(await publish(`<!doctype html><html><body>${'<p>45.1.1.1 moved</p>\n'.repeat(500)}</body></html>`)),
    /^refused: the body is an HTML page, not the list/,
  );
  assert.match(reasonOf(await publish(gigabyte)), /^failed: body unpacks to more than 8388608 bytes$/);
  assert.equal((await compileEvidence(store, NOW, FIXED_SEED)).rows, 1000);
  store.close();
});

test('a list may grow fourfold in a day, however often it is read, and again the day after', async () => {
  const { clock, store, publish } = publisher(PROXIES);
  const networks = (count: number): string => `${lines(100, address)}\n${lines(count, (n) => `46.${n}.0.0/16`)}`;
  assert.equal(reasonOf(await publish(networks(8))), 'accepted');
  clock.at = unixMs(clock.at + MINUTE_MS);
  assert.equal(reasonOf(await publish(networks(30))), 'accepted');
  clock.at = unixMs(clock.at + MINUTE_MS);
  assert.match(reasonOf(await publish(networks(60))), /are more than 4 times the/);
  clock.at = unixMs(clock.at + DAY_MS);
  assert.equal(reasonOf(await publish(networks(30))), 'accepted');
  clock.at = unixMs(clock.at + MINUTE_MS);
  assert.equal(reasonOf(await publish(networks(60))), 'accepted');
  store.close();
});

test('a history is judged version by version as readings are: those outside the bounds are left out, and the others stand', async () => {
  const { store, parts } = publisher(PROXIES);
  const log = join(folder, 'proxies.feedlog.jsonl');
  const at = (hour: number): string => new Date(NOW - DAY_MS + hour * 60 * MINUTE_MS).toISOString();
  const entries = (count: number): readonly string[] => lines(count, address).split('\n');
  const networks = Array.from({ length: 200 }, (_, n) => `46.${n}.0.0/16`);
  const versions = [
    { t: at(0), full: entries(1000) },
    { t: at(1), add: networks },
    { t: at(2), del: networks },
    { t: at(3), full: entries(400) },
    { t: at(4), full: entries(900) },
  ];
  writeFileSync(
    log,
    [{ format: 'feedlog/1', repo: 'r', path: 'p' }, ...versions].map((line) => JSON.stringify(line)).join('\n'),
  );
  const dated = [4, 3, 2].map((day) => ({
    kind: 'dated' as const,
    feed: PROXIES,
    path: join(folder, `day-${day}.txt`),
    date: unixMs(NOW - day * DAY_MS),
  }));
  for (const [index, { path }] of dated.entries()) writeFileSync(path, lines([1000, 300, 600][index]!, address));
  const imported = async (series: readonly MirrorFile[]) => {
    const scan = { snapshots: [], series, unknown: [], broken: [], newestAt: NOW, fingerprint: '' };
    const options = { ...parts, readerOf: fileReader, bodyOf: (path: string) => readFileSync(path) };
    return (await Array.fromAsync(importMirror(scan, options, { series: true }))).map(({ outcome, runs, refused }) => [
      reasonOf(outcome),
      runs,
      refused && { ...refused, reason: worded(refused.reason) },
    ]);
  };
  assert.deepEqual(await imported([{ kind: 'feedlog', feed: PROXIES, path: log }]), [
    ['accepted', 3, { count: 2, reason: '13108200 IPv4 addresses are more than 4 times the 1000 of a day ago' }],
  ]);
  assert.equal((await compileEvidence(store, NOW, FIXED_SEED)).rows, 1000);
  assert.deepEqual(await imported(dated), [
    ['accepted', 1, undefined],
    ['refused: 300 rows are less than half of the 1000 of the last good reading', 0, undefined],
    ['accepted', 1, undefined],
  ]);
  assert.deepEqual(
    await imported([
      { kind: 'feedlog', feed: { ...PROXIES, bounds: { ...PROXIES.bounds, minRows: 5000 } }, path: log },
    ]),
    [
      [
        'refused: 1000 rows are fewer than the 5000 expected',
        0,
        { count: 5, reason: '1000 rows are fewer than the 5000 expected' },
      ],
    ],
  );
  store.close();
});

test('a list of addresses brings no networks, a list of networks no addresses, and more than 1,024 hosts of a /64 are that /64', async () => {
  const addresses = publisher(feedById('iplocate-proxies')!);
  assert.equal(
    reasonOf(await addresses.publish(`${lines(100, address)}\n46.1.0.0/16\n46.2.3.0/31\n2a00:1::/56\n2a00:2::/64`)),
    'accepted',
  );
  assert.deepEqual(addresses.state().refused, { prefix_too_wide: 3 });
  const networks = publisher(feedById('avastel-proxies')!);
  assert.equal(reasonOf(await networks.publish(lines(40, (n) => `46.${n}.0.0/22`))), 'accepted');
  assert.match(
    reasonOf(await networks.publish(lines(5000, address))),
    /^refused: 0 rows are fewer than the 20 expected; 5000 refused as prefix_too_narrow$/,
  );
  const crowd = publisher(feedById('iplocate-proxies')!);
  const outcome = await crowd.publish(`${lines(100, address)}\n${lines(2000, (n) => `2a00:1::${n.toString(16)}`)}`);
  assert.deepEqual(['folded' in outcome && outcome.folded, crowd.state().refused], [2000, { folded_into_64: 2000 }]);
  assert.equal((await compileEvidence(crowd.store, NOW, FIXED_SEED)).rows, 101);
  for (const { store } of [addresses, networks, crowd]) store.close();
});

test("rows about the operator's own addresses are left out and counted; a wider network that has one stays", async () => {
  const own = ['46.1.2.0/24', '46.3.3.3', '2a00:9::/48'];
  const named = ['46.1.2.9', '46.3.3.3', '2a00:9:0:1::7', '46.3.3.2', '2a00:9:1::7'];
  const addresses = publisher(PROXIES, own);
  assert.equal(reasonOf(await addresses.publish(`${lines(100, address)}\n${named.join('\n')}`)), 'accepted');
  assert.deepEqual([addresses.state().rows, addresses.state().refused], [102, { own_address: 3 }]);
  assert.equal((await compileEvidence(addresses.store, NOW, FIXED_SEED)).rows, 102);
  const networks = publisher(feedById('avastel-proxies')!, own);
  assert.equal(reasonOf(await networks.publish(lines(40, (n) => `46.${n}.0.0/22`))), 'accepted');
  assert.deepEqual([networks.state().rows, networks.state().refused], [40, {}]);
  for (const { store } of [addresses, networks]) store.close();
});

test('a list that is another one every minute is taken in each time and followed by merging', async () => {
  const { clock, store, publish } = publisher(PROXIES);
  let image = openEvidence((await compileEvidence(store, NOW, FIXED_SEED)).bytes.buffer);
  for (let minute = 1; minute <= 10; minute++) {
    clock.at = unixMs(NOW + minute * MINUTE_MS);
    assert.equal(reasonOf(await publish(lines(300, (n) => address(300 * minute + n)))), 'accepted');
    image = openEvidence((await mergeEvidenceSince(store, image, clock.at))!.bytes.buffer);
  }
  assert.deepEqual(verifyEvidence(image), []);
  assert.equal(image.hosts4.count, 10 * 300);
  store.close();
});

test('whatever a list says within its bounds, compiling and merging succeed', async () => {
  const feed = { ...TUNNELS, bounds: { ...TUNNELS.bounds, minRows: 0, maxPools: 3 } };
  const prefix = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 33 })).map(([ip, bits]) => `${ip}/${bits}`),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 129 })).map(([ip, bits]) => `${ip}/${bits}`),
    fc.constantFrom(
      '45.1.1.1',
      '45.1.0.0/16',
      '45.1.1.0/24',
      '2a00::/29',
      '2a00::1',
      '::ffff:8.8.8.8',
      '0.0.0.0/0',
      '',
    ),
    fc.string(),
  );
  const body = fc.array(fc.tuple(prefix, fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: anyCharacter }))), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 4 }), async (bodies) => {
      const { clock, store, publish } = publisher(feed);
      let image = openEvidence((await compileEvidence(store, NOW, FIXED_SEED)).bytes.buffer);
      for (const rows of bodies) {
        clock.at = unixMs(clock.at + MINUTE_MS);
        const outcome = await publish(`ip,company_name\n${rows.map((row) => row.join(',')).join('\n')}`);
        assert.ok(outcome.status !== 'failed', reasonOf(outcome));
        const merged = await mergeEvidenceSince(store, image, clock.at);
        image = openEvidence(merged!.bytes.buffer);
        const compiled = openEvidence((await compileEvidence(store, clock.at, FIXED_SEED)).bytes.buffer);
        assert.deepEqual([verifyEvidence(image), verifyEvidence(compiled)], [[], []]);
      }
      store.close();
    }),
    { numRuns: 30, seed: 12 },
  );
});

test('senders of captures have the same bounds: wide prefixes and pools past 500 are refused by reason, and so is a new source where 5,000 are known', async () => {
  const sources = Array.from({ length: 5000 }, (_, n) => ({ id: `s${n}` }));
  const taken: number[] = [];
  const full = { sources: () => sources, retractions: () => [], recordCaptures: (_: unknown, __: unknown, { length }: { length: number }) => {
    taken.push(length);
    return { sequence: 1, rows: length, added: length, ended: 0, changed: true, refused: new Map() };
  }, follow: () => {} } as unknown as SqliteHistory; // biome-ignore format: short
  const body = [Buffer.from(`{"ip":"45.0.0.0/8"}\n${lines(502, (n) => `{"ip":"45.1.1.1","pool":"p${n}"}`)}`)];
  const send = (id: string) =>
    importCaptures(full, { now: () => NOW }, body, { source: { id, family: id, mode: 'events' } });
  assert.deepEqual((await send('new')).refused, {
    prefix_too_wide: { count: 1, first_lines: [1] },
    too_many_pools: { count: 2, first_lines: [502, 503] },
    too_many_sources: { count: 500 },
  });
  assert.deepEqual(taken, []);
  assert.equal((await send('s7')).accepted, 500);
  assert.deepEqual(taken, [500]);
});
