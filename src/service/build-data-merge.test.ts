import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePrefix } from '../core/ip/prefix.ts';
import type { Place } from '../core/place/merge-place.ts';
import type { NetworkList } from '../core/place/network-list.ts';
import { mergeNetworks, placeText } from './build-data-merge.ts';
import { RangeRows, rangeAt } from './build-data-ranges.ts';

test('the text of a place is what JSON.stringify gives, whatever its names hold', () => {
  const degrees = fc.double({ min: -180, max: 180, noNaN: true });
  const place = fc.record(
    {
      country: fc.string(),
      city: fc.string({ unit: 'binary' }),
      district: fc.constantFrom('Köln', 'a"b', 'a\\b', '\u2028', '\u007f', ''),
      lat: degrees,
      lon: degrees,
    },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(place, (one) => assert.equal(placeText(one as Place), JSON.stringify(one))));
});

test('space that was given out is AUR where no AS number is known, and nowhere while there is no table of them', () => {
  const { w0, w1, w2, w3, bits } = parsePrefix('8.0.0.0/8')!;
  const prefixes = { length: 1, family: Uint8Array.of(4), words: Uint32Array.of(w0, w1, w2, w3), bits: Uint8Array.of(bits) };
  const given: NetworkList = { id: 'given-out', version: '1', effect: { usage: 'AUR', unrouted: true }, prefixes };
  const announced = new RangeRows(4, 1);
  announced.add4(0x08080000, 0x0808ffff, 1);
  const usageAt = (layers: Parameters<typeof mergeNetworks>[1], address: number): string => {
    const { ranges, records } = mergeNetworks(4, layers, [given]);
    return records[rangeAt(ranges, [address])]!.usageType;
  };
  const table = [{ ranges: announced.partition(), records: [undefined, { asn: 64500 }] }] as unknown as Parameters<typeof mergeNetworks>[1];
  assert.deepEqual(
    [0x07ffffff, 0x08000000, 0x0807ffff, 0x08080000, 0x0808ffff, 0x08090000, 0x09000000].map((at) => usageAt(table, at)),
    ['', 'AUR', 'AUR', '', '', 'AUR', ''],
  );
  assert.equal(usageAt([], 0x08000000), '');
});
