import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { UNSEEN } from '../../core/watch/watch-state.ts';
import type { HistoryTimeline, LookupView } from '../ports.ts';
import { checkWatchlist } from './check-watchlist.ts';
import type { NewDelivery, Watchlist } from './watchlist-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const list = (checkedAt: UnixMs): Watchlist => ({
  ...{ id: 'a', accountId: 'acc_1', nonce: '', createdAt: NOON, checkedAt, name: '', entries: ['1.2.3.4/32'] },
  ...{ on: ['state', 'level'] as const, url: '' },
});
const captured = (at: UnixMs): Observation => ({
  ...{ riskType: 'proxy', source: 'trap', family: 'trap', capturedAt: at, days: 1, prefixBits: 32, pools: [] },
});
const viewOf = (...observations: Observation[]): LookupView =>
  ({ observations: () => observations, network: () => ({}), protection: undefined }) as never;
const told = (deliveries: readonly NewDelivery[]) =>
  deliveries.map(({ body, at }) => {
    const { timestamp, data } = JSON.parse(body);
    assert.equal(Date.parse(timestamp), at);
    return [at, data.before.evidence_state, data.after.evidence_state, data.cause];
  });

test('a capture that came and expired while no check ran is told twice, each with its own moment', async () => {
  covers('WATCHLIST');
  const [at, now] = [unixMs(NOON + 1234), unixMs(NOON + 20 * DAY_MS)];
  const observation = captured(at);
  const history: HistoryTimeline = {
    earliest: () => NOON,
    captureInstants: () => [at],
    observationsAtEach: (_address, instants) => instants.map((one) => (one < at ? [] : [observation])),
    missingBetween: () => [],
  };
  const options = { view: viewOf(observation), dpa: true, history, overrides: [], states: new Map(), now };
  const outcome = await checkWatchlist(list(NOON), options);
  const changes = told(outcome!.deliveries);
  assert.deepEqual(changes[0], [at, 'none', 'active', 'capture']);
  assert.deepEqual(changes.at(-1)!.slice(1), ['active', 'stale', 'decay']);
  assert.ok(changes.every(([when], i) => i === 0 || when > changes[i - 1]![0]));
  const again = await checkWatchlist(list(now), { ...options, states: outcome!.states, now: unixMs(now + 1) });
  assert.deepEqual(again!.deliveries, []);
});

test('without an agreement a list is checked at whole hours, and its deliveries carry the hour', async () => {
  covers('WATCHLIST');
  const now = unixMs(NOON + 90 * 60_000);
  const options = {
    ...{
      view: viewOf(captured(unixMs(now - 1))),
      dpa: false,
      history: undefined,
      overrides: [],
      states: new Map(),
      now,
    },
  };
  const hour = unixMs(NOON + HOUR_MS);
  assert.deepEqual(told((await checkWatchlist(list(NOON), options))!.deliveries), [
    [hour, 'none', 'active', 'capture'],
  ]);
  assert.equal(await checkWatchlist(list(hour), options), undefined, 'before the hour is over');
  const states = new Map([
    ['9.9.9.9', { ...UNSEEN, score: 50, level: 'medium' as const, state: 'active' as const, at: NOON }],
  ]);
  const gone = await checkWatchlist(list(NOON), { ...options, view: viewOf(), states });
  assert.deepEqual(
    told(gone!.deliveries),
    [[hour, 'active', 'none', 'decay']],
    'also where nothing is captured any more',
  );
});
