import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import * as course from './describe-timeline.ts';
import { explainIp } from './explain-ip.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12, 30));
const FIRST = unixMs(NOW - 10 * DAY_MS);
const proxy: Observation = {
  riskType: 'proxy',
  source: 'a',
  family: 'a',
  capturedAt: unixMs(NOW - HOUR_MS),
  days: 1,
  prefixBits: 32,
  pools: [],
};
const view: LookupView = {
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: false,
  protection: undefined,
  geoJson: () => undefined,
  network: () => ({
    json: undefined,
    usageType: 'DYN',
    asn: 64500,
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
  }),
  observations: () => [proxy],
};
const question = { view, address: parseAnyAddress('203.0.114.9')!, account: { dpa: true }, now: NOW };

/** The course and the explanation of now, as the console's page gets them. */
async function describeTimeline(
  history: Parameters<typeof course.describeTimeline>[0],
  asked: Omit<course.TimelineQuery, 'leaves'> & { readonly account: { readonly operator?: boolean } },
) {
  const observations = asked.view.observations(asked.address);
  const explanation = explainIp({ ...asked, at: asked.now, observations });
  return { ...(await course.describeTimeline(history, { ...asked, leaves: explanation.leaves })), explanation };
}

/** A store with one capture an hour before now, and none of it known earlier. */
function countingHistory(earliest: UnixMs | undefined) {
  const asked: (readonly UnixMs[])[] = [];
  return {
    asked,
    earliest: () => earliest,
    observationsAtEach: (_address: unknown, instants: readonly UnixMs[]) => {
      asked.push(instants);
      return instants.map((at) => (at < proxy.capturedAt ? [] : [proxy]));
    },
  };
}

test('the past of the window is one read of the store, from the first capture held to now', async () => {
  const history = countingHistory(FIRST);
  const { past, window_from, future } = await describeTimeline(history, question);
  assert.equal(history.asked.length, 1);
  assert.equal(window_from, new Date(FIRST).toISOString());
  assert.deepEqual(
    [past.length, past[0], past.at(-1)?.at],
    [121, { at: window_from, score: 0, state: 'none' }, new Date(NOW).toISOString()],
  );
  assert.deepEqual(past.at(-1), future[0]);
  assert.ok(past.at(-1)!.score > 70);
  assert.equal(future.at(-1)?.score, 0);
});

test('the window is the contract of the account where the store reaches further back', async () => {
  const { window_from } = await describeTimeline(countingHistory(unixMs(NOW - 400 * DAY_MS)), {
    ...question,
    account: { dpa: true, historyDays: 90 },
  });
  assert.equal(window_from, new Date(NOW - 90 * DAY_MS).toISOString());
});

test('IPv6 and a deployment without history have no past, and ask no store', async () => {
  const history = countingHistory(FIRST);
  assert.deepEqual(
    (await describeTimeline(history, { ...question, address: parseAnyAddress('2001:db9::1')! })).past,
    [],
  );
  assert.deepEqual([history.asked, (await describeTimeline(undefined, question)).past], [[], []]);
});

/** The store of a deployment where the address was captured at these moments, and followed for ten days. */
const historyOf = (captures: readonly UnixMs[]) => ({
  earliest: () => FIRST,
  observationsAtEach: (_address: unknown, instants: readonly UnixMs[]) =>
    instants.map((at) =>
      captures.filter((capturedAt) => capturedAt <= at).map((capturedAt) => ({ ...proxy, capturedAt })),
    ),
});
const courseOf = (capturedAt: UnixMs, dpa: boolean) =>
  describeTimeline(historyOf([capturedAt]), {
    ...question,
    view: { ...view, observations: () => [{ ...proxy, capturedAt }] },
    account: { dpa },
  });

test('without a data-processing agreement captures of one hour have one timeline, but for the score of now', async () => {
  covers('PULSE-DPA');
  for (const hoursAgo of [1, 30, 300]) {
    const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS;
    const courses = await Promise.all(
      [0, 1, 1_234_567, HOUR_MS - 1].map((after) => courseOf(unixMs(hour + after), false)),
    );
    const withoutNow = courses.map(({ past, future, explanation: { score: _now, ...explanation }, ...rest }) => ({
      ...rest,
      explanation,
      past: past.slice(0, -1),
      future: future.slice(1),
    }));
    for (const course of withoutNow) assert.deepEqual(course, withoutNow[0]);
    const instants = [...withoutNow[0]!.past, ...withoutNow[0]!.future, ...withoutNow[0]!.explanation.leaves].map(
      ({ at }) => Date.parse(at),
    );
    assert.deepEqual([instants.length > 100, instants.filter((at) => at % HOUR_MS !== 0)], [true, []]);
  }
});

test('without an agreement an exit is a whole hour at which the true score has left the band, at most two hours late', async () => {
  for (const age of [HOUR_MS, 5 * HOUR_MS + 1234, 19 * HOUR_MS + 3_599_999, 100 * HOUR_MS]) {
    const capturedAt = unixMs(NOW - age);
    const [exact, rounded] = await Promise.all([courseOf(capturedAt, true), courseOf(capturedAt, false)]);
    assert.deepEqual(
      rounded.explanation.leaves.map(({ level }) => level),
      exact.explanation.leaves.map(({ level }) => level),
    );
    for (const [index, { at }] of rounded.explanation.leaves.entries()) {
      const late = Date.parse(at) - Date.parse(exact.explanation.leaves[index]!.at);
      assert.ok(late >= 0 && late <= 2 * HOUR_MS, `${late} ms`);
    }
    assert.deepEqual([rounded.future[0], rounded.past.at(-1)], [exact.future[0], exact.past.at(-1)]);
    assert.deepEqual(
      [rounded.future.at(-1)?.score, rounded.future.at(-1)?.at],
      [0, rounded.explanation.leaves.at(-1)?.at],
    );
  }
});

test('with an agreement every instant is exact', async () => {
  const { explanation, future } = await courseOf(unixMs(NOW - HOUR_MS + 123), true);
  assert.equal(explanation.leaves.at(-1)?.at, new Date(NOW - HOUR_MS + 123 + 14 * DAY_MS).toISOString());
  assert.equal(future.at(-1)?.at, explanation.leaves.at(-1)?.at);
});

test('a store that cannot be read is history_unavailable', async () => {
  const broken = { ...countingHistory(FIRST), observationsAtEach: () => Promise.reject(new Error('away')) };
  await assert.rejects(
    describeTimeline(broken, question),
    (error) => error instanceof Problem && error.code === 'history_unavailable',
  );
});

test('the list that holds the score of a known service is named, and nothing where own collection is active or no list says so', async () => {
  const set = { id: 'dns-x', what: 'public resolvers', source: 'https://example.net/', seen: '2026-08-01' };
  const courseOf = (isOwn: boolean, known: typeof set | undefined) =>
    describeTimeline(undefined, {
      ...question,
      view: { ...view, protection: { knownGood: () => known, isOwn: () => isOwn } },
    });
  const held = await courseOf(false, set);
  assert.deepEqual(
    [held.explanation.known_as, held.future[0]?.score, held.explanation.leaves.map(({ level }) => level)],
    [set, 29, ['low']],
  );
  assert.deepEqual(held.explanation.caps, [{ by: 'known_service', max: 29 }]);
  for (const course of [await courseOf(true, set), await courseOf(false, undefined)])
    assert.ok(
      !('known_as' in course.explanation || 'overridden' in course.explanation) && course.future[0]!.score > 70,
    );
});

test('a denial leaves its band when it ends, and counts for nothing before it was made', async () => {
  const denial = { id: 'ovr_1', prefix: '203.0.114.9/32', deny: 'proxy', reason: 'r' } as const;
  const made = { ...denial, from: unixMs(NOW - 10 * MINUTE_MS), until: unixMs(NOW + 20 * DAY_MS) };
  const override = (_: unknown, at: UnixMs) => (at >= made.from && at < made.until ? made : undefined);
  const protection = { knownGood: () => undefined, isOwn: () => true, override };
  const nothing = {
    earliest: () => FIRST,
    observationsAtEach: (_: unknown, at: readonly UnixMs[]) => at.map(() => []),
  };
  for (const [dpa, end] of [
    [true, made.until],
    [false, made.until + 90 * MINUTE_MS],
  ] as const) {
    const denied = { ...question, view: { ...view, protection, observations: () => [] }, account: { dpa } };
    const { past, future, explanation } = await describeTimeline(nothing, denied);
    const { overridden, leaves } = explanation;
    assert.deepEqual([overridden?.until, overridden?.reason], [new Date(made.until).toISOString(), undefined]);
    const ends = ['high', 'medium', 'low'].map((level) => ({ level, at: new Date(end).toISOString() }));
    assert.deepEqual(leaves, ends);
    assert.deepEqual([past.at(-2)?.score, past.at(-1)?.score, future.at(-1)?.score], [0, future[0]!.score, 0]);
    assert.ok(future[0]!.score > 70 && future.at(-2)!.score > 70);
  }
});

test('a Tor exit and a relay are named while what says so counts', async () => {
  const by = async (more: Partial<Observation>, relay = false) => {
    const observations = () => [{ ...proxy, riskType: 'vpn', source: 'tor-nodes', ...more } as Observation];
    const network = () => ({ ...view.network(question.address), relay });
    return (await describeTimeline(undefined, { ...question, view: { ...view, observations, network } })).explanation
      .shared_by;
  };
  assert.equal(await by({ sharedBy: 'tor' }), 'tor');
  assert.equal(await by({ sharedBy: 'relay' }), 'relay');
  assert.equal(await by({}), undefined);
  assert.equal(await by({ sharedBy: 'tor', capturedAt: unixMs(NOW - 60 * DAY_MS) }), undefined, 'expired');
  assert.equal(await by({ sharedBy: 'tor' }, true), 'relay');
});

test('operators see the sources of each row by name; other accounts see none', async () => {
  const row = (riskType: Observation['riskType'], source: string): Observation => ({ ...proxy, riskType, source });
  const observations = () => [row('proxy', 'list'), row('proxy', 'beacon.bcn_1'), row('hijacked_proxy', 'derived')];
  const sourcesOf = async (operator: boolean) => {
    const asked = { ...question, view: { ...view, observations }, account: { dpa: true, operator } };
    const { rows } = (await describeTimeline(undefined, asked)).explanation;
    return rows.map(({ risk_type, seen_by }) => [risk_type, seen_by]);
  };
  assert.deepEqual(await sourcesOf(true), [
    ['hijacked_proxy', ['derived']],
    ['proxy', ['beacon.bcn_1', 'list']],
  ]);
  assert.deepEqual(await sourcesOf(false), [
    ['hijacked_proxy', undefined],
    ['proxy', undefined],
  ]);
});
