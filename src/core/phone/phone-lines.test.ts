import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PaintedLine, widthOf } from '../report/verdict-lines.ts';
import { phoneFacts } from './phone-facts.ts';
import type { PhoneItem } from './phone-item.ts';
import { phoneLines, phoneRow, phoneTableHead } from './phone-lines.ts';
import { PHONE_WORDS } from './phone-words.ts';

const queryOf = (input: string, valid: boolean) => ({
  ...{ input, e164: '+8617012345678', national_number: '17012345678', country_code: 86, country: { iso2: 'CN' } },
  valid_length: valid,
});
const miss: PhoneItem = {
  ...{ query: queryOf('170 1234 5678', true), hit: false, evidence_state: 'none', miss_reason: 'not_in_risk_db' },
  risk: { score: 0, level: 'none', tags: [] },
};
const hit: PhoneItem = {
  ...{ query: queryOf('+8617012345678', true), hit: true, evidence_state: 'stale' },
  risk: {
    score: 8,
    level: 'high',
    tags: [
      { code: 101, slug: 'sim_farm' },
      { code: 999, slug: 'unknown_999' },
    ],
  },
  activity: { last_active: '2026-05-07T00:00:00Z', last_active_days_ago: 200 },
  carrier: { carrier: 'CMCC', province: 'CN-BJ' },
};
const planned = { carrier: 'CTCC', attribute: 202 };
const textOf = (line: readonly (string | { readonly text: string })[]): string =>
  line.map((part) => (typeof part === 'string' ? part : part.text)).join('');

test('a miss shows carrier and number block of the numbering plan, and the country that was assumed', () => {
  const sheet = phoneLines(phoneFacts(miss, planned, PHONE_WORDS.zh), PHONE_WORDS.zh)
    .map(textOf)
    .join('\n');
  for (const text of ['中国 +86（未写国家码', '风险库未收录', '中国电信', '虚商', '不代表安全'])
    assert.ok(sheet.includes(text), text);
});

test('a hit shows its own carrier, tags by name or else by slug, and says when it is stale; a country that the number names is not called assumed', () => {
  const sheet = phoneLines(phoneFacts(hit, planned, PHONE_WORDS.en), PHONE_WORDS.en)
    .map(textOf)
    .join('\n');
  for (const text of [
    '8/9 High',
    'SIM farm, unknown_999',
    'China Mobile · Beijing',
    '2026-05-07 (200 days ago)',
    'may have a new holder',
    'China +86\n',
  ])
    assert.ok(sheet.includes(text), `${text} in ${sheet}`);
});

test('no line of a table is wider than the terminal', () => {
  for (const words of Object.values(PHONE_WORDS))
    for (const width of [60, 80, 140]) {
      const rows: readonly PaintedLine[] = [miss, hit].map((item) =>
        phoneRow(phoneFacts(item, planned, words), words, width),
      );
      const widths: readonly number[] = [phoneTableHead(words, width), ...rows].map((row) => widthOf(textOf(row)));
      assert.ok(Math.max(...widths) <= width, `${widths} in ${width}`);
    }
});
