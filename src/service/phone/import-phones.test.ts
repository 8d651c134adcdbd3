import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { unixMs } from '../../core/units.ts';
import { importPhones, judgeRow, type RawPhoneRow } from './import-phones.ts';
import type { PhoneLibraryWriter } from './phone-libraries.ts';

const at = unixMs(Date.parse('2026-11-20T00:00:00Z'));
const row = (over: RawPhoneRow = {}): RawPhoneRow => ({
  number: '+8613800138000',
  risk: 7,
  last_active: '2026-11-19T00:00:00Z',
  ...over,
});

test('a full row becomes an entry, codes and slugs alike, primary tag first', () => {
  const full = row({
    tags: [104, 'sim_farm', 417],
    primary_tag: 'sim_farm',
    first_seen: '2026-01-01',
    observed_days: '12',
    carrier: { carrier: 'CUCC', city_code: 440300, province: 'CN-GD', card_type: 302 },
  });
  assert.deepEqual(judgeRow(full, at), {
    digits: '8613800138000',
    entry: {
      risk: 7,
      tags: [101, 104, 417],
      firstSeen: Date.parse('2026-01-01T00:00:00Z'),
      lastActive: Date.parse('2026-11-19T00:00:00Z'),
      observedDays: 12,
      card: { province: 'CN-GD', cityCode: '440300', carrier: 'CUCC', cardType: 302 },
    },
  });
});

test('numbers are international with or without the plus, and no default country is applied', () => {
  const digits = (number: unknown) => {
    const change = judgeRow(row({ number }), at);
    return typeof change === 'string' ? change : change.digits;
  };
  assert.deepEqual(
    ['8613800138000', 8613800138000, '008613800138000', '+44 7400 123456', '447400123456', '+14155552671'].map(digits),
    ['8613800138000', '8613800138000', '8613800138000', '447400123456', '447400123456', '14155552671'],
  );
  assert.deepEqual(['13800138000', '14155552671'].map(digits), ['no_country_code', 'no_country_code']);
  assert.deepEqual(
    ['+861380013800', 'abc', '', undefined, null].map(digits),
    'bad_length bad_number bad_number bad_number bad_number'.split(' '),
  );
});

test('a file of one country may leave its calling code out', () => {
  const change = judgeRow(row({ number: '13800138000' }), at, '86');
  assert.equal(typeof change !== 'string' && change.digits, '8613800138000');
  const marked = judgeRow(row({ number: '+14155552671' }), at, '86');
  assert.equal(typeof marked !== 'string' && marked.digits, '14155552671');
});

test('each field that is not of its form refuses the row with its reason', () => {
  const reason = (over: RawPhoneRow) => judgeRow(row(over), at);
  for (const risk of [-1, 10, 1.5, 'high', {}]) assert.equal(reason({ risk }), 'bad_risk');
  for (const tags of [['nonsense'], [-1], [1.5], 'sim_farm;nonsense']) assert.equal(reason({ tags }), 'bad_tag');
  for (const last_active of ['yesterday', '2026-13-01', '2026-11-19T00:00:00', '2026-11-23T00:00:00Z', -5])
    assert.equal(reason({ last_active }), 'bad_time');
  assert.equal(reason({ first_seen: '2026-11-20', last_active: '2026-11-19' }), 'bad_time');
  assert.equal(reason({ observed_days: -1 }), 'bad_observed_days');
  for (const over of [
    { province: 'Guangdong' },
    { city_code: '4403' },
    { carrier: '中国移动' },
    { card_type: 'plastic' },
  ])
    assert.equal(reason(over), 'bad_carrier');
});

test('a row without last_active was last active at its first sight, or now', () => {
  const active = (over: RawPhoneRow) => {
    const change = judgeRow({ number: '+8613800138000', risk: 1, ...over }, at);
    return typeof change !== 'string' && 'entry' in change ? change.entry.lastActive : undefined;
  };
  assert.equal(active({}), at);
  assert.equal(active({ first_seen: '2026-01-01' }), Date.parse('2026-01-01T00:00:00Z'));
});

test('a source that states no score may leave it out where a tag names the risk of the number', () => {
  for (const risk of [undefined, null, '']) {
    const change = judgeRow(row({ risk, tags: ['public_sms_inbox'] }), at);
    assert.ok(typeof change !== 'string' && 'entry' in change);
    assert.equal('risk' in change.entry, false);
    assert.equal(judgeRow(row({ risk }), at), 'bad_risk');
  }
});

test('a deletion needs a number and nothing else', () => {
  assert.deepEqual(judgeRow({ number: '+8613800138000', deleted: true }, at), {
    digits: '8613800138000',
    deleted: true,
  });
});

test('whatever type a field has, the row is judged and nothing is thrown', () => {
  assert.equal(judgeRow(row({ tags: { toString: 1 } }), at), 'bad_tag');
  const fields = [
    'number',
    'risk',
    'tags',
    'primary_tag',
    'first_seen',
    'last_active',
    'observed_days',
    'province',
    'city_code',
    'carrier',
    'card_type',
    'deleted',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields, 'attribute', 'merge'), hostileJson), (over) => {
      const judged = judgeRow(row(over as RawPhoneRow), at);
      assert.match(typeof judged === 'string' ? judged : judged.digits, /^[a-z_]+$|^\d+$/);
    }),
    { seed: 10 },
  );
});

test('a refusal names its first row, also where no row of a file can be used', async () => {
  const writer = {
    async replace(_library: unknown, batches: AsyncIterable<readonly unknown[]>) {
      let upserts = 0;
      for await (const batch of batches) upserts += batch.length;
      return { upserts, deletions: 0 };
    },
  } as unknown as PhoneLibraryWriter;
  const load = (...batches: readonly (readonly RawPhoneRow[])[]) =>
    importPhones(
      writer,
      (async function* () {
        yield* batches;
      })(),
      { library: 'cn', full: true, stamp: { dataVersion: '1', at } },
    );
  const { refused, firstRefused } = await load([row(), row({ risk: 12 })], [row({ number: 'x' }), row({ risk: 13 })]);
  assert.deepEqual(
    [refused, firstRefused],
    [
      { bad_risk: 2, bad_number: 1 },
      { bad_risk: 2, bad_number: 3 },
    ],
  );
  await assert.rejects(load([row({ number: 'none' })], [row({ risk: 12 })]), (error: Error) =>
    /^no row of the file can be used:\n {2}bad_number: 1, the first in row 1\n {2}bad_risk: 1, the first in row 2$/.test(
      error.message,
    ),
  );
});
