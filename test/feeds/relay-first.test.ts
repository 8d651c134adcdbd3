/** Private-relay ranges ship, are read before lists of VPN addresses, and while none is known such a list waits instead of calling relay users VPN users. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE, feedById } from '../../src/adapters/feeds/catalogue.ts';
import { FeedStateFiles } from '../../src/adapters/feeds/feed-state-files.ts';
import { type OpenFeeds, openFeeds } from '../../src/adapters/feeds/open-feeds.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { findNetworkLists, hasRelayRanges } from '../../src/adapters/layers/find-network-lists.ts';
import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { said } from '../../src/core/texts/said.ts';
import { unixMs } from '../../src/core/units.ts';
import { relayFirst, WAITS_FOR_RELAY } from '../../src/service/feeds/due-at.ts';
import { isOnSchedule, missingSources } from '../../src/service/feeds/feed-health.ts';
import type { FeedReader } from '../../src/service/feeds/feed-ports.ts';
import { importMirror } from '../../src/service/feeds/import-mirror.ts';
import { refreshFeed } from '../../src/service/feeds/refresh-feed.ts';
import { refreshFeeds } from '../../src/service/feeds/refresh-feeds.ts';
import { allOnSchedule } from '../support/followed-feeds.ts';
import { type CommandResult, pulseOver, pulseProcess } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('relay');

const RELAY = 'apple-private-relay';
const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const EXIT = '198.14.5.1';

/** A data folder, where asked for with an operator's empty list in place of the shipped ranges, and a mirror of lists as their publishers have them. */
async function setup(removed: boolean, publishes: readonly string[]) {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const mirror = mkdtempSync(join(folder, 'mirror-'));
  if (removed) {
    mkdirSync(join(dataDir, 'network'));
    writeFileSync(
      join(dataDir, 'network', `${RELAY}.json`),
      JSON.stringify({ id: RELAY, version: 'none', effect: { relay: true }, prefixes: [] }),
    );
  }
  const bodies: Readonly<Record<string, string>> = {
    'x4bnet-vpn-ipv4.txt': Array.from({ length: 3000 }, (_, i) => `198.${14 + (i >> 8)}.${i & 255}.1\n`).join(''),
    'egress-ip-ranges.csv': Array.from(
      { length: 6000 },
      (_, i) => `172.${224 + (i >> 8)}.${i & 255}.0/31,US,US-CA,Somewhere,\n`,
    ).join(''),
    'iplocate-all-proxies.txt': Array.from(
      { length: 300 },
      (_, i) => `http://45.${90 + (i >> 8)}.${i & 255}.9:8080\n`,
    ).join(''),
  };
  for (const name of publishes) writeFileSync(join(mirror, name), bodies[name]!);
  const store = new SqliteHistory(join(dataDir, 'evidence.db'));
  const clock = { now: () => NOW };
  const feeds = openFeeds({ config: { dataDir, feeds: { mirror } }, store, clock });
  return { dataDir, mirror, store, feeds };
}

/** Reads from the folder as from publishers, and notes requests. */
function readerOf({ parts, scan }: OpenFeeds, mirror: string): FeedReader & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    read: async (feed, validators) => {
      asked.push(feed.id);
      const file = (await scan(mirror)).snapshots.find((snapshot) => snapshot.feed.id === feed.id);
      if (file === undefined) throw new Error('the publisher does not answer');
      return parts.readerOf(file.path).read(feed, validators);
    },
    keep: () => {},
  };
}
const feedsOf = (...ids: string[]): Feed[] => ids.map((id) => feedById(id)!);

test('the shipped ranges are those of data/known-good.json, and the scheduled feed of the same id replaces them', async () => {
  const { dataDir, feeds, mirror, store } = await setup(false, ['egress-ip-ranges.csv']);
  const shipped = findNetworkLists(dataDir).lists.filter(({ effect }) => effect.relay === true);
  const table = knownGoodLists().filter(({ id, until }) => id === RELAY && until === undefined);
  assert.deepEqual(
    [shipped.length, shipped[0]?.id, shipped[0]?.prefixes?.length],
    [1, RELAY, table.flatMap(({ prefixes }) => prefixes).length],
  );
  assert.ok(shipped[0]!.prefixes!.length > 10_000 && isOnSchedule(feedById(RELAY)!));
  assert.equal(hasRelayRanges(dataDir), true);
  assert.equal((await refreshFeed(feedById(RELAY)!, readerOf(feeds, mirror), feeds.parts)).status, 'accepted');
  const lists = findNetworkLists(dataDir).lists.filter(({ effect }) => effect.relay === true);
  assert.deepEqual([lists.length, lists[0]?.prefixes?.length], [1, 6000]);
  await store.close();
});

test('relay lists come first in the schedule, and other lists about networks next, so that one rebuild holds them all', () => {
  const scheduled = relayFirst(CATALOGUE.filter(isOnSchedule), (feed) => feed).map(({ id }) => id);
  assert.equal(scheduled[0], RELAY);
  const kinds = scheduled.map((id) => feedById(id)!.effect.kind);
  assert.ok(kinds.includes('network') && kinds.lastIndexOf('network') < kinds.indexOf('risk'), kinds.join(' '));
  assert.deepEqual([...scheduled].sort(), CATALOGUE.filter(isOnSchedule).map(({ id }) => id).sort()); // biome-ignore format: one line
});

test('without any relay list a VPN list is not asked for, waits with its reason and is missed; other lists are read', async () => {
  const { dataDir, feeds, mirror, store } = await setup(true, ['x4bnet-vpn-ipv4.txt', 'iplocate-all-proxies.txt']);
  assert.equal(hasRelayRanges(dataDir), false);
  const reader = readerOf(feeds, mirror);
  const [vpn, proxies] = feedsOf('x4bnet-vpn-4', 'iplocate-proxies') as [Feed, Feed];
  for (let time = 0; time < 3; time++)
    assert.deepEqual(await refreshFeed(vpn, reader, feeds.parts), { status: 'refused', reason: said(WAITS_FOR_RELAY) });
  assert.equal((await refreshFeed(proxies, reader, feeds.parts)).status, 'accepted');
  assert.deepEqual(reader.asked, [proxies.id]);
  const states = new FeedStateFiles(join(dataDir, 'feeds'));
  // One failure however often it waited, so that it is read within minutes of the relay list.
  assert.deepEqual([states.get(vpn.id).failures, states.get(vpn.id).error], [1, said(WAITS_FOR_RELAY)]);
  assert.deepEqual(missingSources([vpn, proxies], allOnSchedule(states), NOW).ids, [vpn.id]);
  assert.deepEqual(await store.observationsAt(parseAnyAddress(EXIT)!, NOW), []);
  await store.close();
});

test('pulse lookup says why there is no evidence of VPN lists', async () => {
  const { dataDir, store } = await setup(true, []);
  store.noteLeftOut({ ids: ['x4bnet-vpn-4'], retired: [], expected: 2 }, unixMs(Date.now()));
  store.close();
  writeSyntheticGeo(dataDir);
  const lookup = (): CommandResult => pulseOver(dataDir, ['lookup', '8.8.8.8', '--professional', '--explain']);
  const waiting = lookup();
  assert.equal(waiting.status, 0, waiting.stderr);
  assert.equal((JSON.parse(waiting.stdout) as { explain: { vpn_lists?: string } }).explain.vpn_lists, WAITS_FOR_RELAY);
  assert.match(
    waiting.stderr,
    /^degraded: 1 of 2 sources of evidence late or missing; `pulse feeds list` shows them\nlists of VPN addresses: waits for a list of private-relay ranges/m,
  );
  rmSync(join(dataDir, 'network'), { recursive: true });
  const known = lookup();
  assert.ok(
    known.status === 0 && !known.stdout.includes('vpn_lists') && !known.stderr.includes('private-relay'),
    known.stderr,
  );
});

test('explaining three addresses reads the lists about networks as often as explaining one', async () => {
  const { dataDir, store } = await setup(true, []);
  store.close();
  writeSyntheticGeo(dataDir);
  const counter = join(dataDir, 'count-reads.mjs');
  writeFileSync(
    counter,
    `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { readFileSync } = fs;
let reads = 0;
fs.readFileSync = (path, ...rest) => {
  if (String(path).endsWith('${RELAY}.json')) reads++;
  return readFileSync(path, ...rest);
};
syncBuiltinESMExports();
process.on('exit', () => process.stderr.write('reads ' + reads));`,
  );
  const readsOf = (...addresses: string[]): string | undefined =>
    /reads \d+/.exec(
      pulseProcess(['lookup', ...addresses, '--explain'], {
        env: { PULSE_DATA_DIR: dataDir, NODE_OPTIONS: `--import=${counter}` },
      }).stderr,
    )?.[0];
  const alone = readsOf('8.8.8.8');
  assert.match(alone ?? '', /reads [1-9]/);
  assert.equal(readsOf('8.8.8.8', '9.9.9.9', '1.1.1.1'), alone);
});

test('one pass reads the relay list and then the VPN list, whatever their order', async () => {
  const { feeds, mirror, store } = await setup(true, ['x4bnet-vpn-ipv4.txt', 'egress-ip-ranges.csv']);
  const outcomes: string[] = [];
  for await (const { feed, outcome } of refreshFeeds(
    feedsOf('x4bnet-vpn-4', RELAY),
    readerOf(feeds, mirror),
    feeds.parts,
  ))
    outcomes.push(`${feed.id} ${outcome.status}`);
  assert.deepEqual(outcomes, [`${RELAY} accepted`, 'x4bnet-vpn-4 accepted']);
  assert.equal((await store.observationsAt(parseAnyAddress(EXIT)!, NOW))[0]?.riskType, 'vpn');
  await store.close();
});

test('a folder is taken in with its relay list first; one without such a list brings no VPN list, neither its content nor its history', async () => {
  for (const relay of [true, false]) {
    const { feeds, mirror, store } = await setup(true, [
      'x4bnet-vpn-ipv4.txt',
      ...(relay ? ['egress-ip-ranges.csv'] : []),
    ]);
    mkdirSync(join(mirror, 'x4bnet-vpn-4'));
    writeFileSync(
      join(mirror, 'x4bnet-vpn-4', '2026-11-01.txt'),
      Array.from({ length: 3000 }, (_, i) => `198.${14 + (i >> 8)}.${i & 255}.1\n`).join(''),
    );
    const statuses = new Map<string, string[]>();
    for await (const { feed, outcome } of importMirror(await feeds.scan(mirror), feeds.parts, { series: true }))
      statuses.set(feed.id, [...(statuses.get(feed.id) ?? []), outcome.status]);
    const wanted = relay ? 'accepted' : 'refused';
    assert.deepEqual([...statuses], relay ? [[RELAY, ['accepted']], ['x4bnet-vpn-4', [wanted, wanted]]] : [['x4bnet-vpn-4', [wanted, wanted]]]); // biome-ignore format: one line
    assert.equal((await store.observationsAt(parseAnyAddress(EXIT)!, NOW)).length, relay ? 1 : 0);
    await store.close();
  }
});

test('an operator’s own list of relay ranges is enough', async () => {
  const { dataDir, feeds, mirror, store } = await setup(true, ['x4bnet-vpn-ipv4.txt']);
  writeFileSync(
    join(dataDir, 'network', 'our-relay.json'),
    JSON.stringify({ id: 'our-relay', version: '1', effect: { relay: true }, prefixes: ['172.224.0.0/12'] }),
  );
  assert.equal((await refreshFeed(feedById('x4bnet-vpn-4')!, readerOf(feeds, mirror), feeds.parts)).status, 'accepted');
  await store.close();
});
