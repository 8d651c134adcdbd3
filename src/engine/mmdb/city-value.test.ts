import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityValue, type PlaceNames } from './city-value.ts';
import { MmdbNumber } from './mmdb-data.ts';

const DIVISIONS: Readonly<Record<string, string>> = {
  '320000': '江苏省',
  '320100': '南京市',
  '320102': '玄武区',
  '110000': '北京市',
};
const NAMES: PlaceNames = {
  country: (code) => ({ en: `${code} in English`, 'zh-CN': '中国' }),
  continent: () => ({ en: 'Asia', 'zh-CN': '亚洲' }),
  division: (code) => DIVISIONS[code],
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a place in China has its code, and Chinese names beside the Latin ones down to the district', () => {
  const geo = {
    continent: 'AS',
    country: 'CN',
    subdivision: 'CN-JS',
    admin_code: '320102',
    region: 'Jiangsu',
    city: 'Nanjing',
    district: 'Xuanwu',
    tz: 'Asia/Shanghai',
    lat: 32.06,
    lon: 118.78,
  } as const;
  const double = (value: number) => plain(new MmdbNumber('double', value));
  assert.deepEqual(plain(cityValue(geo, NAMES)), {
    city: { names: { en: 'Nanjing', 'zh-CN': '南京市' } },
    continent: { code: 'AS', names: { en: 'Asia', 'zh-CN': '亚洲' } },
    country: { iso_code: 'CN', names: { en: 'CN in English', 'zh-CN': '中国' } },
    location: { latitude: double(32.06), longitude: double(118.78), time_zone: 'Asia/Shanghai' },
    subdivisions: [{ iso_code: 'JS', names: { en: 'Jiangsu', 'zh-CN': '江苏省' } }],
    admin_code: '320102',
    district: { names: { en: 'Xuanwu', 'zh-CN': '玄武区' } },
  });
});

test('a municipality is its own province and city; what is not known is left out', () => {
  const beijing = plain(cityValue({ country: 'CN', admin_code: '110000', region: 'Beijing', city: 'Beijing' }, NAMES));
  const names = { en: 'Beijing', 'zh-CN': '北京市' };
  assert.deepEqual(beijing, {
    city: { names },
    country: { iso_code: 'CN', names: { en: 'CN in English', 'zh-CN': '中国' } },
    subdivisions: [{ names }],
    admin_code: '110000',
  });
});
