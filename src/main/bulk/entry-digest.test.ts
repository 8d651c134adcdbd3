import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExportNotice } from '../../core/export/export-notice.ts';
import type { ExportEntry } from '../../core/export/export-record.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { unixMs } from '../../core/units.ts';
import { EntryDigest } from './verdict-file.ts';

const NOTICE: ExportNotice = {
  moment: unixMs(1),
  dataVersion: { risk: 'r1', geo: 'g1' },
  parametersVersion: '2',
  degraded: false,
  families: [4],
  filter: { minScore: 0 },
  sources: [],
  own: true,
  leftOut: [],
  includesFetchOnly: false,
  networkSources: [],
};

const entries = (...scores: readonly number[]): ExportEntry[] =>
  scores.map((score, i) => ({
    prefix: parsePrefix(`1.2.${i >> 8}.${i & 255}`)!,
    record: { risk: { score, level: 'high' }, evidence_state: 'active' },
  }));

function digestOf(list: readonly ExportEntry[], notice: Partial<ExportNotice> = {}, withRecords = true): string {
  const digest = new EntryDigest({ ...NOTICE, ...notice }, withRecords);
  const passed = [...digest.over(list, () => {})];
  assert.deepEqual([passed, digest.count], [[...list], list.length], 'entries go through as they are');
  return digest.text();
}

test('the statement of a file is the same at another moment or of newer data, and another for any other change', () => {
  const before = digestOf(entries(80, 90));
  assert.equal(digestOf(entries(80, 90), { dataVersion: { risk: 'r2', geo: 'g1' } }), before);
  assert.equal(digestOf(entries(80, 90), { moment: unixMs(2) }), before);
  for (const [list, notice] of [
    [entries(80, 91), {}],
    [entries(90, 80), {}],
    [entries(80), {}],
    [entries(80, 90, 90), {}],
    [entries(80, 90).toReversed(), {}],
    [[{ ...entries(80)[0]!, prefix: parsePrefix('1.2.0.0/31')! }], {}],
    [entries(80, 90), { degraded: true }],
  ] as const)
    assert.notEqual(digestOf(list, notice), before);
});

test('of a format without scores only the prefixes count', () => {
  assert.equal(digestOf(entries(80, 90), {}, false), digestOf(entries(81, 90), {}, false));
  assert.notEqual(digestOf(entries(80, 90), {}, false), digestOf(entries(80), {}, false));
});

test('progress is reported now and then, and a change far down is seen', () => {
  const scores = Array.from({ length: 45_000 }, (_, i) => i % 100);
  const looks: number[] = [];
  const digest = new EntryDigest(NOTICE, true);
  for (const _ of digest.over(entries(...scores), (count) => looks.push(count)));
  assert.deepEqual(looks, [20_000, 40_000]);
  assert.equal(digest.text(), digestOf(entries(...scores)));
  assert.notEqual(digest.text(), digestOf(entries(...scores.with(44_999, 55))));
});
