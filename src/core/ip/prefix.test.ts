import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Address } from './address.ts';
import { formatAddress, formatPrefix } from './format-address.ts';
import { parseAnyAddress } from './parse-address.ts';
import {
  addressAfter,
  compareAddresses,
  contains,
  familyBits,
  lastAddress,
  parsePrefix,
  prefixesOfRange,
  prefixOf,
} from './prefix.ts';

const show = (text: string): string | undefined => {
  const prefix = parsePrefix(text);
  return prefix && formatPrefix(prefix);
};
const word = fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.constantFrom(0, 1, 0xffff_ffff, 0x8000_0000));
const address = fc.oneof(
  word.map((w0): Address => ({ family: 4, w0, w1: 0, w2: 0, w3: 0 })),
  fc
    .tuple(fc.integer({ min: 0x2000_0000, max: 0x3fff_ffff }), word, word, word)
    .map(([w0, w1, w2, w3]): Address => ({ family: 6, w0, w1, w2, w3 })),
);

test('prefixes are read strictly and host bits are cleared', () => {
  assert.equal(show('10.1.2.3/8'), '10.0.0.0/8');
  assert.equal(show('1.2.3.4'), '1.2.3.4/32');
  assert.equal(show('0.0.0.0/0'), '0.0.0.0/0');
  assert.equal(show('255.255.255.255/31'), '255.255.255.254/31');
  assert.equal(show('2001:db8::1/33'), '2001:db8::/33');
  assert.equal(show('::/0'), '::/0');
  assert.equal(show('2001:db8::1'), '2001:db8::1/128');
  assert.equal(show('::ffff:1.2.3.4/120'), '1.2.3.0/24');
  assert.equal(show('::ffff:1.2.3.4'), '1.2.3.4/32');
  assert.equal(show('::ffff:1.2.3.4/96'), '0.0.0.0/0');
  assert.equal(show('::ffff:0:0/80'), '::/80');
  assert.equal(show('64:ff9b::1.2.3.4/120'), '1.2.3.0/24');
  assert.equal(show('64:ff9b::1.2.3.4'), '1.2.3.4/32');
  assert.equal(show('64:ff9b::/64'), '64:ff9b::/64');
  for (const bad of [
    '',
    '/',
    '1.2.3.4/',
    '/8',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '1.2.3.4/08',
    '1.2.3.4/ 8',
    '1.2.3.4/8 ',
    '1.2.3.4/8/8',
    '1.2.3/8',
    '1.2.3.4/255.0.0.0',
    '::/129',
    '::ffff:1.2.3.4/129',
    '::/1000',
    '1.2.3.4/+8',
    '1.2.3.4/1e1',
  ])
    assert.equal(parsePrefix(bad), undefined, bad);
});

test('a range becomes the fewest prefixes that cover exactly it', () => {
  const cover = (first: string, last: string): string[] =>
    prefixesOfRange(parseAnyAddress(first)!, parseAnyAddress(last)!).map(formatPrefix);
  assert.deepEqual(cover('1.2.3.4', '1.2.3.4'), ['1.2.3.4/32']);
  assert.deepEqual(cover('1.2.3.0', '1.2.4.255'), ['1.2.3.0/24', '1.2.4.0/24']);
  assert.deepEqual(cover('0.0.0.0', '255.255.255.255'), ['0.0.0.0/0']);
  assert.deepEqual(cover('::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'), ['::/0']);
  assert.deepEqual(cover('255.255.255.254', '255.255.255.255'), ['255.255.255.254/31']);
  assert.deepEqual(cover('2001:db8::ffff', '2001:db8::1:0'), ['2001:db8::ffff/128', '2001:db8::1:0/128']);
  for (const [first, last] of [
    ['1.2.3.4', '1.2.3.3'],
    ['1.2.3.4', '::1'],
  ] as const)
    assert.throws(() => cover(first, last), RangeError);
});

test('covering prefixes touch, lie in order and cannot be joined', () => {
  const pair = fc.tuple(address, address).filter(([a, b]) => a.family === b.family);
  fc.assert(
    fc.property(pair, ([a, b]) => {
      const [first, last] = compareAddresses(a, b) <= 0 ? [a, b] : [b, a];
      const prefixes = prefixesOfRange(first, last);
      let expected: Address | undefined = first;
      for (const prefix of prefixes) {
        assert.equal(compareAddresses(prefix, expected!), 0);
        expected = addressAfter(lastAddress(prefix));
      }
      assert.equal(compareAddresses(lastAddress(prefixes.at(-1)!), last), 0);
      for (let i = 1; i < prefixes.length; i++) {
        const [left, right] = [prefixes[i - 1]!, prefixes[i]!];
        const joinable = left.bits === right.bits && compareAddresses(prefixOf(right, left.bits - 1), left) === 0;
        assert.ok(!joinable);
      }
      assert.ok(prefixes.length <= 2 * familyBits(first.family) - 2 || prefixes.length === 1);
    }),
    { numRuns: 2000 },
  );
});

test('contains agrees with node:net BlockList', () => {
  fc.assert(
    fc.property(address, fc.nat(128), address, fc.boolean(), (base, length, other, near) => {
      const prefix = prefixOf(base, length % (familyBits(base.family) + 1));
      const asked: Address = near
        ? { ...base, w0: (base.w0 ^ (other.w0 & 3)) >>> 0, ...(base.family === 6 ? { w2: other.w2 } : {}) }
        : other;
      const list = new BlockList();
      list.addSubnet(formatAddress(prefix), prefix.bits, prefix.family === 4 ? 'ipv4' : 'ipv6');
      const expected =
        asked.family === prefix.family && list.check(formatAddress(asked), asked.family === 4 ? 'ipv4' : 'ipv6');
      assert.equal(contains(prefix, asked), expected);
    }),
    { numRuns: 5000 },
  );
});

test('the successor of the last address is undefined', () => {
  assert.equal(addressAfter(parseAnyAddress('255.255.255.255')!), undefined);
  assert.equal(addressAfter(parseAnyAddress('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')!), undefined);
  assert.equal(formatAddress(addressAfter(parseAnyAddress('1:2:ffff:ffff:ffff:ffff:ffff:ffff')!)!), '1:3::');
});

test('a reversed range and one of two families are refused', () => {
  for (const [first, last] of [
    ['8.8.8.9', '8.8.8.8'],
    ['2001::2', '2001::1'],
    ['8.8.8.8', '2001::1'],
    ['::', '8.8.8.8'],
  ] as const) {
    assert.throws(
      () => prefixesOfRange(parseAnyAddress(first)!, parseAnyAddress(last)!),
      RangeError,
      `${first}-${last}`,
    );
  }
});
