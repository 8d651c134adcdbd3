/**
 * Addresses that must not be blocked and that public lists name all the same: through the served lookups with
 * lists made for it, and over real lists of one day where they lie next to the checkout (skipped where they
 * are absent).
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { publishedSources } from '../../src/adapters/feeds/catalogue.ts';
import { openFeeds } from '../../src/adapters/feeds/open-feeds.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { knownGoodLists } from '../../src/adapters/layers/known-good.ts';
import { loadProtection } from '../../src/adapters/layers/load-protection.ts';
import type { IPRisk, PulseIPRisk } from '../../src/contract/documents.ts';
import type { Observation } from '../../src/core/evidence/observation.ts';
import { evidenceSourceOf } from '../../src/core/feeds/feed.ts';
import { formatAddress } from '../../src/core/ip/format-address.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { HOUR_MS, unixMs } from '../../src/core/units.ts';
import { openEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence } from '../../src/service/compile/compile-evidence.ts';
import { importMirror } from '../../src/service/feeds/import-mirror.ts';
import { lookupIpDocument } from '../../src/service/lookup/lookup-ip.ts';
import type { LookupView } from '../../src/service/ports.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { FIXED_SEED } from '../support/fixed-seed.ts';
import { pulseCommand, pulseOver, pulseProcess } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';
import { EXAMPLES } from './known-good.fixture.ts';

/** On the same lists, and a known research scanner. */
const SCANNER = '66.132.159.9';
/** On the same lists and not known good. */
const OTHER = '45.9.9.9';

const folder = testFolder('known-good');

/** Rows that make a list as long as the catalogue expects it to be. */
const filler = (count: number): string[] => Array.from({ length: count }, (_, i) => `46.${i >> 8}.${i & 255}.7`);

/** The operator's own addresses. */
const OWN = { PULSE_TRUSTED_PROXIES: '203.9.200.0/28', PULSE_BASE_URL: 'https://45.77.1.9' };

let server: ServeProcess;
let sensor: ReturnType<typeof createKey>;
before(async () => {
  const listed = [...Object.keys(EXAMPLES), SCANNER, OTHER];
  const mirror = mkdtempSync(join(folder, 'mirror-'));
  const proxies = [...filler(300), ...listed].map((ip) => `http://${ip.includes(':') ? `[${ip}]` : ip}:8080`);
  writeFileSync(join(mirror, 'iplocate-all-proxies.txt'), proxies.join('\n'));
  writeFileSync(join(mirror, 'threatfox-ips.txt'), [...filler(1000), ...listed].join('\n'));
  writeFileSync(
    join(mirror, 'x4bnet-vpn-ipv4.txt'),
    [...filler(3000), ...listed.filter((ip) => !ip.includes(':'))].join('\n'),
  );
  server = await serveProcess({ env: OWN });
  sensor = createKey(
    server.dataDir,
    'operator',
    ['--plan', 'private', '--dpa', '--operator'],
    ['--evidence', '--networks'],
  );
  const run = pulseOver(server.dataDir, ['feeds', 'import', mirror]);
  assert.equal(run.status, 0, run.stderr + run.stdout);
  await eventually(async () => (await lookup(OTHER)).risk.level === 'high', { withinMs: 20_000, everyMs: 50 });
});
after(() => server.dispose());

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(server.base + path, { headers: { 'X-API-Key': sensor.key } });
  assert.equal(response.status, 200, path);
  return (await response.json()) as T;
}
const lookup = (ip: string): Promise<IPRisk> => ask(`/v1/ip/${ip}`);
const pulse = (ip: string): Promise<PulseIPRisk> => ask(`/pulse/v1/ip/${ip}`);
interface Explained {
  readonly explain: {
    readonly known_as?: {
      readonly id: string;
      readonly what: string;
      readonly source: string;
      readonly scanner?: true;
    };
  };
}
const explain = (ip: string): Explained['explain'] =>
  (pulseJson(server.dataDir, ['lookup', ip, '--explain'], { PULSE_FEEDS: 'off' }) as unknown as Explained).explain;

test('served: lists alone leave them low with rows and state as they are; others on the same lists are high', async () => {
  const keys = Object.keys(await pulse(OTHER));
  for (const ip of [...Object.keys(EXAMPLES), SCANNER]) {
    const { risk, evidence_state } = await lookup(ip);
    assert.deepEqual([risk.score, risk.level, evidence_state], [29, 'low', 'active'], ip);
    const professional = await pulse(ip);
    assert.deepEqual([professional.risk.score, professional.evidence[0]?.risk_type], [29, 'proxy'], ip);
    // The contract's keys and no more: the reason is in explain and in the console.
    assert.deepEqual(
      Object.keys(professional).filter((key) => !keys.includes(key) && !['network', 'geo'].includes(key)),
      [],
      ip,
    );
  }
  assert.equal((await pulse(OTHER)).risk.level, 'high');
});

test('explain names the list and where it was read', () => {
  for (const ip of ['138.199.33.53', '2001:503:ba3e::2:30']) {
    const { known_as } = explain(ip);
    assert.deepEqual([known_as?.id, known_as?.scanner], [EXAMPLES[ip], undefined], ip);
    assert.match(known_as!.source, /^https:\/\/.* copied at github\.com\/.*@[0-9a-f]{7}/);
  }
  assert.equal(explain(OTHER).known_as, undefined);
});

test('a known research scanner is named by explain and by reports', () => {
  const { known_as } = explain(SCANNER);
  assert.deepEqual([known_as?.scanner, known_as?.what], [true, 'research scanner: Censys']);
  const page = join(folder, 'report.html');
  const report = pulseProcess(['summarize', '--format', 'lines', '--html', page], {
    env: { PULSE_DATA_DIR: server.dataDir, COLUMNS: '200' },
    input: `${SCANNER}\n${OTHER}\n`,
  });
  // Among the riskiest addresses and in the ranking, and the other address in neither.
  for (const text of [report.stdout, readFileSync(page, 'utf8')])
    assert.equal(text.match(/known research scanner: Censys/g)?.length, 2);
});

test('a capture of the operator’s own collection lifts the score, of that address alone; the intake refuses it, an import takes it where it is asked to, and neither takes own addresses', async () => {
  const rows = ['138.199.33.53', '45.77.1.9', '203.9.200.7', '2a01:7e00::1'].map(
    (ip) => `${JSON.stringify({ ip, risk_type: 'honeypot_credential' })}\n`,
  );
  const headers = { 'X-API-Key': sensor.key, 'Content-Type': 'application/x-ndjson' };
  const sent = await fetch(`${server.base}/v1/evidence?source=sensor`, {
    method: 'POST',
    headers,
    body: rows.join(''),
  });
  assert.deepEqual(
    [sent.status, await sent.json()],
    [
      202,
      {
        lines: 4,
        accepted: 1,
        added: 1,
        refused: { known_good: { count: 1, first_lines: [1] }, own_address: { count: 2, first_lines: [2, 3] } },
      },
    ],
  );
  const take = (input: string, ...options: readonly string[]) =>
    pulseCommand(['evidence', 'import', '-', '--source', 'sensor', ...options, '--json'], {
      env: { PULSE_DATA_DIR: server.dataDir, ...OWN },
      input,
    });
  for (const [input, options] of [
    [rows.slice(0, 2).join(''), []],
    ['138.199.33.53\n45.77.1.9\n', ['--risk-type', 'honeypot_credential']],
  ] as const) {
    const warned = take(input, ...options);
    assert.deepEqual(JSON.parse(warned.stdout).refused, {
      known_good: { count: 1, first_lines: [1] },
      own_address: { count: 1, first_lines: [2] },
    });
    assert.match(warned.stderr, /refused 1 row about this service's own addresses/);
    assert.match(warned.stderr, /refused 1 row about well-known services.*--allow-known-good/);
  }
  const imported = take(rows[0]!, '--allow-known-good');
  assert.deepEqual([imported.status, imported.stderr, JSON.parse(imported.stdout).accepted], [0, '', 1]);
  await eventually(async () => (await lookup('138.199.33.53')).risk.level === 'high', {
    withinMs: 20_000,
    everyMs: 50,
  });
  assert.equal((await lookup('185.199.108.153')).risk.score, 29);
  assert.equal(explain('138.199.33.53').known_as, undefined);
});

const DATA = resolve(import.meta.dirname, '../../../shared/data');
const absent = existsSync(join(DATA, 'MANIFEST.md')) ? false : `${DATA} is not there`;

test('over real lists, all taken as fresh, no known service is medium or high by lists alone; own collection lifts it', {
  skip: absent,
}, async () => {
  const at = unixMs(Date.UTC(2026, 7, 22, 22));
  const store = new SqliteHistory(join(folder, 'evidence.db'));
  const feeds = openFeeds({
    config: { dataDir: mkdtempSync(join(folder, 'data-')), feeds: 'off' },
    store,
    clock: { now: () => at },
  });
  const scan = await feeds.scan(DATA);
  const evidence = { ...scan, snapshots: scan.snapshots.filter(({ feed }) => evidenceSourceOf(feed) !== undefined) };
  for await (const { feed, outcome } of importMirror(evidence, feeds.parts, {
    series: false,
    runAt: unixMs(at - HOUR_MS),
  }))
    assert.equal(outcome.status, 'accepted', feed.id);

  const protection = loadProtection(publishedSources());
  /** Worst case: without its network data a relay address has its vpn evidence. */
  const judge = (ip: string, observations: readonly Observation[], protect = true): IPRisk['risk'] => {
    const view: LookupView = {
      dataVersion: { risk: 'r', geo: 'g' },
      degraded: false,
      protection: protect ? protection : undefined,
      geoJson: () => '{}',
      network: () => ({
        json: undefined,
        usageType: undefined,
        asn: 0,
        hosting: false,
        mobile: false,
        crawler: false,
        relay: false,
      }),
      observations: () => observations,
    };
    return lookupIpDocument(view, parseAnyAddress(ip)!, at)!.risk;
  };
  const { bytes } = await compileEvidence(store, at, FIXED_SEED);
  store.close();
  const live = new LiveEvidence(openEvidence(bytes.buffer), FIXED_SEED);
  const listed = (ip: string): readonly Observation[] => live.observations(parseAnyAddress(ip)!);
  const own = (ip: string): Observation => ({
    riskType: 'honeypot_credential',
    source: 'sensor',
    family: 'sensor',
    capturedAt: at,
    days: 1,
    prefixBits: ip.includes(':') ? 128 : 32,
    pools: [],
  });
  for (const ip of Object.keys(EXAMPLES)) {
    const observations = listed(ip);
    assert.match(judge(ip, observations).level, /none|low/, ip);
    assert.equal(judge(ip, [...observations, own(ip)]).level, 'high', ip);
  }
  // An address under protection is there: a dead proxy list names Meta’s crawler. A CDN’s edge is low
  // already: the list that names it claims networks.
  const unprotected = (ip: string): string => judge(ip, listed(ip), false).level;
  assert.deepEqual([unprotected('173.252.107.113'), unprotected('138.199.33.53')], ['high', 'low']);
  let [held, left] = [0, 0];
  for (const { id, from, prefixes } of [...knownGoodLists(), ...knownGoodLists('known-scanners')]) {
    if (Date.parse(from) > at) continue;
    // Private relay has many ranges, so every tenth will do.
    for (const text of prefixes.filter((_, i) => id !== 'apple-private-relay' || i % 10 === 0)) {
      const ip = formatAddress(parsePrefix(text)!);
      const observations = listed(ip);
      if (observations.length === 0 || !/medium|high/.test(judge(ip, observations, false).level)) continue;
      held++;
      if (/medium|high/.test(judge(ip, observations).level)) left++;
    }
  }
  assert.ok(held > 300 && left === 0, `${held} held, ${left} left`);
});
