import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn } from '../names/names-in.ts';
import { type LookupAnswer, type VerdictLinesOptions, verdictLines } from './verdict-lines.ts';
import { wordsEn } from './words-en.ts';
import { wordsZh } from './words-zh.ts';

const exit = {
  ip: '185.220.101.1',
  risk: { score: 86, level: 'high', signals: ['vpn', 'hosting'] },
  evidence_state: 'active',
  computed_at: '2026-11-23T00:00:00.000Z',
  network: { asn: 60729, usage_type: 'IDC' },
  meta: {},
  geo: { country: 'DE', region: 'State of Berlin', city: 'Berlin' },
  share_tier: 'T3',
  evidence: [
    { risk_type: 'vpn', freshness: 'within_2h', captured_at: '2026-11-22T23:10:00.000Z' },
    { risk_type: 'honeypot_scan', freshness: 'older' },
  ],
} as unknown as LookupAnswer;
const unseen = {
  ip: '8.8.8.8',
  risk: { score: 0, level: 'none' },
  evidence_state: 'none',
  network: { asn: 15169 },
  geo: { country: 'US' },
  meta: {},
} as unknown as LookupAnswer;
/** The VPN row counts, and the scan does not. */
function explanationWith(more: object): VerdictLinesOptions['explanationOf'] {
  return () => ({ rows: [{ risk_type: 'vpn', strength: 0.5 }], ...more }) as never;
}
const options = {
  words: wordsEn,
  names: namesIn('en'),
  asName: (asn: number) => (asn === 60729 ? 'Stiftung Erneuerbare Freiheit' : undefined),
  explanationOf: explanationWith({}),
  sourceText: (text: string) => text,
  width: 120,
};

const marked = (lines: ReturnType<typeof verdictLines>): readonly string[] =>
  lines.map((line) => line.map((part) => (typeof part === 'string' ? part : `<${part.level}>${part.text}`)).join(''));
const plain = (lines: ReturnType<typeof verdictLines>): readonly string[] =>
  marked(lines).map((line) => line.replace(/<\w+>/, ''));

test('one address is a sheet of its verdict, network with its name, place and captures', () => {
  assert.deepEqual(marked(verdictLines([exit], options)), [
    '185.220.101.1  <high>86 High',
    '  Evidence      Active evidence',
    '  Order         Deny: VPN, 86. Its network is not shared by many.',
    '  Signals       VPN, Data centre',
    '  Network       AS60729 Stiftung Erneuerbare Freiheit',
    '  Network type  Data centre (IDC)',
    '  Place         Berlin, State of Berlin, Germany',
    '  Sharing tier  T3: shared by very many people (carrier NAT, Tor)',
    '  Seen as       VPN · 2026-11-22 23:10',
    '                Scanned our honeypots · expired',
  ]);
  assert.match(marked(verdictLines([unseen], options)).at(-1)!, /“Never seen” means no information/);
});

test('a Tor exit and a known service have their names, in sheet and table, in both languages', () => {
  const dns = { id: 'dns', what: 'public resolver', source: 'its page', seen: '2026-11-01' };
  const explanationOf = (document: LookupAnswer) =>
    explanationWith(document === exit ? { shared_by: 'tor' } : { known_as: dns })(document);
  const known = { ...options, explanationOf };
  assert.equal(plain(verdictLines([exit], known)).at(-2), '  Seen as       Tor exit · 2026-11-22 23:10');
  const chinese = { ...known, words: wordsZh, names: namesIn('zh-CN'), sourceText: () => '公共解析器' };
  assert.deepEqual(plain(verdictLines([exit], known)).slice(2, 4), [
    '  Order         Challenge: a Tor exit.',
    '  Signals       Tor exit, Data centre',
  ]);
  assert.match(plain(verdictLines([exit], chinese)).join(' '), /Tor 出口、机房.*T3：极多人共用（运营商 NAT、Tor）/);
  assert.ok(plain(verdictLines([unseen], known)).includes('  Known as  public resolver'));
  // The document of the free tier has no sharing tier.
  const { share_tier: _tier, evidence: _evidence, ...basic } = exit as unknown as Record<string, unknown>;
  const ofBasic = { ...options, explanationOf: explanationWith({ share_tier: { tier: 'T3' } }) };
  assert.ok(
    plain(verdictLines([basic as unknown as LookupAnswer], ofBasic)).some((line) =>
      line.endsWith('T3: shared by very many people (carrier NAT, Tor)'),
    ),
  );
  const table = plain(verdictLines([exit, unseen], known));
  assert.match(table[1]!, /Tor exit, Data centre/);
  assert.match(table[2]!, /Never seen +Allow +public resolver/);
  assert.match(plain(verdictLines([exit, unseen], chinese))[2]!, /公共解析器/);
});

test('a verdict that an operator corrected says so, in sheet and table, in both languages', () => {
  const corrected = { ...exit, risk: { score: 1, level: 'low' }, meta: { override: true } } as unknown as LookupAnswer;
  assert.equal(marked(verdictLines([corrected], options))[0], '185.220.101.1  <low>1 Low · corrected by the operator');
  assert.match(marked(verdictLines([corrected, unseen], options))[1]!, /1 Low · corrected by the operator/);
  const chinese = { ...options, words: wordsZh, names: namesIn('zh-CN') };
  assert.match(marked(verdictLines([corrected], chinese))[0]!, /管理员已更正/);
});

test('several are a table within the width, in which Chinese characters take two columns', () => {
  assert.deepEqual(
    plain(verdictLines([exit, unseen, { ip: '10.0.0.1', error: { message: 'Private.' } }], { ...options, width: 80 })),
    [
      'Address        Score       Order  Signals           Network         Place',
      '185.220.101.1  86 High     Deny   VPN, Data centre  AS60729 Stift…  Berlin, Sta…',
      '8.8.8.8        Never seen  Allow                    AS15169         United Stat…',
      '10.0.0.1       Private.',
    ],
  );
  const chinese = { ...options, words: wordsZh, names: namesIn('zh-CN') };
  assert.deepEqual(plain(verdictLines([exit, unseen], chinese)), [
    '地址           分数       处置  命中的信号  网络                                   地点',
    '185.220.101.1  86 高风险  拒绝  VPN、机房   AS60729 Stiftung Erneuerbare Freiheit  德国 State of Berlin Berlin',
    '8.8.8.8        没有记录   放行              AS15169                                美国',
  ]);
});
