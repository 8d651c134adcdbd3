import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, unixMs } from '../core/units.ts';
import { EvidenceFollower } from './evidence-follower.ts';
import type { EvidenceChanges } from './ports.ts';

const NOW = unixMs(1_800_000_000_000);
const later = (minutes: number) => unixMs(NOW + minutes * MINUTE_MS);
const change = { prefix: { family: 4, w0: 1, w1: 0, w2: 0, w3: 0, bits: 32 }, source: 's', rows: [] } as const;
const changes = (sequence: number, changed: EvidenceChanges['changed'] = []): EvidenceChanges => ({
  head: { sequence },
  sources: [{ id: 's', family: 's', lastRunAt: NOW, runDays: 1 }],
  changed,
});

function follow(answers: (EvidenceChanges | Error)[], compile: () => Promise<number> = async () => 9) {
  const emitted: number[] = [];
  const failures: unknown[] = [];
  let compiled = 0;
  const store = {
    changesSince: () => {
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
      return answer;
    },
  };
  const follower = new EvidenceFollower(
    {
      store,
      emit: ({ sequence }) => emitted.push(sequence),
      compile: () => {
        compiled++;
        return compile();
      },
      failed: (error) => failures.push(error),
      limits: { overlayRows: 2, overlayMs: 10 * MINUTE_MS, retryMs: MINUTE_MS },
    },
    1,
  );
  return { follower, emitted, failures, compiled: () => compiled };
}

test('what was accepted is sent once, and nothing is sent when nothing was', async () => {
  const { follower, emitted, compiled } = follow([changes(1), changes(3, [change]), changes(3)]);
  for (let i = 0; i < 3; i++) await follower.poll(NOW);
  assert.deepEqual([emitted, follower.known, compiled()], [[3], 3, 0]);
});

test('a grown or an aged overlay has a new image built; one without rows never does', async () => {
  const grown = follow([changes(2, [change, change])]);
  await grown.follower.poll(NOW);
  assert.equal(grown.compiled(), 1);
  const aged = follow([changes(2, [change]), changes(2), changes(2)]);
  for (const minutes of [0, 9, 10]) await aged.follower.poll(later(minutes));
  assert.equal(aged.compiled(), 1);
  const idle = follow([changes(2), changes(2)]);
  for (const minutes of [0, 600]) await idle.follower.poll(later(minutes));
  assert.equal(idle.compiled(), 0);
});

test('too much to send is built, and following goes on from the image', async () => {
  const { follower, emitted, compiled } = follow([changes(8, 'all'), changes(9)]);
  await follower.poll(NOW);
  assert.equal(follower.behind, true);
  await follower.settled();
  await follower.poll(NOW);
  assert.deepEqual([emitted, follower.known, follower.behind, compiled()], [[], 9, false, 1]);
});

test('a failed read or build is told, leaves the view as it is, and is tried again only after a while', async () => {
  const answers = [new Error('locked'), changes(8, 'all'), changes(8, 'all'), changes(8, 'all')];
  const { follower, failures, compiled } = follow(answers, () => Promise.reject(new Error('disk full')));
  await follower.poll(NOW);
  assert.deepEqual([failures.length, follower.behind], [1, true]);
  for (const seconds of [0, 59, 60]) {
    await follower.poll(unixMs(NOW + seconds * 1000));
    await follower.settled();
  }
  assert.deepEqual([failures.length, compiled(), follower.known], [3, 2, 1]);
});

test('the larger the image, the more is sent before the next one is built', async () => {
  const limits: number[] = [];
  let imageRows = 0;
  const store = {
    changesSince: (_known: number, limit: number) => {
      limits.push(limit);
      return changes(1);
    },
  };
  const follower = new EvidenceFollower({ store, emit: () => {}, compile: async () => 1, failed: () => {}, imageRows: () => imageRows }, 1);
  for (imageRows of [0, 1_500_000, 100_000_000]) await follower.poll(NOW);
  assert.deepEqual(limits, [30_000, 130_000, 200_000]);
});

test('a view is late after two seconds behind, or at once when it never was up with the store', async () => {
  const seconds = (count: number) => unixMs(NOW + count * 1000);
  const running = follow([changes(1), changes(8, 'all'), changes(8, 'all'), changes(8, 'all'), changes(9)], () => new Promise(() => {})).follower;
  const late: boolean[] = [];
  for (const at of [0, 10, 12, 12.5, 13]) {
    await running.poll(seconds(at));
    late.push(running.isLate(seconds(at)));
  }
  assert.deepEqual(late, [false, false, false, true, false]);
  const starting = follow([changes(8, 'all')], () => new Promise(() => {})).follower;
  await starting.poll(NOW);
  assert.equal(starting.isLate(NOW), true);
});
