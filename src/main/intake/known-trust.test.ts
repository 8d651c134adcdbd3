import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../../core/units.ts';
import type { SourceTrust } from '../../service/ports.ts';
import { KnownTrust } from './known-trust.ts';

test('a source without trust is known within two seconds, and as it was while the store is away', async () => {
  let now = 0;
  let asked = 0;
  let refused: readonly string[] = ['a'];
  let isUp = true;
  const trusts = async (): Promise<readonly SourceTrust[]> => {
    asked += 1;
    if (!isUp) throw new Error('away');
    const said = ['a', 'b'].map(
      (source) => ({ source, trust: refused.includes(source) ? 'none' : 'full', madeAt: unixMs(1), actor: 'cli', reason: '' }) as const,
    );
    return said;
  };
  const trust = new KnownTrust(
    async () => ({ trusts, async close() {} }),
    () => now,
  );
  const seen = async () => [await trust.isTrusted('a'), await trust.isTrusted('b'), await trust.isTrusted('c')];
  assert.deepEqual([await seen(), asked], [[false, true, true], 1]);
  refused = ['b'];
  now = 1_999;
  assert.deepEqual([await seen(), asked], [[false, true, true], 1]);
  now = 2_000;
  assert.deepEqual([await seen(), asked], [[true, false, true], 2]);
  isUp = false;
  refused = [];
  now = 4_000;
  assert.deepEqual([await seen(), asked], [[true, false, true], 3]);
  isUp = true;
  now = 13_999;
  assert.deepEqual([await seen(), asked], [[true, false, true], 3], 'a store that is away is left alone for a while');
  now = 14_000;
  assert.deepEqual([await seen(), asked], [[true, true, true], 4]);
});
