import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { RISK_TYPES } from '../../src/contract/risk.ts';
import { DERIVATION_RULES } from '../../src/core/collection/derive/derivation-rules.ts';
import type { Observation } from '../../src/core/evidence/observation.ts';
import { ageAtStrength } from '../../src/core/risk/decay.ts';
import { explain } from '../../src/core/risk/explain.ts';
import { SCORE_PARAMETERS } from '../../src/core/risk/parameters.ts';
import { HOUR_MS, unixMs } from '../../src/core/units.ts';

/** Tables may be padded; only the text of cells counts. */
const page = readFileSync(new URL('../../docs/score.md', import.meta.url), 'utf8').replaceAll(/ {2,}/g, ' ');

const number = (pattern: RegExp): number => {
  const found = pattern.exec(page)?.[1];
  assert.ok(found !== undefined, `docs/score.md no longer says ${pattern}`);
  return Number(found);
};

test('the table in docs/score.md is the table the code scores with', () => {
  const rows = [...page.matchAll(/^\| (\w+) \| ([\d.]+) \| (\d+) h \| ([\d.]+) \| ([01]) \| (.*?) \| (.*?) \|$/gm)].map(
    ([, type, base, hours, delta, c, high, medium]) => [
      type,
      { base: Number(base), windowMs: Number(hours) * HOUR_MS, delta: Number(delta), persistence: Number(c) },
      high,
      medium,
    ],
  );
  assert.deepEqual(
    rows,
    RISK_TYPES.map((type) => {
      const row = SCORE_PARAMETERS.types[type];
      const until = (score: number): string => {
        const ms = ageAtStrength((score - 0.5) / 100, row.base, row.windowMs, row.delta);
        return ms <= 0 ? 'never' : `${(ms / HOUR_MS).toFixed(1)} h`;
      };
      return [type, row, until(70), until(30)];
    }),
  );
  assert.equal(/version \*\*(.+?)\*\*/.exec(page)?.[1], SCORE_PARAMETERS.version);
});

test('the widths and the sources that contain others in docs/score.md are those the code scores with', () => {
  const weights = [...page.matchAll(/^ ?\| ([\d.]+) \| (\/?[\w ]+?) ?(?:to \/\d+ )?\|/gm)].map(([, weight, from]) => [
    Number(weight),
    from,
  ]);
  const least = SCORE_PARAMETERS.prefixWeights[4].map(({ minBits, weight }) => [
    weight,
    minBits === 0 ? 'wider' : `/${minBits}`,
  ]);
  assert.deepEqual(weights, least);
  for (const [source, members] of Object.entries(SCORE_PARAMETERS.aggregates))
    assert.ok(page.includes(`\`${source}\` (${members.join(', ')})`), source);
  const claims =
    /^- \*\*Sources that claim networks\*\*: a capture of (.*?) has a strength of at most ([\d.]*\d)/m.exec(page);
  assert.deepEqual(
    [...claims![1]!.matchAll(/`(.*?)`/g)].map(([, id]) => id),
    SCORE_PARAMETERS.claiming,
  );
  assert.equal(Number(claims![2]), SCORE_PARAMETERS.claimMax);
});

test('the rules of ipv6_range in docs/score.md are those the store derives by', () => {
  const rows = [...page.matchAll(/^\| \/(\d\d) \| (\d+) \| (\d+) \/(\d\d) \| (.*?) \|$/gm)].map(
    ([, bits, addresses, count, parts, where]) => ({
      bits: Number(bits),
      addresses: Number(addresses),
      parts: { bits: Number(parts), count: Number(count) },
      notOnAccess: where !== 'anywhere',
    }),
  );
  assert.deepEqual(rows, DERIVATION_RULES.ipv6Range.lengths);
  assert.equal(
    /change of the rules \(version \*\*(.+?)\*\*\)/.exec(page.replaceAll('\n', ' '))?.[1],
    DERIVATION_RULES.version,
  );
  assert.equal(DERIVATION_RULES.ipv6Range.withinMs, 24 * HOUR_MS);
});

test('the worked example in docs/score.md comes out of the code, step by step', () => {
  const now = unixMs(Date.UTC(2026, 0, 15, 12));
  const proxyHours = number(/open proxy \*\*(\d+) hours\*\* ago/);
  const days = number(/on \*\*(\d+)\*\* of the last 14 days/);
  const osintHours = number(/listed it \*\*(\d+) hours\*\* ago/);
  const seen = (riskType: 'proxy' | 'osint', hours: number, mask: number): Observation => ({
    riskType,
    source: riskType,
    family: riskType,
    capturedAt: unixMs(now - hours * HOUR_MS),
    days: mask,
    prefixBits: 32,
    pools: [],
  });
  const network = { usageType: undefined, hosting: false, mobile: false, crawler: false, relay: false };
  const { rows, verdict } = explain(
    [seen('proxy', proxyHours, (1 << days) - 1), seen('osint', osintHours, 1)],
    network,
    4,
    now,
    SCORE_PARAMETERS,
  );
  const [proxy, osint] = rows;
  assert.equal((proxy!.windowMs / HOUR_MS).toFixed(3), number(/proxy: W = .*? \| ([\d.]+) h/).toFixed(3));
  assert.equal(proxy!.strength.toFixed(5), number(/proxy: s = .*? \| ([\d.]+) \|/).toFixed(5));
  assert.equal(osint!.strength.toFixed(5), number(/osint: s = .*? \| ([\d.]+) \|/).toFixed(5));
  assert.equal(
    (1 - (1 - proxy!.strength) * (1 - osint!.strength)).toFixed(5),
    number(/S = 1 .*? \| ([\d.]+) \|/).toFixed(5),
  );
  assert.equal(verdict.score, number(/\| score \| \*\*(\d+)\*\*/));
  assert.equal(verdict.level, /\| score \| \*\*\d+\*\* \((\w+)\)/.exec(page)?.[1]);
});
