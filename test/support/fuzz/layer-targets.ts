import assert from 'node:assert/strict';
import { type LayerData, LayerFileError } from '../../../src/adapters/layers/layer-data.ts';
import { readMmdb } from '../../../src/adapters/layers/mmdb/read-mmdb.ts';
import { GEOFEED, readCsv } from '../../../src/adapters/layers/read-csv.ts';
import { isIpdb, readIpdb } from '../../../src/adapters/layers/read-ipdb.ts';
import { kindOf } from '../../../src/adapters/layers/read-layer.ts';
import { isIp2regionDb, isXdb, readIp2regionDb, readXdb } from '../../../src/adapters/layers/read-xdb.ts';
import { type RangeSet, START_WORDS } from '../../../src/engine/ranges/range-set.ts';
import { makeIp2regionDb, makeIpdb, makeMmdb, makeXdb4, makeXdb6 } from '../../data/synthetic-files.ts';
import { type FuzzTarget, text } from './fuzz-target.ts';

const CITY = {
  country: { iso_code: 'US' },
  subdivisions: [{ names: { en: 'California' } }],
  city: { names: { en: 'San Jose' } },
  location: { latitude: 37.3387, longitude: -121.8853, time_zone: 'America/Los_Angeles' },
};
const FLAT = {
  country_code: 'CN',
  state1: 'Beijing',
  city: 'Beijing',
  latitude: 39.9,
  longitude: 116.4,
  usage_type: 'ISP',
  asn: 'AS4134',
};

const CHINESE = [
  ['0.0.0.0', '0.255.255.255', '中国|0|江苏省|南京市|电信'],
  ['1.0.0.0', '255.255.255.255', 'United States|California|0|Level3|US'],
] as const;

/**
 * Checks a table of ranges as its readers see it: it begins at 0, each range begins behind the one before,
 * and each record exists.
 */
function checkRanges({ family, count, starts, ids }: RangeSet, records: number): void {
  const width = START_WORDS[family];
  assert.ok(count >= 1 && starts.length >= count * width && ids.length >= count);
  for (let row = 0; row < count; row++) {
    assert.ok(ids[row]! < records, `record ${ids[row]} of ${records}`);
    let order = row === 0 ? 1 : 0;
    for (let word = 0; word < width && order === 0; word++)
      order = Math.sign(starts[row * width + word]! - starts[(row - 1) * width + word]!);
    assert.equal(order, 1, `range ${row} does not begin behind the one before`);
  }
  assert.ok(
    starts.subarray(0, width).every((word) => word === 0),
    'the table does not begin at 0',
  );
}

function summary({ v4, v6, records }: LayerData): unknown {
  for (const set of [v4, v6]) if (set !== undefined) checkRanges(set, records.length);
  return [records, v4?.count, v6?.count];
}

type Reader = (name: string, bytes: Buffer, families: 'both') => LayerData;

const layerTarget = (
  name: string,
  seeds: readonly Uint8Array[],
  reader: Reader,
  looks: (bytes: Buffer) => unknown = () => true,
  share = 1,
): FuzzTarget => ({
  name,
  seeds,
  share,
  read: (input) => {
    looks(input);
    kindOf(`layer.${name}`, input);
    return summary(reader('layer', input, 'both'));
  },
  refuses: (error) => error instanceof LayerFileError && error.message.startsWith('layer: '),
});

export const LAYER_TARGETS: readonly FuzzTarget[] = [
  layerTarget(
    'mmdb',
    [
      makeMmdb({
        recordSize: 24,
        ipVersion: 4,
        entries: [
          ['1.0.0.0/8', CITY],
          ['9.9.9.0/24', FLAT],
        ],
      }),
      makeMmdb({
        recordSize: 28,
        ipVersion: 6,
        alias: true,
        entries: [
          ['1.0.0.0/24', FLAT],
          ['2001:db8::/33', CITY],
        ],
      }),
      makeMmdb({ recordSize: 32, ipVersion: 6, entries: [['255.255.255.255/32', { autonomous_system_number: 3356 }]] }),
    ],
    readMmdb,
  ),
  layerTarget(
    'ipdb',
    [
      makeIpdb(
        ['country_name', 'region_name', 'city_name', 'country_code'],
        [
          ['1.0.0.0/24', ['中国', '广东', '深圳', 'CN']],
          ['2400:3200::/32', ['美国', '', '', 'US']],
        ],
      ),
      makeIpdb(
        ['country_name', 'latitude', 'longitude', 'timezone', 'asn', 'usage_type', 'china_admin_code', 'district'],
        [['1.0.0.0/8', ['中国', '22.5', '114.0', 'Asia/Shanghai', '4134', 'ISP', '440305', '南山区']]],
      ),
    ],
    readIpdb,
    isIpdb,
  ),
  layerTarget('ip2region', [makeIp2regionDb(CHINESE)], readIp2regionDb, isIp2regionDb),
  // This input has half a megabyte before its first row.
  layerTarget(
    'xdb',
    [makeXdb4(2, CHINESE), makeXdb4(3, CHINESE), makeXdb6([['240e::', '240e:ffff::', '中国|广东省|深圳市|电信|CN']])],
    readXdb,
    isXdb,
    0.1,
  ),
  layerTarget(
    'csv',
    [
      '\ufeffcity,Start_IP,end ip,Country Code,Latitude,Longitude,admin_code,usage_type\r\n"Saint John, NB",5.0.0.0,5.0.0.9,CA,45.27,-66.06,,com\r\n,5.0.0.5,5.0.0.5,CN,,,440305,\n',
      'network,country,asn\n1.2.3.0/24,US,AS1\n2001:db8::/32,DE,2\n',
      '1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."\n42540488161975842760550356425300246528,42540488241204005274814694018844196863,6939,Hurricane\n',
    ].map(text),
    readCsv,
    undefined,
    0.2,
  ),
  layerTarget(
    'geofeed',
    ['# RFC 8805\n192.0.2.0/25,US,US-CA,Alameda,\n2001:db8::/32,PL,,,02-784\n192.0.2.128,,,,\n'].map(text),
    (name, bytes, families) => readCsv(name, bytes, families, GEOFEED),
    undefined,
    0.2,
  ),
];
