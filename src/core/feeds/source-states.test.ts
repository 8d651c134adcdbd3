import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import { type FollowedSource, type SourceState, sourceStates } from './source-states.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22));
const ago = (ms: number): UnixMs => unixMs(NOW - ms);
/** Read now. @param days age of its content */
const source = (days: number, boundDays = 1): FollowedSource => ({
  boundMs: boundDays * DAY_MS,
  readAt: NOW,
  contentAt: ago(days * DAY_MS),
});
const CURRENT = source(0);
const NEVER: FollowedSource = { boundMs: DAY_MS, readAt: undefined, contentAt: undefined };
const among = (one: FollowedSource, ...others: readonly FollowedSource[]) => sourceStates([one, ...others], NOW)[0]!;

test('a source is late past its bound, and retired from 30 days or ten times its bound on, whichever is longer', () => {
  const cases: readonly (readonly [number, number, SourceState['state']])[] = [
    [1, 1, 'current'],
    [1 + 1 / DAY_MS, 1, 'late'],
    [30 - 1 / DAY_MS, 1, 'late'],
    [30, 1, 'retired'],
    [30, 3, 'retired'],
    [30, 3.5, 'late'],
    [35 - 1 / DAY_MS, 3.5, 'late'],
    [35, 3.5, 'retired'],
    [366, 365, 'late'],
    [3649, 365, 'late'],
    [3650, 365, 'retired'],
  ];
  for (const [days, bound, state] of cases)
    assert.equal(among(source(days, bound), CURRENT).state, state, `${days} days, bound ${bound}`);
  assert.deepEqual(among(source(40), CURRENT), { state: 'retired', since: ago(10 * DAY_MS) });
  assert.deepEqual(among(source(4), CURRENT), { state: 'late', since: ago(3 * DAY_MS) });
});

test('a source that cannot be read is late by its last reading, and retired by its last content', () => {
  const unread = { boundMs: DAY_MS, readAt: ago(2 * DAY_MS), contentAt: ago(DAY_MS / 2) };
  assert.deepEqual(among(unread, CURRENT), { state: 'late', since: ago(DAY_MS) });
  assert.equal(
    among({ boundMs: DAY_MS, readAt: ago(31 * DAY_MS), contentAt: undefined }, CURRENT).state,
    'retired',
    'without a run the reading dates it',
  );
});

test('a source that was never read stays expected; while no source is current nothing is retired', () => {
  assert.deepEqual(among(NEVER, CURRENT), { state: 'never_read' });
  assert.equal(among(source(400), source(2), NEVER).state, 'late');
  assert.equal(among(source(400)).state, 'late', 'the only one');
});

test('a source that publishes again is expected again', () => {
  const before = source(400);
  assert.equal(among(before, CURRENT).state, 'retired');
  assert.equal(among({ ...before, contentAt: NOW }, CURRENT).state, 'current');
  assert.equal(among({ ...before, contentAt: ago(2 * DAY_MS) }, CURRENT).state, 'late', 'new, and old already');
});

const hours = fc.integer({ min: 0, max: 24 * 800 }).map((n) => n * HOUR_MS);
const anySource: fc.Arbitrary<FollowedSource> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      boundMs: fc.integer({ min: 1, max: 24 * 60 }).map((n) => n * HOUR_MS),
      readAt: hours.map(ago),
      contentAt: hours.map(ago),
    }),
  },
  { weight: 1, arbitrary: fc.constant(NEVER) },
);
const sources = fc.array(anySource, { minLength: 1, maxLength: 8 });
const RANK: Readonly<Record<SourceState['state'], number>> = { current: 0, late: 1, retired: 2, never_read: 3 };

test('states hold for any sources: each alone decides but for the rule of the current one, and `since` is when the state began', () => {
  fc.assert(
    fc.property(sources, (all) => {
      const states = sourceStates(all, NOW);
      const current = states.some(({ state }) => state === 'current');
      for (const [index, known] of states.entries()) {
        const { boundMs, readAt, contentAt } = all[index]!;
        if (readAt === undefined || contentAt === undefined) assert.equal(known.state, 'never_read');
        else if (known.state === 'retired')
          assert.ok(current && NOW - contentAt >= 30 * DAY_MS && NOW - contentAt >= 10 * boundMs);
        else if (known.state === 'late') assert.ok(!current || NOW - contentAt < Math.max(30 * DAY_MS, 10 * boundMs));
        else assert.ok(NOW - Math.min(readAt, contentAt) <= boundMs);
        if (!('since' in known)) continue;
        assert.ok(known.since <= NOW);
        // Asked of the moments around it, the source changes there, as long as another one is current.
        const company: FollowedSource = { boundMs: 900 * DAY_MS, readAt: NOW, contentAt: known.since };
        const stateAt = (at: number) => sourceStates([all[index]!, company], unixMs(at))[0]!.state;
        assert.deepEqual([stateAt(known.since - 1) === known.state, stateAt(known.since + 1)], [false, known.state]);
      }
    }),
  );
});

test('time only worsens a source that brings nothing, while others are current; new content never does', () => {
  fc.assert(
    fc.property(anySource, hours, hours, (one, later, fresher) => {
      const at = (moment: UnixMs, seen: FollowedSource): number =>
        RANK[sourceStates([seen, { boundMs: DAY_MS, readAt: moment, contentAt: moment }], moment)[0]!.state];
      assert.ok(at(unixMs(NOW + later), one) >= at(NOW, one));
      const { readAt, contentAt } = one;
      if (readAt === undefined || contentAt === undefined) return;
      assert.ok(
        at(NOW, { ...one, readAt: NOW, contentAt: unixMs(Math.min(NOW, contentAt + fresher)) }) <= at(NOW, one),
      );
    }),
  );
});
