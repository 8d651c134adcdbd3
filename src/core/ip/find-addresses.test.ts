import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findAddresses } from './find-addresses.ts';
import { formatAddress, formatPrefix } from './format-address.ts';
import { parseAnyAddress } from './parse-address.ts';

const found = (text: string): readonly string[] => findAddresses(text).addresses.map(formatAddress);
const networks = (text: string) => findAddresses(text).networks.flatMap(({ prefixes }) => prefixes.map(formatPrefix));

test('an address with a mask is read as a network, and SPF prefixes are left off', () => {
  assert.deepEqual(networks('1.2.3.0/255.255.255.0 5.6.0.0/255.255.0.0'), ['1.2.3.0/24', '5.6.0.0/16']);
  assert.deepEqual(found('v=spf1 ip4:1.2.3.4 ip6:2620:fe::9 ~all'), ['1.2.3.4', '2620:fe::9']);
});

test('an address is found however it is spelled', () => {
  const spellings = [
    '1.2.3.4',
    '  1.2.3.4  ',
    '1.2.3[.]4',
    '1[.]2[.]3[.]4',
    '1(.)2(.)3(.)4',
    '1{.}2{.}3{.}4',
    '1[dot]2[dot]3[dot]4',
    '1(dot)2(dot)3(dot)4',
    '1 [.] 2 [.] 3 [.] 4',
    String.raw`1\.2\.3\.4`,
    'hxxp://1.2.3.4/x',
    'hxxps[:]//1[.]2[.]3[.]4:8080/a?b=c',
    'http://1.2.3.4/24',
    '1.2.3.4:443',
    '"1.2.3.4"',
    '\u201C1.2.3.4\u201D',
    "'1.2.3.4',",
    '1.2.3.4.',
    '(1.2.3.4)',
    '[1.2.3.4]',
    '<1.2.3.4>',
    'ip=1.2.3.4;',
    'ip4:1.2.3.4',
    '1.2.3.4/255.255.255.255',
    '\uFF11.\uFF12.\uFF13.\uFF14',
    '1\u30022\u30023\u30024',
    '\uFF11\uFF0E\uFF12\uFF0E\uFF13\uFF0E\uFF14',
    '::ffff:1.2.3.4',
    '::ffff:0102:0304',
    '[::ffff:1.2.3.4]:80',
    '1.2.3.4/32',
    'from 1.2.3.4 port 22 ssh2',
    '1.2.3.4，',
    'IP：1.2.3.4。',
    'ip:1.2.3.4',
    'socks5:1.2.3.4:1080',
  ];
  for (const text of spellings) assert.deepEqual(found(text), ['1.2.3.4'], text);
  for (const text of [
    '2001:db9::7',
    '[2001:db9::7]:80',
    '2001:db9::7%eth0',
    'https://[2001:db9::7]/x',
    '2001:DB9:0:0:0:0:0:7',
    '2001[:]db9[:][:]7',
    '2001:db9::7.',
    '2001:db9::7/128',
    'from [IPv6:2001:db9::7]',
    '\uFF12\uFF10\uFF10\uFF11\uFF1Adb9::7',
  ])
    assert.deepEqual(found(text), ['2001:db9::7'], text);
});

test('lists of any separator lose nothing, and each address comes once', () => {
  for (const separator of [',', ' ', ';', ', ', '\n', '\t', ' | ', '"; "', '、', ' and '])
    assert.deepEqual(
      found(['185.220.101.1', '8.8.8.8', '2001:db9::1', '8.8.8.8'].join(separator)),
      ['185.220.101.1', '8.8.8.8', '2001:db9::1'],
      JSON.stringify(separator),
    );
  assert.deepEqual(found('X-Forwarded-For: 185.220.101.1, 10.0.0.9'), ['185.220.101.1', '10.0.0.9']);
});

test('prefixes and ranges are networks', () => {
  for (const [text, expected] of [
    ['8.8.8.0/24', ['8.8.8.0/24']],
    ['8.8.8.9/24, 9.9.9.9', ['8.8.8.0/24']],
    ['2001:db9::/32', ['2001:db9::/32']],
    ['1.2.3[.]0/24', ['1.2.3.0/24']],
    ['::ffff:8.8.8.0/120', ['8.8.8.0/24']],
    ['8.8.8.4-8.8.8.7', ['8.8.8.4/30']],
    ['8.8.8.0 \u2013 8.8.8.2', ['8.8.8.0/31', '8.8.8.2/32']],
    ['8.8.8.4..8.8.8.7', ['8.8.8.4/30']],
    ['8.8.8.4-7 and 9.9.9.0 0.0.0.255', ['8.8.8.4/30', '9.9.9.0/24']],
    ['8.8.8.7 - 12 attempts, 8.8.8.4/24/x', []],
  ] as const)
    assert.deepEqual(networks(text), expected, text);
  for (const text of ['8.8.8.7 - 8.8.8.4', '8.8.8.0/33', '8.8.8.0/255.0.255.0', '8.8.8.7-4'])
    assert.deepEqual(
      [found(text), findAddresses(text).networks],
      [[], [{ text, prefixes: [] }]],
      'not understood, and said',
    );
});

test('versions, times, hardware addresses, names and operators are not taken for one', () => {
  for (const text of [
    'nginx 1.2.3',
    'v1.2.3.4',
    '1.2.3.4.5',
    '1.2.3.400',
    '01.2.3.4',
    '12:34:56',
    '2026-11-22T12:34:56.789Z',
    '00:1b:44:11:3a:b7',
    '00:1b:44:11:3a:b7:00:01',
    'std::string',
    'foo::bar',
    '::',
    'host-1.2.3.4.example',
    'AS60729',
    'example.com',
    'dead:beef',
    '',
  ])
    assert.deepEqual([found(text), networks(text)], [[], []], text);
});

test('whatever stands around it, an address is found', () => {
  const address = fc
    .oneof(fc.ipV4(), fc.ipV6())
    .filter((text) => !/^[0:.]+$/.test(text) && parseAnyAddress(text) !== undefined && !/^(?:..:){7}..$/.test(text))
    // A mask behind an address belongs to it.
    .filter((text) => !/^(?:0|255)\.|\.(?:0\.0\.0|255\.255\.255)$/.test(text));
  const around = fc.constantFrom(
    ['', ''],
    ['"', '"'],
    ['[', ']'],
    ['<', '>'],
    ['ip=', ';'],
    ['见 ', '，'],
    ['hxxp://[', ']:80/'],
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(address, around), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(' ', '\n', ' , ', '\t|\t'),
      (parts, separator) => {
        const texts = parts.map(([text]) => formatAddress(parseAnyAddress(text)!));
        const text = parts.map(([one, [before, after]]) => `${before}${one}${after}`).join(separator);
        assert.deepEqual(found(text), [...new Set(texts)], text);
      },
    ),
  );
  assert.deepEqual(
    found('1.0.0.1 ::1:0:0:0:0:0:0'),
    ['1.0.0.1', '::1:0:0:0:0:0:0'].map((one) => formatAddress(parseAnyAddress(one)!)),
  );
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void findAddresses(text)));
});
