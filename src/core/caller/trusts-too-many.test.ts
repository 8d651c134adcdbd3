import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrefix } from '../ip/prefix.ts';
import { trustsTooMany } from './client-address.ts';

test('more public space than a /8 or an IPv6 /16 is too much to trust, in one entry or in many; private space is not', () => {
  const judge = (...entries: readonly string[]) => trustsTooMany(entries.map((entry) => parsePrefix(entry)!));
  for (const entries of [
    ['0.0.0.0/0'],
    ['::/0'],
    ['0.0.0.0/1', '128.0.0.0/1'],
    ['44.0.0.0/7'],
    ['45.0.0.0/9', '46.0.0.0/9', '47.0.0.0/9'],
    ['2000::/15'],
    ['10.0.0.0/7'],
  ])
    assert.equal(judge(...entries), true, entries.join());
  for (const entries of [
    [],
    ['45.0.0.0/8'],
    ['2600::/16'],
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', 'fc00::/7'],
    ['198.51.100.7/32', '2606:4700::/32'],
  ])
    assert.equal(judge(...entries), false, entries.join());
});
