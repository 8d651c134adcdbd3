/** A fetch is not a sighting (decisions 1, "Whose clock"): real publishers on sockets, real stores, a clock that is moved. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CATALOGUE, feedById } from '../../src/adapters/feeds/catalogue.ts';
import { commitFeedOf } from '../../src/adapters/feeds/commit-time.ts';
import { fileReader, webReader } from '../../src/adapters/feeds/open-feeds.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { verdict } from '../../src/core/risk/verdict.ts';
import { worded } from '../../src/core/texts/said.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../../src/core/units.ts';
import { feedHealth } from '../../src/service/feeds/feed-health.ts';
import { importMirror } from '../../src/service/feeds/import-mirror.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { feedParts, NOW, plainFeed } from '../support/feed-parts.ts';
import { testFolder } from '../support/test-folder.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const folder = testFolder('clock');
let answer: Answer = (_, response) => response.end();
let asked: { readonly path: string; readonly etag: string | undefined }[] = [];
const server = createServer((request, response) => {
  asked.push({ path: request.url!, etag: request.headers['if-none-match'] });
  answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
after(() => server.close().closeAllConnections());

const ENTRY = '101.53.238.27';
const NETWORK = { usageType: 'DYN', hosting: false, mobile: false, crawler: false, relay: false };

const feed = (id: string, more: Partial<Feed> = {}): Feed =>
  plainFeed(id, `${base}list`, {
    clock: 'commit',
    maxAgeHours: 336,
    effect: { kind: 'risk', riskType: 'hijacked_proxy' },
    ...more,
  });

function setup() {
  const store = new SqliteHistory(':memory:');
  const { clock, states, bodies, parts } = feedParts(store);
  const readerOf = (more: { readonly commits?: string } = {}, mirror?: string) =>
    webReader(bodies, mirror, (request) =>
      readFeed(request.from === 'web' ? { ...request, ...more, pauseMs: 1 } : request),
    );
  const observations = () => store.observationsAt(parseAnyAddress(ENTRY)!, clock.at);
  const runs = () => new Set(store.sources().map(({ lastRunAt }) => lastRunAt));
  const later = (ms: number): void => {
    clock.at = unixMs(clock.at + ms);
  };
  return { clock, store, states, parts, readerOf, observations, runs, later };
}

const accepted = async (outcome: ReturnType<typeof refreshFeed>) => {
  const done = await outcome;
  assert.ok(done.status === 'accepted', JSON.stringify(done));
  return done;
};

for (const [how, reply] of [
  ['sends the same body', (_, response) => response.end(`${ENTRY}\n`)],
  [
    'answers "not modified"',
    (request, response) =>
      request.headers['if-none-match'] === '"x"'
        ? response.writeHead(304).end()
        : response.setHeader('etag', '"x"').end(`${ENTRY}\n`),
  ],
  [
    'sends the same body under a newer Last-Modified',
    (_, response) =>
      response.setHeader('last-modified', new Date(NOW + asked.length * HOUR_MS).toUTCString()).end(`${ENTRY}\n`),
  ],
] as const satisfies readonly (readonly [string, Answer])[]) {
  // biome-ignore format: one reply a line
  test(`an entry of a mirror that ${how} for 30 days is seen once, goes stale, and its source is overdue`, async () => {
    const { states, parts, clock, readerOf, observations, later } = setup();
    answer = (request, response) => (request.url!.startsWith('/manifest') ? response.writeHead(404).end() : reply(request, response));
    asked = [];
    const reader = readerOf({}, base);
    const dead = feed('dead');
    const first = await accepted(refreshFeed(dead, reader, parts));
    for (let day = 0; day < 30; day++) {
      later(DAY_MS);
      const again = await accepted(refreshFeed(dead, reader, parts));
      assert.deepEqual([again.changed, again.runAt], [false, first.runAt]);
    }
    const [row] = observations();
    assert.deepEqual([row!.capturedAt, row!.days], [first.runAt, 1]);
    const answered = verdict(observations(), NETWORK, 4, clock.at, SCORE_PARAMETERS);
    assert.deepEqual([answered.state, answered.score], ['stale', 0]);
    assert.equal(feedHealth([dead], states, clock.at)[0]!.overdue, true);
  });
}

test('a live source answers for the moment of asking, its content unchanged or not; a mirror of it does not', async () => {
  const { parts, readerOf, observations, later, clock } = setup();
  answer = (request, response) =>
    request.url!.startsWith('/manifest') ? response.writeHead(404).end() : response.end(`${ENTRY}\n`);
  const live = feed('live', { clock: 'live' });
  await accepted(refreshFeed(live, readerOf(), parts));
  later(2 * DAY_MS);
  assert.equal((await accepted(refreshFeed(live, readerOf(), parts))).changed, true);
  assert.deepEqual([observations()[0]!.capturedAt, observations()[0]!.days], [clock.at, 0b101]);
  const seen = clock.at;
  later(2 * DAY_MS);
  assert.equal((await accepted(refreshFeed(live, readerOf({}, base), parts))).changed, false);
  assert.equal(observations()[0]!.capturedAt, seen);
});

const atom = (at: string): string =>
  `<?xml version="1.0"?><feed><updated>2026-11-21T11:59:00Z</updated><entry><updated>${at}</updated></entry><entry><updated>2020-01-01T00:00:00Z</updated></entry></feed>`;

test('a file in a repository is dated by its last commit, which is asked for once per content and conditionally', async () => {
  const { parts, readerOf, runs, later, states } = setup();
  let [list, commit] = [`${ENTRY}\n`, '2025-07-05T06:00:00Z'];
  answer = (request, response) => {
    if (!request.url!.endsWith('.atom')) return void response.end(list);
    if (request.headers['if-none-match'] === `"${commit}"`) return void response.writeHead(304).end();
    response.setHeader('etag', `"${commit}"`).end(atom(commit));
  };
  asked = [];
  const reader = readerOf({ commits: `${base}commits.atom` });
  const source = feed('committed');
  await accepted(refreshFeed(source, reader, parts));
  assert.deepEqual([...runs()], [Date.parse(commit)]);
  assert.equal(feedHealth([source], states, NOW)[0]!.overdue, true, 'found on the first reading');
  later(HOUR_MS);
  await accepted(refreshFeed(source, reader, parts));
  assert.deepEqual(asked.map(({ path }) => path), ['/list', '/commits.atom', '/list']); // biome-ignore format: short
  [list, commit] = [`${ENTRY}\n8.8.8.8\n`, '2026-11-21T12:30:00Z'];
  later(HOUR_MS);
  await accepted(refreshFeed(source, reader, parts));
  assert.deepEqual([asked.at(-1)!.etag, ...runs()], ['"2025-07-05T06:00:00Z"', Date.parse(commit)]);
  later(HOUR_MS);
  list = `${ENTRY}\n8.8.4.4\n`;
  const ahead = await accepted(refreshFeed(source, reader, parts));
  assert.deepEqual([asked.at(-1)!.etag, ahead.runAt], [`"${commit}"`, NOW + 3 * HOUR_MS], 'not in the feed of commits');
});

test('a feed of commits that fails, hangs over its bound or is not Atom leaves the first reading to speak', async () => {
  for (const reply of [
    (_: IncomingMessage, response: ServerResponse) => response.writeHead(429).end(),
    (_: IncomingMessage, response: ServerResponse) => response.end('<html><p>Sorry</p></html>'),
    (_: IncomingMessage, response: ServerResponse) =>
      response.end(`${atom('2026-01-01T00:00:00Z')}${' '.repeat(1024 * 1024)}`),
  ]) {
    const { parts, readerOf, runs } = setup();
    answer = (request, response) =>
      request.url!.endsWith('.atom') ? reply(request, response) : response.end(`${ENTRY}\n`);
    await accepted(refreshFeed(feed('uncommitted'), readerOf({ commits: `${base}commits.atom` }), parts));
    assert.deepEqual([...runs()], [NOW]);
  }
});

test('a time in the list comes before its server’s, that before the commit', async () => {
  for (const [stated, modified, expected] of [
    ['# Last update: 2026-11-20T10:00:00Z\n', true, '2026-11-20T10:00:00Z'],
    ['', true, '2026-11-19T09:00:00Z'],
    ['', false, '2026-11-18T08:00:00Z'],
    ['# Last update: 2027-01-01T00:00:00Z\n', false, '2026-11-21T12:00:00Z'],
  ] as const) {
    const { parts, readerOf, runs } = setup();
    answer = (request, response) => {
      if (request.url!.endsWith('.atom')) return void response.end(atom('2026-11-18T08:00:00Z'));
      if (modified) response.setHeader('last-modified', 'Thu, 19 Nov 2026 09:00:00 GMT');
      response.end(`${stated}${ENTRY}\n`);
    };
    await accepted(refreshFeed(feed('ordered'), readerOf({ commits: `${base}commits.atom` }), parts));
    assert.deepEqual([...runs()], [Date.parse(expected)]);
  }
});

test('an older copy of a list brings nothing and does not move its run back', async () => {
  const { parts, readerOf, observations, runs, states } = setup();
  const reply =
    (hour: string, list: string): Answer =>
    (_, response) =>
      response.setHeader('last-modified', `Fri, 20 Nov 2026 ${hour}:00:00 GMT`).end(list);
  answer = reply('10', `${ENTRY}\n`);
  await accepted(refreshFeed(feed('edge'), readerOf(), parts));
  answer = reply('08', '8.8.8.8\n');
  assert.equal((await accepted(refreshFeed(feed('edge'), readerOf(), parts))).changed, false);
  assert.equal(observations()[0]!.capturedAt, Date.UTC(2026, 10, 20, 10));
  answer = reply('10', `${ENTRY}\n`);
  assert.equal((await accepted(refreshFeed(feed('edge'), readerOf(), parts))).changed, false, 'the newest is known');
  assert.deepEqual([[...runs()][0], states.get('edge').lastRunAt], Array(2).fill(Date.UTC(2026, 10, 20, 10)));
});

const manifest = (files: Record<string, string>): string =>
  JSON.stringify({
    files: Object.fromEntries(Object.entries(files).map(([path, at]) => [path, { published_at: at }])),
  });

test('a mirror that is asked over the network is dated by its manifest, packed or not, else by its server', async () => {
  const { parts, readerOf, runs, states } = setup();
  answer = (request, response) => {
    if (request.url === '/m/manifest.json')
      return void response.end(manifest({ 'listed.txt.gz': '2025-07-05T00:00:00Z' }));
    if (request.url!.endsWith('.gz'))
      return void response.setHeader('last-modified', 'Sat, 21 Nov 2026 09:00:00 GMT').end(gzipSync(`${ENTRY}\n`));
    response.writeHead(404).end();
  };
  await accepted(refreshFeed(feed('listed'), readerOf({}, `${base}m`), parts));
  await accepted(refreshFeed(feed('unlisted'), readerOf({}, `${base}m`), parts));
  assert.deepEqual([...runs()], [Date.UTC(2025, 6, 5), Date.UTC(2026, 10, 21, 9)]);
  assert.equal(feedHealth([feed('listed')], states, NOW)[0]!.overdue, true);
});

/** A mirror folder with the entry in two lists of the catalogue, synced an hour ago. */
function mirrorFolder(files: Record<string, string> | undefined): string {
  const mirror = mkdtempSync(join(folder, 'mirror-'));
  mkdirSync(join(mirror, 'proxy'));
  const list = Array.from({ length: 600 }, (_, i) => `8.8.${i >> 8}.${i & 255}\n`).join('');
  for (const name of ['proxy/oxl-ip-kind_proxy.txt', 'iplocate-all-proxies.txt'])
    writeFileSync(join(mirror, name), `${ENTRY}\n${list}`);
  if (files !== undefined) writeFileSync(join(mirror, 'manifest.json'), manifest(files));
  for (const name of ['proxy/oxl-ip-kind_proxy.txt', 'iplocate-all-proxies.txt'])
    utimesSync(join(mirror, name), (NOW - HOUR_MS) / 1000, (NOW - HOUR_MS) / 1000);
  return mirror;
}

async function importAll(mirror: string, parts: ReturnType<typeof setup>['parts'], runAt?: number) {
  const scan = await scanMirror(mirror);
  assert.equal(scan.unknown.includes('manifest.json'), false);
  const times: Record<string, string> = {};
  const settings = { series: false, ...(runAt === undefined ? {} : { runAt: unixMs(runAt) }) };
  for await (const { feed, outcome } of importMirror(
    scan,
    { ...parts, readerOf: fileReader, bodyOf: () => new Uint8Array() },
    settings,
  ))
    times[feed.id] =
      outcome.status === 'accepted'
        ? `${new Date(outcome.runAt).toISOString().slice(0, 16)} ${outcome.changed}`
        : worded(outcome.reason);
  return times;
}

test('a folder is dated by its manifest; a file it does not name, by its newest file; and synced again unchanged it adds nothing', async () => {
  const { parts, later } = setup();
  const mirror = mirrorFolder({ 'proxy/oxl-ip-kind_proxy.txt.gz': '2025-07-05T00:00:00Z' });
  assert.deepEqual(await importAll(mirror, parts), {
    'iplocate-proxies': '2026-11-21T11:00 true',
    'oxl-proxies': '2025-07-05T00:00 true',
  });
  later(5 * DAY_MS);
  utimesSync(join(mirror, 'iplocate-all-proxies.txt'), parts.clock.at / 1000, parts.clock.at / 1000);
  assert.deepEqual(await importAll(mirror, parts), {
    'iplocate-proxies': '2026-11-21T11:00 false',
    'oxl-proxies': '2025-07-05T00:00 false',
  });
  const { fingerprint } = await scanMirror(mirror);
  writeFileSync(join(mirror, 'manifest.json'), manifest({}));
  assert.notEqual((await scanMirror(mirror)).fingerprint, fingerprint, 'a new manifest is a change of the folder');
});

test('an operator’s own time comes before all others, and an imported past leaves the newest alone', async () => {
  const { parts, states } = setup();
  const mirror = mirrorFolder(undefined);
  await importAll(mirror, parts);
  assert.equal((await importAll(mirror, parts, NOW - 9 * DAY_MS))['oxl-proxies'], '2026-11-12T12:00 true');
  assert.equal(states.get('oxl-proxies').lastRunAt, NOW - HOUR_MS);
});

test('an address that TunnelBear’s list keeps for some days more was seen that many days before its 30 were full, in every version', async () => {
  const { parts, readerOf, observations, later, states } = setup();
  const bear: Feed = {
    ...feedById('tunnelbear')!,
    url: `${base}list`,
    bounds: { minRows: 1, maxRows: 10, maxBytes: 1000 },
  };
  for (const left of [25, 24]) {
    answer = (_, response) =>
      response.end(JSON.stringify({ [ENTRY]: left, '8.8.8.8': 30, '8.8.4.4': 31, '8.8.2.2': 'soon' }));
    await accepted(refreshFeed(bear, readerOf(), parts));
    assert.deepEqual([observations()[0]!.capturedAt, observations()[0]!.days], [Date.UTC(2026, 10, 16), 1]);
    assert.deepEqual([states.get('tunnelbear').rows, states.get('tunnelbear').refused], [2, { bad_time: 2 }]);
    later(DAY_MS);
  }
});

test('the catalogue names a clock for every source: files on GitHub have a feed of commits, only operators are live', () => {
  for (const { id, url, clock } of CATALOGUE) {
    assert.ok(clock !== 'commit' || commitFeedOf(url) !== undefined, id);
    assert.ok(clock !== 'live' || commitFeedOf(url) === undefined, id);
  }
  assert.equal(
    commitFeedOf(feedById('openproxydb')!.url),
    'https://github.com/NetworkCats/OpenProxyDB/commits/data/block_metadata.csv.atom',
  );
  assert.deepEqual(CATALOGUE.filter(({ clock }) => clock === 'live').map(({ id }) => id), ['tor-bulk-exits', 'tor-onionoo', 'mullvad', 'ivpn', 'pia', 'nordvpn', 'airvpn', 'ovpn', 'riseup', 'surfshark', 'azirevpn']); // biome-ignore format: one list
});
