import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddressColumns } from './address-columns.ts';
import { parseAddress } from './parse-address.ts';

const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFg.:%/ '.split('')), maxLength: 46 });
const joined = fc
  .array(fc.constantFrom('0', '1', 'ab', 'ffff', '12345', '', '1.2.3.4'), { minLength: 1, maxLength: 10 })
  .map((parts) => parts.join(':'));
const dotted = fc
  .array(fc.constantFrom('0', '1', '25', '255', '256', '01', ''), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('.'));
const texts = fc.oneof(
  near,
  joined,
  dotted,
  fc.ipV4(),
  fc.ipV6(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('::ffff:8.8.8.8', '8.8.8.8/32', '10.0.0.1', '::1'),
);

test('a column holds the result of parseAddress for a text, read from the text or from its bytes among others', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 20 }), (all) => {
      const [ofTexts, ofBytes] = [new AddressColumns(all.length), new AddressColumns(all.length)];
      for (const text of all) {
        ofTexts.addText(text);
        const bytes = Buffer.from(`1${text}1`);
        ofBytes.addBytes(bytes, 1, bytes.length - 1);
      }
      const expected = all.map(parseAddress);
      for (const columns of [ofTexts, ofBytes]) {
        for (const [i, parsed] of expected.entries()) {
          assert.deepEqual(columns.at(i), parsed.status === 'ok' ? parsed.address : undefined, JSON.stringify(all[i]));
          assert.equal(
            columns.kinds[i],
            parsed.status === 'ok' ? parsed.address.family : parsed.status === 'reserved' ? 1 : 0,
            JSON.stringify(all[i]),
          );
          assert.equal(columns.isReadable(i), parsed.status === 'ok');
        }
        const ok = expected.flatMap((parsed) => (parsed.status === 'ok' ? [parsed.address.family] : []));
        assert.deepEqual([columns.count, columns.readable, columns.hasIpv6], [all.length, ok.length, ok.includes(6)]);
      }
    }),
    { numRuns: 3000 },
  );
});
