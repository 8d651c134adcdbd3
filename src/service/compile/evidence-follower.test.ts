import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, unixMs } from '../../core/units.ts';
import { type EvidencePosition, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../engine/evidence/evidence-row.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import type { EvidenceChanges } from '../ports.ts';
import { EvidenceFollower } from './evidence-follower.ts';

const NOW = unixMs(1_800_000_000_000);
const later = (minutes: number) => unixMs(NOW + minutes * MINUTE_MS);
const change = { w0: 1 };
/** Captures of so many addresses. */
function rowsOf(changed: readonly (typeof change)[]): EvidenceChanges['changed'] {
  const buffer = new EvidenceRowBuffer(1);
  for (const { w0 } of changed) buffer.row(buffer.prefix(4, w0, 0, 0, 0, 32), ROW_OP.fixed, 0, 0, 0, NOW, 1);
  return { names: new RowNames([{ id: 's', family: 's', lastRunAt: NOW, runDays: 1 }]), rows: buffer.columns() };
}
/** Returns the position of a store at a batch. A store that was restored and written to has other marks. */
const stand = (sequence: number, line = 'a'): EvidencePosition => ({
  store: 'store',
  sequence,
  mark: `${line}${sequence}`,
});
/** `since` is filled in by the question. */
type Answer = Omit<EvidenceChanges, 'since'> & { readonly line: string };
const changes = (sequence: number, changed: 'all' | readonly (typeof change)[] = [], line = 'a'): Answer => ({
  head: stand(sequence, line),
  line,
  changed: changed === 'all' ? 'all' : rowsOf(changed),
});

type Merge = () => Promise<number | undefined>;

function follow(
  answers: (Answer | Error)[],
  compile: (restart: boolean) => Promise<number | EvidencePosition> = async () => 9,
  merge?: Merge,
) {
  const emitted: number[] = [];
  const failures: unknown[] = [];
  const diverged: number[][] = [];
  let compiled = 0;
  const store = {
    changesSince: (sequence: number): EvidenceChanges => {
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
      return { ...answer, since: sequence > answer.head.sequence ? undefined : stand(sequence, answer.line) };
    },
  };
  const follower = new EvidenceFollower(
    {
      store,
      emit: ({ sequence }) => emitted.push(sequence),
      compile: (restart) => {
        compiled++;
        return compile(restart).then((made) => (typeof made === 'number' ? stand(made) : made));
      },
      ...(merge === undefined
        ? {}
        : { merge: () => merge().then((sequence) => (sequence === undefined ? undefined : stand(sequence))) }),
      failed: (error) => failures.push(error),
      diverged: (view, head) => diverged.push([view.sequence, head.sequence]),
      limits: { overlayRows: 2, overlayMs: 10 * MINUTE_MS, retryMs: MINUTE_MS },
    },
    stand(1),
  );
  return { follower, emitted, failures, diverged, compiled: () => compiled };
}

test('an accepted batch is sent once, and nothing is sent when nothing was', async () => {
  const { follower, emitted, compiled } = follow([changes(1), changes(3, [change]), changes(3)]);
  for (let i = 0; i < 3; i++) await follower.poll(NOW);
  assert.deepEqual([emitted, follower.known.sequence, compiled()], [[3], 3, 0]);
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
  assert.deepEqual([emitted, follower.known.sequence, follower.behind, compiled()], [[], 9, false, 1]);
});

test('a failed read or build is reported, leaves the view as it is, and is tried again only after a while', async () => {
  const answers = [new Error('locked'), changes(8, 'all'), changes(8, 'all'), changes(8, 'all')];
  const { follower, failures, compiled } = follow(answers, () => Promise.reject(new Error('disk full')));
  await follower.poll(NOW);
  assert.deepEqual([failures.length, follower.behind], [1, true]);
  for (const seconds of [0, 59, 60]) {
    await follower.poll(unixMs(NOW + seconds * 1000));
    await follower.settled();
  }
  assert.deepEqual([failures.length, compiled(), follower.known.sequence], [3, 2, 1]);
});

test('too much to send is merged, whatever is being compiled, and following goes on from the merged image', async () => {
  const restarts: boolean[] = [];
  let finish = (_sequence: number): void => {};
  const compile = (restart: boolean): Promise<number> => {
    restarts.push(restart);
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  let mergedAt = (_sequence: number): void => {};
  const merge: Merge = () =>
    new Promise((resolve) => {
      mergedAt = resolve;
    });
  const { follower, emitted } = follow(
    [changes(2, [change]), changes(2), changes(8, 'all'), changes(9)],
    compile,
    merge,
  );
  await follower.poll(NOW);
  await follower.poll(later(10));
  assert.deepEqual(restarts, [false], 'the aged overlay is compiled');
  await follower.poll(later(10));
  assert.equal(follower.behind, true);
  mergedAt(8);
  await new Promise(setImmediate);
  assert.deepEqual([follower.behind, follower.known.sequence], [false, 8], 'the merge did not wait for the compiler');
  finish(2);
  await follower.settled();
  await follower.poll(later(11));
  assert.deepEqual([follower.known.sequence, emitted], [9, [2, 9]], 'an image that took long takes nothing back');
});

test('where the store no longer has the changes everything is compiled again, once, and the threads take that image', async () => {
  const restarts: boolean[] = [];
  let merges = 0;
  let finish = (_sequence: number): void => {};
  const compile = (restart: boolean): Promise<number> => {
    restarts.push(restart);
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const unknown: Merge = async () => {
    merges++;
    return undefined;
  };
  const { follower } = follow([changes(8, 'all'), changes(8, 'all'), changes(9)], compile, unknown);
  for (let i = 0; i < 2; i++) {
    await follower.poll(NOW);
    await new Promise(setImmediate);
  }
  assert.deepEqual([restarts, merges, follower.behind], [[true], 1, true]);
  finish(8);
  await follower.settled();
  await follower.poll(NOW);
  assert.deepEqual([follower.known.sequence, follower.behind], [9, false]);
});

test('a merge that fails is reported, and compiling takes its place for a while', async () => {
  const broken: Merge = () => Promise.reject(new Error('out of memory'));
  const { follower, failures, compiled } = follow([changes(8, 'all'), changes(9)], undefined, broken);
  await follower.poll(NOW);
  await follower.settled();
  await follower.poll(NOW);
  assert.deepEqual([failures.length, compiled(), follower.known.sequence], [1, 1, 9]);
});

test('changes sent in many small pieces are merged once it is much', async () => {
  let merges = 0;
  const merge: Merge = async () => 2 + merges++;
  const { follower, emitted, compiled } = follow(
    [changes(2, [change]), changes(3, [change]), changes(3)],
    undefined,
    merge,
  );
  for (let i = 0; i < 3; i++) {
    await follower.poll(NOW);
    await follower.settled();
  }
  assert.deepEqual([emitted, merges, compiled(), follower.known.sequence], [[2, 3], 1, 0, 3]);
});

test('a batch accepted while much is being merged is sent at once, and is not lost with the image', async () => {
  let mergedAt = (_sequence: number): void => {};
  const merge: Merge = () =>
    new Promise((resolve) => {
      mergedAt = resolve;
    });
  const { follower, emitted } = follow(
    [changes(2, [change, change]), changes(3, [change]), changes(4, [change])],
    undefined,
    merge,
  );
  for (let i = 0; i < 2; i++) await follower.poll(NOW);
  assert.deepEqual([emitted, follower.known.sequence], [[2, 3], 3]);
  mergedAt(2);
  await new Promise(setImmediate);
  assert.equal(follower.known.sequence, 3, 'the image is older than what was sent since');
  await follower.poll(NOW);
  assert.deepEqual(emitted, [2, 3, 4]);
});

test('a view is late after two seconds behind, or at once when it never was up with the store', async () => {
  const seconds = (count: number) => unixMs(NOW + count * 1000);
  const running = follow(
    [changes(1), changes(8, 'all'), changes(8, 'all'), changes(8, 'all'), changes(9)],
    () => new Promise(() => {}),
  ).follower;
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

test('a view is late from the first poll that cannot read the store, until one can', async () => {
  const { follower } = follow([changes(1), new Error('away'), changes(1)]);
  const late: boolean[] = [];
  for (let poll = 0; poll < 3; poll++) {
    await follower.poll(NOW);
    late.push(follower.isLate(NOW));
  }
  assert.deepEqual(late, [false, true, false]);
});

test('a store that is behind the view, or holds other batches of the same number, is reported once, is late at once, and is compiled whatever its number', async () => {
  for (const [behind, made] of [
    [changes(0), stand(0)],
    [changes(1, [], 'b'), stand(1, 'b')],
    [changes(5, [change], 'b'), stand(5, 'b')],
  ] as const) {
    const restarts: boolean[] = [];
    let finish = (): void => {};
    const compile = (restart: boolean): Promise<EvidencePosition> => {
      restarts.push(restart);
      return new Promise((resolve) => {
        finish = () => resolve(made);
      });
    };
    const after = {
      ...changes(made.sequence + 1, [change]),
      head: { ...stand(made.sequence + 1), mark: 'next' },
      line: made.mark.slice(0, 1),
    };
    const { follower, emitted, diverged } = follow([changes(1), behind, behind, after], compile, () =>
      assert.fail('merged into a view of another state'),
    );
    await follower.poll(NOW);
    for (let i = 0; i < 2; i++) {
      await follower.poll(NOW);
      assert.deepEqual([follower.diverged, follower.isLate(NOW), emitted], [true, true, []]);
    }
    assert.deepEqual([restarts, diverged], [[true], [[1, behind.head.sequence]]]);
    finish();
    await follower.settled();
    assert.deepEqual(follower.known, made);
    await follower.poll(NOW);
    assert.deepEqual([follower.diverged, follower.isLate(NOW), emitted], [false, false, [made.sequence + 1]]);
  }
});

test('the store’s word about a view that was replaced meanwhile is not sent', async () => {
  let answer = (_changes: EvidenceChanges): void => {};
  let finish = (_position: EvidencePosition): void => {};
  const emitted: number[] = [];
  const asked: number[] = [];
  const follower = new EvidenceFollower(
    {
      store: {
        changesSince: (sequence) => {
          asked.push(sequence);
          return asked.length === 1
            ? { ...changes(8, 'all'), since: stand(1) }
            : new Promise((resolve) => (answer = resolve));
        },
      },
      emit: ({ sequence }) => emitted.push(sequence),
      compile: () => new Promise((resolve) => (finish = resolve)),
      failed: (error) => assert.fail(String(error)),
      diverged: () => assert.fail('diverged'),
    },
    stand(1),
  );
  await follower.poll(NOW);
  const polling = follower.poll(NOW);
  finish(stand(8, 'b'));
  await follower.settled();
  answer({ ...changes(9, [change]), since: stand(1) });
  await polling;
  assert.deepEqual([emitted, follower.known, asked], [[], stand(8, 'b'), [1, 1]]);
});
