import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { type CountryRow, cityCode, Divisions, type DivisionTable } from './divisions.ts';
import { type LayerRecord, layerRecord, type RawRecord } from './layer-record.ts';
import { CHINESE_NAMES, LATIN_NAMES, STATED } from './merge-place.fixture.ts';
import { type LayerRole, mergePlace, type PlaceTables } from './merge-place.ts';

const table = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../data/${name}.json`, import.meta.url), 'utf8')) as T;
const divisions = new Divisions(table<DivisionTable>('gb2260'));
const tables: PlaceTables = {
  divisions,
  countries: new Map(table<{ countries: CountryRow[] }>('countries').countries.map((row) => [row[0], row])),
  zoneAt: createRequire(import.meta.url)('@photostructure/tz-lookup'),
};
const merge = (...said: [LayerRole, RawRecord][]) =>
  mergePlace(
    said.flatMap(([role, raw]) => {
      const record = layerRecord(raw);
      return record === undefined ? [] : [{ role, record }];
    }),
    tables,
  );

test('names in Chinese lead to GB/T 2260 codes, as deep as they go', () => {
  for (const [names, code] of CHINESE_NAMES)
    assert.equal(divisions.fromChinese(names[0], names[1], names[2]), code, names.join(' '));
  assert.equal(divisions.fromChinese('台湾省', '台北市'), undefined);
});

test('Latin names of a world-wide layer never lead deeper than the city', () => {
  for (const [region, city, code] of LATIN_NAMES) assert.equal(divisions.fromLatin(region, city), code, city);
});

test('the city-level code of a code, municipalities 110000-style', () => {
  assert.deepEqual(['320102', '320100', '110105', '110000', '429004', '320000', '659001'].map(cityCode), [
    '320100',
    '320100',
    '110000',
    '110000',
    '429004',
    undefined,
    '659001',
  ]);
});

test('in China the Chinese-made layer decides the place, whatever its order, and a wrong city takes its coordinates with it', () => {
  covers('GEO-SUBDIVISION', 'GEO-ADMIN');
  const world: RawRecord = { country: 'CN', region: 'Shandong', city: 'Jinan', lat: 36.65, lon: 117.12 };
  const china: RawRecord = { country: 'CN', region: '江苏省', city: '南京市' };
  const place = {
    continent: 'AS',
    country: 'CN',
    subdivision: 'CN-JS',
    admin_code: '320100',
    region: 'Jiangsu',
    city: 'Nanjing',
    tz: 'Asia/Shanghai',
    lat: 32.0617,
    lon: 118.7778,
  };
  assert.deepEqual(merge(['world', world], ['china', china]), place);
  assert.deepEqual(merge(['china', china], ['world', world]), place);
});

test('coordinates come from the layer that agrees on the city', () => {
  const merged = merge(
    ['world', { country: 'CN', region: 'Jiangsu', city: 'Nanjing', lat: 32.1, lon: 118.9 }],
    ['china', { country: 'CN', region: '江苏', city: '南京', district: '玄武区' }],
  );
  assert.deepEqual([merged?.admin_code, merged?.district, merged?.lat, merged?.lon], ['320102', 'Xuanwu', 32.1, 118.9]);
});

test('a province without a city has neither city nor coordinates, and no world-wide layer fills them in', () => {
  const merged = merge(
    ['world', { country: 'CN', region: 'Guangdong', city: 'Guangzhou', lat: 23.1, lon: 113.2 }],
    ['china', { country: 'CN', region: '广东省' }],
  );
  assert.deepEqual(merged, {
    continent: 'AS',
    country: 'CN',
    subdivision: 'CN-GD',
    admin_code: '440000',
    region: 'Guangdong',
    tz: 'Asia/Shanghai',
  });
});

test('a city of a layer that needs a second one is left out where others speak of the address and name no city of that province', () => {
  const with2nd = (...others: [LayerRole, RawRecord][]) => {
    const own: [LayerRole, RawRecord] = ['china', { country: 'CN', region: '广东省', city: '深圳市' }];
    const said = [own, ...others].map(([role, raw], i) => ({ role, record: layerRecord(raw)!, needsSecond: i === 0 }));
    const { admin_code, city, lat } = mergePlace(said, tables)!;
    return [admin_code, city, lat !== undefined];
  };
  const world = (region: string, city?: string): [LayerRole, RawRecord] => [
    'world',
    { country: 'CN', region, city, lat: 23, lon: 113 },
  ];
  assert.deepEqual(with2nd(), ['440300', 'Shenzhen', true]);
  assert.deepEqual(with2nd(world('Guangdong', 'Shenzhen')), ['440300', 'Shenzhen', true]);
  assert.deepEqual(with2nd(world('Guangdong', 'Guangzhou')), ['440300', 'Shenzhen', true]);
  assert.deepEqual(with2nd(world('Guangdong', 'Gaoxin')), ['440000', undefined, false]);
  assert.deepEqual(with2nd(world('Fujian', 'Xiamen')), ['440000', undefined, false]);
  assert.deepEqual(
    with2nd(['china', { country: 'CN', region: '广东', city: '深圳', district: '南山区' }], world('Fujian', 'Xiamen')),
    ['440305', 'Shenzhen', true],
  );
  const beijing = {
    role: 'china',
    needsSecond: true,
    record: layerRecord({ country: 'CN', region: '北京', city: '北京' })!,
  } as const;
  const { admin_code, region, city } = mergePlace(
    [beijing, { role: 'world', record: layerRecord({ country: 'CN', region: 'Hebei', city: 'Langfang' })! }],
    tables,
  )!;
  assert.deepEqual([admin_code, region, city], ['110000', 'Beijing', undefined]);
});

test('where a Chinese-made layer holds all of China, a world-wide one does not name the provinces it does not know', () => {
  const said = [
    { role: 'world', record: layerRecord({ country: 'CN', region: 'Fujian', city: 'Xiamen', lat: 24, lon: 118 })! },
  ] as const;
  assert.equal(mergePlace(said, tables)?.admin_code, '350200');
  assert.deepEqual(mergePlace(said, { ...tables, chinaIsCovered: true }), {
    continent: 'AS',
    country: 'CN',
    tz: 'Asia/Shanghai',
  });
});

test('what an owner states about space in China ranks with Chinese-made layers, by names or codes', () => {
  const [china, statement] = [
    { country: 'CN', region: '广东', city: '深圳' },
    { role: 'world', stated: true } as const,
  ];
  for (const [region, city, code] of STATED) {
    const record = layerRecord({ country: 'CN', region, city })!;
    const said = [
      { ...statement, record },
      { role: 'china', needsSecond: true, record: layerRecord(china)! },
    ] as const;
    for (const layers of [said, said.slice(0, 1)])
      assert.equal(mergePlace(layers, { ...tables, chinaIsCovered: true })?.admin_code, code, region);
  }
});

test('a second Chinese-made layer goes deeper only inside the place of the first one', () => {
  const province: RawRecord = { country: 'CN', region: '广东' };
  assert.equal(
    merge(['china', province], ['china', { country: 'CN', region: '广东', city: '深圳', district: '福田区' }])
      ?.admin_code,
    '440304',
  );
  assert.equal(
    merge(['china', province], ['china', { country: 'CN', region: '江苏', city: '南京' }])?.admin_code,
    '440000',
  );
  assert.equal(
    merge(
      ['china', { country: 'CN', region: '广东', city: '广州' }],
      ['china', { country: 'CN', region: '广东', city: '深圳', district: '福田区' }],
    )?.admin_code,
    '440100',
  );
  assert.equal(
    merge(
      ['china', { country: 'CN', region: '北京' }],
      ['china', { country: 'CN', region: '北京', city: '北京', district: '海淀区' }],
    )?.admin_code,
    '110108',
  );
});

test('Xinjiang keeps Asia/Urumqi; China without a known province has its legal time and nothing else', () => {
  assert.equal(merge(['china', { country: 'CN', region: '新疆', city: '喀什' }])?.tz, 'Asia/Urumqi');
  assert.deepEqual(merge(['world', { country: 'CN' }]), { continent: 'AS', country: 'CN', tz: 'Asia/Shanghai' });
});

test('a Chinese-made layer is heard only where it says mainland China', () => {
  assert.deepEqual(merge(['china', { country: 'US' }]), undefined);
  assert.equal(
    merge(['world', { country: 'US', region: 'Ohio' }], ['china', { country: 'CN', region: '江苏' }])?.country,
    'US',
  );
  assert.equal(
    merge(['world', { country: 'HK', city: 'Hong Kong' }], ['china', { country: 'CN', region: '广东' }])?.subdivision,
    undefined,
  );
});

test('subdivision and admin_code are China’s alone', () => {
  covers('GEO-SUBDIVISION', 'GEO-ADMIN');
  for (const country of ['HK', 'MO', 'TW', 'US', 'SG']) {
    const merged = merge(['world', { country, region: 'Guangdong', city: 'Shenzhen', adminCode: '440300' }]);
    assert.equal(merged?.subdivision, undefined);
    assert.equal(merged?.admin_code, undefined);
  }
});

test('outside China "City (District)" is a city and a district', () => {
  const merged = merge([
    'world',
    { country: 'US', region: 'California', city: 'Los Angeles (Downtown Los Angeles)', lat: 34.05, lon: -118.24 },
  ]);
  assert.deepEqual(
    [merged?.city, merged?.district, merged?.tz],
    ['Los Angeles', 'Downtown Los Angeles', 'America/Los_Angeles'],
  );
});

test('the first layer that names the place decides it; a layer that disagrees adds nothing', () => {
  const first: RawRecord = { country: 'US', region: 'California', city: 'San Jose', lat: 37.3, lon: -121.8 };
  const other: RawRecord = {
    country: 'US',
    region: 'New Jersey',
    city: 'Newark',
    district: 'Ironbound',
    lat: 40.7,
    lon: -74.1,
    tz: 'America/New_York',
  };
  assert.deepEqual(merge(['world', first], ['world', other]), merge(['world', first]));
  assert.equal(merge(['world', { country: 'US', region: 'California' }], ['world', first])?.city, 'San Jose');
  assert.equal(
    merge(
      ['world', { country: 'US', region: 'California', city: 'San Jose' }],
      ['world', { ...first, district: 'Willow Glen' }],
    )?.district,
    'Willow Glen',
  );
  assert.equal(merge(['world', { country: 'CA' }], ['world', first])?.region, undefined);
});

test('a region that a town was found in gives way to the one that another layer states there', () => {
  const found = { country: 'US', region: 'Ohio', regionFound: true, city: 'Boardman', point: [41, -80.7] } as const;
  const stated = { country: 'US', region: 'Oregon', city: 'Boardman', point: [45.8, -119.7] } as const;
  for (const [records, ...expected] of [
    [[found, stated], 'Oregon', 45.8],
    [[found, { ...stated, region: 'Oregon', city: 'Bend' }], 'Ohio', 41],
  ] as const) {
    const said = records.map((record) => ({ role: 'world', record: record as LayerRecord }) as const);
    const { region, lat } = mergePlace(said, tables)!;
    assert.deepEqual([region, lat], expected);
  }
});

test('names that are not Latin are left out outside China', () => {
  covers('GEO-NAMES');
  assert.deepEqual(merge(['world', { country: 'JP', region: '東京都', city: '渋谷区' }]), {
    continent: 'AS',
    country: 'JP',
    tz: 'Asia/Tokyo',
  });
  assert.equal(merge(['world', { country: 'DE', region: 'Baden-Württemberg', city: 'Tübingen' }])?.city, 'Tübingen');
});

test('a layer that asks not to locate a range leaves it without a place, unless a more trusted one names its country', () => {
  const world = { role: 'world', record: { country: 'GB', city: 'London' } } as const;
  const unlocated = { role: 'world', record: { unlocated: true } } as const;
  assert.equal(mergePlace([unlocated, world], tables), undefined);
  assert.equal(mergePlace([world, unlocated], tables)?.city, 'London');
});

test('each country has one of seven continents, and an IANA zone where it has only one', () => {
  covers('GEO-CONTINENT', 'GEO-TZ');
  const zones = new Set<unknown>(Intl.supportedValuesOf('timeZone'));
  const zoneOf = (timeZone: string): string => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  for (const country of tables.countries.keys()) {
    const place = merge(['world', { country }]);
    // A code that ISO 3166-1 only reserves names no country.
    if (place === undefined) continue;
    assert.match(String(place.continent), /^(AS|EU|NA|SA|AF|OC|AN)$/, country);
    assert.ok(place.tz === undefined || zones.has(zoneOf(place.tz)), `${country} ${place.tz}`);
  }
  assert.equal(merge(['world', { country: 'SG' }])?.tz, 'Asia/Singapore');
  assert.equal(merge(['world', { country: 'US' }])?.tz, undefined);
});

test('0,0 without a place is unknown; 0,0 with a place is that point', () => {
  assert.equal(merge(['world', { country: 'GH', lat: 0, lon: 0 }])?.lat, undefined);
  const gulf = merge(['world', { country: 'GH', city: 'Null Island', lat: 0, lon: 0 }]);
  assert.deepEqual([gulf?.lat, gulf?.lon], [0, 0]);
});

test('stand-ins for unknown never become values', () => {
  for (const raw of [
    { country: 'ZZ' },
    { country: '' },
    { country: '-' },
    { city: '' },
    { asn: 0 },
    { asn: 23456 },
    { asn: 'AS0' },
    { lat: 91, lon: 0 },
    { lat: 1 },
    { lat: '', lon: '' },
    { usage: '0' },
    { adminCode: '0' },
    { tz: 'x' },
    {},
  ])
    assert.equal(layerRecord(raw), undefined, JSON.stringify(raw));
});
