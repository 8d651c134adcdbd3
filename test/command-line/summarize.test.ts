/**
 * `pulse summarize`: the figures are those of the single lookups, however the log comes; the report stands
 * alone in a real browser.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { PulseIPRisk } from '../../src/contract/documents.ts';
import type { SummaryAddress, TrafficSummary } from '../../src/contract/traffic-summary.ts';
import { covers } from '../spec/covers.ts';
import { startChromium } from '../support/chromium.ts';
import { pulseJson } from '../support/cli.ts';
import { writeEmptyEvidence } from '../support/empty-evidence.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const DAY_MS = 86_400_000;
const dataDir = testFolder('summarize');
const env = { PULSE_DATA_DIR: dataDir, COLUMNS: '200' };
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(dataDir, name);
  writeFileSync(path, content);
  return path;
};
const summarize = (...args: readonly string[]): TrafficSummary =>
  pulseJson(dataDir, ['summarize', ...args]) as unknown as TrafficSummary;

/** How often each address comes in the log. */
const LINES = {
  '1.2.3.4': 30,
  '1.2.3.5': 7,
  '8.8.8.8': 40,
  '8.8.8.9': 11,
  '5.5.5.5': 3,
  '2001:4860::1': 9,
  '10.0.0.1': 2,
  '203.0.114.9': 4,
};
const line = (ip: string, i: number): string =>
  `${ip} - - [20/Nov/2026:${String(i % 24).padStart(2, '0')}:00:00 +0000] "GET /</script><img src=x> HTTP/1.1" 200 17 "-" "</title><script>alert(1)</script>"`;
const access = `${Object.entries(LINES)
  .flatMap(([ip, count]) => Array.from({ length: count }, (_, i) => line(ip, i)))
  .join('\n')}\n- - - [20/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 17 "-" "-"\n`;

before(() => {
  writeSyntheticGeo(dataDir);
  writeEmptyEvidence(dataDir);
  const rows = [
    { ip: '1.2.3.4', risk_type: 'proxy', captured_at: ago(0.5), pool: 'vendor' },
    { ip: '1.2.3.5', risk_type: 'osint', captured_at: ago(2) },
    { ip: '8.8.8.9', risk_type: 'dialup_pool', captured_at: ago(18) },
    { ip: '5.5.5.6', risk_type: 'honeypot_credential', captured_at: ago(1) },
  ];
  const captures = file('captures.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
  pulseJson(dataDir, ['evidence', 'import', captures, '--source', 'test', '--since', ago(20)]);
});

describe('figures', () => {
  test('each ranking is the sum of the single lookups, and lines without a verdict are counted by reason', () => {
    covers('CLI-JSON');
    const summary = summarize(file('access.log', access));
    const documents = new Map(
      Object.keys(LINES)
        .filter((ip) => ip !== '10.0.0.1' && ip !== '203.0.114.9')
        .map((ip) => [ip, pulseJson(dataDir, ['lookup', ip, '--professional']) as unknown as PulseIPRisk]),
    );
    const sumBy = (valuesOf: (document: PulseIPRisk) => readonly unknown[]): Record<string, number> => {
      const sums: Record<string, number> = {};
      for (const [ip, document] of documents)
        for (const value of valuesOf(document))
          sums[String(value)] = (sums[String(value)] ?? 0) + LINES[ip as keyof typeof LINES];
      return sums;
    };
    const rowsOf = ({
      rows,
    }: {
      readonly rows: readonly { readonly value?: unknown; readonly lines: number }[];
    }): Record<string, number> => Object.fromEntries(rows.map(({ value, lines }) => [String(value), lines]));
    assert.deepEqual(summary.lines, { total: 107, judged: 100, without_address: 1, reserved: 2, not_found: 4 });
    assert.deepEqual(summary.addresses, { count: documents.size, method: 'exact' });
    const rankings: readonly (readonly [
      ranked: Parameters<typeof rowsOf>[0],
      valuesOf: Parameters<typeof sumBy>[0],
    ])[] = [
      [summary.evidence_state, ({ evidence_state: state }) => [state]],
      [summary.level, ({ risk }) => [risk.level]],
      [summary.signals, ({ risk }) => risk.signals ?? []],
      [summary.usage_type, ({ network }) => [network?.usage_type]],
      [summary.country, ({ geo }) => [geo?.country]],
      [summary.asn, ({ network }) => [network?.asn]],
      [summary.pools, ({ resource_pools: pools }) => pools ?? []],
    ];
    for (const [ranked, valuesOf] of rankings) assert.deepEqual(rowsOf(ranked), sumBy(valuesOf));
    const [worst, ...others] = summary.top.riskiest;
    assert.deepEqual([worst?.ip, worst?.lines, worst?.score], ['1.2.3.4', 30, documents.get('1.2.3.4')!.risk.score]);
    assert.deepEqual([worst?.first, worst?.last], ['2026-11-20T00:00:00.000Z', '2026-11-20T23:00:00.000Z']);
    assert.equal(worst?.share_tier, documents.get('1.2.3.4')!.share_tier);
    assert.deepEqual(worst?.requests?.statuses, [{ value: '200', lines: 30 }]);
    assert.equal(worst?.requests?.bytes, 30 * 17);
    assert.deepEqual(
      others.map(({ ip }) => ip),
      ['1.2.3.5'],
      'expired evidence does not count',
    );
    assert.deepEqual(rowsOf(summary.evidence_state), { none: 52, active: 37, stale: 11 });
    assert.deepEqual(summary.top.addresses.map(({ ip, lines }) => [ip, lines]).slice(0, 3), [
      ['8.8.8.8', 40],
      ['1.2.3.4', 30],
      ['8.8.8.9', 11],
    ]);
    assert.deepEqual(summary.top.prefixes[0], { prefix: '8.8.8.0/24', lines: 51, addresses: 2, active_lines: 0 });
    assert.equal(summary.time!.buckets.length, 24);
    assert.deepEqual([summary.time!.from, summary.time!.to], ['2026-11-20T00:00:00.000Z', '2026-11-20T23:00:00.000Z']);
    assert.equal(summary.data_version.geo, documents.get('8.8.8.8')!.meta.data_version.geo);
    assert.equal(summary.data_version.risk, documents.get('8.8.8.8')!.meta.data_version.risk);
  });

  test('compressed, from standard input, or as another format, a log gives the same figures', () => {
    const strip = ({ computed_at: _, ...summary }: TrafficSummary) => summary;
    const plain = strip(summarize(file('access.log', access)));
    assert.deepEqual(strip(summarize(file('gzip.log', gzipSync(access)))), plain);
    assert.deepEqual(strip(summarize(file('zstd.log', zstdCompressSync(access)))), plain);
    const { status, stdout } = pulseProcess(['summarize', '--json'], { env, input: access });
    assert.equal(status, 0);
    assert.deepEqual(strip(JSON.parse(stdout) as TrafficSummary), plain);
    const rows = access.split('\n').flatMap((text) => (text === '' ? [] : [text.split(' ')[0]!]));
    const csv = `when,client\n${rows.map((ip) => `2026-11-20T05:00:00Z,${ip}`).join('\n')}\n`;
    /** Without what only a log has. */
    const withoutLog = ({ time: _time, ...summary }: Omit<TrafficSummary, 'computed_at'>) => {
      const bare = (address: SummaryAddress) => ({ ...address, first: 0, last: 0, requests: 0 });
      const { top, risky } = summary;
      const { paths: _paths, ...origins } = risky;
      const tops = { ...top, addresses: top.addresses.map(bare), riskiest: top.riskiest.map(bare) };
      return { ...summary, risky: origins, top: tops };
    };
    const untimed = withoutLog(plain);
    const { time, ...rest } = strip(summarize(file('table.csv', csv)));
    const table = withoutLog(rest);
    assert.deepEqual(table, untimed);
    assert.equal(time!.buckets.length, 1);
    const ndjson = rows.map((ip) => JSON.stringify({ req: { remote_ip: ip } })).join('\n');
    assert.deepEqual(withoutLog(strip(summarize(file('log.ndjson', ndjson), '--field', 'req.remote_ip'))), untimed);
  });

  test('against another log it names the risky addresses that are new and gone, and writes a block list', () => {
    const before = file('before.log', `${line('1.2.3.5', 1)}\n${line('8.8.8.8', 1)}\n`);
    const after = file('after.log', `${line('1.2.3.4', 1)}\n${line('8.8.8.8', 1)}\n`);
    const ips = (rows: readonly SummaryAddress[] = []) => rows.map(({ ip }) => ip);
    const { against } = summarize(after, '--against', before, '--riskiest', join(dataDir, 'block.conf'));
    assert.deepEqual([against?.lines, ips(against?.new), ips(against?.gone)], [2, ['1.2.3.4'], ['1.2.3.5']]);
    assert.equal(readFileSync(join(dataDir, 'block.conf'), 'utf8'), 'deny 1.2.3.4;\n');
    const noteOf = (...args: readonly string[]) =>
      pulseCommand(['summarize', after, '--riskiest', join(dataDir, 'block.csv'), ...args], { env }).stderr;
    assert.match(noteOf(), /1 of 1 address of at least medium risk written/);
    const own = file('own.txt', 'our office: 1.2.3[.]0/24\n');
    assert.match(noteOf('--exclude', own), /0 of 1 address .* written\n.*left out by --exclude: 1/s);
    assert.doesNotMatch(readFileSync(join(dataDir, 'block.csv'), 'utf8'), /1\.2\.3\.4/);
    assert.match(noteOf('--max-tier', 'T0'), /left out, not denied or by --max-tier: 1/);
    const { stdout } = pulseCommand(['summarize', after, '--against', before], { env });
    assert.match(stdout, /new, against a log of 2 lines\n.*1\.2\.3\.4[\s\S]*gone\n.*1\.2\.3\.5/);
    assert.equal(pulseCommand(['summarize', after, '--riskiest', 'x.txt'], { env }).status, 2);
    const seen = pulseCommand(['summarize', '-'], { env, input: '5.5.5.6\n' }).stdout;
    assert.match(
      seen,
      /5\.5\.5\.6 {2}(?:.*, )?Tried passwords at our honeypots/,
      'a reason where the evidence has no signal',
    );
  });

  test('the block list has every address to deny, whatever --top is, and counts those it leaves out', () => {
    covers('SUMMARY-RISKIEST-ALL');
    const rows = Array.from({ length: 40 }, (_, i) => ({
      ip: `1.2.3.${100 + i}`,
      risk_type: 'proxy',
      captured_at: ago(0.1),
    }));
    const captures = file('many.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));
    pulseJson(dataDir, ['evidence', 'import', captures, '--source', 'many', '--since', ago(1)]);
    const log = file('many.log', rows.map(({ ip }, i) => line(ip, i)).join('\n'));
    const out = join(dataDir, 'many.conf');
    const { stderr, stdout } = pulseCommand(['summarize', log, '--top', '5', '--riskiest', out], { env });
    assert.equal(readFileSync(out, 'utf8'), rows.map(({ ip }) => `deny ${ip};\n`).join(''));
    assert.match(stderr, /40 of 40 addresses of at least medium risk written/);
    assert.equal(stdout.match(/^ +\d+ +1 {2}1\.2\.3\./gm)?.length, 5, '--top is for the report');
  });

  test('with --at verdicts are those of that moment; IPv6 has no past, and is counted', () => {
    const summary = summarize(file('access.log', access), '--at', ago(10));
    assert.deepEqual(summary.lines, {
      total: 107,
      judged: 91,
      without_address: 1,
      reserved: 2,
      not_found: 4,
      without_history: 9,
    });
    assert.deepEqual(Object.fromEntries(summary.evidence_state.rows.map(({ value, lines }) => [value, lines])), {
      none: 80,
      stale: 11,
    });
    assert.match(
      pulseCommand(['summarize', join(dataDir, 'access.log'), '--at', ago(40)], { env }).stderr,
      /at_out_of_window/,
    );
    assert.match(
      pulseCommand(['summarize', join(dataDir, 'access.log'), '--at', ago(-1)], { env }).stderr,
      /invalid_time/,
    );
  });

  test('unreadable input is an error that says why', () => {
    const failed = (...args: readonly string[]) => pulseCommand(['summarize', ...args], { env });
    assert.equal(failed(join(dataDir, 'missing.log')).status, 1);
    assert.match(
      failed(file('prose.txt', 'nothing here is a log\nat all\n')).stderr,
      /name the format \(--format common/,
    );
    const cut = failed(file('cut.log', gzipSync(access).subarray(0, 60)));
    assert.equal(cut.status, 1, cut.stdout);
    assert.equal(failed(join(dataDir, 'access.log'), '--top', '0').status, 2);
    assert.equal(failed(join(dataDir, 'access.log'), '--lang', 'fr').status, 2);
  });
});

describe('the report', () => {
  test('is written whole, in the language asked for, next to the text on the terminal', () => {
    const html = join(dataDir, 'out', 'report.html');
    const { status, stdout } = pulseCommand(['summarize', file('access.log', access), '--html', html, '--lang', 'zh'], {
      env,
    });
    assert.equal(status, 0);
    assert.match(stdout, /流量报告：access\.log/);
    assert.match(stdout, /没有记录/);
    assert.deepEqual(readdirSync(join(dataDir, 'out')), ['report.html']);
    assert.ok(existsSync(html));
  });

  test('is written by enrich from the same pass, next to the enriched lines', () => {
    const log = file('access.log', access);
    const [html, both, out] = ['alone.html', 'both.html', 'out.csv'].map((name) => join(dataDir, name)) as [
      string,
      string,
      string,
    ];
    assert.equal(pulseCommand(['summarize', log, '--html', html, '--lang', 'zh'], { env }).status, 0);
    // Verdicts of one second apart are the same; the moment that is printed is not.
    const figures = (path: string): string => readFileSync(path, 'utf8').replace(/<dl>.*?<\/dl>/s, '');
    for (const more of [[], ['--jobs', '2']]) {
      const args = ['enrich', log, '--out', out, '--report', both, '--lang', 'zh', ...more];
      assert.equal(pulseCommand(args, { env }).status, 0);
      assert.equal(figures(both), figures(html));
      assert.equal(readFileSync(out, 'utf8').split('\n').length, access.split('\n').length);
      rmSync(both);
    }
    const service = ['enrich', log, '--server', 'http://127.0.0.1:1', '--report', both];
    assert.match(pulseCommand(service, { env }).stderr, /--report counts by the local data/);
  });

  test('opens from disk in Chromium, asks nothing of any host, runs nothing, and fits a phone', async (t) => {
    const browser = await startChromium();
    if ('skip' in browser) return t.skip(browser.skip);
    try {
      const path = join(dataDir, 'report.html');
      const log = file('<img src=x onerror=alert(1)>.log', access);
      assert.equal(pulseCommand(['summarize', log, '--html', path], { env }).status, 0);
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 800 } });
        const page = await context.newPage();
        const asked: string[] = [];
        const heard: string[] = [];
        await context.route('**/*', (route) => {
          asked.push(route.request().url());
          return route.continue();
        });
        page.on('console', (message) => heard.push(message.text()));
        page.on('dialog', (dialog) => heard.push(dialog.message()));
        page.on('pageerror', (error) => heard.push(String(error)));
        await page.goto(pathToFileURL(path).href);
        assert.deepEqual(asked, [pathToFileURL(path).href]);
        assert.deepEqual(heard, []);
        assert.equal(await page.locator('h1').innerText(), 'Traffic report');
        assert.ok(await page.locator('svg.map').isVisible());
        assert.ok(await page.locator('svg.time').isVisible());
        assert.ok(await page.getByText('<img src=x onerror=alert(1)>.log').isVisible(), 'the name of the log is text');
        assert.equal(await page.locator('script, img').count(), 0);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
        const [ground, text] = (await page.evaluate(
          '[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]',
        )) as [string, string];
        const sum = (colour: string): number => colour.match(/\d+/g)!.reduce((total, part) => total + Number(part), 0);
        assert.equal(sum(ground) > sum(text), colorScheme === 'light');
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });
});
