/**
 * Every current snapshot of a folder of real lists next to the checkout loads through the mirror lookup, with
 * the row counts its manifest states. These three tests are skipped where it is absent; the catalogue is
 * checked everywhere.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE, feedsForFile, newestContent } from '../../src/adapters/feeds/catalogue.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { refuseReading } from '../../src/core/feeds/refuse-reading.ts';

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const absent = existsSync(join(DATA, 'MANIFEST.md')) ? false : `${DATA} is not there`;

/** Files that hold no addresses or are not a list of one source. */
const NOT_FEEDS = ['arcjet-well-known-bots.json.gz', 'openasn-fetch-manifest.json', 'tn3w-feeds-intel.json'];
/** Files of which a feed takes a part by design; the manifest counts everything in them. */
const PARTIAL = new Set([
  'anycast-4',
  'anycast-6',
  'aws-cloudfront',
  'azure',
  'azure-appservice',
  'ipsum',
  'maltrail-mirai',
  'openproxydb',
  'shadowwhisperer-tunnels',
  'monosans-proxies',
]);
/** Rows a feed may differ from the manifest, which counts header lines and reserved addresses too. */
const TOLERANCE = 0.001;

const manifest = absent
  ? []
  : [
      ...readFileSync(join(DATA, 'MANIFEST.md'), 'utf8').matchAll(
        /^\| ((?:feeds\/current|geo)\/\S+) \|.*?\| (\d+) \| (\d+) \|/gm,
      ),
    ].map((match) => ({
      path: match[1]!,
      rows: Number(match[3]),
    }));

test('every current and geo file of the manifest belongs to a feed', { skip: absent }, () => {
  assert.ok(manifest.length >= 85, String(manifest.length));
  const orphans = manifest.filter(
    ({ path }) => !NOT_FEEDS.includes(basename(path)) && feedsForFile(basename(path)).length === 0,
  );
  assert.deepEqual(orphans, []);
});

test('every snapshot is within its feed’s bounds and has the rows the manifest states', { skip: absent }, async () => {
  const scan = await scanMirror(DATA);
  assert.ok(scan.snapshots.length >= 85, String(scan.snapshots.length));
  for (const { feed, path } of scan.snapshots) {
    const reading = await readFeed({ from: 'file', feed, path });
    assert.equal(refuseReading(feed, reading.parsed, reading.bytes, {}), undefined, feed.id);
    const stated = manifest.find((entry) => path.endsWith(entry.path))?.rows;
    if (stated === undefined || PARTIAL.has(feed.id)) continue;
    const slack = Math.max(8, stated * TOLERANCE);
    assert.ok(
      Math.abs(reading.parsed.rows - stated) <= slack,
      `${feed.id}: ${reading.parsed.rows} rows, manifest ${stated}`,
    );
  }
});

test('histories are matched to their feed by repository and path', { skip: absent }, async () => {
  const ids = new Set((await scanMirror(join(DATA, 'feeds/history'))).series.map(({ feed }) => feed.id));
  assert.deepEqual(
    [...ids].sort(),
    'avastel-1day avastel-neighbours iplocate-proxies oxl-reports threatfox tor-nodes x4bnet-vpn-4'.split(' '),
  );
});

test('the catalogue names each feed once, under https, with licence and attribution, and with bounds that make sense', () => {
  assert.ok(CATALOGUE.length >= 45);
  assert.equal(new Set(CATALOGUE.map(({ id }) => id)).size, CATALOGUE.length);
  for (const feed of CATALOGUE) {
    assert.match(feed.id, /^[a-z0-9][a-z0-9-]*$/);
    assert.ok(feed.url === '' || feed.url.startsWith('https://'), feed.id);
    assert.ok(feed.licence !== '' && feed.attribution !== '' && feed.files.length > 0, feed.id);
    assert.ok(feed.bounds.minRows < feed.bounds.maxRows && feed.cadenceMin / 60 < feed.maxAgeHours, feed.id);
  }
});

test('honeypot types and hijacked devices are the service’s own collection: no public list claims them', () => {
  const claims = CATALOGUE.filter(
    ({ effect }) => effect.kind === 'risk' && /^(honeypot_|hijacked_proxy|ipv6_range)/.test(effect.riskType),
  ).map(({ id }) => id);
  assert.deepEqual(claims, ['cowrie']);
  const typed = CATALOGUE.filter(({ format }) => format.kind === 'csv' && format.types !== undefined).map(
    ({ id }) => id,
  );
  assert.deepEqual(typed, [], 'no column of a list does either');
});

test('a list without content of the last year is off the schedule, and a source that is off says why', () => {
  const written = Date.UTC(2026, 10, 22);
  for (const feed of CATALOGUE) {
    const date = newestContent.get(feed.id);
    const known = date === undefined ? written : Date.parse(date);
    assert.ok(feed.scheduled === false || written - known <= 366 * 86_400_000, `${feed.id}: ${date}`);
    assert.equal(feed.scheduled === false, feed.offScheduleBecause !== undefined, feed.id);
  }
  const dead = CATALOGUE.filter(({ family, scheduled }) => family === 'oxl' && scheduled !== false);
  assert.deepEqual(dead, []);
});

test('lists of scanners that never drop an address see it once', () => {
  for (const id of [
    'maltrail-scanners',
    'maltrail-scanner-nets',
    'maltrail-mirai',
    'shadowwhisperer-scanners',
    'openproxydb',
  ])
    assert.equal(CATALOGUE.find((feed) => feed.id === id)!.mode, 'appearance', id);
});

test('blocked ranges are not seen proxies: of OpenProxyDB single addresses are taken', () => {
  assert.deepEqual(CATALOGUE.find(({ id }) => id === 'openproxydb')!.bounds.widest, { 4: 32, 6: 64 });
});

test('private relay ranges are never evidence, and command servers are never hijacked devices', () => {
  for (const feed of CATALOGUE.filter(({ family }) => family === 'apple-relay'))
    assert.deepEqual(feed.effect, { kind: 'network', network: { relay: true } });
  assert.equal(
    CATALOGUE.some(
      ({ family, effect }) => family === 'maltrail' && effect.kind === 'risk' && effect.riskType !== 'osint',
    ),
    false,
  );
});
