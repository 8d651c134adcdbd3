import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { RecordChanges } from './change-feed.ts';
import { RecordReloader } from './record-reloader.ts';

const change = (seq: number) => ({ seq, topic: 'account', subject: `acc_${seq}` });

test('changes are reloaded in order, one round at a time, and those of meanwhile are one round', async () => {
  const rounds: RecordChanges[] = [];
  const gate = Promise.withResolvers<void>();
  const reloader = new RecordReloader((changes) => {
    rounds.push(changes);
    return rounds.length === 1 ? gate.promise : undefined;
  }, assert.ifError);
  const first = reloader.take([change(1)]);
  reloader.take([change(2)]);
  reloader.take([change(3)]);
  assert.deepEqual(rounds, [[change(1)]]);
  gate.resolve();
  await first;
  assert.deepEqual(rounds, [[change(1)], [change(2), change(3)]]);
  await reloader.take('everything');
  assert.deepEqual(rounds.at(-1), 'everything');
});

test('a round that fails is followed by one of everything until records can be read, whatever arrives meanwhile', async () => {
  const rounds: RecordChanges[] = [];
  const onFault = mock.fn();
  const reloader = new RecordReloader(
    (changes) => {
      rounds.push(changes);
      if (rounds.length < 3) throw new Error('away');
    },
    onFault,
    1,
  );
  const done = reloader.take([change(1)]);
  reloader.take([change(2)]);
  await done;
  assert.deepEqual(rounds, [[change(1)], 'everything', 'everything']);
  assert.equal(onFault.mock.callCount(), 1, 'one fault for a row of them');
  await reloader.take([change(3)]);
  assert.deepEqual(rounds.at(-1), [change(3)]);
});

test('a closed reloader does not ask again', async () => {
  let rounds = 0;
  const reloader = new RecordReloader(
    () => {
      rounds++;
      reloader.close();
      throw new Error('away');
    },
    () => {},
    1,
  );
  await reloader.take('everything');
  assert.equal(rounds, 1);
});
