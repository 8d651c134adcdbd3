import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Place } from '../core/place/merge-place.ts';
import { placeText } from './build-data-merge.ts';

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
