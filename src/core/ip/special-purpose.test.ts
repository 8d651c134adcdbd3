import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Address } from './address.ts';
import { formatAddress } from './format-address.ts';
import { parseAddress, parseAnyAddress } from './parse-address.ts';
import { findSpecialPurpose, isReserved, leadsInside, SPECIAL_PURPOSE_BLOCKS } from './special-purpose.ts';

const status = (text: string): string => parseAddress(text).status;
const list = (text: string): readonly string[] => text.trim().split(/\s+/);

test('both sides of every boundary of the IPv4 registry', () => {
  const reserved = list(`
    0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
    169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.11 192.0.0.170
    192.0.0.171 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.2 192.168.0.0 192.168.255.255 198.18.0.0
    198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0
    255.255.255.254 255.255.255.255
  `);
  const open = list(`
    1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.0.9 192.0.0.10 192.0.1.0 192.0.1.255
    192.0.3.0 192.31.196.1 192.52.193.1 192.88.99.1 192.88.99.3 192.167.255.255 192.169.0.0 192.175.48.1
    198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
  `);
  for (const text of reserved) assert.equal(status(text), 'reserved', text);
  for (const text of open) assert.equal(status(text), 'ok', text);
});

test('both sides of every boundary of the IPv6 registry', () => {
  const reserved = list(`
    :: ::1 ::2 64:ff9a:: 64:ff9b::ffff:ffff 64:ff9b:0:0:0:1:: 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
    100:: 100:0:0:1:: 1fff:ffff:: 2001:: 2001:0:ffff::1 2001:1:: 2001:1::4 2001:2:: 2001:2:1:: 2001:4:111::
    2001:4:113:: 2001:10:: 2001:1f:: 2001:40:: 2001:1ff:ffff:: 2001:db8::
    2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff:: 4000:: 5f00:: 8000:: c000:: fc00:: fdff::
    fe00:: fe80::1 febf:: fec0:: ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  `);
  const open = list(`
    64:ff9b::808:808 2000:: 2000:ffff:: 2001:1::1 2001:1::2 2001:1::3 2001:3::1 2001:4:112::1 2001:20::
    2001:2f:ffff:: 2001:30:: 2001:3f:ffff:: 2001:200:: 2001:db7:ffff:: 2001:db9:: 2002:: 2002:808:808::1
    2003::1 2620:4f:8000::1 2606:4700::1111 3ffe:ffff:: 3fff:1000:: 3fff:ffff::
  `);
  for (const text of reserved) assert.equal(status(text), 'reserved', text);
  for (const text of open) assert.equal(status(text), 'ok', text);
});

test('a mapped address is judged as the IPv4 address it is', () => {
  assert.equal(status('::ffff:192.168.1.1'), 'reserved');
  assert.equal(status('::ffff:1.1.1.1'), 'ok');
});

test('the index agrees with node:net BlockList over the table, longest prefix first', () => {
  const lists = SPECIAL_PURPOSE_BLOCKS.map((block) => {
    const list = new BlockList();
    const [w0, w1, w2, w3] = block.words;
    list.addSubnet(
      formatAddress({ family: block.family, w0, w1, w2, w3 }),
      block.bits,
      block.family === 4 ? 'ipv4' : 'ipv6',
    );
    return { list, block };
  });
  const naive = (address: Address): boolean => {
    const text = formatAddress(address);
    const hits = lists.filter(
      ({ list, block }) => block.family === address.family && list.check(text, address.family === 4 ? 'ipv4' : 'ipv6'),
    );
    return hits.sort((a, b) => b.block.bits - a.block.bits)[0]?.block.globallyReachable === false;
  };
  const around = fc.constantFrom(...SPECIAL_PURPOSE_BLOCKS);
  const word = fc.integer({ min: 0, max: 0xffff_ffff });
  const close = fc
    .tuple(around, word, word, word, fc.nat(128))
    .map(([{ family, words, bits }, a, b, c, keep]): Address => {
      const random = [a, b, c, a ^ b];
      const mixed = words.map((value, i) => {
        const shift = Math.max(0, Math.min(32, Math.min(bits, keep) - 32 * i));
        const mask = shift === 0 ? 0 : shift === 32 ? -1 : -1 << (32 - shift);
        return ((value & mask) | (random[i]! & ~mask)) >>> 0;
      });
      return family === 4
        ? { family, w0: mixed[0]!, w1: 0, w2: 0, w3: 0 }
        : { family, w0: mixed[0]!, w1: mixed[1]!, w2: mixed[2]!, w3: mixed[3]! };
    });
  fc.assert(
    fc.property(close, (address) => {
      // BlockList reads ::ffff:0:0/96 as IPv4; such addresses never reach the table.
      fc.pre(!(address.family === 6 && address.w0 === 0 && address.w1 === 0 && address.w2 === 0xffff));
      assert.equal(isReserved(address), naive(address), formatAddress(address));
    }),
    { numRuns: 5000 },
  );
});

test('the row that decided can be named', () => {
  assert.equal(findSpecialPurpose(parseAnyAddress('192.168.1.1')!)?.rfc, 'RFC 1918');
  assert.equal(findSpecialPurpose(parseAnyAddress('192.0.0.9')!)?.globallyReachable, true);
  assert.equal(findSpecialPurpose(parseAnyAddress('8.8.8.8')!), undefined);
});

test('a 6to4 address leads where its IPv4 address is', () => {
  const inside = (text: string): boolean => leadsInside(parseAnyAddress(text)!);
  for (const text of ['2002:a00:1::', '2002:7f00:1::1', '2002:a9fe:a9fe::', '2002:c0a8:101:1::', '10.0.0.1', 'fe80::1'])
    assert.equal(inside(text), true, text);
  for (const text of ['2002:808:808::1', '2001:4860::1', '8.8.8.8', '2003:a00:1::'])
    assert.equal(inside(text), false, text);
  assert.equal(status('2002:a00:1::'), 'ok', 'no registry marks it, so it may be looked up');
});
