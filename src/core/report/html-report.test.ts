import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { en } from '../../../console/src/messages/en.ts';
import { zh } from '../../../console/src/messages/zh.ts';
import { covers } from '../../../test/spec/covers.ts';
import type { Signal } from '../../contract/risk.ts';
import type { TrafficSummary } from '../../contract/traffic-summary.ts';
import { TrafficTally } from '../summary/traffic-tally.ts';
import { fillWords } from '../texts/said.ts';
import { HOUR_MS, unixMs } from '../units.ts';
import { htmlReport } from './html-report.ts';
import { namedSummary } from './named-summary.ts';
import { reasonTexts } from './report-words.ts';
import { textReport } from './text-report.ts';
import { timeColumns } from './time-chart.ts';
import { wordsEn } from './words-en.ts';
import { wordsZh } from './words-zh.ts';
import { mapStep, type WorldOutlines } from './world-map.ts';

const world = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../data/world-outlines.json'), 'utf8'),
) as WorldOutlines;
/** Steps of colour of the map. */
const MAP_STEPS = 5;
const START = Date.UTC(2026, 10, 20);

function summaryOf(): TrafficSummary {
  const tally = new TrafficTally({ seed: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
  const add = (w0: number, hour: number, facts: Parameters<TrafficTally['learn']>[2]): void => {
    const address = { family: 4, w0, w1: 0, w2: 0, w3: 0 } as const;
    const at = unixMs(START + hour * HOUR_MS);
    if (!tally.count(address, at)) tally.learn(address, at, facts);
  };
  for (let i = 0; i < 6; i++)
    add(0x01020304, i, {
      state: 'active',
      level: 'high',
      score: 92,
      signals: ['proxy'],
      country: 'SG',
      asn: 4134,
      usageType: 'IDC',
      crowd: 'T1',
      pools: ['rp_x'],
    });
  for (let i = 0; i < 3; i++)
    add(0x08080808, 5, { state: 'none', level: 'none', score: 0, signals: [], country: 'CN', crowd: 'T1', pools: [] });
  tally.countReserved();
  return tally.document({ computedAt: unixMs(START), dataVersion: { risk: 'r', geo: 'g' }, degraded: false });
}

test('the report shows the figures of the summary, in both languages', () => {
  const summary = summaryOf();
  for (const words of [wordsEn, wordsZh]) {
    const asName = (asn: number) => (asn === 4134 ? 'Chinanet <AS>' : undefined);
    const page = htmlReport(summary, { source: 'access.log', words, world, asName });
    assert.match(page, new RegExp(`<html lang="${words.tag}">`));
    for (const text of [
      '1.2.3.4',
      '8.8.8.0/24',
      words === wordsZh ? '1.2.3.0/24（1 个地址）' : '1.2.3.0/24 (addresses: 1)',
      '100%',
      '66.7%',
      '33.3%',
      'rp_x',
      words.signalNames.proxy,
      words.states.none,
      words.noneIsNotSafe,
      words === wordsZh ? 'AS4134 中国电信 Chinanet &lt;AS&gt;' : 'AS4134 Chinanet &lt;AS&gt;',
    ])
      assert.ok(page.includes(text), text);
    // Singapore is a point, China an outline.
    assert.match(page, new RegExp(`<circle class="m${MAP_STEPS}"[^>]*><title>[^<]+: 6</title>`));
    assert.match(page, new RegExp(`<path class="m[1-${MAP_STEPS}]"[^>]*><title>[^<]+: 3</title>`));
    const lines = textReport(summary, 'access.log', words, asName);
    const origin = words === wordsZh ? '新加坡  AS4134 中国电信 Chinanet <AS>' : 'Singapore  AS4134 Chinanet <AS>';
    for (const text of [
      '1.2.3.4',
      origin,
      '1.2.3.0/24',
      '8.8.8.0/24',
      'Chinanet <AS>',
      fillWords(words.risky, { what: words.pools }),
      '66.7%',
      words.noneIsNotSafe,
    ])
      assert.ok(
        lines.some((line) => line.includes(text)),
        text,
      );
  }
});

test('the report says which address of a line was read where the log does not, and which others were there', () => {
  const doubt = {
    taken: { name: 'ip', example: '9.9.9.9' },
    others: [
      { name: '<gateway>', example: '8.8.8.8' },
      { name: '', example: '8.8.4.4' },
    ],
    lines: 37,
  };
  for (const words of [wordsEn, wordsZh]) {
    const report = (summary: TrafficSummary): string => htmlReport(summary, { source: 'x', words, world });
    assert.doesNotMatch(report(summaryOf()), /class="doubt"/);
    const said = /<p class="doubt">(.*?)<\/p>/.exec(report({ ...summaryOf(), doubt: [doubt] }))![1]!;
    const comma = words === wordsZh ? '、' : ', ';
    for (const text of ['37', 'ip (9.9.9.9)', `&lt;gateway&gt; (8.8.8.8)${comma}8.8.4.4`])
      assert.ok(said.includes(text), said);
    const alone = report({ ...summaryOf(), doubt: [{ ...doubt, others: [] }] });
    assert.ok(alone.includes(fillWords(words.doubtAlone, { lines: 37, taken: 'ip (9.9.9.9)' })));
  }
});

test('Tor exits, relays, known services and scanners are named among the addresses, in both languages', () => {
  const summary = namedSummary(summaryOf(), ({ ip }) =>
    ip === '1.2.3.4' ? { shared_by: 'tor' } : { service: 'public resolvers', shared_by: 'relay' },
  );
  for (const words of [wordsEn, wordsZh]) {
    const texts = [
      words.sheet.sharedBy.tor,
      words.sheet.sharedBy.relay,
      fillWords(words.knownService, { what: 'public resolvers' }),
    ];
    const page = htmlReport(summary, { source: 'x', words, world });
    for (const text of texts) assert.ok(page.includes(text), text);
    for (const text of texts.slice(0, 1)) assert.match(textReport(summary, 'x', words).join('\n'), new RegExp(text));
  }
  const vpn = { signals: ['vpn', 'hosting'] as const, shared_by: 'tor' } as const;
  assert.deepEqual(reasonTexts(vpn, wordsEn), ['Tor exit', 'Data centre'], 'Tor says more than VPN');
});

test('the requests of risky addresses stand before them, with paths, statuses and time, below the hours in which they show', () => {
  covers('SUMMARY-RISKY-PATHS');
  const tally = new TrafficTally({ seed: [1, 2, 3, 4, 5, 6, 7, 8, 9] });
  const risky = {
    state: 'active',
    level: 'high',
    score: 92,
    signals: ['proxy', 'vpn'],
    crowd: 'T1',
    pools: [],
  } as const;
  const agent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
  for (let i = 0; i < 1200; i++) {
    const address = { family: 4, w0: 0x0102_0300 + (i % 60), w1: 0, w2: 0, w3: 0 } as const;
    const at = unixMs(START + 13 * HOUR_MS + 600_000 + i * 1000);
    if (!tally.count(address, at)) tally.learn(address, at, risky);
    tally.noteRequest(address, at, { path: '/api/login', status: i < 1100 ? '401' : '200', agent });
  }
  const summary = tally.document({ computedAt: unixMs(START), dataVersion: { risk: 'r', geo: 'g' }, degraded: false });
  for (const [words, when] of [
    [wordsEn, 'Nov 20, 13:10\u2009–\u200913:30'],
    [wordsZh, '11/20 13:10–13:30'],
  ] as const) {
    const page = htmlReport(summary, { source: 'access.log', words, world });
    const order = [words.time, words.paths, '<code>/api/login</code>', words.riskiest, `<h2>${words.state}</h2>`];
    const places = order.map((text) => page.indexOf(text));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
      order.join(),
    );
    const cells = page
      .slice(page.indexOf('<code>/api/login</code>'))
      .match(/>[^<>]+</g)!
      .slice(1, 5);
    assert.deepEqual(cells, ['>60<', '>1,200<', '>401\u00a0×1,100, 200\u00a0×100<', `>${when}<`]);
    assert.ok(page.includes(agent), 'no word of a user agent is cut');
    assert.equal(
      page.split('2026').length,
      page.split('Nov 20, 2026').length + page.split('2026年').length - 1,
      'the year stands once',
    );
    assert.ok(page.includes(words === wordsZh ? '代理、VPN' : 'Proxy, VPN'));
    assert.ok(page.includes(words === wordsZh ? '2026年11月20日 00:00:00 UTC' : 'Nov 20, 2026, 00:00:00 UTC'));
    const [first = '', below = ''] = textReport(summary, 'x', words).slice(
      textReport(summary, 'x', words).indexOf(words.paths) + 1,
    );
    assert.match(first, /1,200 {2}\/api\/login.*60/);
    assert.ok(below.endsWith(`401 ×1,100, 200 ×100 · ${when} UTC`), below);
  }
});

test('nothing in the report is loaded, run or sent', () => {
  const page = htmlReport(summaryOf(), { source: 'access.log', words: wordsEn, world });
  assert.match(
    page,
    /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">/,
  );
  assert.doesNotMatch(page, /<script|<link|<img|<iframe|<object|<form|\bsrc=|\bstyle="|url\(|@import|\son\w+=/i);
  assert.deepEqual(
    [...page.matchAll(/href="([^"]*)"/g)].map(([, to]) => to),
    ['https://db-ip.com'],
  );
});

test('addresses lead to their pages of the Pulse that is named', () => {
  for (const [words, page] of [
    [wordsEn, 'https://pulse.example/en/ip/1.2.3.4'],
    [wordsZh, 'https://pulse.example/ip/1.2.3.4'],
  ] as const) {
    const report = htmlReport(summaryOf(), { source: 'x', words, world, linkBase: 'https://pulse.example' });
    assert.equal(report.split(`<a href="${page}"><code>1.2.3.4</code></a>`).length, 3, 'riskiest and most frequent');
  }
});

test('no text that came out of a log or a data file can become markup', () => {
  const hostile = fc.constantFrom(
    '</script><script>x</script>',
    '<img src=x onerror=x>',
    '"><svg onload=x>',
    "'--><i>",
    '</title><i>',
    '&lt;i>',
    '<i>',
  );
  const summary = summaryOf();
  fc.assert(
    fc.property(hostile, hostile, hostile, hostile, (source, ip, code, signal) => {
      const page = htmlReport(
        {
          ...summary,
          data_version: { risk: code, geo: ip },
          signals: { rows: [{ value: signal as Signal, lines: 1 }] },
          usage_type: { rows: [{ value: code, lines: 1 }] },
          country: { rows: [{ value: code, lines: 1 }] },
          pools: { rows: [{ value: signal, lines: 1 }] },
          risky: {
            ...summary.risky,
            prefixes: { rows: [{ value: ip, lines: 1 }] },
            pools: { rows: [{ value: code, lines: 1 }] },
          },
          top: {
            ...summary.top,
            addresses: [{ ...summary.top.addresses[0]!, ip, country: code, signals: [signal as Signal] }],
            prefixes: [{ prefix: ip, lines: 1 }],
          },
        },
        { source, words: wordsEn, world },
      );
      for (const text of [source, ip, code, signal]) assert.equal(page.includes(text), false, text);
      assert.doesNotMatch(page, /<script|<img|<i>|onload=x>|onerror=x>/);
    }),
  );
});

test('columns are equal stretches of time with gaps shown, at most 240, and lose no line', () => {
  const bucket = (hour: number) => ({
    at: new Date(START + hour * HOUR_MS).toISOString(),
    none: 1,
    stale: 0,
    low: 0,
    medium: 0,
    high: 2,
  });
  for (const hours of [[0], [0, 5], [0, 239], [0, 240], [0, 1, 4000]]) {
    const columns = timeColumns({ from: '', to: '', bucket_ms: HOUR_MS, untimed: 0, buckets: hours.map(bucket) });
    assert.ok(columns.length <= 240, String(columns.length));
    assert.equal(
      columns.reduce((sum, { lines }) => sum + lines.none + lines.high, 0),
      3 * hours.length,
    );
    assert.equal(new Set(columns.slice(1).map(({ at }, i) => at - columns[i]!.at)).size <= 1, true);
  }
  assert.equal(
    timeColumns({ from: '', to: '', bucket_ms: HOUR_MS, untimed: 0, buckets: [bucket(0), bucket(5)] }).length,
    6,
  );
});

test('a country with a line is never coloured like one without, and the greatest has the strongest colour', () => {
  assert.equal(mapStep(0, 100), 0);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e9 }), (a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)];
      assert.ok(mapStep(less, more) >= 1 && mapStep(less, more) <= mapStep(more, more));
      assert.equal(mapStep(more, more), MAP_STEPS);
    }),
  );
});

test('names are those of the console', () => {
  for (const [words, messages] of [
    [wordsEn, en],
    [wordsZh, zh],
  ] as const) {
    assert.deepEqual(words.usageNames, messages.usage);
    assert.deepEqual(
      words.signalNames,
      Object.fromEntries(Object.entries(messages.verdict.signal).map(([slug, { name }]) => [slug, name])),
    );
  }
});
