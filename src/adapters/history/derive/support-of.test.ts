import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, unixMs } from '../../../core/units.ts';
import { Catalogue } from '../read/catalogue.ts';
import { packSupport, supportOf, TakenBack } from './support-of.ts';

const at = (day: number) => unixMs(Date.UTC(2026, 5, 1) + day * DAY_MS);

test('the note about the captures behind a derived one is read back', () => {
  const restsOn = [
    { source: 'a', sender: 'key_1', first: at(1), last: at(2) },
    { source: 'b', sender: '', first: at(2), last: at(2) },
  ];
  assert.deepEqual(supportOf(packSupport(restsOn)), restsOn);
});

test('nothing is left of a support when all its captures were taken back, by whatever number of retractions that meet', () => {
  const rest = (source: string, first: number, last: number, sender = '') => ({
    source,
    sender,
    first: at(first),
    last: at(last),
  });
  const now = (from: number, to: number, source = 'a') => {
    const catalogue = new Catalogue();
    for (const [id, name] of [
      [1, 'a'],
      [2, 'b'],
    ] as const)
      catalogue.putSource({ id, name, family: name, mode: 'events', sharedBy: undefined });
    for (const [first, end, id] of [
      [4, 6, 1],
      [1, 3, 1],
      [from, to, source === 'a' ? 1 : 2],
    ] as const)
      catalogue.retractions.add(id, { sender: '', from: at(first), to: at(end), madeAt: at(9) });
    catalogue.retractions.add(2, { sender: 'key_1', from: at(6), to: at(8), madeAt: at(9) });
    return new TakenBack(catalogue);
  };
  const gap = now(0, 1, 'b');
  assert.equal(gap.coversAll([rest('a', 1, 2)]), true);
  assert.equal(gap.coversAll([rest('a', 1, 3)]), false, 'a stretch ends before its last moment');
  assert.equal(gap.coversAll([rest('a', 2, 5)]), false);
  assert.equal(now(3, 4).coversAll([rest('a', 1, 5)]), true);
  assert.equal(now(3, 4).coversAll([rest('a', 1, 5), rest('b', 1, 1)]), false);
  assert.equal(now(0, 2, 'b').coversAll([rest('a', 4, 5), rest('b', 0, 1)]), true);
  assert.equal(gap.coversAll([rest('stranger', 1, 1)]), false);
  assert.equal(gap.coversAll([rest('b', 6, 7, 'key_1')]), true, 'captures of one key');
  assert.equal(gap.coversAll([rest('b', 6, 7, 'key_1'), rest('b', 6, 7, 'key_2')]), false);
  assert.equal(gap.coversAll([rest('a', 1, 2, 'key_2')]), true, 'captures of every key');
});
