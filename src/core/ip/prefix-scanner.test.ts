import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPrefix } from './format-address.ts';
import { parsePrefix } from './prefix.ts';
import { PrefixScanner } from './prefix-scanner.ts';

const scanner = new PrefixScanner();
/** The whole text scanned, written back canonically; undefined when it is not an address or prefix from end to end. */
const scanned = (text: string): string | undefined => {
  const bytes = new TextEncoder().encode(text);
  return scanner.scan(bytes, 0, bytes.length) && scanner.end === bytes.length ? formatPrefix(scanner) : undefined;
};

test('addresses and prefixes of both families are read', () => {
  for (const [text, canonical] of [
    ['1.2.3.4', '1.2.3.4/32'],
    ['255.255.255.255', '255.255.255.255/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['1.2.3.4/31', '1.2.3.4/31'],
    ['::', '::/128'],
    ['::1', '::1/128'],
    ['2001:db8::', '2001:db8::/128'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8/128'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0/128'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8/128'],
    ['2001:db8:ffff:ffff:ffff::/65', '2001:db8:ffff:ffff:8000::/65'],
    ['64:ff9b::1.2.3.4', '1.2.3.4/32'],
    ['64:ff9b::1.2.3.4/120', '1.2.3.0/24'],
    ['64:ff9b::/96', '0.0.0.0/0'],
    ['64:ff9b::1.2.3.4/64', '64:ff9b::/64'],
    ['64:ff9b:1::1.2.3.4', '64:ff9b:1::102:304/128'],
    ['::ffff:1.2.3.4', '1.2.3.4/32'],
    ['::ffff:1.2.3.4/128', '1.2.3.4/32'],
    ['::ffff:102:304/120', '1.2.3.0/24'],
    ['::ffff:1.2.3.4/24', '::/24'],
    ['::ffff:1.2.3.4/90', '::ffc0:0:0/90'],
  ] as const) {
    assert.equal(scanned(text), canonical, text);
  }
});

test('anything else is not', () => {
  for (const text of [
    '',
    '1',
    '1.2.3',
    '1.2.3.',
    '1.2.3.4.',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.4/',
    '1.2.3.4/33',
    '::ffff:1.2.3.4/129',
    '1.2.3.4/08',
    '1.2.3.4/-1',
    'a.b.c.d',
    '1..2.3',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::g',
    '1:2:3:4:5:6:7:8::',
    '::/129',
    '2001:db8::1:',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3',
  ]) {
    assert.equal(scanned(text), undefined, text);
  }
});

test('reading stops at the end it is given, not at the end of the bytes', () => {
  const bytes = new TextEncoder().encode('1.2.3.45');
  assert.ok(scanner.scan(bytes, 0, 7));
  assert.equal(formatPrefix(scanner), '1.2.3.4/32');
  assert.equal(scanner.scan(bytes, 0, 6), false);
});

test('reads every prefix as the reader of texts does, mapped and NAT64 ones included', () => {
  const mapped = fc
    .tuple(fc.constantFrom('::ffff:', '64:ff9b::', '64:ff9b:1::'), fc.ipV4())
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), mapped), fc.integer({ min: 0, max: 130 }), (address, bits) => {
      const own = parsePrefix(`${address}/${bits}`);
      assert.equal(scanned(`${address}/${bits}`), own && formatPrefix(own));
    }),
    { numRuns: 3000 },
  );
});
