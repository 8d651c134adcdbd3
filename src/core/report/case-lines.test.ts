import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { Explanation, PulseIPRisk } from '../../contract/documents.ts';
import { namesIn } from '../names/names-in.ts';
import { caseText } from './case-lines.ts';
import { wordsEn } from './words-en.ts';

const document = {
  ip: '185.220.101.1',
  risk: { score: 86, level: 'high', signals: ['proxy'] },
  evidence_state: 'active',
  computed_at: '2026-11-23T00:00:00.000Z',
  network: { asn: 60729, usage_type: 'IDC' },
  geo: { country: 'DE', city: 'Berlin' },
  share_tier: 'T1',
  evidence: [{ risk_type: 'proxy', freshness: 'within_2h', captured_at: '2026-11-22T23:10:00.000Z' }],
  meta: { data_version: { risk: 'r1', geo: 'g1' } },
} as unknown as PulseIPRisk;
const explanation = {
  ...{ score: 86, level: 'high', parameters_version: 4, caps: [], leaves: [] },
  rows: [
    {
      ...{ risk_type: 'proxy', captured_at: '2026-11-22T23:10:00.000Z', age_ms: 3_000_000, obs_days: 3, base: 0.95 },
      ...{ weight: 1, remaining: 0.9, strength: 0.86, seen_by: ['a-list'] },
    },
  ],
  share_tier: { tier: 'T1', base: 'T1', raised_by: [] },
} as unknown as Explanation;
const options = {
  words: wordsEn,
  names: namesIn('en'),
  sourceText: (text: string) => text,
  asName: () => 'Stiftung',
  link: 'https://pulse.example/en/ip/185.220.101.1',
  isPast: false,
};

test('a case names address, verdict, reasons, rows with times, network, place, moment, registry and link', () => {
  covers('CASE');
  const text = caseText(document, { ...options, explanation });
  for (const part of [
    /^185\.220\.101\.1 {2}86 High$/m,
    /^ {2}Order +Deny: proxy seen 0\.8 h ago, 86\. Its network is not shared by many\.$/m,
    /AS60729 Stiftung/,
    /Berlin, Germany/,
    /2026-11-22 23:10 UTC .* a-list$/m,
    /Moment +2026-11-23T00:00:00\.000Z$/m,
    /Data +r1, g1$/m,
    /Registry +https:\/\/rdap\.db\.ripe\.net\/ip\/185\.220\.101\.1$/m,
    /Link +https:\/\/pulse\.example\/en\/ip\/185\.220\.101\.1$/m,
  ])
    assert.match(text, part);
  const without = caseText(document, { ...options, explanation: undefined, link: undefined });
  assert.doesNotMatch(without, /Order/);
  const tor = { rows: [], shared_by: 'tor' } as const;
  assert.match(
    caseText(document, { ...options, explanation: undefined, known: tor }),
    /Order +Challenge: a Tor exit\.$/m,
  );
  assert.ok(!without.includes('a-list') && !without.includes('Link'), 'what the reader may not see is left out');
});

test('the case of a past moment says what of it is known today', () => {
  const text = caseText(document, { ...options, explanation, isPast: true });
  assert.match(text, /Moment +2026-11-23T00:00:00\.000Z · signals, network and place are as known today$/m);
});
