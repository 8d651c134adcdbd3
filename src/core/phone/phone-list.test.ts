import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csvCell } from '../csv/csv-cell.ts';
import { Fault } from '../texts/said.ts';
import { CARD_ATTRIBUTES, CARD_TYPES, RISK_TAGS } from './dictionary.ts';
import { findNumbers } from './find-numbers.ts';
import { normalise } from './normalise.ts';
import { TEXTS } from './phone-list.fixture.ts';
import { detectPhoneList, homePlan, type PhoneListOptions, phoneRecords } from './phone-list.ts';
import { PHONE_WORDS } from './phone-words.ts';

const found = (text: string, region?: string): readonly string[] =>
  findNumbers(text, region === undefined ? undefined : homePlan(region)).map(({ number }) => `+${number.digits}`);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the numbers of each record, or the fault's sentence if their place is unclear. */
function listed(bytes: Uint8Array | string, options: PhoneListOptions = {}) {
  const block = typeof bytes === 'string' ? bytesOf(bytes) : bytes;
  const list = detectPhoneList(block, options);
  if (list instanceof Fault) return list.message;
  return [...phoneRecords(block, true, list, options.home)].map(({ numbers }) =>
    numbers.map(({ number }) => `+${number.digits}`).join(' '),
  );
}

describe('numbers of a text', () => {
  test('a text that the API reads as a number with a mark, or in one group, is the same number in a list', () => {
    const groups = fc.array(fc.stringMatching(/^\d{1,6}$/), { minLength: 1, maxLength: 6 });
    const between = fc.constantFrom(' ', '-', '.', '·', '・', '\u00a0', '(', ') ', '\u200b', '');
    const mark = fc.constantFrom('+', '＋', '00', '(+', '');
    fc.assert(
      fc.property(mark, groups, between, (sign, parts, blank) => {
        const text = `${sign}${parts.join(sign === '' ? '' : blank)}`;
        const api = normalise(text);
        if (api !== undefined && !/(?<!\d)(?:19|20)\d\d[-.]|^\d+(?:\.\d+){3}$/.test(text))
          assert.deepEqual(found(text), [`+${api.digits}`], text);
      }),
      { numRuns: 2000 },
    );
  });

  for (const [text, numbers, region] of TEXTS)
    test(`${text}${region === undefined ? '' : ` in ${region}`}`, () => assert.deepEqual(found(text, region), numbers));

  test('a mobile number is found however its digits are grouped and whatever words stand around it', () => {
    const between = fc.constantFrom('', ' ', '-', '.', '\u00a0', ' (', ') ', ' - ');
    const digits = fc.stringMatching(/^1[3-9]\d{9}$/);
    const words = fc.constantFrom('', 'call ', '电话：', '"', 'Bob, ');
    fc.assert(
      fc.property(
        digits,
        fc.array(between, { minLength: 2, maxLength: 2 }),
        words,
        words,
        (number, [a, b], before, after) => {
          const text = `${before}+86 ${number.slice(0, 3)}${a}${number.slice(3, 7)}${b}${number.slice(7)} ${after}`;
          assert.deepEqual(found(text), [`+86${number}`], text);
        },
      ),
    );
  });

  test('no text takes long or throws', () => {
    const piece = fc.constantFrom('1', '8', ' ', '-', '(', '+', '.', 'a', '2026-11-23', '１', '\0');
    fc.assert(fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => void found(pieces.join(''))));
    assert.deepEqual(found('1 '.repeat(200_000)), []);
  });
});

describe('lists', () => {
  test('the column is the one that holds numbers, by its name where several do; --field names another', () => {
    const text = 'id,backup,手机号\n2024110501234,+49 30 123456,13800138000\n2024110501235,+49 30 123457,13900139000\n';
    assert.deepEqual(listed(text), ['+8613800138000', '+8613900139000']);
    assert.deepEqual(listed(text, { field: 'backup' }), ['+4930123456', '+4930123457']);
    assert.deepEqual(listed(text, { field: '2' }), ['+4930123456', '+4930123457']);
    assert.equal(listed(text, { field: 'fax' }), 'there is no column "fax"');
    assert.deepEqual(listed('uid,ts,contact\n10001,1795680000,4155552671\n', { home: homePlan('US') }), [
      '+14155552671',
    ]);
    assert.match(String(listed('From,To\n+14155552671,+14155552672\n')), /in From and in To/);
  });

  test('without a header, with semicolons, tabs or a byte-order mark, and one column under its name', () => {
    assert.deepEqual(listed('+33612345678;Bob\n+33612345679;Eve\n'), ['+33612345678', '+33612345679']);
    assert.deepEqual(listed('Bob\t13800138000\r\nEve\tnone\r\n'), ['+8613800138000', '']);
    assert.deepEqual(listed('\uFEFFphone\n13800138000\n\n13900139000'), ['+8613800138000', '+8613900139000']);
  });

  test('a column of countries or calling codes says whose the numbers without a mark are', () => {
    for (const [text, numbers] of [
      ['cc,phone\n49,15123456789\n86,13800138000', ['+4915123456789', '+8613800138000']],
      ['Country Code;Number\n+44;7400123456\n0049;0151 23456789', ['+447400123456', '+4915123456789']],
      ['country,phone\nDE,15123456789\nGB,+49 151 23456780', ['+4915123456789', '+4915123456780']],
      ['Country,Phone\nGermany,015123456789\nUnited States,(415) 555-2671', ['+4915123456789', '+14155552671']],
      ['国家,手机号\n德国,15123456789\n中国,13800138000', ['+4915123456789', '+8613800138000']],
      [
        'country,phone\nNowhere,13800138000\nDE,15123456789\nDE,15123456780',
        ['+8613800138000', '+4915123456789', '+4915123456780'],
      ],
    ] as const)
      assert.deepEqual(listed(text), numbers, text);
    assert.deepEqual(listed('cc,phone,other\n49,1,15123456789', { field: 'other' }), ['+4915123456789']);
  });

  test('a `sep=;` line before the header is skipped', () => {
    assert.deepEqual(listed('sep=;\r\nname;number\r\na;+8613800138000\r\n'), ['+8613800138000']);
  });

  test('the name of a single column may stand in quotes', () => {
    assert.deepEqual(listed('"phone"\r\n"13800138000"\r\n'), ['+8613800138000']);
  });

  test('where each line holds several numbers, or words, all of them count', () => {
    assert.deepEqual(listed('+4915123456789, +14155552671\n'), ['+4915123456789 +14155552671']);
    assert.deepEqual(listed('Dear Bob, call 13800138000\nor 13900139000, soon\n'), [
      '+8613800138000',
      '+8613900139000',
    ]);
  });

  test('a table without a column of numbers is refused, and no text of it is in the reason', () => {
    assert.equal(listed('a,b\nsecret,1\n'), 'no column has phone numbers in most rows; name one with --field');
  });

  test('a file of a Chinese spreadsheet is read in its own encoding', () => {
    // GB 18030 of 姓名,手机号 and 张三
    const bytes = Buffer.from('d0d5c3fb2ccad6bbfabac50ad5c5c8fd2c31333830303133383030300a', 'hex');
    const list = detectPhoneList(bytes);
    assert.ok(!(list instanceof Fault));
    assert.deepEqual([list.header, list.encoding], [['姓名', '手机号'], 'gb18030']);
    const [record] = phoneRecords(bytes, true, list, undefined);
    assert.deepEqual(record?.cells, ['张三', '13800138000']);
  });

  test('a table gives back its cells and its numbers, whatever is in the other cells', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', '中'), maxLength: 6 })
      .map((text) => text.trim());
    const row = fc.tuple(cell, fc.stringMatching(/^1[3-9]\d{9}$/), cell);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const text = ['name,phone,note', ...rows.map((cells) => cells.map((one) => csvCell(one)).join(','))].join('\n');
        const list = detectPhoneList(bytesOf(text), { field: 'phone' });
        assert.ok(!(list instanceof Fault));
        const records = [...phoneRecords(bytesOf(text), true, list, undefined)];
        assert.deepEqual(
          records.map(({ cells }) => cells),
          rows,
        );
        assert.deepEqual(
          records.map(({ numbers }) => numbers[0]?.number.national),
          rows.map(([, number]) => number),
        );
      }),
    );
  });
});

test('every code of the dictionary has a name in both languages', () => {
  for (const { names } of Object.values(PHONE_WORDS))
    for (const { slug } of [...RISK_TAGS, ...CARD_ATTRIBUTES, ...CARD_TYPES]) assert.ok(names[slug], slug);
});
