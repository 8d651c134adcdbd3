import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import { namesIn } from './names-in.ts';

const english = namesIn('en');
const chinese = namesIn('zh-CN', chineseDivisions());

test('a Chinese reader gets places of China from the country down by code, elsewhere Latin names in the same order', () => {
  for (const [geo, en, zh] of [
    [
      { country: 'CN', admin_code: '510107', region: 'Sichuan', city: 'Chengdu', district: 'Wuhou' },
      'Wuhou, Chengdu, Sichuan, China',
      '中国 四川省 成都市 武侯区',
    ],
    [{ country: 'CN', admin_code: '110000', region: 'Beijing', city: 'Beijing' }, 'Beijing, China', '中国 北京市'],
    [
      { country: 'CN', admin_code: '110105', region: 'Beijing', city: 'Beijing', district: 'Chaoyang' },
      'Chaoyang, Beijing, China',
      '中国 北京市 朝阳区',
    ],
    [{ country: 'CN', admin_code: '320000', region: 'Jiangsu' }, 'Jiangsu, China', '中国 江苏省'],
    [
      { country: 'DE', region: 'State of Berlin', city: 'Berlin' },
      'Berlin, State of Berlin, Germany',
      '德国 State of Berlin Berlin',
    ],
    [{ country: 'ZZ1' }, 'ZZ1', 'ZZ1'],
    [{}, '', ''],
  ] as const)
    assert.deepEqual([english.place(geo as never), chinese.place(geo as never)], [en, zh]);
});

test('carriers of China have their Chinese names before the registered one, others the registered one alone', () => {
  assert.equal(english.network(4134, 'Chinanet'), 'AS4134 Chinanet');
  assert.equal(english.network(64500, undefined), 'AS64500');
  for (const [name, carrier] of [
    ['Chinanet', '中国电信'],
    ['CHINATELECOM Xinjiang MAN network', '中国电信'],
    ['CHINA UNICOM China169 Backbone', '中国联通'],
    ['China Mobile Communications Corporation', '中国移动'],
    ['China Education and Research Network Center', '教育网'],
    ['China TieTong Telecommunications Corporation', '中国铁通'],
  ])
    assert.equal(chinese.network(1, name), `AS1 ${carrier} ${name}`);
  assert.equal(chinese.network(1, 'LinkChina Telecom Global Limited.'), 'AS1 LinkChina Telecom Global Limited.');
});
