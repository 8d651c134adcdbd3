import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrefix } from '../ip/format-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { listChanges } from './list-changes.ts';

const changesOf = (before: string, now: string): string =>
  [...listChanges(prefixesOf(before), prefixesOf(now))]
    .map(({ change, prefix }) => `${change === 'added' ? '+' : '-'}${formatPrefix(prefix)}`)
    .join(' ');
const prefixesOf = (text: string) => (text === '' ? [] : text.split(' ').map((one) => parsePrefix(one)!));

test('two lists are compared by addresses, whatever prefixes they are written as', () => {
  for (const [before, now, expected] of [
    ['', '', ''],
    ['', '1.0.0.0/24', '+1.0.0.0/24'],
    ['1.0.0.0/24', '', '-1.0.0.0/24'],
    ['1.0.0.0/25 1.0.0.128/25', '1.0.0.0/24', ''],
    ['1.0.0.0/32', '1.0.0.0/31', '+1.0.0.1/32'],
    [
      '1.0.0.0/24',
      '1.0.0.1/32 1.0.0.128/25',
      '-1.0.0.0/32 -1.0.0.2/31 -1.0.0.4/30 -1.0.0.8/29 -1.0.0.16/28 -1.0.0.32/27 -1.0.0.64/26',
    ],
    ['1.0.0.0/24 9.9.9.9', '1.0.1.0/24 9.9.9.9', '-1.0.0.0/24 +1.0.1.0/24'],
    ['255.255.255.255 2001:db8::/64', '255.255.255.254/31 2001:db8::/63', '+255.255.255.254/32 +2001:db8:0:1::/64'],
    ['255.255.255.255', '::/128', '-255.255.255.255/32 +::/128'],
    [
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127',
      '+ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/128',
    ],
  ] as const)
    assert.equal(changesOf(before, now), expected, `${before} to ${now}`);
});
