import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePrefix } from '../ip/prefix.ts';
import { unixMs } from '../units.ts';
import { type ExportNotice, noticeLines } from './export-notice.ts';
import type { ExportEntry } from './export-record.ts';
import { TEXT_FORMATS, type TextFormatName } from './text-formats.ts';

const NOTICE: ExportNotice = {
  moment: unixMs(Date.UTC(2026, 10, 22, 11)),
  dataVersion: { risk: '20261122T105900Z.7', geo: 'g-1' },
  parametersVersion: '2',
  degraded: true,
  families: [4, 6],
  filter: { minScore: 30, levels: ['medium', 'high'], states: ['active'], signals: ['proxy'] },
  sources: [{ id: 'a-list', licence: 'MIT', attribution: 'A' }],
  own: true,
  leftOut: [{ id: 'b-list', licence: 'none stated', attribution: 'B' }],
  includesFetchOnly: false,
  networkSources: [],
};
const entry = (text: string, score: number, network?: ExportEntry['record']['network']): ExportEntry => ({
  prefix: parsePrefix(text)!,
  record: {
    risk: { score, level: 'high', signals: ['proxy', 'vpn'] },
    evidence_state: 'active',
    ...(network && { network }),
  },
});
const ENTRIES = [
  entry('1.2.3.4', 92, { asn: 64_500, usage_type: 'A"B,C' }),
  entry('5.6.0.0/16', 70),
  entry('2001:db9::/64', 81, { asn: 64_501 }),
];
const SCORES = '1.2.3.4/32 92\n64:ff9b::102:304/128 92\n5.6.0.0/16 70\n64:ff9b::506:0/112 70\n2001:db9::/64 81'.split(
  '\n',
);
const write = (format: TextFormatName, entries = ENTRIES, notice = NOTICE): string =>
  [...TEXT_FORMATS[format].write({ entries, notice, name: 'bad', hasComments: true })].join('');
const content = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('a text format', () => {
  test('csv has a column for each field, and quotes cells that need it', () => {
    assert.deepEqual(content(write('csv')), [
      'prefix,score,level,signals,evidence_state,asn,usage_type',
      '1.2.3.4/32,92,high,proxy vpn,active,64500,"A""B,C"',
      '5.6.0.0/16,70,high,proxy vpn,active,,',
      '2001:db9::/64,81,high,proxy vpn,active,64501,',
    ]);
  });

  test('txt has a prefix a line and nothing else, json one document with the notice', () => {
    assert.equal(write('txt'), '1.2.3.4/32\n5.6.0.0/16\n2001:db9::/64\n');
    const { meta, prefixes } = JSON.parse(write('json')) as { meta: { left_out: unknown }; prefixes: unknown[] };
    assert.deepEqual(meta.left_out, NOTICE.leftOut);
    assert.deepEqual(prefixes[0], { prefix: '1.2.3.4/32', ...ENTRIES[0]!.record });
    assert.deepEqual(prefixes.length, ENTRIES.length);
    assert.deepEqual((JSON.parse(write('json', [])) as { prefixes: unknown }).prefixes, []);
  });

  test('ndjson begins with the notice and goes on with the fields of a lookup', () => {
    const [meta, first] = content(write('ndjson')).map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(first, { prefix: '1.2.3.4/32', ...ENTRIES[0]!.record });
    const said = meta!['meta'] as Record<string, unknown>;
    assert.deepEqual(
      [
        said['computed_at'],
        said['data_version'],
        said['parameters_version'],
        said['degraded'],
        said['redistribution'],
        said['left_out'],
      ],
      ['2026-11-22T11:00:00.000Z', NOTICE.dataVersion, '2', true, 'allowed with notices', NOTICE.leftOut],
    );
  });

  test('nft empties and fills its sets, a statement for each family', () => {
    const lines = content(write('nft'));
    assert.deepEqual(lines.slice(-4), [
      'flush set inet bad bad4',
      'flush set inet bad bad6',
      'add element inet bad bad4 { 1.2.3.4/32, 5.6.0.0/16 }',
      'add element inet bad bad6 { 2001:db9::/64 }',
    ]);
    const many = Array.from({ length: 600 }, (_, i) => entry(`1.2.${i >> 8}.${i & 255}`, 92));
    assert.equal(content(write('nft', many)).filter((line) => line.startsWith('add')).length, 3);
  });

  test('nginx and haproxy get a score for each prefix', () => {
    assert.deepEqual(
      content(write('nginx-geo')),
      SCORES.map((line) => `${line};`),
    );
    assert.deepEqual(content(write('haproxy-map')), SCORES);
  });

  test('ipset fills new sets and swaps them', () => {
    const lines = content(write('ipset'));
    assert.deepEqual(lines.slice(6), [
      'add bad4-new 1.2.3.4/32',
      'add bad4-new 5.6.0.0/16',
      'add bad6-new 2001:db9::/64',
      'swap bad4-new bad4',
      'destroy bad4-new',
      'swap bad6-new bad6',
      'destroy bad6-new',
    ]);
  });
});

test('each format but txt states moment, versions, content, sources and omissions', () => {
  for (const format of Object.keys(TEXT_FORMATS) as TextFormatName[]) {
    if (format === 'txt') continue;
    const text = write(format);
    for (const line of noticeLines(NOTICE))
      assert.ok(text.includes(JSON.stringify(line).slice(1, -1)) || text.includes(line), `${format}: ${line}`);
  }
  assert.deepEqual(noticeLines(NOTICE).slice(2), [
    'data version: risk 20261122T105900Z.7, geo g-1; score parameters version 2',
    'degraded: sources of evidence were late or missing',
    'content: IPv4 and IPv6, score from 30, level medium or high, evidence active, signal proxy',
    'licence: may be passed on with these notices; evidence of sources that do not allow it is left out, as if it had never been captured',
    'source: a-list; MIT; A',
    'source: own collection of the operator',
    'left out: b-list; none stated; B',
  ]);
});

test('a name with a line break cannot end a comment', () => {
  const notice = {
    ...NOTICE,
    includesFetchOnly: true,
    networkSources: [{ id: 'x\n1.1.1.1 99;\u2028', licence: '', attribution: '\r' }],
  };
  assert.deepEqual(content(write('nginx-geo', [], notice)), []);
  assert.ok(noticeLines(notice).includes('network data: x 1.1.1.1 99; ;  '));
});
