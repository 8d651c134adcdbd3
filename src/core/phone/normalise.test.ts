import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CountryCode, type Examples, getExampleNumber } from 'libphonenumber-js/max';
import { READINGS, UNPARSEABLE } from '../../../test/phone/readings.fixture.ts';
import { covers } from '../../../test/spec/covers.ts';
import { normalise } from './normalise.ts';
import { PLAN_ROWS } from './plan-rows.generated.ts';

const require = createRequire(import.meta.url);
const examples = require('libphonenumber-js/examples.mobile.json') as Examples;
const metadata = require('libphonenumber-js/metadata.max.json') as {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly nonGeographic: Readonly<Record<string, unknown>>;
};

test('every way of writing is read as the rules say', () => {
  covers('PHONE-NORM-1 PHONE-NORM-2 PHONE-NORM-3A PHONE-NORM-3B PHONE-NORM-3C PHONE-NORM-5');
  for (const [inputs, e164, ...expected] of READINGS)
    for (const input of inputs) {
      const number = normalise(input);
      assert.ok(number, `${JSON.stringify(input)} is readable`);
      const { digits, national, callingCode, iso2, validLength } = number;
      assert.deepEqual(
        [`+${digits}`, national, callingCode, iso2, validLength],
        [e164, ...expected],
        JSON.stringify(input),
      );
      assert.equal(`${callingCode}${national}`, digits);
    }
});

test('letters, quotes, emoji and other foreign characters make an input unparseable', () => {
  covers('PHONE-NORM-4');
  for (const input of UNPARSEABLE) assert.equal(normalise(input), undefined, JSON.stringify(input.slice(0, 40)));
});

test('a national part of 17 digits is read and one of 18 is not', () => {
  assert.equal(normalise(`+86${'1'.repeat(17)}`)?.validLength, false);
  assert.equal(normalise(`+86${'1'.repeat(18)}`), undefined);
  assert.equal(normalise('+861')?.national, '1');
});

test('the example number of every region of libphonenumber is read with its calling code, national part and a valid length', () => {
  const regions = Object.keys(examples) as CountryCode[];
  assert.ok(regions.length > 230);
  for (const region of regions) {
    const example = getExampleNumber(region, examples);
    assert.ok(example, region);
    const number = normalise(example.number);
    assert.equal(number && `+${number.digits}`, example.number, region);
    assert.equal(number?.callingCode, Number(example.countryCallingCode), region);
    assert.equal(number?.national, example.nationalNumber, region);
    assert.equal(number?.validLength, true, region);
    const main = metadata.country_calling_codes[example.countryCallingCode]?.[0];
    assert.equal(number?.iso2, example.countryCallingCode === '1' ? null : main, region);
  }
});

test('the table has every calling code of libphonenumber once', () => {
  const codes = PLAN_ROWS.map(([code]) => String(code)).sort();
  assert.deepEqual(
    codes,
    [...new Set([...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)])].sort(),
  );
});

test('reading its own E.164 form again changes nothing, and punctuation never changes a reading', () => {
  const noise = fc.constantFrom('', ' ', '-', '.', '(', ')', '\u200b', '\u00a0');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), noise), { minLength: 1, maxLength: 22 }),
      fc.boolean(),
      (pairs, plus) => {
        const plain = (plus ? '+' : '') + pairs.map(([digit]) => digit).join('');
        const noisy = (plus ? '+' : '') + pairs.map(([digit, mark]) => `${digit}${mark}`).join('');
        const number = normalise(plain);
        assert.deepEqual(normalise(noisy), number);
        // One reading strips one trunk zero, so only a national part without one is a fixed point.
        if (number !== undefined && !number.national.startsWith('0'))
          assert.deepEqual(normalise(`+${number.digits}`), number);
      },
    ),
  );
});
