/** bench/collection.ts over a small world: derived kinds against the truth, with one seed and figures that change when a rule does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeDialled, judgeHijacked, judgeRanges } from '../../bench/collection/judge-derived.ts';
import { playWorld } from '../../bench/collection/play-world.ts';
import { makeWorld } from '../../bench/collection/world.ts';
import { DERIVATION_RULES, type DerivationRules } from '../../src/core/collection/derivation-rules.ts';
import { MINUTE_MS } from '../../src/core/units.ts';

const world = makeWorld(2, 0.05);

test('derived kinds in a small simulated world', async () => {
  const rows = await playWorld(world, DERIVATION_RULES);
  assert.deepEqual(judgeRanges(world, rows), { derived: 5, right: 5, parties: 8, found: 5, wrong: {} });
  assert.deepEqual(judgeHijacked(world, rows), { derived: 42, right: 37, parties: 15, found: 10, wrong: { 'infected home': 2, 'open proxy on a server': 3 } });
  assert.deepEqual(judgeDialled(world, rows), { derived: 54, right: 54, parties: 3, found: 2, wrong: {} });
});

test('with looser rules households, strangers at old addresses and carrier NAT are taken for what they are not', async () => {
  const { ipv6Range, dialupPool } = DERIVATION_RULES;
  const loose: DerivationRules = {
    ...DERIVATION_RULES,
    ipv6Range: { ...ipv6Range, lengths: ipv6Range.lengths.map((length) => ({ ...length, addresses: 12, notOnAccess: false })) },
    hijackedProxy: { listedWithinMs: 14 * 24 * 60 * MINUTE_MS },
    dialupPool: { ...dialupPool, capturesOfStay: 1 },
  };
  const rows = await playWorld(world, loose);
  const { wrong: ranges } = judgeRanges(world, rows);
  assert.ok((ranges.household ?? 0) > 0 && (ranges.phone ?? 0) > 0 && (ranges['shared hosting'] ?? 0) > 0, JSON.stringify(ranges));
  const { wrong: hijacked } = judgeHijacked(world, rows);
  assert.ok((hijacked['infected home'] ?? 0) > 2, JSON.stringify(hijacked));
  const { wrong: dialled } = judgeDialled(world, rows);
  assert.ok((dialled['carrier NAT'] ?? 0) > 0, JSON.stringify(dialled));
});
