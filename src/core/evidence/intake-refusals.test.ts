import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddressSet } from '../ip/address-set.ts';
import { contains, parsePrefix } from '../ip/prefix.ts';
import { SOURCE_TYPE } from './capture-batch-builder.ts';
import { intakeRefusals } from './intake-refusals.ts';

const prefixes = (...texts: string[]) => texts.map((text) => parsePrefix(text)!);

test('a row about the operator or a well-known service is refused, also where it only covers one of their addresses', () => {
  const refuse = intakeRefusals(
    prefixes('45.1.2.3', '2a00:1::/48'),
    prefixes('8.8.8.0/24', '8.8.8.8', '1.1.1.1', '2a00:2::1'),
  );
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['45.1.2.3', 'own_address'],
    ['45.1.2.2', undefined],
    ['45.1.2.4', undefined],
    ['45.1.0.0/16', 'own_address'],
    ['8.8.8.8', 'known_good'],
    ['8.8.8.200', 'known_good'],
    ['8.8.9.0', undefined],
    ['8.8.0.0/16', 'known_good'],
    ['1.1.1.0/31', 'known_good'],
    ['1.1.1.2/31', undefined],
    ['2a00:1:0:ffff::9', 'own_address'],
    ['2a00:1:1::', undefined],
    ['2a00:2::/64', 'known_good'],
    ['2a00:2::2', undefined],
  ];
  for (const [text, reason] of cases) assert.equal(refuse(parsePrefix(text)!, SOURCE_TYPE), reason, text);
  assert.equal(intakeRefusals([], [])(parsePrefix('8.8.8.8')!, SOURCE_TYPE), undefined);
});

test('a set of addresses overlaps exactly the prefixes that one of its own contains, or that contain one of its own', () => {
  const prefix = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 22, max: 32 }))
    .map(([octet, bits]) => parsePrefix(`9.9.${octet >> 6}.${octet}/${bits}`)!);
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 12 }), prefix, (held, asked) => {
      assert.equal(
        new AddressSet(held).overlaps(asked),
        held.some((one) => contains(one, asked) || contains(asked, one)),
      );
    }),
    { seed: 7 },
  );
});
