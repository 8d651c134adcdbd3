import assert from 'node:assert/strict';
import { isIP, isIPv6 } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../test/spec/covers.ts';
import { type Address, carriesIpv4 } from './address.ts';
import { formatAddress } from './format-address.ts';
import { parseAddress, parseAnyAddress, parsePathAddress } from './parse-address.ts';

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const sparseWord = fc.oneof(word, fc.constantFrom(0, 1, 0xffff, 0x10000, 0xffff_0000, 0xffff_ffff));
const address4 = word.map((w0): Address => ({ family: 4, w0, w1: 0, w2: 0, w3: 0 }));
const address6 = fc
  .tuple(sparseWord, sparseWord, sparseWord, sparseWord)
  .map(([w0, w1, w2, w3]): Address => ({ family: 6, w0, w1, w2, w3 }));
const isCarrier = ({ family, w0, w1, w2 }: Address): boolean => family === 6 && carriesIpv4(w0, w1, w2);

const status = (text: string): string => parseAddress(text).status;
const canonical = (text: string): string | undefined => {
  const address = parseAnyAddress(text);
  return address && formatAddress(address);
};

test('every spelling of an address becomes its RFC 5952 text', () => {
  const spellings: Readonly<Record<string, string>> = {
    '8.8.8.8': '8.8.8.8',
    '255.255.255.255': '255.255.255.255',
    '0.0.0.0': '0.0.0.0',
    '2001:0DB8:0000:0000:0000:0000:0002:0001': '2001:db8::2:1',
    '2001:db8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
    '2001:0:0:1:0:0:0:1': '2001:0:0:1::1',
    '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '1:2:3:4:5:6:7::': '1:2:3:4:5:6:7:0',
    '::2:3:4:5:6:7:8': '0:2:3:4:5:6:7:8',
    '1:0:0:0:0:0:0:0': '1::',
    '0:0:0:0:0:0:0:1': '::1',
    '::': '::',
    '64:ff9b::192.0.2.33': '192.0.2.33',
    '64:ff9b:0:0:0:1::': '64:ff9b::1:0:0',
    '64:ff9b:1::192.0.2.33': '64:ff9b:1::c000:221',
    '1:2:3:4:5:6:1.2.3.4': '1:2:3:4:5:6:102:304',
    '::1.2.3.4': '::102:304',
  };
  for (const [text, expected] of Object.entries(spellings)) assert.equal(canonical(text), expected, text);
});

test('IPv4-mapped IPv6 is read as its IPv4 address, however it is spelt', () => {
  for (const text of [
    '::ffff:8.8.8.8',
    '::FFFF:808:808',
    '0:0:0:0:0:ffff:8.8.8.8',
    '0000:0000:0000:0000:0000:ffff:0808:0808',
  ])
    assert.deepEqual(
      parseAddress(text),
      { status: 'ok', address: { family: 4, w0: 0x08080808, w1: 0, w2: 0, w3: 0 } },
      text,
    );
  assert.equal(status('::ffff:10.0.0.1'), 'reserved');
  assert.equal(parseAnyAddress('::fffe:8.8.8.8')?.family, 6);
});

test('an address behind the well-known NAT64 prefix is its IPv4 address, and a private one inside is reserved', () => {
  for (const text of ['64:ff9b::8.8.8.8', '64:FF9B::808:808', '0064:ff9b:0:0:0:0:8.8.8.8'])
    assert.deepEqual(
      parseAddress(text),
      { status: 'ok', address: { family: 4, w0: 0x08080808, w1: 0, w2: 0, w3: 0 } },
      text,
    );
  for (const text of ['64:ff9b::10.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::', '64:ff9b:0:0:0:1:808:808'])
    assert.equal(status(text), 'reserved', text);
  covers('IPV4-CARRIED');
});

test('a text that is not exactly an address is invalid', () => {
  const bad = [
    '',
    ' ',
    '8',
    '8.8',
    '8.8.8',
    '8.8.8.',
    '.8.8.8.8',
    '8.8.8.8.',
    '8..8.8',
    '8.8.8.8.8',
    '256.1.1.1',
    '1.1.1.256',
    '1.1.1.1000',
    '01.1.1.1',
    '1.1.1.00',
    '1.1.1.08',
    '134744072',
    '0x8.8.8.8',
    '0x08080808',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '8.8.8.8\n',
    '8.8.8.8:80',
    '8.8.8.8/32',
    '+8.8.8.8',
    '-8.8.8.8',
    '８.8.8.8',
    '8．8.8.8',
    'localhost',
    '1e1.1.1.1',
    ':',
    ':::',
    '1',
    '1:',
    ':1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1:2:3:4::5:6:7:8',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3',
    '::1.2.3.256',
    '::01.2.3.4',
    '1.2.3.4::',
    '::1.2.3.4:5',
    'fe80::1%eth0',
    'fe80::1%25eth0',
    '2001:4860::8888%1',
    '[2001:4860::8888]',
    '2001:4860::8888/128',
    '::ffff:8.8.8.8.',
    '::ffff:8.8.8',
    '2001:4860:4860::88 88',
    '２001::1',
    `${'0'.repeat(40)}::1`,
    '::\u0131',
    '\u0000',
  ];
  for (const text of bad) {
    assert.equal(status(text), 'invalid', JSON.stringify(text));
    assert.equal(parseAnyAddress(text), undefined, JSON.stringify(text));
  }
});

test('formatting and parsing are inverse for every address that does not stand for an IPv4 one', () => {
  fc.assert(
    fc.property(fc.oneof(address4, address6), (address) => {
      fc.pre(!isCarrier(address));
      assert.deepEqual(parseAnyAddress(formatAddress(address)), address);
    }),
    { numRuns: 5000 },
  );
});

test('canonical IPv6 text is as the URL standard writes it', () => {
  fc.assert(
    fc.property(address6, (address) => {
      assert.equal(`[${formatAddress(address)}]`, new URL(`http://[${formatAddress(address)}]`).hostname);
    }),
    { numRuns: 2000 },
  );
});

test('the parser accepts exactly the texts of node:net, zone ids apart', () => {
  const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg.:%'.split('')), maxLength: 42 });
  const joined = fc
    .tuple(fc.array(fc.constantFrom('0', '1', 'ab', 'ffff', '12345', '', '1.2.3.4'), { minLength: 1, maxLength: 10 }))
    .map(([parts]) => parts.join(':'));
  const dotted = fc
    .array(fc.constantFrom('0', '1', '25', '255', '256', '01', ''), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.oneof(near, joined, dotted), (text) => {
      assert.equal(parseAnyAddress(text) !== undefined, isIP(text) !== 0 && !text.includes('%'), text);
    }),
    { numRuns: 10_000 },
  );
});

test('upper case, leading zeros and any `::` of an IPv6 address change nothing', () => {
  fc.assert(
    fc.property(address6, (address) => {
      const groups = [address.w0, address.w1, address.w2, address.w3].flatMap((w) => [w >>> 16, w & 0xffff]);
      const long = groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':');
      assert.ok(isIPv6(long));
      assert.equal(
        canonical(long),
        isCarrier(address) ? formatAddress({ ...address, family: 4, w0: address.w3 }) : formatAddress(address),
      );
    }),
  );
});

test('a path segment is percent-decoded once and then read strictly', () => {
  const read = (segment: string): string => {
    const parsed = parsePathAddress(segment);
    return parsed.status === 'invalid' ? 'invalid' : formatAddress(parsed.address);
  };
  assert.equal(read('2001%3A4860%3a4860::8888'), '2001:4860:4860::8888');
  assert.equal(read('8%2E8.8.8'), '8.8.8.8');
  assert.equal(read('%38.8.8.8'), '8.8.8.8');
  for (const bad of [
    '2001%253A4860::1',
    '8.8.8.8%',
    '8.8.8.8%2',
    '8.8.8.8%zz',
    '%',
    '%%',
    '8.8.8.8%00',
    '8.8.8.8%20',
    'fe80::1%25eth0',
    '%EF%BC%98.8.8.8',
    '8.8.8.8%ff',
    '8+8.8.8',
    '%u0038.8.8.8',
  ])
    assert.equal(read(bad), 'invalid', bad);
});
