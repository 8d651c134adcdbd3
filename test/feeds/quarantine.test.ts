/** Readings outside their bounds: kept for an operator with reason and figures, and taken in exactly as they were kept when one accepts them. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { FeedStateFiles } from '../../src/adapters/feeds/feed-state-files.ts';
import { fileReader, webReader } from '../../src/adapters/feeds/open-feeds.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { worded } from '../../src/core/texts/said.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, unixMs } from '../../src/core/units.ts';
import { acceptQuarantined, quarantinedDocument } from '../../src/service/feeds/accept-quarantined.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { feedParts, NOW } from '../support/feed-parts.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('quarantine');

/** A plain list of at least 100 rows, which may name networks. */
const PROXIES: Feed = {
  ...feedById('iplocate-proxies')!,
  bounds: { minRows: 100, maxRows: 50_000, maxBytes: 8 * 2 ** 20 },
};

const address = (n: number): string => `45.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`;
const lines = (count: number, line: (n: number) => string = address): string =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');
const wide = (count: number): string => lines(100) + lines(count, (n) => `46.${n}.0.0/16`);

function setup() {
  const store = new SqliteHistory(':memory:');
  const { clock, bodies: files, parts } = feedParts(store);
  const { quarantine } = parts;
  const path = join(files, 'list');
  return {
    files, clock, store, quarantine, parts,
    later: (ms: number) => { clock.at = unixMs(clock.at + ms); },
    publish: (body: string, feed = PROXIES, publishedAt = clock.at) => {
      writeFileSync(path, body);
      return refreshFeed(feed, fileReader(path), parts, { publishedAt });
    },
    accept: (digest?: string, feed = PROXIES) => acceptQuarantined(feed, digest, parts),
    state: (feed = PROXIES) => parts.states.get(feed.id),
    seen: (ip: string) => store.observationsAt(parseAnyAddress(ip)!, clock.at).map(({ capturedAt }) => capturedAt),
    kept: () => readdirSync(files).filter((name) => name.includes('quarantine')).length,
  }; // biome-ignore format: short
}

test('a reading outside the bounds is kept with reason, figures and times; the last good one serves and the source counts as failing', async () => {
  const { publish, quarantine, state, seen, later, kept } = setup();
  await publish(wide(8));
  later(HOUR_MS);
  const outcome = await publish(wide(60));
  assert.equal(outcome.status, 'refused');
  const waiting = quarantinedDocument(quarantine.get(PROXIES.id)!);
  const { digest, ...rest } = waiting;
  assert.match(digest, /^[\w-]{43}$/);
  const at = new Date(NOW + HOUR_MS).toISOString();
  assert.deepEqual(rest, {
    reason: '3932260 IPv4 addresses are more than 4 times the 524388 of a day ago',
    refused_at: at,
    last_read_at: at,
    run_at: at,
    replaced: 0,
    rows: 160,
    pools: 0,
    ipv4: { covered: 3_932_260, before: 524_388, growth: 7.5, widest: 16, narrowest: 32 },
  });
  assert.deepEqual([state().failures, state().rows, worded(state().error!)], [1, 108, rest.reason]);
  assert.deepEqual([seen('46.3.1.1'), seen('46.40.1.1')], [[NOW], []]);
  assert.equal(kept(), 2, 'a note and a body');
  later(HOUR_MS);
  await publish(wide(60), PROXIES, unixMs(NOW + HOUR_MS));
  const again = quarantinedDocument(quarantine.get(PROXIES.id)!);
  assert.deepEqual([again.refused_at, again.run_at, again.replaced], [at, at, 0], 'the same content');
  assert.equal(again.last_read_at, new Date(NOW + 2 * HOUR_MS).toISOString());
  await publish(wide(8));
  assert.deepEqual([quarantine.get(PROXIES.id), kept()], [undefined, 0], 'within the bounds it ends');
});

test('an accepted reading is a run of the moment its publisher vouched for, and the base of growth from then on', async () => {
  const { publish, accept, quarantine, state, seen, later, clock, kept } = setup();
  await publish(wide(8));
  later(HOUR_MS);
  await publish(wide(60));
  later(HOUR_MS);
  const outcome = await accept();
  assert.deepEqual([outcome.status, 'runAt' in outcome && outcome.runAt], ['accepted', NOW + HOUR_MS]);
  assert.deepEqual([seen('46.40.1.1'), kept(), quarantine.get(PROXIES.id)], [[NOW + HOUR_MS], 0, undefined]);
  assert.deepEqual(
    [state().failures, state().rows, state().lastRunAt, state().lastSuccessAt],
    [0, 160, NOW + HOUR_MS, clock.at],
  );
  later(MINUTE_MS);
  assert.equal((await publish(wide(200))).status, 'accepted', 'less than four times the rows, the same day');
});

test('content that was accepted is not refused again while it stays, and other content outside the bounds is', async () => {
  const { publish, accept, later } = setup();
  const few = lines(60);
  assert.equal((await publish(few)).status, 'refused');
  assert.equal((await accept()).status, 'accepted');
  later(HOUR_MS);
  assert.equal((await publish(few)).status, 'accepted');
  assert.equal((await publish(lines(61))).status, 'refused');
});

test('exactly the reading that is meant is accepted: the newest of several must be named, and another one is refused', async () => {
  const { publish, accept, quarantine, later, kept } = setup();
  await publish(lines(1000));
  await publish(lines(400));
  const first = quarantine.get(PROXIES.id)!.content;
  later(HOUR_MS);
  await publish(lines(300));
  assert.equal(kept(), 2, 'the newest alone');
  const newest = quarantine.get(PROXIES.id)!;
  assert.equal(newest.replaced, 1);
  for (const digest of [undefined, first, newest.content.slice(0, 7)])
    assert.deepEqual(await accept(digest), { status: 'replaced', kept: newest });
  const outcome = await accept(newest.content.slice(0, 8));
  assert.deepEqual([outcome.status, 'rows' in outcome && outcome.rows], ['accepted', 300]);
  assert.deepEqual(await accept(), { status: 'none' });
});

test('a reading without a row, one that cannot be read, and content that is served already are not kept', async () => {
  const { publish, kept, later } = setup();
  await publish('<html>moved</html>');
  assert.equal(kept(), 0);
  await publish(lines(1000));
  assert.equal((await publish('8.8.8.8\n'.repeat(2 ** 20 + 1))).status, 'failed');
  later(HOUR_MS);
  const stricter: Feed = { ...PROXIES, bounds: { ...PROXIES.bounds, minRows: 2000 } };
  assert.equal((await publish(lines(1000), stricter)).status, 'refused');
  assert.equal(kept(), 0);
});

test('a kept body that was damaged is not accepted, and changes nothing', async () => {
  const { publish, accept, files, state, quarantine } = setup();
  await publish(lines(1000));
  await publish(lines(400));
  const before = state();
  const [body] = readdirSync(files).filter((name) => name.endsWith('.quarantined'));
  writeFileSync(join(files, body!), lines(399));
  await assert.rejects(accept(), /in quarantine is damaged/);
  assert.deepEqual([state(), quarantine.get(PROXIES.id)?.figures.rows], [before, 400]);
  rmSync(join(files, body!));
  await assert.rejects(accept(), /ENOENT/);
});

test('a list about networks is accepted alike, and a body that cannot be kept is reported with the refusal', async () => {
  const { publish, accept, parts, files } = setup();
  const taken: number[] = [];
  parts.networks.put = ((_: Feed, { prefixes }: { prefixes?: { length: number } }) =>
    void taken.push(prefixes?.length ?? 0)) as never;
  const datacentres = { ...feedById('x4bnet-datacenter-4')!, bounds: { minRows: 10, maxRows: 20, maxBytes: 100_000 } };
  await publish(
    lines(15, (n) => `45.${n}.0.0/16`),
    datacentres,
  );
  await publish(
    lines(30, (n) => `45.${n}.0.0/16`),
    datacentres,
  );
  assert.equal((await accept(undefined, datacentres)).status, 'accepted');
  assert.deepEqual(taken, [15, 30]);
  rmSync(files, { recursive: true });
  mkdirSync(files);
  const put = () => Promise.reject(new Error('disk full'));
  const full = {
    ...parts,
    states: new FeedStateFiles(files),
    quarantine: { ...parts.quarantine, get: () => undefined, put, drop: () => {} },
  };
  writeFileSync(join(files, 'short'), lines(5));
  const outcome = await refreshFeed(datacentres, fileReader(join(files, 'short')), full as never);
  assert.match(
    'reason' in outcome ? worded(outcome.reason) : '',
    /^5 rows are fewer than the 10 expected; the reading could not be kept: disk full$/,
  );
});

test('from a server: the accepted body is meant by "not modified" afterwards', async () => {
  let [body, etag] = [lines(1000), '"1"'];
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.setHeader('etag', etag).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { files, parts, accept, later, state } = setup();
  const feed: Feed = { ...PROXIES, url: `http://127.0.0.1:${port}/list`, clock: 'server' };
  const reader = webReader(files, undefined, (request) =>
    readFeed(request.from === 'web' ? { ...request, pauseMs: 1 } : request),
  );
  try {
    assert.equal((await refreshFeed(feed, reader, parts)).status, 'accepted');
    [body, etag] = [lines(400), '"2"'];
    later(HOUR_MS);
    assert.equal((await refreshFeed(feed, reader, parts)).status, 'refused');
    assert.equal((await accept(undefined, feed)).status, 'accepted');
    assert.equal(readFileSync(join(files, `${feed.id}.body`), 'utf8'), body);
    later(DAY_MS);
    assert.equal((await refreshFeed(feed, reader, parts)).status, 'accepted');
    assert.deepEqual([asked, state().rows], [[undefined, '"1"', '"2"'], 400]);
  } finally {
    server.close();
  }
});

test('pulse feeds list, show and accept: reason and figures are printed, and acceptance is in the audit log', async () => {
  const dataDir = join(folder, 'data');
  const mirror = join(folder, 'mirror');
  for (const path of [dataDir, mirror]) mkdirSync(path);
  const env = { PULSE_DATA_DIR: dataDir, COLUMNS: '200' };
  const pulse = (...args: string[]) => pulseCommand(['feeds', ...args], { env });
  writeFileSync(join(mirror, 'iplocate-all-proxies.txt'), lines(1000));
  assert.equal(pulse('import', mirror).status, 0);
  writeFileSync(join(mirror, 'iplocate-all-proxies.txt'), lines(400));
  assert.equal(pulse('import', mirror).status, 1);
  assert.match(
    pulse('list').stdout,
    /^iplocate-proxies .* in quarantine, see `pulse feeds show iplocate-proxies`; left out: PULSE_FEEDS is off/m,
  );
  const { quarantine } = JSON.parse(pulse('show', 'iplocate-proxies', '--json').stdout);
  assert.deepEqual(
    [quarantine.rows, quarantine.reason],
    [400, '400 rows are less than half of the 1000 of the last good reading'],
  );
  assert.match(pulse('show', 'iplocate-proxies').stdout, /^quarantine\.ipv4\.covered +400$/m);
  const wrong = pulse('accept', 'iplocate-proxies', '--digest', 'AAAAAAAA');
  assert.equal(wrong.status, 1);
  assert.match(wrong.stderr, new RegExp(`in quarantine is not AAAAAAAA; it is ${quarantine.digest}`));
  const accepted = JSON.parse(pulse('accept', 'iplocate-proxies', '--json').stdout);
  assert.deepEqual(accepted, {
    ...{ source: 'iplocate-proxies', status: 'accepted', digest: quarantine.digest, rows: 400 },
    ...{ run_at: quarantine.run_at, changed: true },
  });
  const none = pulse('accept', 'iplocate-proxies');
  assert.deepEqual([none.status, none.stderr], [1, 'pulse: no reading of iplocate-proxies is in quarantine\n']);
  assert.equal(pulse('off', 'iplocate-proxies').status, 0);
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined } as never);
  const log = await accounts.store.audit({ subject: 'iplocate-proxies', limit: 10 });
  await accounts.close();
  const shown = log.map(({ actor, action, detail }) => [actor, action, detail]);
  assert.deepEqual(shown, [
    ['cli', 'feed.off', {}],
    ['cli', 'feed.accept', { digest: quarantine.digest, rows: 400, run_at: quarantine.run_at }],
  ]);
});
