import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unixMs } from '../../core/units.ts';
import { isSlow, readingsToStart, SLOW_AFTER_MS } from './due-at.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21));
const quick = (...ids: string[]) => ids.map((id) => ({ id, slow: false }));
const slow = (...ids: string[]) => ids.map((id) => ({ id, slow: true }));
const young = { startedAt: NOW, slow: false };
const old = { startedAt: unixMs(NOW - SLOW_AFTER_MS), slow: false };

test('two quick feeds are read at the same time, in the order they are due', () => {
  assert.deepEqual(readingsToStart(quick('a', 'b', 'c'), [], NOW), ['a', 'b']);
  assert.deepEqual(readingsToStart(quick('c'), [young], NOW), ['c']);
  assert.deepEqual(readingsToStart(quick('c'), [young, young], NOW), []);
});

test('a reading that takes long gives up its quick slot, just when its time is over', () => {
  assert.deepEqual(readingsToStart(quick('c', 'd', 'e'), [old, old], NOW), ['c', 'd']);
  assert.deepEqual(readingsToStart(quick('c', 'd'), [old, young], NOW), ['c']);
  assert.deepEqual(readingsToStart(quick('c'), [young, { ...old, startedAt: unixMs(old.startedAt + 1) }], NOW), []);
});

test('feeds known as slow begin after all others, in slots of their own', () => {
  assert.deepEqual(readingsToStart([...slow('s'), ...quick('a', 'b', 'c')], [], NOW), ['a', 'b'], 'a quick one waits');
  assert.deepEqual(readingsToStart([...slow('s', 't'), ...quick('a')], [], NOW), ['a', 's', 't']);
  assert.deepEqual(readingsToStart(slow('s'), [young, young], NOW), ['s'], 'no quick slot is needed');
});

test('slots grow to a bound: a reading that takes long keeps its quick slot when the slow ones are full', () => {
  const eight = Array.from({ length: 8 }, () => old);
  assert.deepEqual(readingsToStart([...quick('a', 'b', 'c'), ...slow('s')], eight, NOW), ['a', 'b']);
  assert.deepEqual(readingsToStart(slow('s'), eight, NOW), []);
  assert.deepEqual(readingsToStart(quick('a', 'b'), [...eight, old], NOW), ['a']);
  assert.deepEqual(readingsToStart(quick('a'), [...eight, old, old], NOW), []);
});

test('never more than ten run, nothing starts twice, and a free slot is used', () => {
  const due = fc
    .array(fc.boolean(), { maxLength: 30 })
    .map((flags) => flags.map((isSlow, at) => ({ id: String(at), slow: isSlow })));
  fc.assert(
    fc.property(
      due,
      fc.array(fc.constantFrom(young, old, { ...young, slow: true }), { maxLength: 12 }),
      (feeds, running) => {
        const ids = readingsToStart(feeds, running, NOW);
        assert.equal(new Set(ids).size, ids.length);
        assert.ok(ids.length <= Math.max(0, 10 - running.length));
        if (running.length === 0) assert.equal(ids.length > 0, feeds.length > 0);
      },
    ),
  );
});

test('a feed is slow by its last reading, and not before its first', () => {
  const state = { failures: 0, rows: 0, refused: {} };
  assert.deepEqual(
    [undefined, SLOW_AFTER_MS - 1, SLOW_AFTER_MS].map((tookMs) =>
      isSlow(tookMs === undefined ? state : { ...state, tookMs }),
    ),
    [false, false, true],
  );
});
