import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBelow } from '../../../test/support/random.ts';
import type { Address } from './address.ts';
import { addressBefore, CutPoints } from './cut-points.ts';
import { formatAddress } from './format-address.ts';
import { addressAfter, compareAddresses, contains, parsePrefix } from './prefix.ts';

test('between two cut points an address lies in the same prefixes, and the next address after them does not', () => {
  const below = randomBelow(7);
  for (let round = 0; round < 40; round++) {
    const prefixes = Array.from({ length: 1 + below(6) }, () => parsePrefix(`10.0.0.${below(256)}/${24 + below(9)}`)!);
    const cuts = new CutPoints(prefixes);
    const inside = (w0: number): string =>
      prefixes.map((prefix) => contains(prefix, { family: 4, w0, w1: 0, w2: 0, w3: 0 })).join();
    for (let w0 = 0x0a00_0000; w0 < 0x0a00_0100; w0++) {
      const { w0: last } = cuts.lastAlike({ family: 4, w0, w1: 0, w2: 0, w3: 0 }) ?? { w0: 0x0a00_0100 };
      assert.ok(last >= w0);
      for (let other = w0; other <= last; other++) assert.equal(inside(other), inside(w0));
    }
  }
});

test('IPv6 cut points carry over words, and nothing follows the last of them', () => {
  const cuts = new CutPoints([parsePrefix('2001:db8::/32')!, parsePrefix('ffff::/16')!]);
  const at = (text: string): string | undefined => {
    const reached = cuts.lastAlike(parsePrefix(text)!);
    return reached && formatAddress(reached);
  };
  assert.equal(at('::1'), '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff');
  assert.equal(at('2001:db8::'), '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff');
  assert.equal(at('2001:db9::'), 'fffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
  assert.equal(at('ffff::'), undefined);
  assert.equal(new CutPoints([]).lastAlike(parsePrefix('1.2.3.4')!), undefined);
});

test('the address before the one after an address is the address', () => {
  const top = 0xffff_ffff;
  for (const w of [
    [0, 0, 0, 0],
    [0, 0, 0, top],
    [0, 0, top, top],
    [0, top, top, top],
    [1, 2, 3, 4],
  ] as const) {
    const address: Address = { family: 6, w0: w[0], w1: w[1], w2: w[2], w3: w[3] };
    assert.equal(compareAddresses(addressBefore(addressAfter(address)!), address), 0);
  }
});
