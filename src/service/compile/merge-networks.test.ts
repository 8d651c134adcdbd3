import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { rangeAt } from '../../../test/support/range-at.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import type { Place } from '../../core/place/merge-place.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
import { packedText, TextPacker } from '../../engine/record-texts.ts';
import { mergeNetworks } from './merge-networks.ts';
import { packPlace } from './merge-places.ts';

test('the text of a place is as JSON.stringify writes it, whatever its names hold', () => {
  const degrees = fc.oneof(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.integer({ min: -180e5, max: 180e5 }).map((value) => value / 1e5),
    fc.constantFrom(0, 1e-5, -1e-5, 0.1, 10, -179.99999, 1e-6, 1e21),
  );
  const place = fc.record(
    {
      country: fc.string(),
      city: fc.string({ unit: anyCharacter }),
      district: fc.constantFrom('Köln', 'a"b', 'a\\b', '\u2028', '\u007f', ''),
      lat: degrees,
      lon: degrees,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(place), (places) => {
      const packer = new TextPacker();
      const ids = places.map((one) => packPlace(packer, one as Place));
      const texts = packer.finish();
      for (const [i, one] of places.entries())
        assert.equal(packedText(texts, ids[i]!), Object.keys(one).length === 0 ? '' : JSON.stringify(one));
      assert.equal(texts.offsets.length - 1, new Set(['', ...ids.map((id) => packedText(texts, id))]).size);
    }),
  );
});

test('space that was given out is AUR where no AS number is known, and nowhere while there is no table of them', () => {
  const { w0, w1, w2, w3, bits } = parsePrefix('8.0.0.0/8')!;
  const prefixes = {
    length: 1,
    family: Uint8Array.of(4),
    words: Uint32Array.of(w0, w1, w2, w3),
    bits: Uint8Array.of(bits),
  };
  const given: NetworkList = { id: 'given-out', version: '1', effect: { usage: 'AUR', unrouted: true }, prefixes };
  const announced = new RangeRows(4, 1);
  announced.add4(0x08080000, 0x0808ffff, 1);
  const usageAt = (layers: Parameters<typeof mergeNetworks>[1], address: number): string => {
    const { ranges, records } = mergeNetworks(4, layers, [given]);
    return records[rangeAt(ranges, [address])]!.usageType;
  };
  const table = [{ ranges: announced.partition(), records: [undefined, { asn: 64500 }] }] as unknown as Parameters<
    typeof mergeNetworks
  >[1];
  assert.deepEqual(
    [0x07ffffff, 0x08000000, 0x0807ffff, 0x08080000, 0x0808ffff, 0x08090000, 0x09000000].map((at) =>
      usageAt(table, at),
    ),
    ['', 'AUR', 'AUR', '', '', 'AUR', ''],
  );
  assert.equal(usageAt([], 0x08000000), '');
});

test('the most trusted layer that names an AS number names it', () => {
  const layer = (...records: readonly { readonly asn: number; readonly asName?: string }[]) =>
    ({ ranges: new RangeRows(4, 1).partition(), records: [undefined, ...records] }) as never;
  const { asNames } = mergeNetworks(
    4,
    [layer({ asn: 1 }, { asn: 2, asName: 'Own' }), layer({ asn: 1, asName: 'Level 3' }, { asn: 2, asName: 'Other' })],
    [],
  );
  assert.deepEqual([...asNames].sort(), [
    [1, 'Level 3'],
    [2, 'Own'],
  ]);
});
