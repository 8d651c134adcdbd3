import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeFeed, type SeenChange } from './change-feed.ts';

const row = (seq: number): SeenChange => ({ seq, topic: 'account', subject: `acc_${seq}` });

function feedOver(rows: SeenChange[]) {
  const state = { away: false };
  const reported: (string | readonly number[])[] = [];
  const feed = new ChangeFeed({
    head: () => {
      if (state.away) throw new Error('away');
      return rows.at(-1)?.seq ?? 0;
    },
    after: async (seq) => rows.filter((change) => change.seq > seq),
  });
  feed.subscribe((changes) => void reported.push(changes === 'everything' ? changes : changes.map(({ seq }) => seq)));
  return { feed, reported, state };
}

test('the first poll reports that everything changed, the next ones only news', async () => {
  const rows = [row(1)];
  const { feed, reported } = feedOver(rows);
  await feed.poll();
  await feed.poll();
  rows.push(row(2), row(3));
  await feed.poll();
  await feed.poll();
  assert.deepEqual(reported, ['everything', [2, 3]]);
});

test('a follower behind the oldest row kept, or ahead of a restored database, forgets everything', async () => {
  const rows = [row(1)];
  const { feed, reported } = feedOver(rows);
  await feed.poll();
  rows.splice(0, 1, row(5), row(6));
  await feed.poll();
  rows.splice(0, 2, row(2));
  await feed.poll();
  assert.deepEqual(reported, ['everything', 'everything', 'everything']);
});

test('while the database is away no listener is called; then nothing is missed', async () => {
  const rows = [row(1)];
  const { feed, reported, state } = feedOver(rows);
  await feed.poll();
  state.away = true;
  await assert.rejects(feed.poll(), /away/);
  rows.push(row(2));
  state.away = false;
  await feed.poll();
  assert.deepEqual(reported, ['everything', [2]]);
});

test('a listener that fails is called with the same again', async () => {
  const rows = [row(1)];
  const { feed } = feedOver(rows);
  await feed.poll();
  const seen: unknown[] = [];
  feed.subscribe(async (changes) => {
    seen.push(changes);
    if (seen.length === 1) throw new Error('not now');
  });
  rows.push(row(2));
  await assert.rejects(feed.poll(), /not now/);
  await feed.poll();
  await feed.poll();
  assert.deepEqual(seen, [[row(2)], [row(2)]]);
});
