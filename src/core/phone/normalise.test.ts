import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CountryCode, type Examples, getExampleNumber } from 'libphonenumber-js/max';
import { normalise } from './normalise.ts';
import { PLAN_ROWS } from './plan-rows.generated.ts';

const require = createRequire(import.meta.url);
const examples = require('libphonenumber-js/examples.mobile.json') as Examples;
const metadata = require('libphonenumber-js/metadata.max.json') as {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly nonGeographic: Readonly<Record<string, unknown>>;
};

type Expected = readonly [input: string, e164: string, validLength: boolean | null, iso2: string | null];
const check = (rows: readonly Expected[]): void => {
  for (const [input, e164, validLength, iso2] of rows) {
    const number = normalise(input);
    assert.ok(number, `${JSON.stringify(input)} is readable`);
    assert.deepEqual(
      [`+${number.digits}`, number.validLength, number.iso2],
      [e164, validLength, iso2],
      JSON.stringify(input),
    );
    assert.equal(`${number.callingCode}${number.national}`, number.digits);
  }
};

test('rule 1: spaces, dashes, brackets, dots, full-width digits, zero-width and non-breaking characters are normalised away', () => {
  check([
    ['138 0013 8000', '+8613800138000', true, 'CN'],
    ['138-0013-8000', '+8613800138000', true, 'CN'],
    ['(138)0013.8000', '+8613800138000', true, 'CN'],
    ['【138】〔0013〕｛8000｝', '+8613800138000', true, 'CN'],
    ['１３８００１３８０００', '+8613800138000', true, 'CN'],
    ['138\u200b0013\u200d8000\ufeff', '+8613800138000', true, 'CN'],
    ['138\u00a00013\u202f8000', '+8613800138000', true, 'CN'],
    ['\u202a+86 138\u20110013–8000\u202c', '+8613800138000', true, 'CN'],
    ['＋８６（１３８）００１３８０００', '+8613800138000', true, 'CN'],
    ['\t13800138000\r\n', '+8613800138000', true, 'CN'],
    ...[...'·・•‧∙⋅･。｡․'].map((dot): Expected => [`138${dot}0013${dot}8000`, '+8613800138000', true, 'CN']),
  ]);
});

test('rule 2: a leading + or 00 marks an international form, and one trunk zero goes where the plan has one', () => {
  check([
    ['+8613800138000', '+8613800138000', true, 'CN'],
    ['008613800138000', '+8613800138000', true, 'CN'],
    ['+86 (0)138 0013 8000', '+8613800138000', true, 'CN'],
    ['013800138000', '+8613800138000', true, 'CN'],
    ['+44 (0)7400 123456', '+447400123456', true, 'GB'],
    ['+39 06 1234 5678', '+390612345678', true, 'IT'],
    ['0013800138000', '+13800138000', true, null],
    ['[+]12025550123', '+12025550123', true, null],
    ['+225 01 23 45 67 89', '+2250123456789', true, 'CI'],
  ]);
});

test('rule 3a: eleven digits 1, 3 to 9, nine more are a mainland number before anything else', () => {
  check([
    ['13000000000', '+8613000000000', true, 'CN'],
    ['19999999999', '+8619999999999', true, 'CN'],
    ['14155552671', '+8614155552671', true, 'CN'],
  ]);
  check([['12025550123', '+12025550123', true, null]]); // second digit 2: not a mainland mobile
});

test('rule 3b: without the plus, a calling code and a valid national length can be recognised', () => {
  check([
    ['85291234567', '+85291234567', true, 'HK'],
    ['6591234567', '+6591234567', true, 'SG'],
    ['447911123456', '+447911123456', true, 'GB'],
    ['8613800138000', '+8613800138000', true, 'CN'],
    ['86013800138000', '+8613800138000', true, 'CN'],
    ['62081234567890', '+6281234567890', true, 'ID'],
    ['49015123020522', '+4915123020522', true, 'DE'],
    ['840912345678', '+84912345678', true, 'VN'],
    ['390612345678', '+390612345678', true, 'IT'],
  ]);
});

test('rule 3c: anything else is read with +86 and keeps its wrong length', () => {
  check([
    ['1380013800', '+861380013800', false, 'CN'],
    ['10086', '+8610086', false, 'CN'],
    ['02088886666', '+862088886666', false, 'CN'],
    ['075588886666', '+8675588886666', false, 'CN'],
    ['138001380001', '+86138001380001', false, 'CN'],
    ['861380013800', '+861380013800', false, 'CN'],
    ['085291234567', '+8685291234567', false, 'CN'],
  ]);
});

test('rule 4: letters, quotes, emoji and other foreign characters make an input unparseable', () => {
  for (const input of [
    'abc',
    '1380013800x',
    '138 0013 8000 ext 1',
    'tel:+8613800138000',
    '"13800138000"',
    '‘13800138000’',
    '“13800138000”',
    '1380013800😀',
    '13800138000;',
    '1,3800138000',
    '138/00138000',
    '138_0013_8000',
    '*13800138000',
    '#13800138000',
    '①③⑧00138000',
    '²13800138000',
    '٠١٢٣٤٥٦٧٨٩',
    '१३८००१३८०००',
    '一三八',
    '138〜00138000',
    '',
    ' ',
    '+',
    '++8613800138000',
    '+86+13800138000',
    '86+13800138000',
    '+013800138000',
    '00013800138000',
    '+',
    '(-)',
    '0',
    '+86',
    '+860',
    '\0',
    `+1${'2'.repeat(18)}`,
    '9'.repeat(18),
    '1'.repeat(100_000),
  ]) {
    assert.equal(normalise(input), undefined, JSON.stringify(input.slice(0, 40)));
  }
});

test('a national part of 17 digits is read and one of 18 is not', () => {
  assert.equal(normalise(`+86${'1'.repeat(17)}`)?.validLength, false);
  assert.equal(normalise(`+86${'1'.repeat(18)}`), undefined);
  assert.equal(normalise('+861')?.national, '1');
});

test('an unknown calling code is read by its zone, with plan and country unknown', () => {
  check([
    ['+999123456789', '+999123456789', null, null],
    ['+2101234567', '+2101234567', null, null],
    ['+88813800138000', '+88813800138000', true, null],
    ['+87812345678901', '+87812345678901', false, null],
  ]);
});

test('one digit more or fewer than the plan has is a wrong length', () => {
  check([
    ['+1202555012', '+1202555012', false, null],
    ['+120255501234', '+120255501234', false, null],
    ['+8529123456', '+8529123456', false, 'HK'],
    ['+852912345678', '+852912345678', false, 'HK'],
    ['+8612800138000', '+8612800138000', false, 'CN'],
  ]);
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
