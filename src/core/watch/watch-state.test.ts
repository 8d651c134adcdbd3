import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { unixMs } from '../units.ts';
import type { WatchlistRequest } from './read-watchlist.ts';
import { isTold, type WatchState, watchChanges } from './watch-state.ts';

let at = 0;
const state = (level: WatchState['level'], of: WatchState['state'], override?: string): WatchState => ({
  ...{ score: 0, level, state: of, override, at: unixMs(at++) },
});
const [none, low, high, stale] = [
  state('none', 'none'),
  state('low', 'active'),
  state('high', 'active'),
  state('none', 'stale'),
];

test('changes follow one another with their causes; equal neighbours are one', () => {
  covers('WATCHLIST');
  const allowed = state('low', 'active', 'ovr_1');
  const changes = watchChanges(none, [none, high, high, low, allowed, stale, none]);
  assert.deepEqual(
    changes.map(({ before, after, cause }) => [before, after, cause]),
    [
      [none, high, 'capture'],
      [high, low, 'decay'],
      [low, allowed, 'override'],
      [allowed, stale, 'override'],
      [stale, none, 'decay'],
    ],
  );
});

test('a list is told of the changes it asks for, from its least level on', () => {
  covers('WATCHLIST');
  const list = (more: Partial<WatchlistRequest>): WatchlistRequest => ({
    ...{ name: '', entries: [], on: ['state', 'level'], url: '' },
    ...more,
  });
  const change = (before: WatchState, after: WatchState) => ({ before, after, cause: 'capture' }) as const;
  assert.equal(isTold(change(low, high), list({ on: ['state'] })), false);
  assert.equal(isTold(change(low, high), list({ on: ['level'] })), true);
  assert.equal(isTold(change(none, low), list({ minLevel: 'high' })), false);
  assert.equal(isTold(change(high, stale), list({ minLevel: 'high' })), true, 'it was that high before');
});
