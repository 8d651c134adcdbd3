import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadKnownGood, loadKnownGoodOf } from '../../adapters/layers/known-good.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { Observation } from '../evidence/observation.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { contains, parsePrefix, prefixOf } from '../ip/prefix.ts';
import { compilePeriods, PrefixPeriods } from '../ip/prefix-periods.ts';
import { DAY_MS, unixMs } from '../units.ts';
import { explain } from './explain.ts';
import type { KnownGoodCap } from './known-good.ts';
import { SCORE_PARAMETERS as P } from './parameters.ts';
import { verdict } from './verdict.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12));
const NETWORK = { usageType: undefined, hosting: false, mobile: false, crawler: true, relay: false };
const table = loadKnownGood();
const SET = { id: 'x', what: 'a service', source: 'https://example.net/', seen: '2026-11-01' };
/** As in the service, sources outside the catalogue are own collection. */
const shieldAt = (ip: string): KnownGoodCap => ({
  knownGood: (at) => table.find(parseAnyAddress(ip)!, at),
  isOwn: (source) => source === 'own',
});
const seen = (riskType: RiskType, source = 'list', changes: Partial<Observation> = {}): Observation => ({
  riskType,
  source,
  family: source,
  capturedAt: NOW,
  days: 1,
  prefixBits: 32,
  pools: [],
  ...changes,
});
const judge = (ip: string, rows: readonly Observation[], at = NOW) => verdict(rows, NETWORK, 4, at, P, shieldAt(ip));

test('the part of the table about some addresses says the same of them as the whole', () => {
  const prefixes = [...table.prefixes()].filter((_, i) => i % 7 === 0);
  const some = loadKnownGoodOf(prefixes.slice(0, 200));
  for (const prefix of prefixes.slice(0, 200)) assert.deepEqual(some.find(prefix, NOW), table.find(prefix, NOW));
  for (const prefix of prefixes.filter((_, i) => i % 400 === 0)) {
    const one = loadKnownGoodOf([prefix]);
    assert.deepEqual(one.find(prefix, NOW), table.find(prefix, NOW), formatPrefix(prefix));
  }
  assert.ok([...loadKnownGoodOf([parseAnyAddress('198.51.100.1')!]).prefixes()].length < 2000);
});

test('lists alone never make a known service more than low; rows, types and state stay as they are', () => {
  const rows = [seen('proxy'), seen('vpn', 'other'), seen('hijacked_proxy', 'third')];
  // Resolvers, a crawler of Meta, GitHub Pages, Googlebot, the Ubuntu archive, root and .com name servers, a
  // time server, front ends, private relay, mail servers, a ccTLD name server.
  for (const ip of '1.1.1.1 8.8.8.8 173.252.107.113 185.199.108.153 66.249.66.193 185.125.190.83 198.41.0.4 192.5.6.30 129.6.15.28 104.16.1.1 138.199.33.53 104.28.28.1 40.107.1.1 103.168.172.216 194.25.134.84 194.0.6.1'.split(
    ' ',
  )) {
    const { score, level, state, evidence, signals } = judge(ip, rows);
    assert.deepEqual([score, level, state], [29, 'low', 'active'], ip);
    assert.deepEqual(
      [evidence.length, evidence[0]?.strength, signals],
      [3, 0.95, ['crawler', 'hijacked_proxy', 'proxy', 'vpn']],
      ip,
    );
    assert.equal(judge(ip, [seen('osint')]).score, 28, `${ip}: a score that is lower stays`);
  }
  for (const ip of ['1.1.1.9', '8.8.8.9', '45.9.9.9']) assert.equal(judge(ip, rows).level, 'high', ip);
});

test('own collection that is active there counts in full, with the lists; once it has expired the score is low again', () => {
  const own = seen('honeypot_credential', 'own');
  assert.equal(judge('1.1.1.1', [own]).score, 80);
  assert.equal(judge('1.1.1.1', [own, seen('proxy')]).score, 98);
  const old = seen('honeypot_credential', 'own', { capturedAt: unixMs(NOW - 14 * DAY_MS) });
  assert.equal(judge('1.1.1.1', [old, seen('proxy')]).score, 29);
  assert.equal(judge('1.1.1.1', [{ ...old, capturedAt: unixMs(old.capturedAt + 1) }, seen('proxy')]).level, 'high');
});

test('a known research scanner is low by lists and by its scans; attempts with credentials count in full, with everything else', () => {
  const scans = [seen('honeypot_scan', 'own'), ...['a', 'b', 'c'].map((list) => seen('osint', list))];
  // Censys, Shadowserver, a university, Shodan.
  for (const ip of ['66.132.159.9', '184.105.139.70', '171.67.70.5', '71.6.146.185']) {
    assert.deepEqual([judge(ip, scans).score, judge(ip, scans).evidence.length], [29, 2], ip);
    assert.equal(judge(ip, [...scans, seen('honeypot_credential', 'own')]).level, 'high', ip);
  }
  const { knownGood } = explain(scans, NETWORK, 4, NOW, P, shieldAt('66.132.159.9'));
  assert.deepEqual([knownGood?.what, knownGood?.scanner], ['research scanner: Censys', true]);
  assert.equal(judge('8.8.8.8', scans).level, 'high', 'scans of a known service, which does not scan, count in full');
});

test('an entry counts from its first instant until before its last, so that a change of the table leaves the past alone', () => {
  const at = (day: number) => unixMs(NOW + day * DAY_MS);
  const prefix = parsePrefix('45.9.8.0/22')!;
  const good = new PrefixPeriods(
    compilePeriods([
      { prefix, from: at(0), until: at(2), held: SET },
      { prefix, from: at(5), held: SET },
    ]),
  );
  const inside = parseAnyAddress('45.9.11.255')!;
  assert.deepEqual(
    [-1, 0, 1, 2, 4, 5, 900].map((day) => good.find(inside, at(day)) === SET),
    [false, true, true, false, false, true, true],
  );
  assert.ok(['45.9.12.0', '45.9.7.255'].every((ip) => good.find(parseAnyAddress(ip)!, at(1)) === undefined));
});

test('prefixes of every length are found, in both address families', () => {
  const good = new PrefixPeriods(
    compilePeriods(
      ['12.0.0.0/7', '64.0.0.0/16', '2001:db8::/31', '2a00:1::/33', '::/0']
        .slice(0, 4)
        .map((text) => ({ prefix: parsePrefix(text)!, from: unixMs(0), held: SET })),
    ),
  );
  const covers = (ip: string) => good.find(parseAnyAddress(ip)!, NOW) !== undefined;
  assert.deepEqual(['12.0.0.0', '13.255.255.255', '64.0.9.9', '2001:db9:ffff::1', '2a00:1:7fff::1'].map(covers), [
    true,
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(['11.255.255.255', '14.0.0.0', '64.1.0.0', '2001:dba::', '2a00:1:8000::'].map(covers), [
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('of several lists the one with the longest prefix that held is named', () => {
  const entry = (text: string, id: string, from = 0) => ({
    prefix: parsePrefix(text)!,
    from: unixMs(from),
    held: { ...SET, id },
  });
  const good = new PrefixPeriods(
    compilePeriods([entry('45.9.0.0/16', 'wide'), entry('45.9.9.9', 'host', NOW), entry('45.9.9.0/24', 'narrow')]),
  );
  const named = (ip: string, at: number) => good.find(parseAnyAddress(ip)!, unixMs(at))?.id;
  assert.deepEqual(
    [named('45.9.9.9', NOW), named('45.9.9.9', NOW - 1), named('45.9.8.1', NOW)],
    ['host', 'narrow', 'wide'],
  );
});

test('explain says that the address is known good, and its instants are those of the capped score', () => {
  const explained = explain([seen('proxy')], NETWORK, 4, NOW, P, shieldAt('8.8.8.8'));
  assert.deepEqual(
    [explained.knownGood?.id, explained.verdict.score, explained.below70At, explained.below30At],
    ['dns-resolvers', 29, undefined, undefined],
  );
  assert.equal(explained.zeroAt, NOW + 14 * DAY_MS);
  assert.equal(explain([seen('proxy')], NETWORK, 4, NOW, P, shieldAt('8.8.8.9')).knownGood, undefined);
});

test('the table gives every prefix it was made of, ended and future ones too, once for each entry', () => {
  const texts = ['1.2.3.0/24', '1.2.3.0/24', '1.2.3.4', '2001:db9::/32'];
  const times = [
    { from: unixMs(0) },
    { from: unixMs(0), until: unixMs(1) },
    { from: unixMs(NOW + DAY_MS) },
    { from: unixMs(0) },
  ];
  const held = new PrefixPeriods(
    compilePeriods(texts.map((text, i) => ({ prefix: parsePrefix(text)!, ...times[i]!, held: SET }))),
  );
  assert.deepEqual([...held.prefixes()].map(formatPrefix).sort(), [
    '1.2.3.0/24',
    '1.2.3.0/24',
    '1.2.3.4/32',
    '2001:db9::/32',
  ]);
});

test('another thread finds in the shared table what a search of all entries finds', () => {
  const random = (below: number) => Math.floor(Math.random() * below);
  const address = () => parseAnyAddress(`45.${random(2)}.${random(3)}.${random(4)}`)!;
  const periods = [0, 1, 2].map((from) => ({
    from: unixMs(from),
    until: unixMs(from + 2),
    held: { ...SET, id: `${from}` },
  }));
  const entries = periods.flatMap((period) =>
    Array.from({ length: 60 }, () => ({ prefix: prefixOf(address(), random(33)), ...period })),
  );
  const { table } = new PrefixPeriods(compilePeriods(entries));
  assert.ok(table.rows[4].buffer instanceof SharedArrayBuffer);
  assert.equal(table.periods.length, periods.length, 'threads get no copy of the period with each prefix');
  const elsewhere = new PrefixPeriods(structuredClone(table));
  for (let i = 0; i < 500; i++) {
    const [ip, at] = [address(), unixMs(random(7))];
    const held = entries.filter(({ prefix, from, until }) => contains(prefix, ip) && from <= at && at < until);
    const expected = held.sort((a, b) => b.prefix.bits - a.prefix.bits)[0]?.held.id;
    assert.equal(elsewhere.find(ip, at)?.id, expected, `${formatPrefix(prefixOf(ip, 32))} at ${at}`);
  }
});
