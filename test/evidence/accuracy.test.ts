/** bench/accuracy.ts over a small mirror, against figures counted by hand. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accuracyText } from '../../bench/accuracy/accuracy-text.ts';
import { type AccuracyReport, measureAccuracy } from '../../bench/accuracy/measure-accuracy.ts';
import { addressesIn, randomAddress4 } from '../../bench/accuracy/seeded-addresses.ts';
import { publishedSources } from '../../src/adapters/feeds/catalogue.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { loadProtection } from '../../src/adapters/layers/load-protection.ts';
import { contains, parsePrefix } from '../../src/core/ip/prefix.ts';
import { isReserved } from '../../src/core/ip/special-purpose.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/units.ts';
import { randomWords } from '../support/random.ts';
import { testFolder } from '../support/test-folder.ts';

const AT = Date.UTC(2026, 8, 1);
const DAYS = 40;
const DRAWS = 400_000;
const SEED = 7;

const folder = testFolder('accuracy-test');
const store = new SqliteHistory(join(folder, 'evidence.db'));
after(() => store.close());

const mirror = join(folder, 'mirror');
const lists = join(folder, 'lists');
for (const path of [mirror, lists]) mkdirSync(path);

/** Nineteen networks and a whole /16 of an access network. */
writeFileSync(
  join(mirror, 'avastel-blocklist-8days.txt'),
  ['24.5.0.0/16', ...Array.from({ length: 19 }, (_, n) => `31.0.${n + 1}.0/24`)].join('\n'),
);
/** The first address of two of the networks, a public resolver, one address that only this list has. */
writeFileSync(
  join(mirror, 'feodo-ipblocklist.txt'),
  ['# list', '31.0.1.0', '31.0.2.0', '1.1.1.1', '45.0.0.1'].join('\n'),
);
/** The resolver and the first network again, and others of its own. */
writeFileSync(
  join(mirror, 'greensnow.txt'),
  ['1.1.1.1', '31.0.1.0', ...Array.from({ length: 198 }, (_, n) => `45.0.1.${n + 1}`)].join('\n'),
);
/** Last published so long ago that nothing in it is active. */
writeFileSync(
  join(mirror, 'shadowwhisperer-Scanners.csv'),
  ['ip', ...Array.from({ length: 5000 }, (_, n) => `46.0.${n >> 8}.${n & 255}`)].join('\n'),
);
const hourAgo = new Date(AT - HOUR_MS).toISOString();
const published = (name: string, at: string) => [name, { published_at: at }] as const;
writeFileSync(
  join(mirror, 'manifest.json'),
  JSON.stringify({
    files: Object.fromEntries([
      ...['avastel-blocklist-8days.txt', 'feodo-ipblocklist.txt', 'greensnow.txt'].map((name) =>
        published(name, hourAgo),
      ),
      published('shadowwhisperer-Scanners.csv', '2026-01-03T00:00:00Z'),
    ]),
  }),
);
/** Proxies that are listed every day for forty days, and one that was there on the first day alone. */
const STEADY = 119;
writeFileSync(
  join(mirror, 'proxies.feedlog.jsonl'),
  [
    {
      format: 'feedlog/1',
      repo: 'https://github.com/iplocate/free-proxy-list',
      path: 'all-proxies.txt',
      versions: DAYS,
    },
    ...Array.from({ length: DAYS }, (_, n) => ({
      t: new Date(AT - (DAYS - 1 - n) * DAY_MS).toISOString(),
      ...(n === 0
        ? { full: [...Array.from({ length: STEADY }, (_, i) => `62.0.0.${i}:80`), '62.0.1.1:80'] }
        : n === 1
          ? { del: ['62.0.1.1:80'] }
          : {}),
    })),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n'),
);
writeFileSync(join(lists, 'of-others.txt'), ['31.0.1.0', '45.0.0.1 # comment', '77.0.0.1'].join('\n'));

const access = parsePrefix('24.0.0.0/8')!;
const wide = parsePrefix('24.5.0.0/16')!;

const report: Promise<AccuracyReport> = measureAccuracy({
  folders: [mirror],
  store,
  protection: loadProtection(publishedSources()),
  placesOf: async () => ({
    place: () => ({}),
    network: (address) => ({
      usageType: contains(access, address) ? 'DYN' : undefined,
      hosting: false,
      mobile: false,
      crawler: false,
      relay: false,
      asn: contains(access, address) ? 64500 : undefined,
    }),
  }),
  recall: lists,
  draws: DRAWS,
  seed: SEED,
});

test('every scheduled source has a row: content of the mirror is taken in at its own time, the rest is named as not measured', async () => {
  const { at, feeds, overlaps } = await report;
  assert.equal(at, AT, 'the newest content');
  assert.deepEqual(
    feeds.flatMap(({ feed, contentAt, runs }) => (contentAt === undefined ? [] : [[feed.id, contentAt, runs]])),
    [
      ['iplocate-proxies', AT, DAYS],
      ['avastel-proxies', AT - HOUR_MS, 1],
      ['feodo', AT - HOUR_MS, 1],
      ['greensnow', AT - HOUR_MS, 1],
      ['shadowwhisperer-scanners', Date.UTC(2026, 0, 3), 1],
    ],
  );
  assert.equal(overlaps.length, 5);
  assert.match(accuracyText(await report), /^Not measured here: .*`cins`/m);
});

test('knowledge of a source, alone and with others', async () => {
  const { overlaps } = await report;
  const of = (id: string) => overlaps.find(({ source }) => source === id)!;
  const feodo = of('feodo');
  assert.deepEqual([feodo.entries, feodo.alone], [4, 1]);
  assert.deepEqual([of('greensnow').entries, of('greensnow').alone], [200, 198]);
  const avastel = of('avastel-proxies');
  assert.deepEqual([avastel.access, feodo.access], [1, 0], 'the /16 of the access network');
  assert.deepEqual([avastel.entries, avastel.alone, avastel.levels.active], [20, 18, 20]);
  assert.deepEqual([avastel.levels.medium, avastel.levels.high], [2, 0], 'medium where feodo names it as well');
  const old = of('shadowwhisperer-scanners');
  assert.deepEqual([old.entries, old.alone, old.levels.active], [5000, 0, 0], 'expired: it knows nothing alone');
});

test('a known-good address that two lists name is low, and would be medium without the table', async () => {
  const resolvers = (await report).knownGood.find(({ name }) => name === 'dns-resolvers')!;
  const { listed, sampled } = resolvers;
  assert.deepEqual(listed, { asked: 1, active: 1, medium: 0, high: 0, mediumUnprotected: 1, highUnprotected: 0 });
  assert.deepEqual([sampled.active, sampled.mediumUnprotected], [1, 1]);
  const others = (await report).knownGood.filter(({ name }) => name !== 'dns-resolvers');
  assert.ok(others.length >= 30);
  assert.equal(
    others.reduce((sum, set) => sum + set.listed.asked, 0),
    0,
  );
});

test('random addresses are counted by usage code, those with an AS number together, and what is medium by source', async () => {
  const words = randomWords(SEED);
  const drawn = Array.from({ length: DRAWS }, () => randomAddress4(words)).filter((address) => !isReserved(address));
  const homes = drawn.filter((address) => contains(access, address)).length;
  const listed = drawn.filter((address) => contains(wide, address)).length;
  assert.ok(listed > 0);
  const { byUsage, routed, sources } = (await report).random;
  assert.deepEqual([byUsage.get('DYN')!.asked, byUsage.get('')!.asked], [homes, drawn.length - homes]);
  assert.deepEqual([routed.asked, routed.active, routed.medium], [homes, listed, 0], 'a /16 weighs little');
  assert.equal(sources.size, 0);
});

test('recall: the sources about a list that is not theirs', async () => {
  assert.deepEqual((await report).recall, [{ name: 'of-others', entries: 3, active: 2, medium: 1, high: 0 }]);
});

test('every row of a table has a cell for each of its heads', async () => {
  for (const table of accuracyText(await report)
    .split('\n\n')
    .filter((part) => part.startsWith('|'))) {
    const cells = table
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' | ').length);
    assert.equal(new Set(cells.filter((_, row) => row !== 1)).size, 1, table);
  }
});

test('addresses of a prefix: its first one, and others inside it', () => {
  const words = randomWords(1);
  for (const text of ['203.0.112.0/22', '8.8.8.8', '2001:4860::/32', '2001:4860:4860::8888', '1.1.1.0/30']) {
    const prefix = parsePrefix(text)!;
    const addresses = [...addressesIn(prefix, 8, words)];
    assert.ok(addresses.every((address) => contains(prefix, address)));
    assert.equal(addresses.length, { 32: prefix.family === 4 ? 1 : 8, 128: 1, 30: 4 }[prefix.bits] ?? 8, text);
  }
});
