import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SummaryAddress } from '../../contract/traffic-summary.ts';
import { blockList } from './block-list.ts';

const row = (ip: string, more: Partial<SummaryAddress> = {}): SummaryAddress => ({
  ...{ ip, lines: 3, score: 92, level: 'high', evidence_state: 'active', signals: ['proxy', 'vpn'] },
  ...more,
});
const ROWS = [
  row('1.2.3.4', {
    requests: { paths: [{ value: '=cmd', lines: 3 }], statuses: [{ value: '403', lines: 3 }], agents: [], bytes: 9 },
  }),
  row('2001:db9::1', { share_tier: 'T1', asn: 64500, signals: [], own: ['honeypot_credential'] }),
];

test('the riskiest addresses become a table with reasons, sets for nftables, or lines for nginx', () => {
  assert.deepEqual(blockList('csv', ROWS).split('\n'), [
    'ip,score,lines,signals,share_tier,country,asn,first,last,requests',
    "1.2.3.4,92,3,proxy|vpn,,,,,,'=cmd ×3 · 403 ×3 · 9B",
    '2001:db9::1,92,3,honeypot_credential,T1,,64500,,,',
    '',
  ]);
  assert.equal(blockList('conf', ROWS), 'deny 1.2.3.4;\ndeny 2001:db9::1;\n');
  assert.deepEqual(
    blockList('nft', ROWS)
      .split('\n')
      .filter((line) => /^(?:flush|add)/.test(line)),
    [
      'flush set inet pulse riskiest4',
      'flush set inet pulse riskiest6',
      'add element inet pulse riskiest4 { 1.2.3.4/32 }',
      'add element inet pulse riskiest6 { 2001:db9::1/128 }',
    ],
    'a second load replaces the first',
  );
  assert.doesNotMatch(blockList('nft', []), /add element/);
});
