import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSegments } from '../../adapters/phone-db/open-phone.ts';
import { normalise } from './normalise.ts';
import { parseSegments, planFacts, type SegmentHeader } from './segments.ts';

const shipped = loadSegments();

test('well-known segments have their province, city and operator', () => {
  assert.deepEqual(shipped.facts('13800138000'), {
    province: 'CN-BJ',
    cityCode: '110000',
    carrier: 'CMCC',
    attribute: 201,
  });
  assert.equal(shipped.facts('13010000000')?.carrier, 'CUCC');
  assert.equal(shipped.facts('18900000000')?.carrier, 'CTCC');
  assert.equal(shipped.facts('19200000000')?.carrier, 'CBN');
});

test('leased segments are virtual with their host, satellite and emergency stand before their block', () => {
  const of = (national: string) => [shipped.facts(national)?.carrier, shipped.facts(national)?.attribute];
  assert.deepEqual(
    ['16500000000', '17000000000', '17030000000', '17040000000', '17100000000', '16200000000', '16700000000'].map(of),
    [
      ['CMCC', 202],
      ['CTCC', 202],
      ['CMCC', 202],
      ['CUCC', 202],
      ['CUCC', 202],
      ['CTCC', 202],
      ['CUCC', 202],
    ],
  );
  assert.deepEqual(
    ['13490000000', '17400000000', '17405999999', '17406000000', '17412999999', '17490000000'].map(
      (national) => shipped.facts(national)?.attribute,
    ),
    [204, 204, 204, 206, 206, 204],
  );
  assert.equal(shipped.facts('14700000000')?.attribute, 205);
});

test('the plan speaks of mainland mobiles and of thirteen-digit numbers of machines, and of no other number', () => {
  const planned = (input: string) => planFacts(shipped, normalise(input)!);
  assert.deepEqual(planned('17012345678'), { carrier: 'CTCC', attribute: 202 });
  assert.deepEqual(planned('1064812345678'), { carrier: 'CMCC', attribute: 203 });
  assert.deepEqual(planned('+86 146 1234 567890'), { carrier: 'CUCC', attribute: 203 });
  for (const input of ['+14155552671', '1380013800', '106481234567', '+86 1440 1234 56789 0'])
    assert.equal(planned(input), undefined, input);
});

test('an unallocated segment has no facts, and a place always has a province and a six-digit city', () => {
  assert.equal(shipped.facts('15400000000'), undefined);
  let places = 0;
  for (let segment = 1_300_000; segment < 2_000_000; segment += 7) {
    const facts = shipped.facts(`${segment}0000`);
    if (facts?.province === undefined) continue;
    places += 1;
    assert.match(facts.province, /^CN-[A-Z]{2}$/);
    assert.match(facts.cityCode ?? '', /^\d{6}$/);
  }
  assert.ok(places > 40_000);
});

test('a damaged table is refused', () => {
  const header: SegmentHeader = {
    version: 'x',
    licence: '',
    first: 1_300_000,
    count: 10,
    records: 5,
    places: [['CN-BJ', '110000']],
    operators: [],
  };
  const table = (runs: readonly number[]) =>
    parseSegments(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.from(runs)]));
  assert.equal(table([5, 1, 5, 0]).facts('13000000000')?.province, 'CN-BJ');
  for (const runs of [[], [5, 1], [5, 1, 6, 0], [5, 2, 5, 0], [0, 1, 10, 0], [5, 1, 5], [0x80], [5, 1, 5, 0, 1, 1]])
    assert.throws(() => table(runs));
});
