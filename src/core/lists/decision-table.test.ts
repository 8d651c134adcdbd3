import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { randomBelow } from '../../../test/support/random.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import { decisionsJson, durationOf } from './decision-json.ts';
import { type Decision, DecisionTable, decisionChanges } from './decision-table.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const decision = (prefix: string, hours: number, more: Partial<Decision> = {}): Decision => ({
  prefix: parsePrefix(prefix)!,
  ...{ score: 80, type: 'ban', riskType: 'proxy', until: unixMs(NOON + hours * HOUR_MS) },
  ...more,
});
function tableOf(...decisions: readonly Decision[]): DecisionTable {
  const table = new DecisionTable();
  for (const one of decisions) table.add(one);
  return table;
}
const texts = (table: DecisionTable): readonly string[] => [...table].map(({ prefix }) => formatPrefix(prefix));

describe('decisions in a table', () => {
  test('come back as they were added, also from the words of a file', () => {
    const all = [
      decision('1.2.3.4', 3, { type: 'captcha', score: 100, riskType: 'ipv6_range' }),
      decision('255.255.0.0/16', 3.5, { score: 1 }),
      decision('2001:db8::/64', 800_000, { riskType: 'honeypot_credential' }),
    ];
    assert.deepEqual([...tableOf(...all)], all);
    assert.deepEqual([...new DecisionTable(tableOf(...all).words.slice())], all);
  });

  test('the riskiest stay within a bound, in the order of their addresses', () => {
    covers('BOUNCER-BOUNDS');
    const below = randomBelow(5);
    const scores = Array.from({ length: 200 }, () => below(100) + 1);
    const table = tableOf(...scores.map((score, i) => decision(`1.1.1.${i}`, 1, { score })));
    for (const max of [1, 3, 50, 199, 200, 500]) {
      const kept = [...table.riskiest(max)];
      const best = scores.toSorted((a, b) => b - a).slice(0, max);
      assert.deepEqual(
        kept.map(({ score }) => score).sort((a, b) => b - a),
        best,
      );
      assert.deepEqual(
        texts(table.riskiest(max)),
        texts(table).filter((text) => texts(table.riskiest(max)).includes(text)),
      );
    }
    assert.deepEqual(
      [...table.byRisk()].map(({ score }) => score),
      scores.toSorted((a, b) => b - a),
    );
  });
});

describe('changes for one client', () => {
  const changes = (before: DecisionTable, now: DecisionTable, at: UnixMs = NOON) => {
    const { added, deleted, told } = decisionChanges(before, now, at);
    return { added: texts(added), deleted: texts(deleted), told: texts(told) };
  };

  test('are what is new, what is gone, and what changed, each once', () => {
    covers('BOUNCER-CHANGES');
    const before = tableOf(
      decision('1.1.1.1', 5),
      decision('1.1.1.2', 5),
      decision('1.1.1.3', 5),
      decision('2001::', 5),
    );
    const now = tableOf(decision('1.1.1.1', 5), decision('1.1.1.3', 5, { type: 'captcha' }), decision('1.1.1.4', 5));
    assert.deepEqual(changes(before, now), {
      added: ['1.1.1.3/32', '1.1.1.4/32'],
      deleted: ['1.1.1.2/32', '1.1.1.3/32', '2001::/128'],
      told: ['1.1.1.1/32', '1.1.1.3/32', '1.1.1.4/32'],
    });
    assert.deepEqual(changes(now, now), { added: [], deleted: [], told: texts(now) });
  });

  test('a later end is told shortly before the earlier one, an earlier end at once', () => {
    covers('BOUNCER-CHANGES');
    const [early, late] = [tableOf(decision('1.1.1.1', 5)), tableOf(decision('1.1.1.1', 9))];
    assert.deepEqual(changes(early, late).added, []);
    assert.deepEqual(changes(early, late, unixMs(NOON + 4 * HOUR_MS)).added, ['1.1.1.1/32']);
    assert.deepEqual(changes(late, early).added, ['1.1.1.1/32']);
    const told = decisionChanges(early, late, NOON).told;
    assert.equal(told.at(0).until, early.at(0).until, 'the client knows the earlier end');
  });
});

test('durations are written as Go reads them', () => {
  assert.deepEqual([0, 999, 61_000, 3_600_000, 12_618_000, 90_061_000, -5_000].map(durationOf), [
    '0s',
    '1s',
    '1m1s',
    '1h0m0s',
    '3h30m18s',
    '25h1m1s',
    '-5s',
  ]);
});

test('a list is null when nothing passes, and filters by scope, scenario and type', () => {
  const table = tableOf(
    decision('1.1.1.1', 1),
    decision('2.2.2.0/24', 1, { type: 'captcha', riskType: 'vpn', score: 90 }),
  );
  const listed = (filter: Parameters<typeof decisionsJson>[1]): readonly string[] | null =>
    (JSON.parse([...decisionsJson(table, filter, NOON)].join('')) as { value: string }[] | null)?.map(
      ({ value }) => value,
    ) ?? null;
  assert.deepEqual(listed({}), ['2.2.2.0/24', '1.1.1.1']);
  assert.deepEqual(listed({ scopes: ['ip'] }), ['1.1.1.1']);
  assert.deepEqual(listed({ containing: ['vpn'] }), ['2.2.2.0/24']);
  assert.deepEqual(listed({ notContaining: ['vpn'] }), ['1.1.1.1']);
  assert.deepEqual(listed({ type: 'captcha' }), ['2.2.2.0/24']);
  assert.equal(listed({ origins: ['cscli'] }), null);
});
