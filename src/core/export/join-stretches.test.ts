import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomBelow } from '../../../test/support/random.ts';
import type { Address } from '../ip/address.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { contains, lastAddress } from '../ip/prefix.ts';
import { joinStretches, type ValuedStretch } from './join-stretches.ts';

const SPACE = 512;
const address = (w0: number): Address => ({ family: 4, w0, w1: 0, w2: 0, w3: 0 });
const stretch = (first: number, last: number, value: number, network = 0): ValuedStretch => ({
  first: address(first),
  last: address(last),
  value,
  network,
});
const texts = (stretches: readonly ValuedStretch[]): readonly string[] =>
  [...joinStretches(stretches)].map(({ prefix, value, network }) => `${formatPrefix(prefix)} ${value} ${network}`);

/** Values and networks of a small space, and the stretches that say the same, cut at random. */
function randomSpace(below: (bound: number) => number) {
  const value = new Int32Array(SPACE).fill(-1);
  const network = new Int32Array(SPACE);
  for (let i = 0; i < 12; i++) value.fill(below(3) - 1, below(SPACE), below(SPACE));
  for (let i = 0; i < 6; i++) network.fill(below(3), below(SPACE), below(SPACE));
  const stretches: ValuedStretch[] = [];
  for (let from = 0; from < SPACE; ) {
    let to = from;
    while (to + 1 < SPACE && value[to + 1] === value[from] && network[to + 1] === network[from] && below(20) !== 0)
      to++;
    if (value[from]! >= 0) stretches.push(stretch(from, to, value[from]!, network[from]));
    from = to + 1;
  }
  return { value, network, stretches };
}

describe('stretches are joined', () => {
  test('to prefixes that say the same of every address, ascend, and never overlap', () => {
    const below = randomBelow(11);
    for (let round = 0; round < 120; round++) {
      const { value, network, stretches } = randomSpace(below);
      const entries = [...joinStretches(stretches)];
      let next = 0;
      const said = new Int32Array(SPACE).fill(-1);
      for (const { prefix, value: its, network: of } of entries) {
        assert.ok(prefix.w0 >= next);
        const last = lastAddress(prefix).w0;
        const networks = new Set(network.subarray(prefix.w0, last + 1));
        assert.deepEqual([...networks].length === 1 ? [...networks][0] : undefined, of, 'it holds the whole prefix');
        said.fill(its, prefix.w0, last + 1);
        next = last + 1;
      }
      assert.deepEqual(said, value);
    }
  });

  test('to the fewest such prefixes: no two of one value are halves of a larger one', () => {
    const below = randomBelow(13);
    for (let round = 0; round < 120; round++) {
      const entries = [...joinStretches(randomSpace(below).stretches)];
      for (const [i, { prefix, value }] of entries.entries()) {
        const next = entries[i + 1];
        if (next === undefined || next.value !== value || next.prefix.bits !== prefix.bits) continue;
        assert.ok(
          !contains(
            { ...prefix, w0: prefix.w0 & ~((2 << (32 - prefix.bits)) - 1), bits: prefix.bits - 1 },
            next.prefix,
          ),
          formatPrefix(prefix),
        );
      }
    }
  });

  test('across networks, and never across families', () => {
    assert.deepEqual(texts([stretch(0, 3, 1, 5), stretch(4, 7, 1, 6), stretch(8, 15, 1, 6)]), [
      '0.0.0.0/28 1 undefined',
    ]);
    assert.deepEqual(texts([stretch(1, 3, 1, 5), stretch(4, 6, 1, 6)]), [
      '0.0.0.1/32 1 5',
      '0.0.0.2/31 1 5',
      '0.0.0.4/31 1 6',
      '0.0.0.6/32 1 6',
    ]);
    const six: ValuedStretch = {
      first: { ...address(0), family: 6 },
      last: { ...address(0), family: 6 },
      value: 1,
      network: 0,
    };
    assert.deepEqual(texts([stretch(0xffff_fffe, 0xffff_ffff, 1), six]), ['255.255.255.254/31 1 0', '::/128 1 0']);
  });

  test('where there are none, there is nothing', () => assert.deepEqual(texts([]), []));
});
