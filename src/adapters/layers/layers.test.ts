import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { makeIp2regionDb, makeIpdb, makeMmdb, makeXdb4, makeXdb6 } from '../../../test/data/synthetic-files.ts';
import { covers } from '../../../test/spec/covers.ts';
import { rangeAt } from '../../../test/support/range-at.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import type { LayerRecord } from '../../core/place/layer-record.ts';
import { worded } from '../../core/texts/said.ts';
import { packedText } from '../../engine/record-texts.ts';
import { rawFromChina } from './china-fields.ts';
import { findLayers } from './find-layers.ts';
import { findNetworkLists, networkList, shippedLists } from './find-network-lists.ts';
import { type LayerData, LayerFileError } from './layer-data.ts';
import type { LayerFile } from './layer-file.ts';
import { readMmdb } from './mmdb/read-mmdb.ts';
import { GEOFEED, readCsv } from './read-csv.ts';
import { readFamily } from './read-family.ts';
import { readIpdb } from './read-ipdb.ts';
import { kindOf, readLayer } from './read-layer.ts';
import { readIp2regionDb, readXdb } from './read-xdb.ts';
import { rulesDigest } from './tables.ts';

const folder = testFolder('layers');

const at = (data: LayerData, text: string): LayerRecord | undefined => {
  const address = parseAnyAddress(text)!;
  const set = address.family === 4 ? data.v4 : data.v6;
  return set && data.records[rangeAt(set, [address.w0, address.w1, address.w2, address.w3])];
};

const GEOIP2 = {
  country: { iso_code: 'US' },
  subdivisions: [{ names: { en: 'California', de: 'Kalifornien' } }],
  city: { names: { en: 'San Jose' } },
  location: { latitude: 37.3387, longitude: -121.8853, time_zone: 'America/Los_Angeles' },
};

for (const recordSize of [24, 28, 32] as const)
  test(`MMDB with ${recordSize}-bit records: both families, the GeoIP2 layout, aliases of the IPv4 tree left out`, () => {
    const bytes = makeMmdb({
      recordSize,
      ipVersion: 6,
      alias: true,
      entries: [
        ['1.0.0.0/24', GEOIP2],
        ['255.255.255.255/32', { country: { iso_code: 'FR' } }],
        ['2001:db8:0:1::/65', { country: { iso_code: 'DE' } }],
      ],
    });
    const data = readMmdb('x.mmdb', bytes, 'both');
    assert.deepEqual(at(data, '1.0.0.255'), {
      country: 'US',
      region: 'California',
      city: 'San Jose',
      point: [37.3387, -121.8853],
      tz: 'America/Los_Angeles',
    });
    assert.deepEqual(at(data, '255.255.255.255'), { country: 'FR' });
    assert.deepEqual(at(data, '2001:db8:0:1:7fff::'), { country: 'DE' });
    for (const unknown of '0.255.255.255 1.0.1.0 255.255.255.254 2001:db8:0:1:8000:: 2001:db8:: 2002:100::1'.split(' '))
      assert.equal(at(data, unknown), undefined, unknown);
    assert.equal(data.v4?.count, 4);
  });

test('MMDB: the flat layouts of ip-location-db and IPinfo, equal neighbours merged, one record for one place in the file', () => {
  const flat = {
    country_code: 'CN',
    state1: 'Beijing',
    state2: '',
    city: 'Beijing',
    latitude: 39.9,
    longitude: 116.4,
    timezone: '',
  };
  const bytes = makeMmdb({
    recordSize: 24,
    ipVersion: 4,
    entries: [
      ['2.0.0.0/9', flat],
      ['2.128.0.0/9', flat],
      ['3.0.0.0/8', { country: 'GB', region: 'England', city: 'London', lat: '51.5', lng: '-0.1', asn: 'AS5089' }],
      ['4.0.0.0/8', { autonomous_system_number: 3356 }],
    ],
  });
  const data = readMmdb('x.mmdb', bytes, 'both');
  assert.deepEqual(at(data, '2.200.0.0'), { country: 'CN', region: 'Beijing', city: 'Beijing', point: [39.9, 116.4] });
  assert.deepEqual(at(data, '3.1.2.3'), {
    country: 'GB',
    region: 'England',
    city: 'London',
    point: [51.5, -0.1],
    asn: 5089,
  });
  assert.deepEqual(at(data, '4.255.255.255'), { asn: 3356 });
  assert.deepEqual([data.v4?.count, data.records.length, data.v6], [5, 4, undefined]);
});

test('a broken MMDB is refused with its name and an offset: no marker, cut tree, pointers out of the file, a tree that folds back', () => {
  const sound = makeMmdb({ recordSize: 24, ipVersion: 4, entries: [['1.0.0.0/8', GEOIP2]] });
  const spoil = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(sound);
    change(copy);
    return copy;
  };
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('no database'),
    sound.subarray(0, sound.length - 60),
    sound.subarray(40),
    spoil((copy) => copy.writeUIntBE(0xffffff, 0, 3)),
    spoil((copy) => copy.fill(0, 0, 6)),
    spoil((copy) => copy.fill(0xff, 8 * 6 + 16, 8 * 6 + 40)),
  ])
    assert.throws(
      () => readMmdb('bad.mmdb', bytes, 'both'),
      (error: Error) => error instanceof LayerFileError && error.message.startsWith('bad.mmdb: '),
    );
});

test('every truncation and every single damaged byte of a small MMDB either reads or is a LayerFileError', () => {
  const sound = makeMmdb({
    recordSize: 28,
    ipVersion: 4,
    entries: [
      ['1.0.0.0/8', GEOIP2],
      ['9.9.9.0/24', { country_code: 'CH' }],
    ],
  });
  const attempt = (bytes: Buffer): void => {
    try {
      readMmdb('bad.mmdb', bytes, 'both');
    } catch (error) {
      assert.ok(error instanceof LayerFileError, String((error as Error).stack));
    }
  };
  for (let length = 0; length < sound.length; length++) attempt(sound.subarray(0, length));
  for (let i = 0; i < sound.length; i++)
    for (const value of [0x00, 0xff, sound[i]! ^ 0x20]) {
      const copy = Buffer.from(sound);
      copy[i] = value;
      attempt(copy);
    }
});

test('CSV: columns by header in any order, ranges, prefixes and quoted cells', () => {
  const data = readCsv(
    'x.csv',
    Buffer.from(
      '\ufeffcity,Start_IP,end ip,Country Code,Latitude,Longitude,admin_code,usage_type\r\n"Saint John, NB",5.0.0.0,5.0.0.9,CA,45.27,-66.06,,com\r\n,5.0.0.5,5.0.0.5,CN,,,440305,\n',
    ),
    'both',
  );
  assert.deepEqual(at(data, '5.0.0.9'), {
    country: 'CA',
    city: 'Saint John, NB',
    point: [45.27, -66.06],
    usage: 'com',
  });
  assert.deepEqual(at(data, '5.0.0.5'), { country: 'CN', adminCode: '440305' });
  assert.deepEqual([at(data, '4.255.255.255'), at(data, '5.0.0.10')], [undefined, undefined]);
});

test('a usage code is passed through in whatever form the file has it; a stand-in for unknown is left out', () => {
  covers('NET-USAGE');
  for (const code of ['DCH', 'V6X', 'ISP/MOB', 'idc', 'x y', '数据中心', '0A', 'A'.repeat(32)]) {
    const data = readCsv('x.csv', Buffer.from(`network,usage_type\n5.0.0.0/24, ${code} \n`), 4);
    assert.deepEqual(at(data, '5.0.0.9'), { usage: code });
    assert.equal(networkList('x', { id: 'ok', version: '1', effect: { usage: code }, asns: [1] }).effect.usage, code);
  }
  for (const unknown of ['', '-', '0', 'N/A', 'Unknown', 'null', 'a\u0000b', 'A'.repeat(33)])
    assert.equal(
      at(readCsv('x.csv', Buffer.from(`network,usage_type\n5.0.0.0/24,${unknown}\n`), 4), '5.0.0.9'),
      undefined,
      unknown,
    );
});

test('a layer whose usage_type holds names and not codes is refused with the reason', () => {
  const file = join(folder, 'named.csv');
  const rows = (count: number): string =>
    ['network,usage_type', ...Array.from({ length: count }, (_, i) => `5.0.${i}.0/24,Operator ${i}`)].join('\n');
  const layer = { id: 'named', version: '1', files: [file], shipped: false } as const satisfies LayerFile;
  writeFileSync(file, rows(64));
  assert.equal(readLayer(layer, 4).parts[0]?.records.length, 65);
  writeFileSync(file, rows(65));
  assert.throws(() => readLayer(layer, 4), /named\.csv: usage_type has more than 64 different values/);
});

test('CSV without a header: ASN tables with addresses or numbers, geofeeds with comments', () => {
  const asn = readCsv(
    'asn.csv',
    Buffer.from(
      '1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."\n42540488161975842760550356425300246528,42540488241204005274814694018844196863,6939,Hurricane\n',
    ),
    'both',
  );
  assert.deepEqual(
    [at(asn, '1.0.0.7'), at(asn, '2001::5')],
    [
      { asn: 13335, asName: 'Cloudflare, Inc.' },
      { asn: 6939, asName: 'Hurricane' },
    ],
  );
  const feed = readCsv(
    'f.csv',
    Buffer.from('# RFC 8805\n192.0.2.0/25,US,US-CA,Alameda,\n2001:db8::/32,PL,,,02-784\n192.0.2.128,,,,\n'),
    'both',
  );
  assert.deepEqual(at(feed, '192.0.2.1'), { country: 'US', region: 'US-CA', city: 'Alameda' });
  assert.deepEqual([at(feed, '2001:db8:ffff::'), at(feed, '192.0.2.128')], [{ country: 'PL' }, { unlocated: true }]);
});

test('the country column of iptoasn’s table gives neither a name nor a place; other numbered tables are refused', () => {
  const rows = '0.0.0.0\t0.255.255.255\t0\tNone\tNot routed\n1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET\n';
  for (const text of [rows, rows.split('\n')[1]!])
    assert.deepEqual(at(csv(text), '1.0.0.7'), { asn: 13335, asName: 'CLOUDFLARENET' });
  for (const row of ['13335,US', '13335,US,ARIN,x,y', '13335,Cloudflare,US'])
    assert.throws(() => csv(`1.0.0.0,1.0.0.255,${row}\n`), LayerFileError, row);
});

const csv = (text: string, families: 4 | 6 | 'both' = 'both'): LayerData =>
  readCsv('x.csv', Buffer.from(text), families);

test('columns count by their meaning in MMDB, IPDB and CSV alike: the code of a country, the name of an area, in any order', () => {
  covers('LAYER-MEANING');
  const columns = {
    country: 'Australia',
    region: 'VIC',
    country_code: 'AU',
    region_name: 'Victoria',
    city: 'Melbourne',
  };
  const expected = { country: 'AU', region: 'Victoria', city: 'Melbourne' };
  const names = Object.keys(columns);
  for (const order of [names, names.toReversed()]) {
    const record = Object.fromEntries(order.map((name) => [name, columns[name as keyof typeof columns]]));
    const entries = [['1.0.4.0/24', record]] as const;
    const mmdb = readMmdb('x.mmdb', makeMmdb({ recordSize: 24, ipVersion: 4, entries: [[...entries[0]]] }), 4);
    assert.deepEqual(at(mmdb, '1.0.4.1'), expected);
    const text = `network,${order.join(',')}\n1.0.4.0/24,${Object.values(record).join(',')}\n`;
    assert.deepEqual(at(csv(text), '1.0.4.1'), expected);
  }
  const ipapi =
    'ip_version,start_ip,end_ip,continent,country_code,country,state,city,zip,timezone,latitude,longitude,accuracy\n' +
    '4,60.54.50.0,60.54.50.255,AS,MY,Malaysia,Selangor,Putra Heights,47650,Asia/Kuala_Lumpur,2.99,101.57,2\n';
  assert.deepEqual(at(csv(ipapi), '60.54.50.9'), {
    country: 'MY',
    region: 'Selangor',
    city: 'Putra Heights',
    point: [2.99, 101.57],
    tz: 'Asia/Kuala_Lumpur',
  });
  const lite =
    'network,country,country_code,continent,continent_code,asn,as_name,as_domain\n1.0.0.0/24,Australia,AU,Oceania,OC,AS13335,"Cloudflare, Inc.",cloudflare.com\n';
  assert.deepEqual(at(csv(lite), '1.0.0.1'), { country: 'AU', asn: 13335, asName: 'Cloudflare, Inc.' });
  const nested = { location: { country_code: 'MY', country: 'Malaysia', state: 'Selangor', city: 'Putra Heights' } };
  const mmdb = makeMmdb({ recordSize: 24, ipVersion: 4, entries: [['60.54.50.0/24', nested]] });
  assert.deepEqual(at(readMmdb('x.mmdb', mmdb, 4), '60.54.50.9'), {
    country: 'MY',
    region: 'Selangor',
    city: 'Putra Heights',
  });
});

test('files as IP2Location, DB-IP and ip-location-db publish them, without a header', () => {
  const own = { country: 'US', region: 'California', city: 'San Jose' };
  const point = [37.33939, -121.89496] as const;
  const db = (...more: string[]): string =>
    ['"0","16777215","-","-"', '"16777216","16777471","US","United States of America"']
      .map((row, i) => [row, ...more.map((cell) => (i === 0 ? '"-"' : `"${cell}"`))].join(','))
      .join('\n');
  const place = ['California', 'San Jose'];
  const where = ['37.339390', '-121.894960'];
  assert.deepEqual(at(csv(db()), '1.0.0.1'), { country: 'US' });
  assert.deepEqual(at(csv(db(...place)), '1.0.0.1'), own);
  for (const more of [[], ['95101'], ['95101', '-07:00']])
    assert.deepEqual(at(csv(db(...place, ...where, ...more)), '1.0.0.1'), { ...own, point }, more.join());
  assert.equal(at(csv(db(...place)), '0.0.0.1'), undefined);
  const dbip =
    '0.0.0.0,0.255.255.255,ZZ,ZZ,,,0,0\n1.0.0.0,1.0.0.255,OC,AU,Queensland,"South Brisbane",-27.4767,153.017\n';
  assert.deepEqual(at(csv(dbip), '1.0.0.1'), {
    country: 'AU',
    region: 'Queensland',
    city: 'South Brisbane',
    point: [-27.4767, 153.017],
  });
  const ipLocationDb = '1.0.0.0,1.0.0.255,AU,Queensland,,"South Brisbane",4101,-27.4767,153.017,Australia/Brisbane\n';
  assert.deepEqual(at(csv(ipLocationDb), '1.0.0.1'), {
    country: 'AU',
    region: 'Queensland',
    city: 'South Brisbane',
    point: [-27.4767, 153.017],
    tz: 'Australia/Brisbane',
  });
});

test('whole numbers of a file with IPv6 numbers are IPv6 addresses from 0 on, and those that stand for IPv4 ones are of IPv4', () => {
  const rows = [
    '"0","281470681743359","-","-"',
    '"281470681743360","281470698520575","-","-"',
    '"281470698520576","281470698520831","US","United States of America"',
    '"42540528726795050063891204319802818560","42540528806023212578155541913346768895","JP","Japan"',
  ].join('\n');
  for (const text of [rows, `ip_from,ip_to,country_code,country_name\n${rows}`]) {
    const data = csv(text);
    assert.deepEqual([at(data, '1.0.0.1'), at(data, '2001:200::1')], [{ country: 'US' }, { country: 'JP' }]);
    assert.deepEqual([at(data, '::5'), at(data, '0.0.0.5')], [undefined, undefined]);
    assert.deepEqual(data.leftOut, { rows: 0, countries: new Map() });
  }
  const low = csv(
    'start,end,country\n5,9,US\n42540528726795050063891204319802818560,42540528726795050063891204319802818569,JP\n',
  );
  assert.equal(at(low, '0.0.0.7'), undefined);
  assert.deepEqual(at(csv('start,end,country\n5,9,US\n'), '0.0.0.7'), { country: 'US' });
});

test('a layer is read with every separator, line end, encoding and packing that people keep tables in', () => {
  covers('LAYER-TABLES');
  const table =
    'Start IP,endIp,Country Code,City Name\r\n5.5.5.0,5.5.5.255,DE,"Bonn, Rhein"\r\n5.5.6.0,5.5.6.255,FR,Lille\r\n';
  const separatedBy = (separator: string): string => table.replace('"Bonn, Rhein"', 'Bonn').replaceAll(',', separator);
  const utf16 = Buffer.from(table, 'utf16le');
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'comma.csv': table,
    'semicolon.csv': separatedBy(';'),
    'tab.tsv': separatedBy('\t'),
    'bar.csv': separatedBy('|'),
    'cr.csv': table.replaceAll('\r\n', '\r'),
    'mark.csv': `\uFEFF${table}`,
    'utf16.csv': utf16,
    'utf16-mark.csv': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
    'gzip.csv.gz': gzipSync(table),
    'zstd.CSV.zst': zstdCompressSync(table),
    'feed.geofeed': '5.5.5.0/24;DE;;Bonn;\n5.5.6.0/24;FR;;Lille;\n',
    'shape.csv': '5.5.5.0;5.5.5.255;DE;Bonn;;x\n5.5.6.0;5.5.6.255;FR;Lille;;x\n',
  };
  const dataDir = join(folder, 'tables');
  mkdirSync(join(dataDir, 'layers'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dataDir, 'layers', name), content);
  const { layers, faults } = findLayers(dataDir);
  const own = layers.filter(({ shipped }) => !shipped);
  assert.deepEqual([faults, own.length], [[], Object.keys(files).length]);
  for (const layer of own) {
    const [data] = readLayer(layer, 'both').parts;
    assert.deepEqual([at(data!, '5.5.5.9')?.country, at(data!, '5.5.6.9')?.country], ['DE', 'FR'], layer.id);
    if (layer.id !== 'shape') assert.match(at(data!, '5.5.5.9')?.city ?? '', /^Bonn/, layer.id);
  }
  assert.ok(own.some(({ id }) => id === 'gzip') && own.some(({ id }) => id === 'zstd'));
  writeFileSync(join(dataDir, 'layers', 'cut.csv.gz'), gzipSync(table).subarray(0, 30));
  const cut = findLayers(dataDir).layers.find(({ id }) => id === 'cut')!;
  assert.throws(() => readLayer(cut, 'both'), /cut\.csv\.gz: cannot be read: .*damaged gzip/);
});

test('a country is a code of ISO 3166-1: UK is GB, XK stays, others are left out and counted', () => {
  covers('GEO-COUNTRY');
  const data = csv(
    [
      '93.184.130.0/24,UK,UK-ENG,London,',
      '93.184.131.0/24,XK,,,',
      ...[0, 1, 2].map((i) => `93.184.${i}.0/24,EU,,,`),
      '93.184.9.0/24,AP,,Tokyo,',
      '93.184.10.0/24,ZZ,,x,',
    ].join('\n'),
  );
  assert.deepEqual(at(data, '93.184.130.1'), { country: 'GB', region: 'UK-ENG', city: 'London' });
  assert.deepEqual(at(data, '93.184.131.1'), { country: 'XK' });
  assert.deepEqual([at(data, '93.184.1.1'), at(data, '93.184.9.1')], [undefined, { city: 'Tokyo' }]);
  assert.deepEqual(
    data.leftOut.countries,
    new Map([
      ['EU', 3],
      ['AP', 1],
    ]),
  );
  const mmdb = makeMmdb({
    recordSize: 24,
    ipVersion: 4,
    entries: [
      ['1.0.0.0/24', { country_code: 'AN' }],
      ['1.0.1.0/24', { country: { iso_code: 'uk' } }],
    ],
  });
  const read = readMmdb('x.mmdb', mmdb, 4);
  assert.deepEqual([at(read, '1.0.0.1'), at(read, '1.0.1.1')], [undefined, { country: 'GB' }]);
  assert.deepEqual(read.leftOut.countries, new Map([['AN', 1]]));
});

test('one bad row in a thousand is left out and counted, one more refuses the file and names the first', () => {
  covers('LAYER-LEFT-OUT');
  const bad = ['5.0.9.0,5.0.8.0,US', '154.17.129.024,154.17.129.255,US', ''];
  const file = (rows: number, bads: number): string =>
    [
      'start,end,country',
      ...Array.from({ length: rows - bads }, (_, i) => `5.${i >> 8}.${i & 255}.0,5.${i >> 8}.${i & 255}.255,US`),
      ...bad.slice(0, bads),
    ].join('\n');
  assert.equal(csv(file(1000, 1)).leftOut.rows, 1);
  assert.equal(csv(file(2000, 2)).leftOut.rows, 2);
  assert.deepEqual(at(csv(file(2000, 2)), '5.7.0.9'), { country: 'US' });
  assert.throws(
    () => csv(file(999, 1)),
    /x\.csv: 1 of 999 rows are bad, the first: range ends before it starts at line 1000$/,
  );
  assert.throws(() => csv(file(1999, 2)), /2 of 1999 rows/);
});

test('a geofeed row without a location asks not to be located, and so does ZZ', () => {
  const text = '93.184.132.0/24,DE,,Berlin,\n93.184.133.0/24,,,,\n93.184.134.0/24,ZZ,,,\n93.184.135.0/24,\n';
  const data = readCsv('x.geofeed', Buffer.from(text), 4, GEOFEED);
  for (const net of [133, 134, 135]) assert.deepEqual(at(data, `93.184.${net}.1`), { unlocated: true });
  assert.deepEqual(at(data, '93.184.132.1'), { country: 'DE', city: 'Berlin' });
  assert.equal(
    at(csv('network,country,city\n93.184.133.0/24,,\n'), '93.184.133.1'),
    undefined,
    'a database does not know it',
  );
});

test('a CSV row without a readable range names its line', () => {
  for (const [text, line] of [
    ['network,country\n1.2.3.0/24,US\n1.2.3.4.5,US', 3],
    ['start,end,asn\n1.0.0.9,1.0.0.1,5', 2],
    ['a,b\n1,2', 1],
    ['network,country\n1.0.0.0/33,US', 2],
    ['start,end,asn\n1.0.0.0,::1,5', 2],
  ] as const)
    assert.throws(
      () => readCsv('bad.csv', Buffer.from(text), 'both'),
      new RegExp(`^LayerFileError: bad.csv: .* at line ${line}$`),
    );
  assert.throws(() => readCsv('bad.csv', Buffer.from('# only a comment\n'), 'both'), LayerFileError);
});

test('a column or a country may have the name of a member that every object has', () => {
  const data = readCsv('x.csv', Buffer.from('network,constructor,country\n5.0.0.0/24,x,US\n'), 4);
  assert.deepEqual(
    data.records,
    readCsv('x.csv', Buffer.from('network,unknown,country\n5.0.0.0/24,x,US\n'), 4).records,
  );
  assert.deepEqual(rawFromChina({ country: 'constructor', iso2: 'US', region: undefined, city: undefined }), {
    country: 'US',
  });
});

const CHINESE = [
  ['1.0.0.0', '1.0.0.255', '中国|0|江苏省|南京市|电信', '中国|江苏省|南京市|电信|CN'],
  ['1.0.1.0', '1.0.1.255', '中国|0|台湾省|台北市|0', '中国|台湾省|台北市|0|TW'],
  ['1.0.2.0', '1.0.2.255', '中国|0|香港|0|0', '中国|香港特别行政区|0|0|HK'],
  ['1.0.3.0', '255.255.255.255', '美国|0|加利福尼亚|0|Level3', 'United States|California|0|Level3|US'],
] as const;

test('ip2region .db, xdb of version 2 and 3: names stay Chinese inside China, Hong Kong and Taiwan have their own codes', () => {
  const db = readIp2regionDb('x.db', makeIp2regionDb(CHINESE.map(([from, to, text]) => [from, to, text])), 'both');
  const xdb2 = readXdb(
    'x.xdb',
    makeXdb4(
      2,
      CHINESE.map(([from, to, text]) => [from, to, text]),
    ),
    'both',
  );
  const xdb3 = readXdb(
    'x.xdb',
    makeXdb4(
      3,
      CHINESE.map(([from, to, , text]) => [from, to, text]),
    ),
    'both',
  );
  for (const data of [db, xdb2, xdb3]) {
    assert.deepEqual(at(data, '1.0.0.255'), { country: 'CN', region: '江苏省', city: '南京市' });
    assert.deepEqual(
      [at(data, '1.0.1.0'), at(data, '1.0.2.0'), at(data, '0.255.255.255')],
      [{ country: 'TW' }, { country: 'HK' }, undefined],
    );
  }
  assert.deepEqual([at(db, '8.8.8.8'), at(xdb3, '8.8.8.8')], [undefined, { country: 'US' }]);
});

test('xdb of version 3 for IPv6', () => {
  const data = readXdb(
    'x.xdb',
    makeXdb6([['240e::', '240e:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '中国|广东省|深圳市|电信|CN']]),
    'both',
  );
  assert.deepEqual(at(data, '240e:1::1'), { country: 'CN', region: '广东省', city: '深圳市' });
  assert.equal(at(data, '240f::'), undefined);
});

test('IPDB: the Chinese columns, both families, district and code', () => {
  const fields = ['country_name', 'region_name', 'city_name', 'district', 'country_code'];
  const bytes = makeIpdb(fields, [
    ['1.0.0.0/24', ['中国', '广东', '深圳', '南山区', 'CN']],
    ['1.0.1.0/24', ['美国', '加州', '', '', 'US']],
    ['2400:3200::/32', ['中国', '浙江', '杭州', '', 'CN']],
  ]);
  const data = readIpdb('x.ipdb', bytes, 'both');
  assert.deepEqual(at(data, '1.0.0.9'), { country: 'CN', region: '广东', city: '深圳', district: '南山区' });
  assert.deepEqual(
    [at(data, '1.0.1.1'), at(data, '2400:3200::1'), at(data, '1.0.2.0')],
    [{ country: 'US' }, { country: 'CN', region: '浙江', city: '杭州' }, undefined],
  );
});

test('broken Chinese-made files are refused with their name', () => {
  const db = makeIp2regionDb([['1.0.0.0', '1.0.0.255', '中国|0|江苏省|南京市|电信']]);
  const xdb = makeXdb4(2, [['1.0.0.0', '1.0.0.255', '中国|0|江苏省|南京市|电信']]);
  const ipdb = makeIpdb(['country_name'], [['1.0.0.0/24', ['中国']]]);
  for (const [read, sound] of [
    [readIp2regionDb, db],
    [readXdb, xdb],
    [readIpdb, ipdb],
  ] as const) {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(64), sound.subarray(0, sound.length - 3), sound.subarray(5)])
      assert.throws(
        () => read('bad.bin', bytes, 'both'),
        (error: Error) => error instanceof LayerFileError && error.message.startsWith('bad.bin: '),
        read.name,
      );
    assert.doesNotThrow(() => read('good.bin', sound, 'both'));
  }
});

test('records that lie over one another are refused before they are read, and so is a range that ends before it starts', () => {
  const text = '中'.repeat(20_000);
  const xdb = makeXdb4(
    2,
    Array.from({ length: 100 }, (_, n) => [`1.0.0.${n}`, `1.0.0.${n}`, n === 0 ? text : `${n}|b|c|d|e`]),
  );
  const first = xdb.readUInt32LE(8);
  const lying = Buffer.from(xdb);
  // Every entry speaks of the long text, each from another byte on.
  for (let n = 1; n < 100; n++) lying.writeUInt32LE(xdb.readUInt32LE(first + 10) + n, first + 14 * n + 10);
  for (let n = 1; n < 100; n++) lying.writeUInt16LE(59_000, first + 14 * n + 8);
  assert.doesNotThrow(() => readXdb('x.xdb', xdb, 'both'));
  assert.throws(() => readXdb('x.xdb', lying, 'both'), /records lie over one another/);
  for (const [from, to] of [['240e::2', '240e::1'], ['240f::', '240e::']] as const)
    assert.throws(() => readXdb('x.xdb', makeXdb6([[from, to, '中国|广东省|深圳市|电信|CN']]), 'both'), /ends before it starts/);
  assert.throws(() => readXdb('x.xdb', makeXdb4(2, [['1.0.0.9', '1.0.0.1', 'a|b|c|d|e']]), 'both'), /ends before it starts/);
}); // biome-ignore format: pairs

test('formats are recognised by content', () => {
  assert.equal(kindOf('a', makeMmdb({ recordSize: 24, ipVersion: 4, entries: [['1.0.0.0/8', GEOIP2]] })), 'mmdb');
  assert.equal(kindOf('a', makeIpdb(['country_name'], [['1.0.0.0/24', ['中国']]])), 'ipdb');
  assert.equal(kindOf('a', makeXdb4(2, [['1.0.0.0', '1.0.0.255', 'a|b|c|d|e']])), 'xdb');
  assert.equal(kindOf('a', makeIp2regionDb([['0.0.0.0', '1.0.0.255', 'a|b|c|d|e']])), 'ip2region');
  assert.equal(kindOf('a.csv', Buffer.from('network,country\n')), 'csv');
  assert.equal(kindOf('a.txt', Buffer.from('hello')), undefined);
});

test('a layers.json with a field of another type is a fault that names it, and the file is not used', () => {
  const dataDir = join(folder, 'hostile');
  mkdirSync(join(dataDir, 'layers'), { recursive: true });
  const faultOf = (text: string): string => {
    writeFileSync(join(dataDir, 'layers', 'layers.json'), text);
    return (
      findLayers(dataDir)
        .faults.map((fault) => worded(fault))
        .find((fault) => fault.includes('layers.json')) ?? 'none'
    );
  };
  assert.match(faultOf('{"off": 5}'), /off is not a list of ids; the file is not used/);
  assert.match(faultOf('{"off": [{"toString": 1}]}'), /off is not a list of ids/);
  assert.match(faultOf('{"layers": {"0": {"file": "a"}}}'), /layers is not a list/);
  assert.match(faultOf('{"layers": [{"file": "a.csv"}, {"file": {"toString": 1}}]}'), /layer 2: file is not a text/);
  assert.match(
    faultOf('{"layers": [{"file": "a.csv", "version": {"toString": 1}}]}'),
    /layer 1: version is not a text/,
  );
  assert.match(faultOf('{"layers": [{"file": "a.csv", "order": "first"}]}'), /layer 1: order is not a number/);
  assert.match(faultOf('{"layers": [null]}'), /layer 1: expected/);
  assert.match(faultOf('[]'), /expected \{"layers"/);
});

test('an operator’s files come first, by order and then by name; a faulty one harms only itself', () => {
  const dataDir = join(folder, 'operator');
  mkdirSync(join(dataDir, 'layers'), { recursive: true });
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(dataDir, 'layers', name), content);
  write('b.csv', 'network,country,city\n9.9.9.0/24,CH,Zurich\n');
  write('a.csv', 'network,country,city\n9.9.9.0/24,DE,Berlin\n9.9.8.0/24,DE,Berlin\n');
  write('broken.mmdb', 'nothing');
  write(
    'layers.json',
    JSON.stringify({
      layers: [{ file: 'b.csv', order: 1 }, { file: 'gone.csv' }, { file: 'a.csv', order: 2, kind: 'pdf' }],
      off: ['registry', 'dbip', 'ip2region', 'asn'],
    }),
  );
  const { layers, faults } = findLayers(dataDir);
  const ids = layers.map((layer) => layer.id);
  assert.deepEqual(ids, ['b', 'a', 'broken']);
  assert.equal(faults.length, 2);
  const result = readFamily({ family: 4, layers, lists: [], place: true, network: true }, () => {});
  assert.deepEqual(
    result.readings.map(({ id, gives, refused }) => [
      id,
      gives,
      refused !== undefined && /broken\.mmdb/.test(worded(refused)),
    ]),
    [
      ['b', true, false],
      ['a', true, false],
      ['broken', false, true],
    ],
  );
  const place = (word: number) => JSON.parse(packedText(result.place!.records, rangeAt(result.place!.ranges, [word])));
  assert.deepEqual(
    [place(0x0909_0900), place(0x0909_0800)].map((value) => (value as { city: string }).city),
    ['Zurich', 'Berlin'],
  );
});

test('lists of networks: a data folder’s list replaces a shipped one; malformed ones are named and left out', () => {
  const dataDir = join(folder, 'lists');
  mkdirSync(join(dataDir, 'network'), { recursive: true });
  writeFileSync(
    join(dataDir, 'network', 'roots.json'),
    JSON.stringify({ id: 'dns-roots', version: '9', effect: { usage: 'DNS' }, prefixes: ['192.0.2.1'] }),
  );
  writeFileSync(
    join(dataDir, 'network', 'bad.json'),
    '{"id":"bad","version":"1","effect":{"usage":"DNS"},"prefixes":["300.1.1.1"]}',
  );
  writeFileSync(join(dataDir, 'network', 'cut.json'), '{"id":');
  const { lists, faults } = findNetworkLists(dataDir);
  assert.equal(lists.find((list) => list.id === 'dns-roots')?.version, '9');
  assert.deepEqual(
    faults.map((fault) => /(\w+)\.json/.exec(worded(fault))?.[1]),
    ['bad', 'cut'],
  );
  assert.equal(lists.length, shippedLists().length);
  for (const wrong of [
    { id: 'A' },
    { version: '' },
    { effect: {} },
    { effect: { usage: ' x' } },
    { effect: { usage: '' } },
    { effect: { usage: '-' } },
    { asns: [0] },
    { asns: undefined, prefixes: undefined },
  ])
    assert.throws(
      () => networkList('x', { id: 'ok', version: '1', effect: { hosting: true }, asns: [1], ...wrong } as never),
      LayerFileError,
      JSON.stringify(wrong),
    );
});

test('the digest of the rules changes with a rule, and not with a test', () => {
  const src = join(folder, 'src');
  for (const part of ['core/place', 'service/compile', 'adapters/layers'])
    cpSync(join(import.meta.dirname, '../..', part), join(src, part), { recursive: true });
  const before = rulesDigest(src);
  assert.equal(before, rulesDigest(join(import.meta.dirname, '../..')));
  writeFileSync(join(src, 'core/place/merge-place.test.ts'), '');
  assert.equal(rulesDigest(src), before);
  for (const rule of [
    'core/place/merge-place.ts',
    'service/compile/merge-networks.ts',
    'adapters/layers/mmdb/read-mmdb.ts',
  ]) {
    const last = rulesDigest(src);
    writeFileSync(join(src, rule), '');
    assert.notEqual(rulesDigest(src), last, rule);
  }
});
