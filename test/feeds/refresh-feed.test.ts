/** Fetching over real sockets, bounds, keep-last-good, and the ingest loop, over a store that remembers its input. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CATALOGUE, feedById } from '../../src/adapters/feeds/catalogue.ts';
import { FeedStateFiles } from '../../src/adapters/feeds/feed-state-files.ts';
import { webReader } from '../../src/adapters/feeds/open-feeds.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { Ingest } from '../../src/apps/ingest/ingest.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import type { NetworkList } from '../../src/core/place/network-list.ts';
import { said, worded } from '../../src/core/texts/said.ts';
import { type UnixMs, unixMs } from '../../src/core/units.ts';
import { dueAt } from '../../src/service/feeds/due-at.ts';
import { missingSources } from '../../src/service/feeds/feed-health.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { type HistoryStore, isDegraded, type SourcesReport } from '../../src/service/ports.ts';
import { feedParts, NOW, plainFeed, recordingStore } from '../support/feed-parts.ts';
import { allOnSchedule, mirrorContent } from '../support/followed-feeds.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('refresh');
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
let asked: IncomingMessage['headers'][] = [];
const server = createServer((request, response) => {
  asked.push(request.headers);
  answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
after(() => server.close());

const feed = (id: string, more: Partial<Feed> = {}): Feed => plainFeed(id, url, more);

function setup(now = NOW) {
  const { store, runs, breakStore } = recordingStore();
  const { clock, states, bodies, parts } = feedParts(store, now);
  const reader = webReader(bodies, undefined, (request) =>
    readFeed(request.from === 'web' ? { ...request, pauseMs: 1 } : request),
  );
  return { runs, clock, states, reader, bodies, parts, breakStore };
}

test('a reading that fails or is refused is noted in the evidence store, which other nodes read, and taken back by the next good one', async () => {
  const { clock, reader, parts } = setup();
  const store = new SqliteHistory(':memory:');
  const shared = { ...parts, store };
  const failed = () => store.sources().map(({ id, lastErrorAt }) => [id, lastErrorAt]);
  answer = (_, response) => response.writeHead(500).end();
  assert.equal((await refreshFeed(feed('shared'), reader, shared)).status, 'failed');
  assert.deepEqual(failed(), [['shared', NOW]]);
  answer = (_, response) => response.setHeader('last-modified', 'Sat, 21 Nov 2026 09:00:00 GMT').end(addresses(2));
  assert.equal((await refreshFeed(feed('shared'), reader, shared)).status, 'accepted');
  assert.deepEqual(failed(), [['shared', undefined]], 'although the list is older than the failure');
  clock.at = unixMs(NOW + 1000);
  answer = (_, response) => response.end('');
  assert.equal((await refreshFeed(feed('shared'), reader, shared)).status, 'refused');
  assert.deepEqual(failed(), [['shared', NOW + 1000]]);
  await refreshFeed(
    feed('networks', { effect: { kind: 'network', use: 'hosting' } } as unknown as Partial<Feed>),
    reader,
    shared,
  );
  assert.equal(failed().length, 1, 'lists about networks are not sources of evidence');
  store.close();
  const away = { ...parts.store, recordFailure: () => Promise.reject(new Error('away')) } as unknown as HistoryStore;
  answer = (_, response) => response.writeHead(500).end();
  const outcome = await refreshFeed(feed('shared'), reader, { ...parts, store: away });
  assert.ok(
    outcome.status === 'failed' &&
      !outcome.store &&
      /500.*evidence store could not note it: away/.test(worded(outcome.reason)),
    JSON.stringify(outcome),
  );
});

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `8.8.${i >> 8}.${i & 255}\n`).join('');

test('content without a publication time is taken at its first reading; "not modified" is the same run again', async () => {
  const { runs, clock, states, reader, parts } = setup();
  answer = (request, response) =>
    request.headers['if-none-match'] === '"1"'
      ? response.writeHead(304).end()
      : response.setHeader('etag', '"1"').end(addresses(3));
  assert.equal((await refreshFeed(feed('a'), reader, parts)).status, 'accepted');
  clock.at = unixMs(NOW + 1000);
  assert.equal((await refreshFeed(feed('a'), reader, parts)).status, 'accepted');
  assert.deepEqual(runs, [
    { source: 'a', at: NOW, rows: 3 },
    { source: 'a', at: NOW, rows: 3 },
  ]);
  assert.equal(states.get('a').rows, 3);
  assert.match(asked.at(-1)?.['user-agent'] ?? '', /^Pulse/);
});

test('a list with a publication time speaks for that time, one dated in the future for now', async () => {
  const { runs, reader, parts } = setup();
  answer = (_, response) => response.setHeader('last-modified', 'Sat, 21 Nov 2026 09:00:00 GMT').end(addresses(2));
  await refreshFeed(feed('b'), reader, parts);
  answer = (_, response) => response.end(`# Last update: 2026-11-21T10:30:00Z\n${addresses(2)}`);
  await refreshFeed(feed('c'), reader, parts);
  answer = (_, response) => response.end(`# Last update: 2027-01-01T00:00:00Z\n${addresses(2)}`);
  await refreshFeed(feed('d'), reader, parts);
  assert.deepEqual(
    runs.map(({ at }) => new Date(at).toISOString().slice(0, 16)),
    ['2026-11-21T09:00', '2026-11-21T10:30', '2026-11-21T12:00'],
  );
});

test('a reading outside its bounds is refused whole and the last good one keeps serving', async () => {
  const { runs, states, reader, parts } = setup();
  answer = (_, response) => response.setHeader('etag', '"good"').end(addresses(100));
  await refreshFeed(feed('e'), reader, parts);
  for (const [body, reason] of [
    ['<html>sorry</html>', /^the body is an HTML page/],
    [addresses(49), /less than half/],
    [addresses(1001), /more than/],
    ['8.8.8.8 '.padEnd(10_001, 'x'), /bytes/],
    [gzipSync(Buffer.alloc(5_000_000, '8.8.8.8\n')), /unpacks to more/],
    [Buffer.concat([gzipSync('8.8.8.8\n').subarray(0, 15), Buffer.from('broken')]), /damaged/],
  ] as const) {
    answer = (_, response) => response.end(body);
    const outcome = await refreshFeed(feed('e'), reader, parts);
    assert.notEqual(outcome.status, 'accepted');
    assert.match('reason' in outcome ? worded(outcome.reason) : '', reason);
  }
  assert.equal(runs.length, 1);
  assert.equal(states.get('e').failures, 6);
  assert.equal(states.get('e').rows, 100);
  // The refused bodies' validators were not kept: the publisher is asked against the good one.
  asked = [];
  answer = (_, response) => response.writeHead(304).end();
  assert.equal((await refreshFeed(feed('e'), reader, parts)).status, 'accepted');
  assert.equal(asked[0]?.['if-none-match'], '"good"');
  answer = (_, response) => response.end(addresses(50));
  assert.equal((await refreshFeed(feed('e'), reader, parts)).status, 'accepted', 'exactly half is not less than half');
});

test('a kept body that was lost, cut off or damaged is fetched whole again, though the publisher would say "not modified"', async () => {
  const { runs, reader, parts, bodies } = setup();
  answer = (request, response) =>
    request.headers['if-none-match'] === undefined
      ? response.setHeader('etag', '"1"').end(addresses(3))
      : response.writeHead(304).end();
  await refreshFeed(feed('k'), reader, parts);
  const path = join(bodies, 'k.body');
  for (const damage of [
    () => writeFileSync(path, ''),
    () => writeFileSync(path, addresses(2)),
    () => writeFileSync(path, addresses(3).replace('8', '9')),
    () => rmSync(path),
  ]) {
    damage();
    asked = [];
    assert.deepEqual(await refreshFeed(feed('k'), reader, parts), {
      status: 'accepted',
      rows: 3,
      runAt: NOW,
      changed: true,
    });
    assert.deepEqual(asked.map((headers) => headers['if-none-match']), [undefined]); // biome-ignore format: short
    assert.equal(readFileSync(path, 'utf8'), addresses(3));
  }
  assert.deepEqual(new Set(runs.map(({ rows }) => rows)), new Set([3]));
});

test('a kept body that is refused, or no longer read, does not hold its feed: the next reading asks for the whole list', async () => {
  const { reader, parts, states } = setup();
  answer = (request, response) =>
    request.headers['if-none-match'] === undefined
      ? response.setHeader('etag', '"1"').end(addresses(3))
      : response.writeHead(304).end();
  await refreshFeed(feed('l'), reader, parts);
  const stricter = feed('l', { bounds: { minRows: 5, maxRows: 1000, maxBytes: 10_000 } });
  assert.equal((await refreshFeed(stricter, reader, parts)).status, 'refused');
  answer = (request, response) =>
    request.headers['if-none-match'] === undefined
      ? response.setHeader('etag', '"2"').end(addresses(6))
      : response.writeHead(304).end();
  assert.equal((await refreshFeed(stricter, reader, parts)).status, 'accepted');
  const shorter = feed('l', { bounds: { minRows: 1, maxRows: 1000, maxBytes: 10 } });
  assert.equal((await refreshFeed(shorter, reader, parts)).status, 'failed');
  asked = [];
  assert.equal((await refreshFeed(feed('l'), reader, parts)).status, 'accepted');
  assert.deepEqual(asked.map((headers) => headers['if-none-match']), [undefined]); // biome-ignore format: short
  assert.equal(states.get('l').failures, 0);
});

test('two processes that read one feed at once do not fail each other, and the next reading finds a body or asks for the whole list', async () => {
  const { reader, parts, bodies } = setup();
  const released = Promise.withResolvers<void>();
  let requests = 0;
  answer = async (request, response) => {
    const body = addresses(3 + requests++);
    if (request.headers['if-none-match'] !== undefined) return void response.writeHead(304).end();
    if (requests === 2) released.resolve();
    await released.promise;
    response.setHeader('etag', `"${requests}"`).end(body);
  };
  const other = { ...parts, states: new FeedStateFiles(mkdtempSync(join(folder, 'other-states-'))) };
  // Both have received a body before either keeps one.
  const outcomes = await Promise.all([
    refreshFeed(feed('both'), reader, parts),
    refreshFeed(feed('both'), webReader(bodies), other),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status), ['accepted', 'accepted']); // biome-ignore format: short
  for (const mine of [parts, other]) assert.equal((await refreshFeed(feed('both'), reader, mine)).status, 'accepted');
  assert.deepEqual(readdirSync(bodies), ['both.body']);
});

test('server faults are tried again, client faults and endless redirects are not', async () => {
  const { reader, parts } = setup();
  asked = [];
  answer = (_, response) => (asked.length < 3 ? response.writeHead(503).end() : response.end(addresses(1)));
  assert.equal((await refreshFeed(feed('f'), reader, parts)).status, 'accepted');
  assert.equal(asked.length, 3);
  for (const [status, tries, location] of [
    [404, 1],
    [301, 6, '/list'],
    [302, 1, 'file:///etc/hostname'],
  ] as const) {
    asked = [];
    answer = (_, response) => response.writeHead(status, location === undefined ? {} : { location }).end();
    assert.equal((await refreshFeed(feed('g'), reader, parts)).status, 'failed');
    assert.equal(asked.length, tries, String(status));
  }
});

test('a list that has moved is asked for under its other addresses only where the first is answered with an error', async () => {
  const { reader, parts } = setup();
  const googleAgents = feedById('google-agents')!;
  assert.deepEqual(googleAgents.alternatives, [
    'https://developers.google.com/static/search/apis/ipranges/user-triggered-agents.json',
  ]);
  const moved: Feed = { ...googleAgents, url: `${url}/new`, alternatives: [`${url}/old`] };
  const list = '{"prefixes":[{"ipv4Prefix":"192.178.16.0/27"}]}';
  const notice = '{"Action needed":"update the location you are fetching from"}';
  // biome-ignore format: what each address answers, how it ends, which were asked
  for (const [atNew, atOld, status, paths] of [
    [[200, list], [200, 'not asked'], 'accepted', ['/list/new']],
    [[404, ''], [200, list], 'accepted', ['/list/new', '/list/old']],
    [[404, ''], [200, notice], 'refused', ['/list/new', '/list/old']],
    [[200, notice], [200, 'not asked'], 'refused', ['/list/new']],
    [[404, ''], [404, ''], 'failed', ['/list/new', '/list/old']],
  ] as const) {
    const tried: string[] = [];
    answer = (request, response) => {
      tried.push(request.url!);
      const [code, body] = request.url === '/list/new' ? atNew : atOld;
      response.writeHead(code).end(body);
    };
    assert.deepEqual([(await refreshFeed(moved, reader, parts)).status, tried], [status, paths]);
  }
});

test('the three lists that Amazon publishes within pages are read as the catalogue has them', async () => {
  const { reader, parts } = setup();
  const lists: NetworkList[] = [];
  const networks = { put: (_: Feed, list: NetworkList) => lists.push(list) > 0, knowsRelay: () => true };
  answer = (request, response) => {
    const row = request.url!.includes('searchbot') ? '{"ip_prefix":"52.4.5.89/32"}' : '{"ipv4Prefix":"52.4.5.89"}';
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><p>You are 198.51.100.7</p><pre><code class="container">{"prefixes":[${row}]}</code></pre>`);
  };
  for (const id of ['amazonbot', 'amzn-searchbot', 'amzn-user']) {
    const listed = feedById(id)!;
    const status = (
      await refreshFeed({ ...listed, url: url.replace('/list', new URL(listed.url).pathname) }, reader, {
        ...parts,
        networks,
      })
    ).status;
    assert.equal(status, 'accepted', id);
  }
  assert.deepEqual(
    lists.map(({ id, prefixes }) => [id, prefixes?.length, prefixes?.words[0], prefixes?.bits[0]]),
    ['amazonbot', 'amzn-searchbot', 'amzn-user'].map((id) => [id, 1, 0x34040559, 32]),
  );
  answer = (_, response) => response.end('<!doctype html><p>This page has moved; you are 198.51.100.7</p>');
  assert.equal((await refreshFeed({ ...feedById('amazonbot')!, url }, reader, parts)).status, 'refused');
});

test('a MISP feed is its manifest and the newest events next to it, read again only when the manifest changed', async () => {
  const { runs, reader, parts, states } = setup();
  const uuid = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const day = (n: number): string => String(NOW / 1000 - n * 86_400);
  const manifest = Object.fromEntries([0, 1, 2, 29, 31].map((n) => [uuid(n), { timestamp: day(n), info: 'x' }]));
  const paths: string[] = [];
  answer = (request, response) => {
    paths.push(request.url!);
    const id = /([0-9a-f-]{36})\.json$/.exec(request.url!)?.[1];
    if (id === undefined && request.headers['if-none-match'] === '"m"') return void response.writeHead(304).end();
    if (id === undefined)
      return void response.setHeader('etag', '"m"').end(JSON.stringify({ ...manifest, 'README.md': {} }));
    const n = Number(id.slice(0, 8));
    response.end(
      JSON.stringify(
        { Event: { uuid: id, Attribute: [{ type: 'ip-dst', value: `8.8.4.${n}`, to_ids: true, timestamp: day(n) }] } },
        null,
        2,
      ),
    );
  };
  const misp = feed('misp', {
    url: url.replace('/list', '/feed/manifest.json'),
    mode: 'events',
    manifestEvents: 3,
    format: { kind: 'misp' },
  });
  for (let reading = 0; reading < 2; reading++) {
    const outcome = await refreshFeed(misp, reader, parts);
    assert.deepEqual([outcome.status, 'rows' in outcome ? outcome.rows : 0], ['accepted', 3]);
  }
  assert.deepEqual(paths, [
    '/feed/manifest.json',
    ...[0, 1, 2].map((n) => `/feed/${uuid(n)}.json`),
    '/feed/manifest.json',
  ]);
  assert.deepEqual(runs.map(({ rows }) => rows), [3, 3]); // biome-ignore format: short
  answer = (_, response) => response.end('{"not":"a manifest"}');
  assert.equal((await refreshFeed(misp, reader, parts)).status, 'failed');
  assert.equal(states.get('misp').rows, 3);
});

test('a store that fails is an outcome of its own, and nothing is thrown', async () => {
  const { reader, parts, breakStore } = setup();
  answer = (_, response) => response.end(addresses(2));
  breakStore(new Error('disk full'));
  assert.deepEqual(await refreshFeed(feed('h'), reader, parts), {
    status: 'failed',
    reason: said('{why}', { why: 'disk full' }),
    store: true,
  });
});

test('a scheduled source of evidence is left out while it was never read, fails for longer than its bound, or holds what is older', () => {
  const { states } = setup();
  const [risk, network] = [feed('risk'), feed('net', { effect: { kind: 'network', network: { hosting: true } } })];
  const missing = (hours: number) =>
    missingSources([risk, network], allOnSchedule(states), unixMs(NOW + hours * 3_600_000)).ids;
  assert.deepEqual(missing(0), ['risk'], 'never read; networks are not evidence');
  const never = { failures: 0, rows: 0, refused: {} };
  states.put('risk', { ...never, lastAttemptAt: NOW, lastErrorAt: NOW, failures: 3 });
  assert.deepEqual(missing(0), ['risk'], 'tried, and never read');
  const good = { ...never, lastSuccessAt: NOW, lastRunAt: NOW, rows: 1 };
  states.put('risk', { ...good, failures: 9, lastErrorAt: NOW });
  assert.deepEqual(missing(12), [], 'failing within its bound');
  assert.deepEqual(missing(12.001), ['risk'], 'failing for longer');
  states.put('risk', { ...good, lastRunAt: unixMs(NOW - 13 * 3_600_000) });
  assert.deepEqual(missing(0), ['risk'], 'read now, and older than its bound');
});

test('a source whose content is past its bound is left out in every mode, however lately it was read', () => {
  const { states } = setup();
  const old = { lastSuccessAt: NOW, lastRunAt: unixMs(NOW - 1000 * 3_600_000), failures: 0, rows: 1, refused: {} };
  for (const mode of ['listing', 'events', 'appearance'] as const) {
    states.put(mode, old);
    assert.deepEqual(missingSources([feed(mode, { mode })], allOnSchedule(states), NOW).ids, [mode]);
  }
});

test('32 of 38 sources that fail since the start make verdicts degraded until they are switched off', async () => {
  const { clock, states, parts } = setup();
  const feeds = Array.from({ length: 38 }, (_, n) => feed(`f${n}`));
  const off = new Set<string>();
  const good = { failures: 0, rows: 1, refused: {}, lastAttemptAt: NOW, lastSuccessAt: NOW, lastRunAt: NOW };
  for (const [n, { id }] of feeds.entries())
    states.put(id, n < 6 ? good : { failures: 1, rows: 0, refused: {}, lastAttemptAt: NOW, lastErrorAt: NOW });
  const reported: boolean[] = [];
  const read: string[] = [];
  const refuse = (one: Feed) => {
    read.push(one.id);
    return Promise.reject(new Error('gone'));
  };
  const ingest = new Ingest({
    ...parts, catalogue: [...feeds, feed('asked', { scheduled: false })], switches: { off: () => new Set(off) }, mirror: mirrorContent(),
    source: { kind: 'schedule', feeds, reader: { read: refuse, keep: () => {} } },
    onNetworkLists: () => {}, onHealth: (now) => reported.push(now), log: { info: () => {}, error: () => {}, warn: () => {} }, random: () => 0,
    bodyOf: () => new Uint8Array(), readerOf: () => ({ read: refuse, keep: () => {} }),
  }); // biome-ignore format: short
  assert.equal(ingest.degraded, true);
  for (const { id } of feeds.slice(6)) off.add(id);
  // A source on request that was read once, long ago, is never expected.
  states.put('asked', { ...good, lastSuccessAt: unixMs(0), lastRunAt: unixMs(0) });
  await ingest.tick();
  await ingest.idle();
  assert.deepEqual([ingest.degraded, reported.at(-1)], [false, false]);
  clock.at = unixMs(NOW + 3_600_000);
  await ingest.tick();
  await ingest.idle();
  assert.ok(
    read.every((id) => !off.has(id)),
    'a source that is switched off is not read',
  );
  off.delete('f37');
  // Two are read at a time.
  for (let turn = 0; turn < 10; turn++) {
    await ingest.tick();
    await ingest.idle();
  }
  assert.deepEqual([ingest.degraded, read.includes('f37')], [true, true]);
  await ingest.stop();
});

test('a publisher that stops is retired, is missing while nothing else is current, and comes back; `at` says of every moment the same as live', async () => {
  const { clock, states, parts } = setup();
  const day = (n: number): UnixMs => unixMs(NOW + n * 86_400_000);
  const feeds = [
    feed('daily'),
    feed('stops', { maxAgeHours: 96 }),
    feed('slow', { maxAgeHours: 1000 }),
    feed('asked', { scheduled: false }),
  ];
  const refuse = () => Promise.reject(new Error('gone'));
  const store = new SqliteHistory(':memory:');
  const live: { readonly at: UnixMs; readonly degraded: boolean; readonly note: SourcesReport }[] = [];
  const ingest = new Ingest({
    ...parts, catalogue: feeds, switches: { off: () => new Set() }, mirror: mirrorContent(),
    source: { kind: 'schedule', feeds: feeds.slice(0, 3), reader: { read: refuse, keep: () => {} } },
    onNetworkLists: () => {}, log: { info: () => {}, error: () => {}, warn: () => {} }, random: () => 0,
    onHealth: (degraded, note) => {
      store.noteLeftOut(note, clock.at);
      live.push({ at: clock.at, degraded, note });
    },
    bodyOf: () => new Uint8Array(), readerOf: () => ({ read: refuse, keep: () => {} }),
  }); // biome-ignore format: short
  // Last rows of each, by day. `stops` is silent from day 0 to 60, `slow` is within its bound up to day 41, `daily` is away from day 45 to 50.
  const runs = (n: number): readonly (readonly [string, number])[] => [
    ['daily', n >= 45 && n < 50 ? 44 : n],
    ['stops', n >= 60 ? 60 : 0],
    ['slow', 0],
  ];
  const said = new Map<number, SourcesReport>();
  for (let n = 0; n <= 62; n++) {
    clock.at = day(n);
    for (const [id, last] of runs(n))
      states.put(id, {
        failures: 0,
        rows: 1,
        refused: {},
        lastAttemptAt: day(n),
        lastSuccessAt: day(last),
        lastRunAt: day(last),
      });
    await ingest.tick();
    await ingest.idle();
    said.set(n, live.at(-1)!.note);
  }
  await ingest.stop();
  const shown = (n: number) => ({
    ...said.get(n),
    since: said.get(n)?.since === undefined ? undefined : (said.get(n)!.since! - NOW) / 86_400_000,
  });
  const note = (ids: readonly string[], retired: readonly string[], since?: number) => ({
    ids,
    retired,
    expected: 3 - retired.length,
    since,
  });
  assert.deepEqual(shown(4), note([], []));
  assert.deepEqual(shown(5), note(['stops'], [], 4));
  assert.deepEqual(shown(39), note(['stops'], [], 4), 'ten times its bound is 40 days');
  assert.deepEqual(shown(40), note([], ['stops']));
  assert.deepEqual(shown(42), note(['slow'], ['stops'], 1000 / 24));
  assert.deepEqual(shown(46), note(['daily', 'stops', 'slow'], [], 4), 'no source is current');
  assert.deepEqual(shown(50), note(['slow'], ['stops'], 1000 / 24));
  assert.deepEqual(shown(60), note(['slow'], [], 1000 / 24), 'it published again');
  for (const { at, degraded, note } of live) {
    const asked = store.leftOutAt(at);
    assert.deepEqual(
      [asked, isDegraded(asked)],
      [{ ...note, ids: [...note.ids].sort(), silent: false }, degraded],
      new Date(at).toISOString(),
    );
  }
  assert.equal(live.some(({ degraded }) => !degraded), true); // biome-ignore format: short
  store.close();
});

test('pauses after failures grow, stay jittered and never pass the cadence', () => {
  const state = (failures: number) => ({ failures, lastAttemptAt: NOW, rows: 0, refused: {} });
  for (let failures = 1; failures < 30; failures++) {
    const pause = dueAt(feed('x'), state(failures), NOW, 0.999) - NOW;
    assert.ok(pause > 0 && pause <= 60 * 60_000 + 30_000, String(pause));
    assert.ok(dueAt(feed('x'), state(failures), NOW, 0) - NOW <= pause);
  }
  assert.equal(dueAt(feed('x'), { ...state(0), lastSuccessAt: NOW }, NOW, 0) - NOW, 60 * 60_000);
});

test('one broken feed harms no other, and a mirror folder is taken in at its newest file’s time and again when it changes', async () => {
  const { runs, clock, parts } = setup();
  const mirror = mkdtempSync(join(folder, 'mirror-'));
  writeFileSync(
    join(mirror, 'x4bnet-vpn-ipv6.txt'),
    Array.from({ length: 60 }, (_, i) => `2a00:${i.toString(16)}::/48\n`).join(''),
  );
  writeFileSync(join(mirror, 'threatfox-ips.txt'), 'nothing useful\n');
  for (const name of ['x4bnet-vpn-ipv6.txt', 'threatfox-ips.txt'])
    utimesSync(join(mirror, name), NOW / 1000 - 60, NOW / 1000 - 60);
  const scan = () => scanMirror(mirror);
  const newest = (await scan()).newestAt;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const degraded: boolean[] = [];
  const off = new Set<string>();
  const onHealth = (now: boolean): number => degraded.push(now);
  const ingest = new Ingest({
    ...parts, source: { kind: 'folder', scan }, catalogue: CATALOGUE, switches: { off: () => off }, mirror: mirrorContent(), log, random: () => 0, onHealth, onNetworkLists: () => {}, bodyOf: () => new Uint8Array(),
    readerOf: (path) => ({ read: (one) => readFeed({ from: 'file', feed: one, path }), keep: () => {} }),
  }); // biome-ignore format: short
  await ingest.tick();
  await ingest.idle();
  assert.deepEqual(runs, [{ source: 'x4bnet-vpn-6', at: newest, rows: 60 }]);
  assert.ok(!degraded.includes(false), 'verdicts lack the list that was refused');
  writeFileSync(join(mirror, 'tn3w-protonvpn_ips.txt'), addresses(300));
  for (let look = 0; look < 2; look++) {
    assert.equal(runs.length, 1, 'a folder that is still changing is left alone');
    clock.at = unixMs(clock.at + 60_000);
    await ingest.tick();
    await ingest.idle();
  }
  assert.deepEqual(
    runs
      .slice(1)
      .map(({ source, at }) => `${source} ${at === newest}`)
      .sort(),
    ['protonvpn false', 'x4bnet-vpn-6 true'],
    'the file that did not change makes no new run',
  );
  await ingest.stop();
});

test('a machine without a network is reported once, whatever the number of feeds', async () => {
  const { clock, states, parts } = setup();
  const warned: string[] = [];
  const degraded = new Set<boolean>();
  const feeds = [feed('n1'), feed('n2'), feed('n3')];
  const ingest = new Ingest({
    ...parts,
    catalogue: feeds,
    switches: { off: () => new Set() },
    mirror: mirrorContent(),
    source: {
      kind: 'schedule',
      feeds,
      reader: { read: () => Promise.reject(new Error('lists.example: ENOTFOUND')), keep: () => {} },
    },
    onNetworkLists: () => {},
    onHealth: (now) => degraded.add(now),
    log: { info: () => {}, error: () => {}, warn: (_fields, message) => warned.push(message) },
    random: () => 0,
    bodyOf: () => new Uint8Array(),
    readerOf: () => ({ read: () => Promise.reject(new Error('not asked')), keep: () => {} }),
  });
  for (let round = 0; round < 6; round++) {
    await ingest.tick();
    await ingest.idle();
    // Two are read at a time: every second round the third has its turn at the same moment.
    if (round % 2 === 1) clock.at = unixMs(clock.at + 24 * 3_600_000);
  }
  await ingest.stop();
  assert.deepEqual(
    feeds.map(({ id }) => states.get(id).failures > 0),
    [true, true, true],
  );
  assert.equal(warned.filter((message) => message.includes('cannot be reached')).length, 1);
  assert.deepEqual([...degraded], [true], 'it never read a source, and never answers as if it had');
  assert.equal(warned.filter((message) => message.startsWith('feed not taken in')).length, 0);
});
